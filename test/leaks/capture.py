"""
What a capture file holds besides packets, and its frames: pcap and pcapng, also compressed. Nothing in it is trusted: what is
cut or wrong ends the reading.
"""
import gzip
import struct
import zlib

SECTION = 0x0A0D0D0A
INTERFACE, OLD_PACKET, SIMPLE, NAMES, STATISTICS, PACKET, SECRETS = 1, 2, 3, 4, 5, 6, 10
# Options that are numbers (if_tsresol, if_tsoffset, epb_flags and their like), by block.
NUMBERS = {INTERFACE: (8, 9, 10, 13, 14, 16, 17), PACKET: (2, 4, 5, 6), STATISTICS: (2, 3, 4, 5, 6, 7, 8), OLD_PACKET: (2,)}


class Capture:
    """`frames` are (time in nanoseconds, link type, bytes, length on the wire); `texts` are (what, bytes) of the file itself."""

    def __init__(self, data):
        self.frames, self.texts = [], []
        data = unpacked(data)
        self.data = data
        magic = data[:4]
        try:
            if magic == b'\x0a\x0d\x0d\x0a':
                self._pcapng(data)
            elif magic in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1', b'\x34\xcd\xb2\xa1'):
                self._pcap(data, '<', magic)
            elif magic in (b'\xa1\xb2\xc3\xd4', b'\xa1\xb2\x3c\x4d', b'\xa1\xb2\xcd\x34'):
                self._pcap(data, '>', magic[::-1])
        except struct.error:
            pass

    def _pcap(self, data, order, magic):
        (link,) = struct.unpack_from(order + 'I', data, 20)
        unit = 1 if magic[0] == 0x4D else 1000
        head = 24 if magic[0] == 0x34 else 16
        at = 24
        while at + head <= len(data):
            seconds, part, kept, length = struct.unpack_from(order + 'IIII', data, at)
            frame = data[at + head : at + head + kept]
            if not frame and kept:
                return
            self.frames.append((seconds * 1_000_000_000 + part * unit, link & 0xFFFF, frame, length))
            at += head + kept

    def _pcapng(self, data):
        at, order, links = 0, '<', []
        while at + 12 <= len(data):
            if data[at : at + 4] == b'\x0a\x0d\x0d\x0a':
                order = '<' if data[at + 8 : at + 12] == b'\x4d\x3c\x2b\x1a' else '>'
                links = []
            kind, length = struct.unpack_from(order + 'II', data, at)
            if length < 12:
                return
            body = data[at + 8 : at + length - 4]
            self._block(kind, body, order, links)
            at += length + (-length % 4)

    def _block(self, kind, body, order, links):
        if kind == SECTION:
            self._options(kind, body[16:], order)
        elif kind == INTERFACE:
            link, _, snap = struct.unpack_from(order + 'HHI', body)
            options = self._options(kind, body[8:], order)
            resolution = options.get(9, b'\x06')
            exponent = resolution[0] if resolution else 6
            links.append((link, 2 ** (exponent & 0x7F) if exponent & 0x80 else 10**exponent, snap))
        elif kind in (PACKET, OLD_PACKET):
            interface, high, low, kept, length = struct.unpack_from(order + 'IIIII', body)
            if kind == OLD_PACKET:
                interface = struct.unpack_from(order + 'H', body)[0]
            self._options(kind, body[20 + kept + (-kept % 4) :], order)
            if interface < len(links):
                link, ticks, _ = links[interface]
                self.frames.append((((high << 32) | low) * 1_000_000_000 // ticks, link, body[20 : 20 + kept], length))
        elif kind == SIMPLE and links:
            (length,) = struct.unpack_from(order + 'I', body)
            link, _, snap = links[0]
            kept = min(length, snap or length)
            self.frames.append((0, link, body[4 : 4 + kept], length))
        elif kind == NAMES:
            self._names(body, order)
        elif kind == STATISTICS:
            self._options(kind, body[12:], order)
        else:
            self.texts.append((f'block {kind:#x}', body))

    def _options(self, kind, data, order):
        found, at = {}, 0
        while at + 4 <= len(data):
            code, length = struct.unpack_from(order + 'HH', data, at)
            if code == 0:
                break
            value = data[at + 4 : at + 4 + length]
            found[code] = value
            if code not in NUMBERS.get(kind, ()):
                self.texts.append((f'option {code} of block {kind:#x}', value))
            at += 4 + length + (-length % 4)
        return found

    def _names(self, body, order):
        at = 0
        while at + 4 <= len(body):
            kind, length = struct.unpack_from(order + 'HH', body, at)
            if kind == 0:
                self._options(NAMES, body[at + 4 :], order)
                return
            value = body[at + 4 : at + 4 + length]
            size = {1: 4, 2: 16}.get(kind, 0)
            if size:
                self.texts.append(('resolved address', value[:size]))
                for name in value[size:].split(b'\0'):
                    self.texts.append(('resolved name', name))
            at += 4 + length + (-length % 4)


def unpacked(data):
    if data[:2] != b'\x1f\x8b':
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return inflated(data, 31)


def inflated(data, window, most=1 << 26):
    """As much as is whole; `window` as zlib has it: 31 gzip, 15 zlib, -15 raw."""
    try:
        return zlib.decompressobj(window).decompress(data, most)
    except zlib.error:
        return b''


def read(path):
    with open(path, 'rb') as file:
        return Capture(file.read())
