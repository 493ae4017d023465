"""SIP over secure WebSocket, both ends in this process (RFC 7118), or another subprotocol.

    tls_wss.py upgrade sip|chat [COUNT]   an upgrade, a wait for the file "judged", then so many messages each way (20)
    tls_wss.py frames                     messages only, as when one attaches late: masked one way, plain the other

c.pem and k.pem are in the current folder.
"""
import os
import socket
import ssl
import struct
import sys
import threading
import time

mode, protocol = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "sip"
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 20
START = b"MESSAGE sip:b@example.org SIP/2.0\r\n" if protocol == "sip" else b"a chat: MESSAGE sip:b@example.org SIP/2.0\r\n"
TEXT = START + b"X-Way: %s\r\nX-Number: %03d\r\n\r\n"

server_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_ctx.load_cert_chain("c.pem", "k.pem")
client_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client_ctx.check_hostname = False
client_ctx.verify_mode = ssl.CERT_NONE
listener = socket.create_server(("127.0.0.1", 0))


def ws_frame(text, masked):
    head = bytes([0x81]) + (bytes([len(text) | masked << 7]) if len(text) < 126 else struct.pack("!BH", 126 | masked << 7, len(text)))
    if not masked:
        return head + text
    key = os.urandom(4)
    return head + key + bytes(b ^ key[i & 3] for i, b in enumerate(text))


def serve():
    conn, _ = listener.accept()
    s = server_ctx.wrap_socket(conn, server_side=True)
    if mode == "upgrade":
        data = b""
        while not data.endswith(b"\r\n\r\n"):
            data += s.recv(4096)
        s.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: %s\r\n\r\n" % protocol.encode())
    for i in range(COUNT):
        s.recv(4096)
        s.sendall(ws_frame(TEXT % (b"down", i) + b"x" * 200, False))
    s.recv(1)


t = threading.Thread(target=serve)
t.start()
with client_ctx.wrap_socket(socket.create_connection(listener.getsockname())) as c:
    if mode == "upgrade":
        c.sendall(
            b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-PROTOCOL: %s\r\n\r\n" % protocol.encode()
        )
        c.recv(4096)
        while not os.path.exists("judged"):
            time.sleep(0.01)
    for i in range(COUNT):
        c.sendall(ws_frame(TEXT % (b"up", i) + b"x" * (5 if i % 2 else 300), True))
        c.recv(4096)
t.join()
print("done", flush=True)
