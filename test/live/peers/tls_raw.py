"""Calls libssl directly, for what Python's own module does not do.

    tls_raw.py cold|peek|reset|clear|early

cold    SSL_write from file mappings that were never touched; SSL_read into fresh memory
peek    SSL_peek between the reads: what it shows must not be reported twice
reset   the peer resets the connection while there is still something to write
clear   one SSL object for two connections, by SSL_clear
early   data in front of the end of the handshake (RFC 8446 s2.3), from both ends
Prints what a test needs to know. c.pem and k.pem are in the current folder; libssl's path is in LIBSSL.
"""
import ctypes
import mmap
import os
import socket
import ssl
import struct
import sys
import tempfile
import threading

lib = ctypes.CDLL(os.environ["LIBSSL"])
pointer = ctypes.c_void_p
for name, result, arguments in (
    ("TLS_client_method", pointer, []),
    ("SSL_CTX_new", pointer, [pointer]),
    ("SSL_new", pointer, [pointer]),
    ("SSL_set_fd", ctypes.c_int, [pointer, ctypes.c_int]),
    ("SSL_connect", ctypes.c_int, [pointer]),
    ("SSL_write", ctypes.c_int, [pointer, pointer, ctypes.c_int]),
    ("SSL_read", ctypes.c_int, [pointer, pointer, ctypes.c_int]),
    ("SSL_peek", ctypes.c_int, [pointer, pointer, ctypes.c_int]),
    ("SSL_clear", ctypes.c_int, [pointer]),
    ("SSL_shutdown", ctypes.c_int, [pointer]),
    ("SSL_free", None, [pointer]),
    ("TLS_server_method", pointer, []),
    ("SSL_CTX_use_certificate_file", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("SSL_CTX_use_PrivateKey_file", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("SSL_CTX_set_max_early_data", ctypes.c_int, [pointer, ctypes.c_uint32]),
    ("SSL_accept", ctypes.c_int, [pointer]),
    ("SSL_get1_session", pointer, [pointer]),
    ("SSL_set_session", ctypes.c_int, [pointer, pointer]),
    ("SSL_read_early_data", ctypes.c_int, [pointer, pointer, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]),
    ("SSL_write_early_data", ctypes.c_int, [pointer, pointer, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]),
):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments

server_ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_ctx.load_cert_chain("c.pem", "k.pem")
listener = socket.create_server(("127.0.0.1", 0))
CTX = lib.SSL_CTX_new(lib.TLS_client_method())


def read_exactly(s, n):
    data = b""
    while len(data) < n:
        part = s.recv(n - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def connect(ssl_object=None):
    s = socket.create_connection(listener.getsockname())
    ssl_object = ssl_object or lib.SSL_new(CTX)
    lib.SSL_set_fd(ssl_object, s.fileno())
    assert lib.SSL_connect(ssl_object) == 1
    return s, ssl_object


def serve(work, times=1):
    def run():
        for _ in range(times):
            conn, _ = listener.accept()
            work(server_ctx.wrap_socket(conn, server_side=True))

    t = threading.Thread(target=run)
    t.start()
    return t


def cold():
    count, size = 100, 12288

    def echo(s):
        for _ in range(count):
            s.sendall(read_exactly(s, size))

    t = serve(echo)
    s, c = connect()
    libc = ctypes.CDLL(None)
    for i in range(count):
        with tempfile.TemporaryFile(dir=".") as f:
            f.write(b"%08d" % i * (size // 8))
            f.flush()
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            source = mmap.mmap(f.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
            target = mmap.mmap(-1, size)
            address = ctypes.addressof(ctypes.c_char.from_buffer(source))
            into = ctypes.addressof(ctypes.c_char.from_buffer(target))
            libc.madvise(pointer(address), ctypes.c_size_t(size), 4)  # MADV_DONTNEED
            assert lib.SSL_write(c, address, size) == size
            done = 0
            while done < size:
                n = lib.SSL_read(c, into + done, size - done)
                assert n > 0
                done += n
    print("messages", count, "bytes", size, flush=True)
    t.join()


def peek():
    def talk(s):
        for i in range(50):
            s.sendall(b"OPTIONS sip:a@b SIP/2.0\r\nCSeq: %04d OPTIONS\r\n\r\n" % i)
            read_exactly(s, 1)

    t = serve(talk)
    s, c = connect()
    buf = ctypes.create_string_buffer(4096)
    for i in range(50):
        for _ in range(3):
            assert lib.SSL_peek(c, buf, 4096) > 0
        assert lib.SSL_read(c, buf, 4096) > 0
        assert lib.SSL_write(c, b"x", 1) == 1
    print("messages 50", flush=True)
    t.join()


def reset():
    rounds = 20

    def cut(s):
        read_exactly(s, 100)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()

    t = serve(cut, rounds)
    for _ in range(rounds):
        s, c = connect()
        text = b"MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: %d;\r\n\r\n" % s.getsockname()[1]
        text += b"." * (100 - len(text))
        # The first is read, then comes the reset; later ones fail at some point, and must not be given port 0.
        for _ in range(200):
            if lib.SSL_write(c, text, len(text)) <= 0:
                break
        buf = ctypes.create_string_buffer(100)
        lib.SSL_read(c, buf, 100)
        lib.SSL_free(c)
        s.close()
    print("rounds", rounds, flush=True)
    t.join()


def clear():
    t = serve(lambda s: s.sendall(read_exactly(s, 60)), 2)
    c = None
    for _ in range(2):
        s, c = connect(c)
        port = s.getsockname()[1]
        text = (b"MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: %d;\r\n\r\n" % port).ljust(60, b".")
        buf = ctypes.create_string_buffer(100)
        assert lib.SSL_write(c, text, 60) == 60 and lib.SSL_read(c, buf, 100) == 60
        print("port", port, flush=True)
        lib.SSL_shutdown(c)
        s.close()
        assert lib.SSL_clear(c) == 1
    t.join()


def early():
    sizes = (200, 1500, 9000)
    ctx = lib.SSL_CTX_new(lib.TLS_server_method())
    assert lib.SSL_CTX_use_certificate_file(ctx, b"c.pem", 1) == 1
    assert lib.SSL_CTX_use_PrivateKey_file(ctx, b"k.pem", 1) == 1
    lib.SSL_CTX_set_max_early_data(ctx, 16384)
    done = ctypes.c_size_t()

    def text(who, port, size):
        head = b"MESSAGE sip:b@example.org SIP/2.0\r\nX-Who: %s\r\nX-Port: %d;\r\n\r\n" % (who, port)
        return head.ljust(size, b".")

    def read_whole(c, size):
        buf, n = ctypes.create_string_buffer(size), 0
        while n < size:
            part = lib.SSL_read(c, ctypes.byref(buf, n), size - n)
            assert part > 0
            n += part
        return buf.raw

    def answer():
        done = ctypes.c_size_t()
        for _ in range(2):
            conn, (_, port) = listener.accept()
            c = lib.SSL_new(ctx)
            lib.SSL_set_fd(c, conn.fileno())
            buf, got = ctypes.create_string_buffer(4000), 0
            while (state := lib.SSL_read_early_data(c, buf, 4000, ctypes.byref(done))) == 1:
                if got == 0:  # An answer before the client has finished its handshake.
                    out = text(b"server early", port, 300)
                    assert lib.SSL_write_early_data(c, out, 300, ctypes.byref(done_w := ctypes.c_size_t())) == 1
                    assert done_w.value == 300
                got += done.value
            assert state == 2 and lib.SSL_accept(c) == 1
            assert text(b"client late", port, 400) == read_whole(c, 400)
            assert lib.SSL_write(c, text(b"server late", port, 500), 500) == 500
            print("early", got, flush=True)
            lib.SSL_read(c, buf, 1)  # Until the client has gone.
            lib.SSL_shutdown(c)  # Else the session is not taken up again.
            lib.SSL_free(c)
            conn.close()

    t = threading.Thread(target=answer)
    t.start()
    session = None
    for turn in range(2):
        s = socket.create_connection(listener.getsockname())
        port = s.getsockname()[1]
        c = lib.SSL_new(CTX)
        lib.SSL_set_fd(c, s.fileno())
        if session:
            assert lib.SSL_set_session(c, session) == 1
            for size in sizes:
                assert lib.SSL_write_early_data(c, text(b"client early", port, size), size, ctypes.byref(done)) == 1
                assert done.value == size
        assert lib.SSL_connect(c) == 1
        assert lib.SSL_write(c, text(b"client late", port, 400), 400) == 400
        if session:
            read_whole(c, 300)
        read_whole(c, 500)
        session = session or lib.SSL_get1_session(c)
        lib.SSL_shutdown(c)
        lib.SSL_free(c)
        s.close()
    t.join()
    print("port", listener.getsockname()[1], flush=True)


globals()[sys.argv[1]]()
