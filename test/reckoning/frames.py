"""
Frames of a capture, and the IP packets in them: pcap and pcapng, also compressed; Ethernet, Linux cooked and raw IP; VLAN;
fragments of IPv4 and IPv6 put together.
"""
import gzip
import ipaddress
import struct

ETHERNET, RAW_OLD, RAW, COOKED, COOKED2, RAW4, RAW6, LOOP = 1, 12, 101, 113, 276, 228, 229, 0
UDP, TCP, FRAGMENT = 17, 6, 44
EXTENSIONS = (0, 43, 60)


def frames(path):
    """(time in microseconds, link type, bytes) of each frame, in the order of the file."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    magic = data[:4]
    if magic == b'\x0a\x0d\x0d\x0a':
        yield from _pcapng(data)
    elif magic in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1'):
        yield from _pcap(data, '<', magic[0] == 0x4D)
    elif magic in (b'\xa1\xb2\xc3\xd4', b'\xa1\xb2\x3c\x4d'):
        yield from _pcap(data, '>', magic[3] == 0x4D)
    else:
        raise SystemExit(f'{path}: no capture')


def _pcap(data, order, is_nano):
    (link,) = struct.unpack_from(order + 'I', data, 20)
    at = 24
    while at + 16 <= len(data):
        seconds, part, kept, _ = struct.unpack_from(order + 'IIII', data, at)
        frame = data[at + 16 : at + 16 + kept]
        if len(frame) < kept:
            return
        yield seconds * 1_000_000 + (part // 1000 if is_nano else part), link & 0xFFFF, frame
        at += 16 + kept


def _pcapng(data):
    at, order, links = 0, '<', []
    while at + 12 <= len(data):
        kind = data[at : at + 4]
        if kind == b'\x0a\x0d\x0d\x0a':
            order = '<' if data[at + 8 : at + 12] == b'\x4d\x3c\x2b\x1a' else '>'
            links = []
        kind, length = struct.unpack_from(order + 'II', data, at)
        if length < 12 or at + length > len(data):
            return
        body = data[at + 8 : at + length - 4]
        if kind == 1:
            links.append((struct.unpack_from(order + 'H', body)[0], _ticks(body[8:], order)))
        elif kind == 6 and len(body) >= 20:
            interface, high, low, kept = struct.unpack_from(order + 'IIII', body)
            if interface < len(links):
                link, per_second = links[interface]
                yield ((high << 32) | low) * 1_000_000 // per_second, link, body[20 : 20 + kept]
        at += length


def _ticks(options, order):
    """Ticks a second of an interface (option if_tsresol)."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + 'HH', options, at)
        if code == 0:
            break
        if code == 9:
            value = options[at + 4]
            return 2 ** (value & 0x7F) if value & 0x80 else 10**value
        at += 4 + length + (-length % 4)
    return 1_000_000


def _network(link, frame):
    """The IP packet in a frame; empty without one."""
    if link in (RAW, RAW_OLD, RAW4, RAW6):
        return frame
    if link == LOOP:
        return frame[4:]
    if link == ETHERNET:
        at = 12
    elif link == COOKED:
        at = 14
    elif link == COOKED2:
        return frame[20:] if frame[:2] in (b'\x08\x00', b'\x86\xdd') else b''
    else:
        return b''
    kind = frame[at : at + 2]
    while kind in (b'\x81\x00', b'\x88\xa8'):
        at += 4
        kind = frame[at : at + 2]
    return frame[at + 2 :] if kind in (b'\x08\x00', b'\x86\xdd') else b''


class Packets:
    """Whole IP packets: (protocol, source, destination, payload), with fragments put together."""

    def __init__(self):
        self._pieces = {}

    def read(self, link, frame):
        packet = _network(link, frame)
        if len(packet) < 20:
            return None
        return self._v4(packet) if packet[0] >> 4 == 4 else self._v6(packet) if packet[0] >> 4 == 6 else None

    def _v4(self, packet):
        head = (packet[0] & 15) * 4
        total, ident, flags, _, protocol = struct.unpack_from('>HHHBB', packet, 2)
        source, target = packet[12:16], packet[16:20]
        payload = packet[head : total if total >= head else None]
        offset = (flags & 0x1FFF) * 8
        if offset or flags & 0x2000:
            payload = self._piece((source, target, protocol, ident), offset, bool(flags & 0x2000), payload)
            if payload is None:
                return None
        return protocol, _text(source), _text(target), payload

    def _v6(self, packet):
        if len(packet) < 40:
            return None
        (length,) = struct.unpack_from('>H', packet, 4)
        protocol, source, target = packet[6], packet[8:24], packet[24:40]
        payload = packet[40 : 40 + length]
        while protocol in EXTENSIONS or protocol == FRAGMENT:
            if len(payload) < 8:
                return None
            if protocol == FRAGMENT:
                offset, ident = struct.unpack_from('>HI', payload, 2)
                key = (source, target, payload[0], ident)
                protocol, payload = payload[0], self._piece(key, offset & 0xFFF8, bool(offset & 1), payload[8:])
                if payload is None:
                    return None
            else:
                protocol, payload = payload[0], payload[8 + payload[1] * 8 :]
        return protocol, _text(source), _text(target), payload

    def _piece(self, key, offset, has_more, payload):
        """The whole once its last piece is there."""
        pieces = self._pieces.setdefault(key, {})
        pieces[offset] = (payload, has_more)
        whole, at = b'', 0
        while at in pieces:
            part, goes_on = pieces[at]
            whole += part
            if not goes_on:
                del self._pieces[key]
                return whole
            if not part:
                return None
            at += len(part)
        return None


def _text(address):
    return str(ipaddress.ip_address(address))
