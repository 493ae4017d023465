"""
TCP put together, one direction at a time, and what runs in it: SIP of any framing, WebSocket (unmasked, inflated), HEP, STUN.
"""
import struct
import zlib

FIN, SYN = 1, 2
FAR = 1 << 24


class Streams:
    def __init__(self):
        self._flows = {}

    def add(self, flow, sequence, flags, payload):
        pieces = self._flows.setdefault(flow, [])
        if flags & SYN:
            sequence = (sequence + 1) & 0xFFFFFFFF
            if pieces:
                # The same ports again: what was before stays a stream of its own.
                self._flows[(*flow, len(self._flows))] = pieces
                pieces = self._flows[flow] = []
        if payload:
            pieces.append((sequence, payload))

    def whole(self):
        """(flow, bytes) of each run without a gap; what was sent twice with other bytes is a run of its own."""
        for flow, pieces in self._flows.items():
            if not pieces:
                continue
            base = pieces[0][0]
            placed = sorted(((((sequence - base + FAR) & 0xFFFFFFFF) - FAR, i) for i, (sequence, _) in enumerate(pieces)))
            run, start, others = bytearray(), None, []
            for at, i in placed:
                data = pieces[i][1]
                if start is None or at > start + len(run):
                    if run:
                        yield flow, bytes(run)
                    run, start = bytearray(data), at
                    continue
                known = start + len(run) - at
                if run[at - start : at - start + len(data)] != data[:known]:
                    others.append(data)
                if len(data) > known:
                    run += data[known:]
            yield flow, bytes(run)
            for data in others:
                yield flow, data


def is_web_socket(data):
    head = data[:2048].lower()
    return b'upgrade: websocket' in head or b'sec-websocket' in head


def looks_like_frames(data):
    """Whether a stream in the middle is WebSocket: its first frames have a known shape."""
    at, count = 0, 0
    while at + 2 <= len(data) and count < 4:
        if data[at] & 0x30 or data[at] & 15 not in (0, 1, 2, 8, 9, 10):
            return False
        size, head = _size(data, at)
        if head is None or size > 1 << 20:
            return False
        at += head + size
        count += 1
    return count > 0 and at <= len(data) + 4096 and (count > 1 or at == len(data))


def _size(data, at):
    size, head = data[at + 1] & 127, 2
    if size == 126:
        if at + 4 > len(data):
            return 0, None
        size, head = struct.unpack_from('>H', data, at + 2)[0], 4
    elif size == 127:
        if at + 10 > len(data):
            return 0, None
        size, head = struct.unpack_from('>Q', data, at + 2)[0], 10
    return size, head + (4 if data[at + 1] & 128 else 0)


def web_socket_messages(data):
    """The messages of one direction of a WebSocket, and the HTTP head before them."""
    end = data.find(b'\r\n\r\n')
    if is_web_socket(data) and end >= 0:
        yield data[: end + 4]
        data = data[end + 4 :]
    at, message, is_packed = 0, b'', False
    context = zlib.decompressobj(-15)
    while at + 2 <= len(data):
        size, head = _size(data, at)
        if head is None:
            return
        body = data[at + head : at + head + size]
        if data[at + 1] & 128:
            body = unmasked(body, data[at + head - 4 : at + head])
        kind, is_last = data[at] & 15, data[at] & 128
        at += head + size
        if kind >= 8:
            yield body
            continue
        if kind:
            message, is_packed = b'', bool(data[at - head - size] & 0x40)
        message += body
        if is_last:
            if is_packed:
                message, context = _inflated(message, context)
            yield message
            message = b''


def _inflated(message, context):
    tail = message + b'\0\0\xff\xff'
    kept = context.copy()
    try:
        return context.decompress(tail, 1 << 24), context
    except zlib.error:
        fresh = zlib.decompressobj(-15)
        try:
            return fresh.decompress(tail, 1 << 24), fresh
        except zlib.error:
            return b'', kept


def unmasked(data, mask):
    many = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, 'big') ^ int.from_bytes(many, 'big')).to_bytes(len(data), 'big')


def sip_messages(data):
    """The SIP messages of a stream, by Content-Length; a rest that cannot be parted is one piece."""
    at = 0
    while at < len(data):
        while data[at : at + 2] in (b'\r\n',):
            at += 2
        end = data.find(b'\r\n\r\n', at)
        if end < 0:
            if at < len(data):
                yield data[at:]
            return
        length = 0
        for line in data[at:end].split(b'\r\n'):
            name, _, value = line.partition(b':')
            if name.strip().lower() in (b'content-length', b'l') and value.strip().isdigit():
                length = int(value.strip())
        yield data[at : end + 4 + length]
        at = end + 4 + length
