"""A gRPC server and client over TLS, by BoringSSL without symbols: every message says which connection it is on.

    grpc_talk.py server                              prints "port PORT"
    grpc_talk.py client PORT CONNECTIONS MESSAGES          CONNECTIONS of eight threads, MESSAGES of 100 B to 60 kB in each
    grpc_talk.py client PORT CONNECTIONS MESSAGES paced    1,000 a second in all, each when it is due: prints "late HALF MOST",
                                                           microseconds within which half and 99 of a hundred answers came

The server tells a client its port (X-Port), and answers each message with the same. Expects c.pem and k.pem in the current
folder, and the package grpcio.
"""
import sys
import threading
import time
from concurrent import futures

import grpc

METHOD = "/talk/echo"
EACH_SECOND = 1000
SIZES = [100, 700, 3000, 16000, 60000]


class Handler(grpc.GenericRpcHandler):
    def service(self, call):
        def echo(request, context):
            return context.peer().rsplit(":", 1)[1].encode() if request == b"who" else request

        return grpc.unary_unary_rpc_method_handler(echo) if call.method == METHOD else None


def serve():
    server = grpc.server(futures.ThreadPoolExecutor(8), handlers=[Handler()])
    pair = (open("k.pem", "rb").read(), open("c.pem", "rb").read())
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    print("port", port, flush=True)
    server.wait_for_termination()


def connect(port):
    credentials = grpc.ssl_channel_credentials(open("c.pem", "rb").read())
    options = [("grpc.ssl_target_name_override", "localhost"), ("grpc.use_local_subchannel_pool", 1)]
    return grpc.secure_channel(f"127.0.0.1:{port}", credentials, options)


def talk(port, connections, messages):
    for _ in range(connections):
        with connect(port) as channel:
            call = channel.unary_unary(METHOD)
            own = call(b"who").decode()
            for k in range(messages):
                head = f"X-Port: {own};".encode()
                text = head + b"." * (SIZES[k % len(SIZES)] - len(head))
                assert call(text) == text


def pace(port, begin, late, which):
    text = b"." * 600
    with connect(port) as channel:
        call = channel.unary_unary(METHOD)
        call(b"who")
        for n in which:
            due = begin + n / EACH_SECOND
            time.sleep(max(0, due - time.monotonic()))
            call(text)
            late[n] = time.monotonic() - due


def run(threads):
    for t in threads:
        t.start()
    for t in threads:
        t.join()


if sys.argv[1] == "server":
    serve()
else:
    port, connections, messages = map(int, sys.argv[2:5])
    if sys.argv[5:] == ["paced"]:
        total = connections * messages
        begin, late = time.monotonic() + 2, [0.0] * total
        ways = [range(i, total, connections) for i in range(connections)]
        run([threading.Thread(target=pace, args=(port, begin, late, way)) for way in ways])
        late.sort()
        print("late %.0f %.0f" % (late[total // 2] * 1e6, late[total * 99 // 100] * 1e6))
    else:
        run([threading.Thread(target=talk, args=(port, connections // 8, messages)) for _ in range(8)])
