"""A wolfSSL client and server in one process, through the C API: WOLFSSL names the library.

    tls_wolfssl.py MESSAGES
"""
import ctypes
import os
import socket
import sys
import threading

lib = ctypes.CDLL(os.environ["WOLFSSL"])
pointer = ctypes.c_void_p
for name, result, arguments in (
    ("wolfTLSv1_2_client_method", pointer, []),
    ("wolfTLSv1_2_server_method", pointer, []),
    ("wolfSSL_CTX_new", pointer, [pointer]),
    ("wolfSSL_CTX_set_verify", None, [pointer, ctypes.c_int, pointer]),
    ("wolfSSL_CTX_use_certificate_file", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("wolfSSL_CTX_use_PrivateKey_file", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("wolfSSL_new", pointer, [pointer]),
    ("wolfSSL_set_fd", ctypes.c_int, [pointer, ctypes.c_int]),
    ("wolfSSL_accept", ctypes.c_int, [pointer]),
    ("wolfSSL_connect", ctypes.c_int, [pointer]),
    ("wolfSSL_write", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("wolfSSL_read", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_int]),
    ("wolfSSL_free", None, [pointer]),
):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments

PEM = 1
lib.wolfSSL_Init()
server_ctx = lib.wolfSSL_CTX_new(lib.wolfTLSv1_2_server_method())
assert lib.wolfSSL_CTX_use_certificate_file(server_ctx, b"c.pem", PEM) == 1
assert lib.wolfSSL_CTX_use_PrivateKey_file(server_ctx, b"k.pem", PEM) == 1
client_ctx = lib.wolfSSL_CTX_new(lib.wolfTLSv1_2_client_method())
lib.wolfSSL_CTX_set_verify(client_ctx, 0, None)
listener = socket.create_server(("127.0.0.1", 0))
COUNT = int(sys.argv[1])
SIZE = 400


def text(port):
    return (b"MESSAGE sip:b@example.org SIP/2.0\r\nX-Port: %d;\r\n\r\n" % port).ljust(SIZE, b".")


def read_exactly(s):
    buf, n = ctypes.create_string_buffer(SIZE), 0
    while n < SIZE:
        got = lib.wolfSSL_read(s, buf, SIZE - n)
        assert got > 0
        n += got


def serve():
    conn, address = listener.accept()
    s = lib.wolfSSL_new(server_ctx)
    lib.wolfSSL_set_fd(s, conn.fileno())
    assert lib.wolfSSL_accept(s) == 1
    for _ in range(COUNT):
        read_exactly(s)
        assert lib.wolfSSL_write(s, text(address[1]), SIZE) == SIZE
    lib.wolfSSL_free(s)


t = threading.Thread(target=serve)
t.start()
print("port", listener.getsockname()[1], flush=True)
c = socket.create_connection(listener.getsockname())
s = lib.wolfSSL_new(client_ctx)
lib.wolfSSL_set_fd(s, c.fileno())
assert lib.wolfSSL_connect(s) == 1
for _ in range(COUNT):
    assert lib.wolfSSL_write(s, text(c.getsockname()[1]), SIZE) == SIZE
    read_exactly(s)
lib.wolfSSL_free(s)
t.join()
