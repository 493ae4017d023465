"""A TLS server or client that says in every message which connection it is on: the client's port.

    tls_talk.py server thread|async|fork HOST              prints the port
    tls_talk.py client thread|async HOST PORT CONNECTIONS MESSAGES BYTES [tls12] [late]

Threads use a socket BIO (calls of the library do socket calls), asyncio a memory BIO (they do not). HOST ::ffff:127.0.0.1 is IPv4 through IPv6 sockets.
With `late` every second connection waits with half of its messages: all of them have shaken hands when the file
"talking" is there, and the rest comes once there is a file "attached". Expects c.pem and k.pem in the current folder.
"""
import asyncio
import os
import random
import signal
import socket
import ssl
import struct
import sys
import threading
import time


def message(port, size, who):
    head = f"MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: {port};\r\nX-Who: {who}\r\n\r\n".encode()
    return head + b"." * (size - len(head))


def read_exactly(s, n):
    parts = []
    while n > 0:
        part = s.recv(min(n, 65536))
        if not part:
            return None
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def server_context():
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ctx.load_cert_chain("c.pem", "k.pem")
    return ctx


def client_context(tls12):
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ctx.check_hostname = False
    ctx.verify_mode = ssl.CERT_NONE
    if tls12:
        ctx.maximum_version = ssl.TLSVersion.TLSv1_2
    return ctx


SIZE = struct.Struct("!I")  # the client's first four bytes on a connection: the size of every message


def serve_socket(conn, address, ctx):
    try:
        s = ctx.wrap_socket(conn, server_side=True)
        size = SIZE.unpack(read_exactly(s, 4))[0]
        while read_exactly(s, size) is not None:
            s.sendall(message(address[1], size, "server"))
    except (OSError, TypeError):
        pass


async def serve_stream(reader, writer):
    port = writer.get_extra_info("peername")[1]
    try:
        size = SIZE.unpack(await reader.readexactly(4))[0]
        while True:
            await reader.readexactly(size)
            writer.write(message(port, size, "server"))
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()


def server(mode, host):
    ctx = server_context()
    if mode == "async":

        async def main():
            srv = await asyncio.start_server(serve_stream, host, 0, ssl=ctx)
            print("port", srv.sockets[0].getsockname()[1], flush=True)
            await srv.serve_forever()

        asyncio.run(main())
    if host.startswith("::ffff:"):
        listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    else:
        listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    print("port", listener.getsockname()[1], flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        conn, address = listener.accept()
        if mode == "thread":
            threading.Thread(target=serve_socket, args=(conn, address, ctx), daemon=True).start()
        elif os.fork() == 0:
            listener.close()
            serve_socket(conn, address, ctx)
            os._exit(0)
        else:
            conn.close()


class Gate:
    """Where connections of a `late` client wait in the middle of their messages."""

    def __init__(self, connections, messages):
        self.connections, self.half = connections, messages // 2
        self.lock = threading.Lock()
        self.talking = 0

    def is_shut(self, number, i):
        """Whether the connection with this number has to wait in front of its i-th message."""
        if i == 1:
            with self.lock:
                self.talking += 1
                if self.talking == self.connections:
                    open("talking", "w").close()
        return number % 2 == 0 and i == self.half and not os.path.exists("attached")


def talk_socket(number, host, port, messages, size, ctx, gate):
    s = ctx.wrap_socket(socket.create_connection((host, port)))
    own = s.getsockname()[1]
    s.sendall(SIZE.pack(size))
    for i in range(messages):
        while gate and gate.is_shut(number, i):
            time.sleep(0.01)
        s.sendall(message(own, size, "client"))
        assert f"X-Port: {own};".encode() in read_exactly(s, size)
        time.sleep(random.random() * 0.01)
    s.close()


async def talk_stream(number, host, port, messages, size, ctx, gate):
    reader, writer = await asyncio.open_connection(host, port, ssl=ctx)
    own = writer.get_extra_info("sockname")[1]
    writer.write(SIZE.pack(size))
    for i in range(messages):
        while gate and gate.is_shut(number, i):
            await asyncio.sleep(0.01)
        writer.write(message(own, size, "client"))
        await writer.drain()
        assert f"X-Port: {own};".encode() in await reader.readexactly(size)
        await asyncio.sleep(random.random() * 0.01)
    writer.close()


def client(mode, host, port, connections, messages, size, tls12, late):
    ctx = client_context(tls12)
    gate = Gate(connections, messages) if late else None
    talks = [(number, host, port, messages, size, ctx, gate) for number in range(connections)]
    if mode == "async":

        async def main():
            await asyncio.gather(*[talk_stream(*talk) for talk in talks])

        asyncio.run(main())
        return
    threads = [threading.Thread(target=talk_socket, args=talk) for talk in talks]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


if sys.argv[1] == "server":
    server(sys.argv[2], sys.argv[3])
else:
    client(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:8]), "tls12" in sys.argv, "late" in sys.argv)
