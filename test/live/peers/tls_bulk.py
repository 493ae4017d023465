"""Sends random bytes both ways over one TLS connection, in pieces of random size, with a small send buffer.

    tls_bulk.py MEGABYTES

Server and client are two threads of this process, non-blocking. What each end sent and received is left in
the files server.tx, server.rx, client.tx and client.rx of the current folder (c.pem and k.pem are there).
"""
import os
import random
import select
import socket
import ssl
import sys
import threading

TOTAL = int(sys.argv[1]) << 20


def pump(s, name):
    rng = random.Random(name)
    data = rng.randbytes(TOTAL)
    with open(name + ".tx", "wb") as f:
        f.write(data)
    s.setblocking(False)
    sent, received = 0, bytearray()
    piece = rng.randint(1, 200000)
    while sent < TOTAL or len(received) < TOTAL:
        want_read, want_write = len(received) < TOTAL, sent < TOTAL
        select.select([s] if want_read and not s.pending() else [], [s] if want_write else [], [], 0.002)
        if want_write:
            try:
                # The same memory is offered again after a refusal, as the library asks.
                n = s.send(memoryview(data)[sent : sent + piece])
                sent += n
                piece = rng.randint(1, 900) if rng.random() < 0.3 else rng.randint(1, 200000)
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
        if want_read:
            try:
                received += s.recv(rng.choice((700, 5000, 16384, 100000)))
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
    with open(name + ".rx", "wb") as f:
        f.write(received)


def small_buffers(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    return s


server_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_ctx.load_cert_chain("c.pem", "k.pem")
client_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
client_ctx.check_hostname = False
client_ctx.verify_mode = ssl.CERT_NONE
listener = socket.create_server(("127.0.0.1", 0))


def serve():
    conn, _ = listener.accept()
    pump(server_ctx.wrap_socket(small_buffers(conn), server_side=True), "server")


t = threading.Thread(target=serve)
t.start()
connection = client_ctx.wrap_socket(small_buffers(socket.create_connection(listener.getsockname())))
print("client port", connection.getsockname()[1], flush=True)
pump(connection, "client")
t.join()
os._exit(0)
