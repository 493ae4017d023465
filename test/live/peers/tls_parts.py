"""SIP over TLS, or over secure WebSocket, that comes in parts. Both ends are in this process; c.pem and k.pem are in the
current folder. Each of COUNT requests is answered by one message; the parts go both ways.

    tls_parts.py sip N COUNT              the first record of each message has N bytes, after two line ends, a record each
    tls_parts.py frames N COUNT           the same in WebSocket frames whose upgrade was not seen, without line ends
    tls_parts.py upgrade COOKIE COUNT     an upgrade with a cookie of so many bytes, read 1,024 bytes at a time
"""
import os
import socket
import ssl
import struct
import sys
import threading
import time

mode, size, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
server_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_ctx.load_cert_chain("c.pem", "k.pem")
client_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client_ctx.check_hostname = False
client_ctx.verify_mode = ssl.CERT_NONE
listener = socket.create_server(("127.0.0.1", 0))


def message(start, i):
    return (
        f"{start}\r\nVia: SIP/2.0/TLS x.invalid;branch=z9hG4bK{i}\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\n"
        f"Call-ID: parts-{i}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n"
    ).encode()


def in_frame(text, masked):
    head = bytes([0x81]) + struct.pack("!BH", 126 | masked << 7, len(text))
    if not masked:
        return head + text
    key = os.urandom(4)
    return head + key + bytes(b ^ key[i & 3] for i, b in enumerate(text))


def send(s, text, masked):
    if mode == "upgrade":
        s.sendall(in_frame(text, masked))
        return
    if mode == "frames":
        text = in_frame(text, masked)
    else:
        s.sendall(b"\r")
        s.sendall(b"\n")
    s.sendall(text[:size])
    time.sleep(0.002)
    s.sendall(text[size:])


def receive(s, wanted):
    """As many bytes, in whatever parts; line ends in front do not count."""
    data = b""
    while len(data) < wanted:
        part = s.recv(65536)
        assert part, "closed"
        data = (data + part).lstrip(b"\r\n") if mode == "sip" else data + part
    return data


def length(text, masked):
    return len(text) if mode == "sip" else len(in_frame(text, masked))


REQUEST, ANSWER = "OPTIONS sip:b@x SIP/2.0", "SIP/2.0 200 OK"


def serve():
    conn, _ = listener.accept()
    s = server_ctx.wrap_socket(conn, server_side=True)
    if mode == "upgrade":
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += s.recv(1024)
        s.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Protocol: sip\r\nSet-Cookie: x=" + b"y" * size + b"\r\n\r\n"
        )
    for i in range(count):
        receive(s, length(message(REQUEST, i), True))
        send(s, message(ANSWER, i), False)
    s.recv(1)


t = threading.Thread(target=serve)
t.start()
with client_ctx.wrap_socket(socket.create_connection(listener.getsockname())) as c:
    if mode == "upgrade":
        c.sendall(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nCookie: SECRET=" + b"c" * size + b"\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: sip\r\n\r\n"
        )
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += c.recv(4096)
    for i in range(count):
        send(c, message(REQUEST, i), True)
        receive(c, length(message(ANSWER, i), False))
t.join()
print("done", flush=True)
