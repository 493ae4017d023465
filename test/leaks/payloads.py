"""What a payload is (SIP, STUN, RTCP, RTP, HEP, else), and the originals of all but SIP."""
import struct
import zlib

COOKIE = 0x2112A442
PLAIN = {0x0001, 0x0002, 0x0004, 0x0005, 0x000B, 0x8023, 0x802B, 0x802C}
XORED = {0x0012, 0x0016, 0x0020, 0x8020}
STUN_TEXTS = {0x0006: 'user', 0x0014: 'realm', 0x0015: 'nonce', 0x8022: 'agent', 0x0024: None, 0x0025: None}
SDES = {1: 'cname', 2: 'display', 3: 'user', 4: 'number', 5: 'location', 6: 'agent', 7: 'note', 8: 'private'}


def kind_of(data):
    head = data[:1024]
    if data[:4] in (b'HEP3', b'EEP1'):
        return 'hep'
    if is_stun(data):
        return 'stun'
    if b'SIP/2.0' in head:
        return 'sip'
    if len(data) >= 8 and data[0] >> 6 == 2:
        if 192 <= data[1] <= 223:
            return 'rtcp'
        if len(data) >= 12:
            return 'rtp'
    if len(data) >= 4 and 0x40 <= data[0] <= 0x7F and struct.unpack_from('>H', data, 2)[0] in range(len(data) - 7, len(data) - 3):
        return 'channel'
    if len(data) >= 28 and data[0] in (1, 2) and data[1] in (16, 28, 40):
        return 'hep2'
    return 'other'


def is_stun(data):
    if len(data) < 20 or data[0] >> 6:
        return False
    kind, length, cookie = struct.unpack_from('>HHI', data)
    return length % 4 == 0 and (cookie == COOKIE and length <= 65_000 or length == len(data) - 20 and kind & 0x3EEF in range(1, 12))


def stun(data, sink):
    """Hands over texts, addresses and what is inside a Data attribute."""
    transaction = data[4:20]
    (length,) = struct.unpack_from('>H', data, 2)
    at, end = 20, min(len(data), 20 + length)
    while at + 4 <= end:
        kind, size = struct.unpack_from('>HH', data, at)
        value = data[at + 4 : min(end, at + 4 + size)]
        if kind in XORED or kind in PLAIN:
            address(value, transaction if kind in XORED else bytes(16), sink)
        elif kind == 0x0013:
            sink.payload(value, 'in STUN')
        elif STUN_TEXTS.get(kind):
            sink.text(STUN_TEXTS[kind], value.rstrip(b'\0'))
        elif kind not in STUN_TEXTS and kind != 0x0008 and size >= 8:
            sink.strings('stun', value)
        at += 4 + size + (-size % 4)


def address(value, mask, sink):
    if len(value) >= 8 and value[1] == 1:
        sink.address('ip4', bytes(a ^ b for a, b in zip(value[4:8], mask)))
    elif len(value) >= 20 and value[1] == 2:
        sink.address('ip6', bytes(a ^ b for a, b in zip(value[4:20], mask)))


def rtcp(data, sink):
    at = 0
    while at + 4 <= len(data) and data[at] >> 6 == 2:
        count, kind, words = data[at] & 31, data[at + 1], struct.unpack_from('>H', data, at + 2)[0]
        body = data[at + 4 : at + 4 + words * 4]
        if kind == 202:
            _sdes(body, count, sink)
        elif kind == 203 and len(body) > 4 * count:
            sink.text('note', body[4 * count + 1 : 4 * count + 1 + body[4 * count]])
        elif kind == 204:
            sink.strings('rtcp', body[4:])
        at += 4 + words * 4


def _sdes(body, count, sink):
    at = 0
    for _ in range(count):
        at += 4
        while at < len(body) and body[at]:
            if at + 1 >= len(body):
                return
            sink.text(SDES.get(body[at], 'note'), body[at + 2 : at + 2 + body[at + 1]])
            at += 2 + body[at + 1]
        at += 4 - at % 4


def hep(data, sink):
    end = min(len(data), struct.unpack_from('>H', data, 4)[0])
    at = 6
    while at + 6 <= end:
        vendor, kind, size = struct.unpack_from('>HHH', data, at)
        if size < 6:
            return
        value = data[at + 6 : min(end, at + size)]
        at += size
        if vendor:
            sink.strings('hep', value)
        elif kind in (3, 4):
            sink.address('ip4', value)
        elif kind in (5, 6):
            sink.address('ip6', value)
        elif kind == 0x0E:
            sink.text('key', value)
        elif kind == 0x0F:
            sink.payload(value, 'in HEP')
        elif kind == 0x10:
            try:
                sink.payload(zlib.decompressobj(47).decompress(value, 1 << 24), 'packed in HEP')
            except zlib.error:
                sink.strings('hep', value)
        elif kind == 0x11:
            sink.text('call-id', value)
        elif kind == 0x13:
            sink.text('node', value)
        elif size > 10:
            sink.strings('hep', value)


def hep2(data, sink):
    size = data[1]
    if data[2] == 2:
        sink.address('ip4', data[8:12])
        sink.address('ip4', data[12:16])
    elif data[2] == 10:
        sink.address('ip6', data[8:24])
        sink.address('ip6', data[24:40])
    sink.payload(data[size + (12 if data[0] == 2 else 0) :], 'in HEP 2')


def rtp(data):
    """(SSRC, sequence, type, header extension, payload)"""
    at = 12 + (data[0] & 15) * 4
    extension = b''
    if data[0] & 0x10 and len(data) >= at + 4:
        size = struct.unpack_from('>H', data, at + 2)[0] * 4
        extension = data[at + 4 : at + 4 + size]
        at += 4 + size
    end = len(data) - (data[-1] if data[0] & 0x20 else 0)
    sequence, _, ssrc = struct.unpack_from('>HII', data, 2)
    return ssrc, sequence, data[1] & 127, extension, data[at:end]
