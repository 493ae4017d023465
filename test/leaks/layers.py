"""
The layers of a frame down to what UDP, TCP and ICMP carry: link layers, VLAN, MPLS, PPPoE, tunnels, IP with its options and
extension headers, fragments. Each address on the way is handed to `sink.address`.
"""
import struct

NULL, ETHERNET, PPP, RAW_OLD, RAW_BSD, HDLC, RAW, LOOP, COOKED, NFLOG, EXPORTED, COOKED2 = 0, 1, 9, 12, 14, 104, 101, 108, 113, 239, 252, 276
IP4, IP6 = 228, 229
ICMP, IPIP, TCP, UDP, IN6, ROUTING, FRAGMENT, GRE, ESP, AH, ICMP6 = 1, 4, 6, 17, 41, 43, 44, 47, 50, 51, 58
VLANS = (0x8100, 0x88A8, 0x9100)
MOST_DEEP = 12
# Where the UDP header says a tunnel: how long the tunnel's own header is, and what follows it.
VXLAN, GENEVE, GTP, MPLS_UDP = (4789, 8472), (6081,), (2152,), (6635,)


class Layers:
    """`sink` has address(kind, bytes), datagram(protocol, source, target, ports, payload) and tcp(flow, sequence, flags, payload)."""

    def __init__(self, sink):
        self._sink, self._pieces = sink, {}

    def frame(self, link, data):
        try:
            self._link(link, data)
        except (struct.error, IndexError):
            pass

    def _link(self, link, data):
        if link == ETHERNET:
            self._ethernet(data, 0)
        elif link in (RAW, RAW_OLD, RAW_BSD, IP4, IP6):
            self._ip(data, 0)
        elif link in (NULL, LOOP):
            self._ip(data[4:], 0)
        elif link == COOKED:
            self._sink.address('mac', data[6 : 6 + min(8, data[5])][:6])
            self._ethertype(struct.unpack_from('>H', data, 14)[0], data[16:], 0)
        elif link == COOKED2:
            self._sink.address('mac', data[12 : 12 + min(8, data[11])][:6])
            self._ethertype(struct.unpack_from('>H', data)[0], data[20:], 0)
        elif link in (PPP, HDLC):
            at = 4 if data[:2] in (b'\xff\x03', b'\x0f\x00', b'\x8f\x00') else 2
            self._ip(data[at:], 0)
        elif link == EXPORTED:
            self._exported(data)
        elif link == NFLOG:
            at = 4
            while at + 4 <= len(data):
                length, kind = struct.unpack_from('<HH', data, at)
                if kind == 9:
                    self._ip(data[at + 4 : at + length], 0)
                if length < 4:
                    return
                at += length + (-length % 4)

    def _exported(self, data):
        """What Wireshark exports: tags, then the message."""
        at = 0
        while at + 4 <= len(data):
            tag, size = struct.unpack_from('>HH', data, at)
            value = data[at + 4 : at + 4 + size]
            at += 4 + size
            if tag == 0:
                self._sink.datagram(UDP, b'', b'', (0, 0), data[at:])
                return
            if tag in (20, 21):
                self._sink.address('ip4', value[:4])
            elif tag in (22, 23):
                self._sink.address('ip6', value[:16])

    def _ethernet(self, data, depth):
        if len(data) < 14:
            return
        self._sink.address('mac', data[:6])
        self._sink.address('mac', data[6:12])
        self._ethertype(struct.unpack_from('>H', data, 12)[0], data[14:], depth)

    def _ethertype(self, kind, data, depth):
        if depth > MOST_DEEP:
            return
        if kind in VLANS:
            self._ethertype(struct.unpack_from('>H', data, 2)[0], data[4:], depth + 1)
        elif kind in (0x0800, 0x86DD):
            self._ip(data, depth + 1)
        elif kind in (0x8847, 0x8848):
            self._mpls(data, depth + 1)
        elif kind == 0x8864:
            self._ip(data[8:], depth + 1)
        elif kind == 0x0806:
            macs, ips = data[4], data[5]
            at = 8
            for size, name in ((macs, 'mac'), (ips, 'ip4'), (macs, 'mac'), (ips, 'ip4')):
                self._sink.address(name, data[at : at + size])
                at += size
        elif kind == 0x6558:
            self._ethernet(data, depth + 1)
        elif kind in (0x88BE, 0x22EB):
            # Type III has a subheader of 8 bytes where its last bit says so.
            size = 8 if kind == 0x88BE else 20 if data[11] & 1 else 12
            self._ethernet(data[size:], depth + 1)

    def _mpls(self, data, depth):
        at = 0
        while not data[at + 2] & 1:
            at += 4
        inner = data[at + 4 :]
        if inner and inner[0] >> 4 in (4, 6):
            self._ip(inner, depth)
        else:
            self._ethernet(inner[4:], depth)

    def _ip(self, data, depth):
        if depth > MOST_DEEP or not data:
            return
        if data[0] >> 4 == 4:
            self._ip4(data, depth)
        elif data[0] >> 4 == 6:
            self._ip6(data, depth)

    def _ip4(self, data, depth):
        if len(data) < 20:
            return
        head = (data[0] & 15) * 4
        total, ident, flags = struct.unpack_from('>HHH', data, 2)
        source, target = data[12:16], data[16:20]
        self._sink.address('ip4', source)
        self._sink.address('ip4', target)
        self._options4(data[20:head])
        end = total if head <= total <= len(data) else len(data)
        payload, offset = data[head:end], (flags & 0x1FFF) * 8
        if offset or flags & 0x2000:
            payload = self._piece((source, target, data[9], ident), offset, bool(flags & 0x2000), payload)
        if payload is not None:
            self._carried(data[9], source, target, payload, depth)

    def _options4(self, options):
        at = 0
        while at < len(options) and options[at] != 0:
            if options[at] == 1:
                at += 1
                continue
            size = options[at + 1]
            if size < 2:
                return
            if options[at] in (7, 131, 137):
                for place in range(at + 3, at + size - 3, 4):
                    self._sink.address('ip4', options[place : place + 4])
            at += size

    def _ip6(self, data, depth):
        if len(data) < 40:
            return
        (length,) = struct.unpack_from('>H', data, 4)
        protocol, source, target = data[6], data[8:24], data[24:40]
        self._sink.address('ip6', source)
        self._sink.address('ip6', target)
        payload = data[40 : 40 + length] if length else data[40:]
        while protocol in (0, ROUTING, 60, FRAGMENT, AH):
            if len(payload) < 8:
                return
            if protocol == FRAGMENT:
                offset, ident = struct.unpack_from('>HI', payload, 2)
                key = (source, target, payload[0], ident)
                protocol, payload = payload[0], self._piece(key, offset & 0xFFF8, bool(offset & 1), payload[8:])
                if payload is None:
                    return
            else:
                if protocol == ROUTING:
                    for place in range(8, payload[1] * 8 - 7, 16):
                        self._sink.address('ip6', payload[place : place + 16])
                size = (payload[1] + 2) * 4 if protocol == AH else 8 + payload[1] * 8
                protocol, payload = payload[0], payload[size:]
        self._carried(protocol, source, target, payload, depth)

    def _piece(self, key, offset, has_more, payload):
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

    def _carried(self, protocol, source, target, data, depth):
        if protocol == UDP and len(data) >= 8:
            sport, dport, length = struct.unpack_from('>HHH', data)
            payload = data[8:length] if 8 <= length <= len(data) else data[8:]
            if not self._tunnel(sport, dport, payload, depth):
                self._sink.datagram(UDP, source, target, (sport, dport), payload)
        elif protocol == TCP and len(data) >= 20:
            sport, dport, sequence = struct.unpack_from('>HHI', data)
            head = (data[12] >> 4) * 4
            self._sink.tcp((source, sport, target, dport), sequence, data[13], data[head:] if head >= 20 else b'')
        elif protocol in (ICMP, ICMP6):
            self._icmp(protocol, source, target, data, depth)
        elif protocol in (IPIP, IN6):
            self._ip(data, depth + 1)
        elif protocol == GRE:
            flags, kind = struct.unpack_from('>HH', data)
            at = 4 + 4 * (bool(flags & 0x8000) + bool(flags & 0x2000) + bool(flags & 0x1000))
            if kind == 0x88BE and not flags & 0x1000:
                self._ethernet(data[at:], depth + 1)
            else:
                self._ethertype(kind, data[at:], depth + 1)
        else:
            self._sink.datagram(protocol, source, target, (0, 0), data)

    def _icmp(self, protocol, source, target, data, depth):
        errors = (3, 4, 5, 11, 12) if protocol == ICMP else (1, 2, 3, 4)
        if len(data) > 8 and data[0] in errors:
            self._ip(data[8:], depth + 1)
        elif len(data) > 8:
            self._sink.datagram(protocol, source, target, (0, 0), data[8:])

    def _tunnel(self, sport, dport, data, depth):
        ports = (sport, dport)
        if dport in VXLAN and len(data) > 22 and data[0] & 8:
            self._ethernet(data[8:], depth + 1)
        elif dport in GENEVE and len(data) > 8 and data[0] >> 6 == 0:
            self._ethertype(struct.unpack_from('>H', data, 2)[0], data[8 + (data[0] & 63) * 4 :], depth + 1)
        elif any(port in GTP for port in ports) and len(data) > 8 and data[0] >> 5 == 1 and data[1] == 255:
            at = 12 if data[0] & 7 else 8
            if data[0] & 4:
                kind = data[11]
                while kind and at < len(data) and data[at]:
                    kind, at = data[at + data[at] * 4 - 1], at + data[at] * 4
            self._ip(data[at:], depth + 1)
        elif dport in MPLS_UDP and len(data) > 24:
            self._mpls(data, depth + 1)
        else:
            return False
        return True
