"""Keeps a TLS connection by a library that lets its user send no SIP of his own, or only once: listen.py WAY.

    curl       libcurl: sends one SIP message in front of a request, and receives
    curl_cffi  libcurl with BoringSSL: an HTTPS request whose answer does not end
    awscrt     s2n: the same
    grpc       gRPC: a server and its client
    kafka      librdkafka: connects again each second, because no broker answers
"""
import os
import sys
import threading
import time

PORT = int(os.environ["TLS_PORT"])
URL = f"https://127.0.0.1:{PORT}/{os.environ['TLS_ID']}"


def by_curl():
    import pycurl

    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, URL)
    # In front of the request line of HTTP: an answer without a head of HTTP's is taken for version 0.9.
    curl.setopt(pycurl.CUSTOMREQUEST, os.environ["TLS_MESSAGE"].replace("NUMBER", "0000"))
    curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    curl.setopt(pycurl.HTTP09_ALLOWED, 1)
    curl.setopt(pycurl.SSL_VERIFYPEER, 0)
    curl.setopt(pycurl.SSL_VERIFYHOST, 0)
    curl.setopt(pycurl.WRITEFUNCTION, len)
    curl.perform()


def by_curl_cffi():
    from curl_cffi import requests

    for _ in requests.get(URL, verify=False, stream=True, http_version="v1").iter_content():
        pass


def by_awscrt():
    from awscrt import http, io

    bootstrap = io.ClientBootstrap(io.EventLoopGroup(1), io.DefaultHostResolver(io.EventLoopGroup(1)))
    options = io.TlsContextOptions()
    options.verify_peer = False
    tls = io.ClientTlsContext(options).new_connection_options()
    connection = http.HttpClientConnection.new("127.0.0.1", PORT, bootstrap, tls_connection_options=tls).result()
    request = http.HttpRequest("GET", "/" + os.environ["TLS_ID"], http.HttpHeaders([("Host", "localhost")]))
    stream = connection.request(request)
    stream.activate()
    stream.completion_future.result()


def by_grpc():
    from concurrent import futures

    import grpc

    key, certificate = open("k.pem", "rb").read(), open("c.pem", "rb").read()
    server = grpc.server(futures.ThreadPoolExecutor(2))
    answer = grpc.unary_unary_rpc_method_handler(lambda request, _context: request)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("talk", {"say": answer}),))
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, certificate)]))
    server.start()
    channel = grpc.secure_channel(f"localhost:{port}", grpc.ssl_channel_credentials(certificate))
    say = channel.unary_unary("/talk/say")
    while True:
        say(os.environ["TLS_MESSAGE"].encode(), timeout=10)
        time.sleep(0.5)


def by_kafka():
    from confluent_kafka.admin import AdminClient

    options = {
        "bootstrap.servers": f"127.0.0.1:{PORT}",
        "security.protocol": "ssl",
        "enable.ssl.certificate.verification": False,
        "api.version.request.timeout.ms": 1000,
        "reconnect.backoff.max.ms": 500,
        "log_level": 0,
    }
    client = AdminClient(options)
    threading.Event().wait()
    del client


WAYS = {"curl": by_curl, "curl_cffi": by_curl_cffi, "awscrt": by_awscrt, "grpc": by_grpc, "kafka": by_kafka}
WAYS[sys.argv[1]]()
