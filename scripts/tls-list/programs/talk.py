"""Talks SIP over TLS by the library that the argument names: talk.py ssl|pyopenssl|tlslite|gio."""
import os
import socket
import sys
import time

PORT = int(os.environ["TLS_PORT"])


def tcp():
    return socket.create_connection(("127.0.0.1", PORT))


def by_ssl():
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    tls = context.wrap_socket(tcp())
    return tls.sendall, lambda: tls.recv(4096)


def by_pyopenssl():
    from OpenSSL import SSL

    tls = SSL.Connection(SSL.Context(SSL.TLS_CLIENT_METHOD), tcp())
    tls.set_connect_state()
    tls.do_handshake()
    return tls.sendall, lambda: tls.recv(4096)


def by_tlslite():
    from tlslite import TLSConnection

    tls = TLSConnection(tcp())
    tls.handshakeClientCert()
    return tls.sendall, lambda: tls.recv(4096)


def by_gio():
    import gi

    gi.require_version("Gio", "2.0")
    from gi.repository import Gio, GObject

    client = Gio.SocketClient(tls=True)
    GObject.Object.connect(
        client,
        "event",
        lambda _client, event, _to, stream: event == Gio.SocketClientEvent.TLS_HANDSHAKING
        and stream.connect("accept-certificate", lambda *_: True),
    )
    tls = client.connect_to_host(f"127.0.0.1:{PORT}", PORT, None)
    # Each call holds the connection: without a user it closes.
    return (
        lambda text: tls.get_output_stream().write_all(text, None),
        lambda: tls.get_input_stream().read_bytes(4096, None).get_data(),
    )


WAYS = {"ssl": by_ssl, "pyopenssl": by_pyopenssl, "tlslite": by_tlslite, "gio": by_gio}
send, receive = WAYS[sys.argv[1]]()
number = 0
while True:
    number += 1
    send(os.environ["TLS_MESSAGE"].replace("NUMBER", str(number)).encode())
    assert receive()
    time.sleep(0.5)
