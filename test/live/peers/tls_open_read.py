"""A reader that is inside its TLS library when it is told so: "open" says that it waits there, a line on standard input
sends it the first of two messages. c.pem and k.pem are in the current folder."""
import socket
import ssl
import sys
import threading
import time

left, right = socket.socketpair()
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain("c.pem", "k.pem")
client = ssl.create_default_context()
client.check_hostname = False
client.verify_mode = ssl.CERT_NONE


def read() -> None:
    with server.wrap_socket(left, server_side=True) as end:
        end.write(b"hello")
        print("heard", end.read(4096).decode(), flush=True)
        print("heard", end.read(4096).decode(), flush=True)


reader = threading.Thread(target=read)
reader.start()
with client.wrap_socket(right) as end:
    end.read(5)
    # In read(2) of the socket: /proc says so.
    while open(f"/proc/self/task/{reader.native_id}/syscall").read().split()[0] != "0":
        time.sleep(0.01)
    print("open", flush=True)
    for text in (b"first", b"second"):
        sys.stdin.readline()
        end.write(text)
    reader.join()
