"""SIP user agents over TLS with SRTP media, for tests: Debian's sipp has no TLS.

    tls_sip.py uas HOST PORT MEDIA_IP                              answers calls, registrations and messages; prints "up"
    tls_sip.py uac HOST PORT TARGET MEDIA_IP PREFIX CALLS SECONDS  makes calls one after the other, one connection
    tls_sip.py churn HOST PORT PREFIX CONNECTIONS MESSAGES         OPTIONS on many short connections at once

The UAC prints a JSON line a call: its Call-ID, the port of its end, and when it sent and got what. Media is what SRTP
looks like to anybody without the key: RTP headers, a body and an authentication tag of noise. Expects c.pem and k.pem
in the current folder.
"""
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time

KEY = "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"


def server_context():
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ctx.load_cert_chain("c.pem", "k.pem")
    return ctx


def client_context():
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ctx.check_hostname = False
    ctx.verify_mode = ssl.CERT_NONE
    return ctx


class Stream:
    """SIP messages of one TLS connection."""

    def __init__(self, sock):
        self.sock = sock
        self.buf = b""
        self.lock = threading.Lock()

    def send(self, text):
        with self.lock:
            self.sock.sendall(text.encode())

    def read(self):
        """Start line, headers (lower-case name, value) in order, body."""
        while True:
            self.buf = self.buf.lstrip(b"\r\n")
            end = self.buf.find(b"\r\n\r\n")
            if end >= 0:
                lines = self.buf[:end].decode().split("\r\n")
                headers = [(n.strip().lower(), v.strip()) for n, _, v in (line.partition(":") for line in lines[1:])]
                length = int(dict(headers).get("content-length", "0"))
                if len(self.buf) >= end + 4 + length:
                    body = self.buf[end + 4 : end + 4 + length].decode()
                    self.buf = self.buf[end + 4 + length :]
                    return lines[0], headers, body
            data = self.sock.recv(65536)
            if not data:
                raise EOFError
            self.buf += data


def sdp(ip, port):
    return (
        f"v=0\r\no=- {port} 1 IN IP4 {ip}\r\ns=-\r\nc=IN IP4 {ip}\r\nt=0 0\r\nm=audio {port} RTP/SAVP 0\r\n"
        f"a=crypto:1 AES_CM_128_HMAC_SHA1_80 {KEY}\r\na=rtpmap:0 PCMU/8000\r\na=ptime:20\r\na=sendrecv\r\n"
    )


def media_port(body):
    return next(int(line.split()[1]) for line in body.split("\r\n") if line.startswith("m=audio"))


def media_ip(body):
    return next(line.split()[2] for line in body.split("\r\n") if line.startswith("c="))


class Media:
    """Sends a packet every 20 ms until stopped."""

    def __init__(self, ip):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((ip, 0))
        self.port = self.sock.getsockname()[1]
        self.stopped = threading.Event()
        self.ssrc = struct.unpack("!I", os.urandom(4))[0]
        self.packets = 0
        self.thread = None

    def start(self, ip, port):
        self.thread = threading.Thread(target=self.run, args=((ip, port),), daemon=True)
        self.thread.start()

    def run(self, to):
        begin = time.monotonic()
        while not self.stopped.is_set():
            header = struct.pack("!BBHII", 0x80, 0, self.packets & 0xFFFF, self.packets * 160, self.ssrc)
            try:
                self.sock.sendto(header + os.urandom(160 + 10), to)
            except OSError:
                return
            self.packets += 1
            time.sleep(max(0, begin + self.packets * 0.02 - time.monotonic()))

    def stop(self):
        self.stopped.set()
        if self.thread:
            self.thread.join()
        self.sock.close()


def message(start, headers, body=""):
    lines = [start] + [f"{n}: {v}" for n, v in headers]
    if body:
        lines.append("Content-Type: application/sdp")
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines) + "\r\n\r\n" + body


def copied(headers, names):
    return [(n, v) for n, v in headers if n in names]


def serve(conn, ip):
    stream = Stream(conn)
    calls = {}
    try:
        while True:
            start, headers, body = stream.read()
            if start.startswith("SIP/2.0"):
                continue
            method = start.split()[0]
            one = dict(headers)
            if method == "ACK":
                continue
            keep = copied(headers, ("via", "from", "call-id", "cseq", "record-route"))
            to = one["to"] if ";tag=" in one["to"] else one["to"] + ";tag=uas" + one["call-id"][:6]
            reply = keep + [("To", to)]
            call_id = one["call-id"]
            if method != "INVITE":
                if method == "BYE" and call_id in calls:
                    calls.pop(call_id).stop()
                stream.send(message("SIP/2.0 200 OK", reply))
                continue
            host, port = conn.getsockname()[:2]
            contact = ("Contact", f"<sip:uas@{host}:{port};transport=tls>")
            stream.send(message("SIP/2.0 180 Ringing", reply + [contact]))
            time.sleep(0.1)
            media = Media(ip)
            calls[call_id] = media
            stream.send(message("SIP/2.0 200 OK", reply + [contact], sdp(ip, media.port)))
            media.start(media_ip(body), media_port(body))
    except (EOFError, OSError):
        for media in calls.values():
            media.stop()


def uas(host, port, ip):
    ctx = server_context()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, int(port)))
    listener.listen(50)
    print(f"up {listener.getsockname()[1]}", flush=True)

    def handle(conn):
        try:
            serve(ctx.wrap_socket(conn, server_side=True), ip)
        except (ssl.SSLError, OSError):
            conn.close()

    while True:
        conn, _ = listener.accept()
        threading.Thread(target=handle, args=(conn,), daemon=True).start()


class Caller:
    def __init__(self, host, port):
        plain = socket.create_connection((host, int(port)))
        # Behind a program that adds the TLS.
        self.stream = Stream(plain if os.environ.get("PLAIN") else client_context().wrap_socket(plain))
        self.ip, self.port = self.stream.sock.getsockname()[:2]
        self.branch = 0
        # Sent and received of the call under way.
        self.messages = 0

    def request(self, method, target, call_id, cseq, to_tag="", route=(), body="", uri=None):
        self.branch += 1
        self.messages += 1
        headers = [("Via", f"SIP/2.0/TLS {self.ip}:{self.port};branch=z9hG4bK{os.getpid()}.{self.branch};rport")]
        headers += [("Route", r) for r in route]
        headers += [
            ("Max-Forwards", "70"),
            ("From", f"<sip:alice@{self.ip}>;tag=uac{call_id[-6:]}"),
            ("To", f"<{target}>{to_tag}"),
            ("Call-ID", call_id),
            ("CSeq", f"{cseq} {method}"),
            ("Contact", f"<sip:alice@{self.ip}:{self.port};transport=tls>"),
        ]
        self.stream.send(message(f"{method} {uri or target} SIP/2.0", headers, body))

    def final(self, call_id, cseq):
        while True:
            start, headers, body = self.stream.read()
            one = dict(headers)
            if one["call-id"] != call_id:
                continue
            self.messages += 1
            if one["cseq"] != cseq:
                continue
            if not start.startswith("SIP/2.0 1"):
                return start, headers, body

    def call(self, target, ip, call_id, seconds):
        media = Media(ip)
        self.messages = 0
        told = {"callId": call_id, "port": self.port, "inviteMs": time.time() * 1000}
        self.request("INVITE", target, call_id, 1, body=sdp(ip, media.port))
        start, headers, body = self.final(call_id, "1 INVITE")
        told["status"] = int(start.split()[1])
        told["answerMs"] = time.time() * 1000
        one = dict(headers)
        tag = one["to"][one["to"].find(";tag=") :]
        route = [v for n, v in reversed(headers) if n == "record-route"]
        uri = one.get("contact", target).strip("<>")
        self.request("ACK", target, call_id, 1, tag, route, uri=uri)
        if told["status"] == 200:
            media.start(media_ip(body), media_port(body))
            time.sleep(seconds)
            self.request("BYE", target, call_id, 2, tag, route, uri=uri)
            self.final(call_id, "2 BYE")
        media.stop()
        told["endMs"] = time.time() * 1000
        told["packets"] = media.packets
        told["messages"] = self.messages
        print(json.dumps(told), flush=True)


def uac(host, port, target, ip, prefix, calls, seconds):
    caller = Caller(host, port)
    for i in range(int(calls)):
        caller.call(target, ip, f"{prefix}-{i}", float(seconds))


def churn(host, port, prefix, connections, messages):
    done = []

    def one(k):
        try:
            caller = Caller(host, port)
            for i in range(int(messages)):
                call_id = f"{prefix}-{k}-{i}"
                caller.request("OPTIONS", f"sip:{host}", call_id, 1)
                start, _, _ = caller.final(call_id, "1 OPTIONS")
                done.append({"callId": call_id, "port": caller.port, "status": int(start.split()[1])})
            caller.stream.sock.close()
        except (EOFError, OSError, ssl.SSLError):
            pass

    threads = [threading.Thread(target=one, args=(k,)) for k in range(int(connections))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(json.dumps(done), flush=True)


{"uas": uas, "uac": uac, "churn": churn}[sys.argv[1]](*sys.argv[2:])
