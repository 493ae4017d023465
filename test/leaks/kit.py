"""Frames and files to make captures of: what the generator of nasty captures needs, with lengths and checksums right."""
import ipaddress
import struct
import zlib

MACS = (bytes.fromhex('3c52a17be90d'), bytes.fromhex('b4fbe47713c8'))


def checksum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packed(address):
    return ipaddress.ip_address(address).packed


def _pseudo(source, target, protocol, length):
    if len(source) == 4:
        return source + target + struct.pack('>BBH', 0, protocol, length)
    return source + target + struct.pack('>IHBB', length, 0, 0, protocol)


def udp(source, target, data):
    (a, sport), (b, dport) = source, target
    head = struct.pack('>HHHH', sport, dport, 8 + len(data), 0)
    sum_ = checksum(_pseudo(packed(a), packed(b), 17, 8 + len(data)) + head + data) or 0xFFFF
    return ip(a, b, 17, head[:6] + struct.pack('>H', sum_) + data)


def tcp(source, target, sequence, ack, flags, data=b''):
    (a, sport), (b, dport) = source, target
    head = struct.pack('>HHIIBBHHH', sport, dport, sequence & 0xFFFFFFFF, ack & 0xFFFFFFFF, 0x50, flags, 64_000, 0, 0)
    sum_ = checksum(_pseudo(packed(a), packed(b), 6, 20 + len(data)) + head + data)
    return ip(a, b, 6, head[:16] + struct.pack('>H', sum_) + head[18:] + data)


def icmp_unreachable(source, target, quoted):
    """From a host about a packet that it got."""
    if len(packed(source)) == 4:
        body = struct.pack('>BBHI', 3, 3, 0, 0) + quoted
        return ip(source, target, 1, body[:2] + struct.pack('>H', checksum(body)) + body[4:])
    body = struct.pack('>BBHI', 1, 4, 0, 0) + quoted[:1232]
    sum_ = checksum(_pseudo(packed(source), packed(target), 58, len(body)) + body)
    return ip(source, target, 58, body[:2] + struct.pack('>H', sum_) + body[4:])


def ip(a, b, protocol, data, ident=0x2A51, part=0):
    source, target = packed(a), packed(b)
    if len(source) == 16:
        return struct.pack('>IHBB', 6 << 28, len(data), protocol, 60) + source + target + data
    head = struct.pack('>BBHHHBBH', 0x45, 0, 20 + len(data), ident, part, 62, protocol, 0) + source + target
    return head[:10] + struct.pack('>H', checksum(head)) + head[12:] + data


def fragments(packet, size, ident=0x77A1):
    """The packet in pieces of at most `size` bytes (a multiple of 8)."""
    is_v4 = packet[0] >> 4 == 4
    head, data = (packet[:20], packet[20:]) if is_v4 else (packet[:40], packet[40:])
    pieces = [(at, data[at : at + size], at + size < len(data)) for at in range(0, len(data), size)]
    if is_v4:
        a, b = str(ipaddress.ip_address(head[12:16])), str(ipaddress.ip_address(head[16:20]))
        return [ip(a, b, head[9], part, ident, at // 8 | (0x2000 if more else 0)) for at, part, more in pieces]
    a, b = str(ipaddress.ip_address(head[8:24])), str(ipaddress.ip_address(head[24:40]))
    return [ip(a, b, 44, struct.pack('>BBHI', head[6], 0, at | more, ident) + part) for at, part, more in pieces]


def ethernet(packet, vlans=(), macs=MACS):
    kind = b'\x08\x00' if packet[0] >> 4 == 4 else b'\x86\xdd'
    return macs[0] + macs[1] + b''.join(b'\x81\x00' + struct.pack('>H', vlan) for vlan in vlans) + kind + packet


def pcap(frames, link=1, begin=1_767_225_600):
    """Frames 10 ms apart, or at the times that they say: each is bytes, or (seconds, bytes)."""
    parts = [struct.pack('<IHHiIII', 0xA1B2C3D4, 2, 4, 0, 0, 262_144, link)]
    for i, frame in enumerate(frames):
        at, frame = frame if isinstance(frame, tuple) else (i * 0.01, frame)
        micros = round((begin + at) * 1_000_000)
        parts.append(struct.pack('<IIII', micros // 1_000_000, micros % 1_000_000, len(frame), len(frame)) + frame)
    return b''.join(parts)


def block(kind, body):
    body += b'\0' * (-len(body) % 4)
    return struct.pack('<II', kind, 12 + len(body)) + body + struct.pack('<I', 12 + len(body))


def options(*pairs):
    found = b''
    for code, value in pairs:
        found += struct.pack('<HH', code, len(value)) + value + b'\0' * (-len(value) % 4)
    return found + b'\0\0\0\0' if pairs else b''


def packet_block(frame, micros, *pairs):
    head = struct.pack('<IIIII', 0, micros >> 32, micros & 0xFFFFFFFF, len(frame), len(frame))
    return block(6, head + frame + b'\0' * (-len(frame) % 4) + options(*pairs))


def rtp(sequence, payload, ssrc=0x3D51A7C9, kind=0, extension=b'', marker=0):
    head = struct.pack('>BBHII', 0x90 if extension else 0x80, kind | marker << 7, sequence & 0xFFFF, sequence * 160 & 0xFFFFFFFF, ssrc)
    return head + (struct.pack('>HH', 0xBEDE, len(extension) // 4) + extension if extension else b'') + payload


def sdes(ssrc, items):
    body = struct.pack('>I', ssrc) + b''.join(bytes([kind, len(text)]) + text for kind, text in items) + b'\0'
    body += b'\0' * (-len(body) % 4)
    return struct.pack('>BBH', 0x81, 202, len(body) // 4) + body


def sender_report(ssrc):
    return struct.pack('>BBHIQIII', 0x80, 200, 6, ssrc, 0xEB1F2A3B00000000, 160, 1, 160)


def stun(kind, transaction, attributes):
    body = b''.join(struct.pack('>HH', code, len(value)) + value + b'\0' * (-len(value) % 4) for code, value in attributes)
    return struct.pack('>HHI', kind, len(body), 0x2112A442) + transaction + body


def mapped(address, port, transaction=None):
    raw = packed(address)
    if transaction is not None:
        mask = b'\x21\x12\xa4\x42' + transaction
        raw, port = bytes(a ^ b for a, b in zip(raw, mask)), port ^ 0x2112
    return struct.pack('>BBH', 0, 1 if len(raw) == 4 else 2, port) + raw


def hep(payload, source, target, kind=1, more=(), seconds=1_767_225_600):
    (a, sport), (b, dport) = source, target
    is_v4 = len(packed(a)) == 4
    chunks = [(0, 1, bytes([2 if is_v4 else 10])), (0, 2, b'\x11'), (0, 3 if is_v4 else 5, packed(a)), (0, 4 if is_v4 else 6, packed(b))]
    chunks += [(0, 7, struct.pack('>H', sport)), (0, 8, struct.pack('>H', dport)), (0, 9, struct.pack('>I', seconds)), (0, 10, struct.pack('>I', 0))]
    chunks += [(0, 11, bytes([kind])), (0, 12, struct.pack('>I', 2001)), *more]
    if payload is not None:
        chunks.append((0, 15, payload))
    body = b''.join(struct.pack('>HHH', vendor, code, 6 + len(value)) + value for vendor, code, value in chunks)
    return b'HEP3' + struct.pack('>H', 6 + len(body)) + body


def web_socket(data, mask=b'', packed_by=None, last=True, first=True, text=True):
    """A frame; `packed_by` is the compressor of the connection."""
    bits = (0x80 if last else 0) | ((1 if text else 2) if first else 0)
    if packed_by is not None:
        data = packed_by.compress(data) + packed_by.flush(zlib.Z_SYNC_FLUSH)
        data, bits = data[:-4], bits | 0x40
    size = len(data)
    length = bytes([size]) if size < 126 else b'\x7e' + struct.pack('>H', size)
    length = bytes([length[0] | (0x80 if mask else 0)]) + length[1:]
    if mask:
        data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
    return bytes([bits]) + length + mask + data
