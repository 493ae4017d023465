"""A TLS client that lives hard: eight threads, a fork that goes on with an open connection, a reset in the middle of a
message, and in the end another program in the same process.

    tls_lives.py HOST PORT PREFIX       prints "done"; Call-IDs PREFIX-before, -thread-T-I, -child, -cut, -after
"""
import os
import socket
import ssl
import struct
import sys
import threading

host, port, prefix = sys.argv[1:4]
THREADS, REQUESTS = 8, 5
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE


def request(name, padding=0):
    call_id = f"{prefix}-{name}"
    lines = [
        "OPTIONS sip:b@example.org SIP/2.0",
        f"Via: SIP/2.0/TLS x.invalid;branch=z9hG4bK{call_id}",
        "From: <sip:a@example.org>;tag=1",
        "To: <sip:b@example.org>",
        f"Call-ID: {call_id}",
        "CSeq: 1 OPTIONS",
        f"X-Padding: {'x' * padding}",
        "Content-Length: 0",
        "",
        "",
    ]
    return "\r\n".join(lines).encode()


def dial():
    return context.wrap_socket(socket.create_connection((host, int(port))))


def ask(connection, name, padding=0):
    connection.sendall(request(name, padding))
    assert connection.recv(65536).startswith(b"SIP/2.0 200")


def thread(number):
    connection = dial()
    for i in range(REQUESTS):
        # One of them fills a TLS record and begins the next.
        ask(connection, f"thread-{number}-{i}", 16300 if i == 1 else 0)


if len(sys.argv) > 4:
    ask(dial(), "after")
    print("done", flush=True)
    sys.exit()

kept = dial()
ask(kept, "before")
threads = [threading.Thread(target=thread, args=(i,)) for i in range(THREADS)]
for t in threads:
    t.start()
for t in threads:
    t.join()
child = os.fork()
if child == 0:
    ask(kept, "child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
cut = dial()
cut.sendall(request("cut")[:90])
cut.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
cut.close()
os.execv(sys.executable, [sys.executable, *sys.argv, "again"])
