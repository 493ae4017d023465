"""HTTPS that is not SIP, over several connections of this process: what the SIP-only filter must keep in.

    tls_https.py CONNECTIONS

Requests whose methods SIP has too, header ends written alone, bodies that quote SIP, chunks. c.pem and k.pem
are in the current folder. Every message carries the word SECRET.
"""
import socket
import ssl
import sys
import threading

COUNT = int(sys.argv[1])
QUOTED = b"SECRET INVITE sip:alice@example.org SIP/2.0\r\nVia: SIP/2.0/TLS x\r\n\r\n"
REQUESTS = (
    [b"GET /SECRET HTTP/1.1\r\nHost: x\r\nUpgrade-Insecure-Requests: 1\r\nCookie: " + b"c" * 5000 + b"\r\n\r\n"],
    [b"OPTIONS * HTTP/1.1\r\nHost: SECRET\r\n\r\n"],
    [b"OPTIONS /SECRET HTTP/1.1\r\nHost: x\r\n", b"\r\n"],
    [b"NOTIFY /SECRET HTTP/1.1\r\nHost: x\r\n\r\n"],
    [b"SUBSCRIBE http://x/SECRET HTTP/1.1\r\n", b"\r\n\r\n"],
    [b"POST /SECRET HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(QUOTED), QUOTED[:7], QUOTED[7:]],
    [b"GET /chat-SECRET HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
    [b"\r\n\r\n", b"SECRET"],
    [b"SIP/2 is no SECRET version\r\n\r\n"],
    [b"\x81\x85SECRETSECRETSECRETSECRET"],
)
ANSWER = [b"HTTP/1.1 200 OK\r\nContent-Length: 20006\r\n", b"\r\n", b"SECRET" + b"p" * 20000]

server_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_ctx.load_cert_chain("c.pem", "k.pem")
client_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client_ctx.check_hostname = False
client_ctx.verify_mode = ssl.CERT_NONE
listener = socket.create_server(("127.0.0.1", 0), backlog=100)


def serve():
    while True:
        conn, _ = listener.accept()
        s = server_ctx.wrap_socket(conn, server_side=True)
        while s.recv(65536):
            for part in ANSWER:
                s.sendall(part)


threading.Thread(target=serve, daemon=True).start()
calls = 0
for i in range(COUNT):
    with client_ctx.wrap_socket(socket.create_connection(listener.getsockname())) as c:
        for part in REQUESTS[i % len(REQUESTS)]:
            c.sendall(part)
            done = 0
            while done < 20006:
                done += len(c.recv(65536))
            calls += 1
print("requests", calls, flush=True)
