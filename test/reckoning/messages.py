"""
SIP messages of a capture, in the order in which they were complete: of UDP, of TCP put together by sequence numbers, and of
WebSocket in it. Other datagrams are given as they are.
"""
import re
import struct

from frames import TCP, UDP, Packets, frames

COMPACT = {
    'v': 'via', 'f': 'from', 't': 'to', 'i': 'call-id', 'm': 'contact', 'c': 'content-type', 'l': 'content-length',
    'e': 'content-encoding', 'k': 'supported', 's': 'subject', 'r': 'refer-to', 'o': 'event', 'b': 'referred-by',
}  # fmt: skip
REQUEST = re.compile(rb'([A-Za-z0-9!%*_+`\'~.-]{1,32}) (\S+) SIP/2\.0\r?\n')
RESPONSE = re.compile(rb'SIP/2\.0 ([1-6]\d\d)(?: [^\r\n]*)?\r?\n')
TAG = re.compile(r';\s*tag\s*=\s*([^;,\s>]+)', re.I)
BRANCH = re.compile(r';\s*branch\s*=\s*([^;,\s]+)', re.I)
USER = re.compile(r'(?:sips?|tel):([^@;>]*)', re.I)


class Message:
    """One SIP message: what its start line and headers say."""

    def __init__(self, ts_us, ends, head, body):
        self.ts_us = ts_us
        self.source, self.source_port, self.target, self.target_port, self.transport = ends
        lines = re.sub(rb'\r?\n[ \t]+', b' ', head).replace(b'\r\n', b'\n').decode('utf-8', 'replace').split('\n')
        self.headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(':')
            name = name.strip().lower()
            if colon:
                self.headers.setdefault(COMPACT.get(name, name), []).append(value.strip())
        self.body = body
        start = lines[0].split(' ')
        self.is_request = not lines[0].startswith('SIP/')
        self.status = 0 if self.is_request else int(start[1])
        self.uri = start[1] if self.is_request else ''
        number, _, method = self.first('cseq').partition(' ')
        self.cseq = int(number) if number.isdigit() else -1
        self.method = start[0] if self.is_request else method.strip()
        self.call_id = self.first('call-id')
        self.from_tag = found(TAG, outside(self.first('from')))
        self.to_tag = found(TAG, outside(self.first('to')))
        self.branch = found(BRANCH, self.first('via').split(',')[0])

    def first(self, name):
        return self.headers.get(name, [''])[0]


def found(pattern, text):
    match = pattern.search(text)
    return match.group(1) if match else ''


def outside(header):
    """The parameters of a From or To: behind the URI in angle brackets, where it has these."""
    return header.rpartition('>')[2] if '>' in header else header


def user_of(text):
    return found(USER, text)


def split_head(data):
    """Head and the place where the body begins; None while the head is not whole."""
    match = re.search(rb'\r?\n\r?\n', data)
    return None if match is None else (data[: match.start()], match.end())


def is_sip(data):
    return REQUEST.match(data) is not None or RESPONSE.match(data) is not None


def content_length(head):
    match = re.search(rb'(?im)^(?:content-length|l)[ \t]*:[ \t]*(\d+)', head)
    return int(match.group(1)) if match else 0


class Stream:
    """One direction of a TCP connection: bytes in order, and the messages in them."""

    def __init__(self):
        self.next, self.early, self.data, self.is_socket = None, {}, b'', False

    def add(self, sequence, payload, is_start):
        if is_start:
            self.next, self.early, self.data = (sequence + 1) & 0xFFFFFFFF, {}, b''
            return
        if not payload:
            return
        if self.next is None:
            self.next = sequence
        self.early.setdefault(sequence, payload)
        while True:
            for at, part in list(self.early.items()):
                behind = (self.next - at) & 0xFFFFFFFF
                if behind < 0x80000000:
                    del self.early[at]
                    if behind < len(part):
                        self.data += part[behind:]
                        self.next = (at + len(part)) & 0xFFFFFFFF
                        break
            else:
                return

    def messages(self):
        """(head, body) of each message that is whole."""
        while True:
            taken = self._frame() if self.is_socket else self._plain()
            if taken is None:
                return
            if taken:
                yield taken

    def _plain(self):
        self.data = self.data.lstrip(b'\r\n')
        split = split_head(self.data)
        if split is None:
            return None
        head, at = split
        if re.match(rb'(GET \S+ HTTP/1\.1|HTTP/1\.1 101)', head):
            self.is_socket, self.data = True, self.data[at:]
            return ()
        if not is_sip(self.data):
            self.data = self.data[at:]
            return ()
        end = at + content_length(head)
        if len(self.data) < end:
            return None
        body, self.data = self.data[at:end], self.data[end:]
        return head, body

    def _frame(self):
        """A frame of WebSocket (RFC 6455 section 5.2) holds one message (RFC 7118)."""
        data = self.data
        if len(data) < 2:
            return None
        size, at = data[1] & 0x7F, 2
        if size >= 126:
            wide = 2 if size == 126 else 8
            if len(data) < 2 + wide:
                return None
            size, at = int.from_bytes(data[2 : 2 + wide], 'big'), 2 + wide
        mask = data[at : at + 4] if data[1] & 0x80 else b''
        at += len(mask)
        if len(data) < at + size:
            return None
        payload, self.data = data[at : at + size], data[at + size :]
        if mask:
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        split = split_head(payload)
        return (split[0], payload[split[1] :]) if split and is_sip(payload) else ()


class Datagram:
    """A datagram of UDP that is no SIP."""

    def __init__(self, ts_us, ends, payload):
        self.ts_us, self.payload = ts_us, payload
        self.source, self.source_port, self.target, self.target_port, _ = ends


def read(path):
    """Messages and other datagrams of a file."""
    packets, streams = Packets(), {}
    for ts_us, link, frame in frames(path):
        packet = packets.read(link, frame)
        if packet is None:
            continue
        protocol, source, target, data = packet
        if protocol == UDP and len(data) >= 8:
            source_port, target_port, length = struct.unpack_from('>HHH', data)
            payload = data[8 : length if length >= 8 else None]
            ends = (source, source_port, target, target_port, 'udp')
            text = payload.lstrip(b'\r\n')
            if is_sip(text):
                # A datagram that was cut, or a sender that forgets the empty line: all of it is the head.
                head, at = split_head(text) or (text, len(text))
                has_length = re.search(rb'(?im)^(?:content-length|l)[ \t]*:', head)
                yield Message(ts_us, ends, head, text[at : at + content_length(head)] if has_length else text[at:])
            else:
                yield Datagram(ts_us, ends, payload)
        elif protocol == TCP and len(data) >= 20:
            source_port, target_port, sequence, _, flags = struct.unpack_from('>HHIIH', data)
            ends = (source, source_port, target, target_port, 'tcp')
            stream = streams.setdefault(ends, Stream())
            stream.add(sequence, data[(flags >> 12) * 4 :], bool(flags & 2))
            for head, body in stream.messages():
                yield Message(ts_us, ends, head, body)
