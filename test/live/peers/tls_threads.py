"""A TLS server on memory BIOs whose threads do not keep to their own connections. Prints the port; speaks as the server
of tls_talk.py does.

    tls_threads.py log HOST        one thread owns the sockets; another decrypts, and logs each answer over plain TCP in
                                   a line that is longer by as much as a TLS record would be
    tls_threads.py logtls HOST     the same; it logs over TLS of its own, on a socket BIO
    tls_threads.py late HOST       one thread serves the first connection alone; later three threads share the work, so that
                                   for a few messages one receives from the first and decrypts for the second
    tls_threads.py pool HOST       four threads: each receives from any socket, decrypts for any connection, and sends
                                   what any of them encrypted
"""
import os
import queue
import random
import select
import socket
import ssl
import struct
import sys
import threading
import time
from collections import deque

mode, host = sys.argv[1], sys.argv[2]
SIZE = struct.Struct("!I")
HEAD = 44  # of a line of syslog over TCP (RFC 6587)


def message(port, size):
    head = f"MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: {port};\r\nX-Who: server\r\n\r\n".encode()
    return head + b"." * (size - len(head))


ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
ctx.load_cert_chain("c.pem", "k.pem")


class Connection:
    def __init__(self, sock):
        self.sock, self.port = sock, sock.getpeername()[1]
        self.read, self.write = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = ctx.wrap_bio(self.read, self.write, server_side=True)
        self.received, self.to_send = deque(), deque()
        self.deciphering, self.sending, self.receiving = threading.Lock(), threading.Lock(), threading.Lock()
        self.is_open, self.size, self.plain = False, 0, b""

    def decipher(self, log):
        """Feeds what was received, answers each whole message, and leaves the answers to be sent."""
        self.read.write(self.received.popleft())
        try:
            if not self.is_open:
                self.tls.do_handshake()
                self.is_open = True
            while True:
                part = self.tls.read(65536)
                if not part:
                    break
                self.plain += part
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            return
        self.flush()
        if self.size == 0 and len(self.plain) >= 4:
            self.size = SIZE.unpack(self.plain[:4])[0]
            self.plain = self.plain[4:]
        while self.size and len(self.plain) >= self.size:
            self.plain = self.plain[self.size :]
            answer = message(self.port, self.size)
            self.tls.write(answer)
            self.flush()
            log(answer)

    def flush(self):
        if self.write.pending:
            self.to_send.append(self.write.read())


def sink(tls):
    """Where the log goes; returns a socket to write it to."""
    listener = socket.create_server((host, 0))

    def drain():
        conn, _ = listener.accept()
        s = ctx.wrap_socket(conn, server_side=True) if tls else conn
        while s.recv(65536):
            pass

    threading.Thread(target=drain, daemon=True).start()
    s = socket.create_connection(listener.getsockname())
    if not tls:
        return s
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    return client.wrap_socket(s)


connections = []
listener = socket.create_server((host, 0), backlog=64)
print("port", listener.getsockname()[1], flush=True)


def accept():
    while True:
        sock, _ = listener.accept()
        sock.setblocking(False)
        connections.append(Connection(sock))


def receive(c):
    if not c.receiving.acquire(blocking=False):
        return False
    try:
        data = c.sock.recv(65536)
        if data:
            c.received.append(data)
            return True
    except OSError:
        pass
    finally:
        c.receiving.release()
    return False


def send(c):
    if not c.to_send or not c.sending.acquire(blocking=False):
        return False
    try:
        if c.to_send:
            c.sock.send(c.to_send.popleft())
            return True
    except OSError:
        pass
    finally:
        c.sending.release()
    return False


def decipher(c, log):
    if not c.received or not c.deciphering.acquire(blocking=False):
        return False
    try:
        if c.received:
            c.decipher(log)
            return True
    finally:
        c.deciphering.release()
    return False


def any_of(step):
    """Does one step for one connection, whichever comes first in a shuffled order."""
    for c in random.sample(connections, len(connections)):
        if step(c):
            return True
    return False


def work():
    pause = lambda: time.sleep(random.random() * 0.002)  # another thread comes first
    while True:
        busy = any_of(receive)
        pause()
        busy |= any_of(lambda c: decipher(c, silent))
        pause()
        busy |= any_of(send)
        if not busy:
            time.sleep(0.001)


def own_sockets():
    while True:
        for c in list(connections):
            while send(c):
                pass
        ready = select.select([c.sock for c in connections], [], [], 0.002)[0] if connections else time.sleep(0.002)
        for c in list(connections):
            if ready and c.sock in ready:
                receive(c)


def decrypt_and_log():
    to = sink(mode == "logtls")

    def log(text):
        to.sendall(b"%d <134>1 2026-11-22T12:00:00Z sbc sip - - - " % (len(text) + HEAD) + text)

    while True:
        if not any_of(lambda c: decipher(c, log)):
            time.sleep(0.001)


class Hand:
    """A thread that does one step when it is told to."""

    def __init__(self):
        self.steps, self.done = queue.SimpleQueue(), queue.SimpleQueue()
        threading.Thread(target=self.work, daemon=True).start()

    def work(self):
        while True:
            self.done.put(self.steps.get()())

    def do(self, step, c, *rest):
        self.steps.put(lambda: step(c, *rest))
        return self.done.get()


def silent(text):
    pass


def serve(hand, c):
    """All by one thread, as it comes."""
    hand.do(receive, c)
    hand.do(decipher, c, silent)
    while hand.do(send, c):
        pass


def late_second():
    one, two, three = Hand(), Hand(), Hand()

    def share(a, b):
        select.select([a.sock], [], [])
        select.select([b.sock], [], [])
        two.do(receive, a)
        one.do(receive, b)
        three.do(decipher, a, silent)
        while three.do(send, a):
            pass
        two.do(decipher, b, silent)
        while one.do(send, b):
            pass

    def accept_one():
        c = Connection(listener.accept()[0])
        c.sock.setblocking(False)
        return c

    a = accept_one()
    for _ in range(ALONE):
        select.select([a.sock], [], [])
        serve(three, a)
    b = accept_one()
    for _ in range(SHARED):
        share(a, b)
    while True:
        for c in (a, b):
            if c.sock in select.select([a.sock, b.sock], [], [])[0]:
                serve(three, c)


ALONE, SHARED = 60, 6

if mode == "late":
    late_second()
threading.Thread(target=accept, daemon=True).start()
if mode == "pool":
    for _ in range(3):
        threading.Thread(target=work, daemon=True).start()
    work()
else:
    threading.Thread(target=own_sockets, daemon=True).start()
    decrypt_and_log()
