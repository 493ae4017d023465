"""
Captures with originals in odd places. `scenes()` gives (name, file bytes, what must be found in it besides what a call always has).
"""
import base64
import gzip
import os
import struct
import zlib

import kit
import people as p
from nasty_headers import header_scenes

HERE, THERE, CORE = (p.HERE, 5060), (p.THERE, 5060), (p.CORE, 5060)
HERE6, THERE6 = (p.HERE6, 5060), (p.THERE6, 5060)
SOUND = bytes((i * 73 + (i * i) % 91) & 0xFF for i in range(160))


def udp(data, source=HERE, target=THERE):
    return kit.ethernet(kit.udp(source, target, data))


def call(more='', address=p.HERE, via=None, n=1, extra=()):
    """A call of a few messages with sound both ways."""
    source, target = (HERE6, THERE6) if ':' in address else (HERE, THERE)
    other = target[0]
    frames = [udp(p.request(n=n, extra=extra, body=p.sdp(address, 30_000, more)), source, target)]
    frames.append(udp(p.response('180 Ringing', n=n, extra=[f'Server: {p.SERVER}']), target, source))
    frames.append(udp(p.response(n=n, extra=[f'Server: {p.SERVER}'], body=p.sdp(other, 40_000, more)), target, source))
    frames.append(udp(p.request('ACK', n=n, to_tag=p.tag(f'{n}b')), source, target))
    return frames


def sounds(count=60, source=(p.HERE, 30_000), target=(p.THERE, 40_000)):
    frames = []
    for i in range(count):
        frames.append(udp(kit.rtp(i, SOUND[i % 80 :] + SOUND[: i % 80]), source, target))
        frames.append(udp(kit.rtp(i, SOUND[::-1], ssrc=0x11C0FFEE), target, source))
    return frames


def bodies():
    xml = f'<?xml version="1.0"?><presence xmlns="urn:ietf:params:xml:ns:pidf" entity="pres:{p.USER}@{p.DOMAIN}"><note>{p.BODY}</note></presence>'
    parts = [
        ('application/sdp', '', p.sdp().encode()),
        ('application/pidf+xml', f'Content-ID: <{p.OTHER}.part1@{p.DOMAIN}>\r\n', xml.encode()),
        ('application/isup;version=itu-t92+', '', bytes.fromhex('01006000030a02080683103409810274')),
        ('text/plain', 'Content-Transfer-Encoding: base64\r\n', base64.encodebytes(p.BODY.encode() * 3)),
        ('message/sipfrag', '', b'SIP/2.0 486 ' + p.CALLED_NAME.encode()),
    ]
    boundary = f'bnd-{p.USER}-x9'
    mixed = b''.join(f'--{boundary}\r\nContent-Type: {kind}\r\n{head}\r\n'.encode() + body + b'\r\n' for kind, head, body in parts) + f'--{boundary}--\r\n'.encode()
    report = f'VQSessionReport: CallTerm\r\nCallID:{p.call_id(9)}\r\nLocalID:<sip:{p.USER}@{p.DOMAIN}>\r\nRemoteID:<sip:{p.CALLED}@{p.PROXY}>\r\nOrigID:<sip:{p.USER}@{p.DOMAIN}>\r\nLocalAddr:IP={p.HERE} PORT=30000 SSRC=0x1\r\nLocalMAC:{kit.MACS[0].hex()}\r\nLocalMetrics:\r\nQualityEst:MOSLQ=4.1\r\n'
    send = [
        p.request('INVITE', 1, body=mixed, kind=f'multipart/mixed;boundary="{boundary}"'),
        p.request('MESSAGE', 2, body=p.BODY, kind='text/plain'),
        p.request('MESSAGE', 3, body=p.BODY.encode('utf-16-le'), kind='text/plain;charset=utf-16'),
        p.request('MESSAGE', 4, extra=['Content-Encoding: gzip'], body=gzip.compress(p.BODY.encode() * 2, mtime=0), kind='text/plain'),
        p.request('INFO', 5, body='Signal=7\r\nDuration=160\r\n', kind='application/dtmf-relay'),
        p.request('NOTIFY', 6, extra=['Event: refer'], body=f'SIP/2.0 503 {p.BODY}\r\nServer: {p.SERVER}\r\n', kind='message/sipfrag;version=2.0'),
        p.request('PUBLISH', 7, extra=['Event: vq-rtcpxr'], body=report, kind='application/vq-rtcpxr'),
        p.request('MESSAGE', 8, body='\r\n'.join(base64.b64encode((p.BODY[i:] + p.NUMBER).encode()).decode() for i in range(3)), kind='text/plain'),
        p.request('OPTIONS', 9, body=zlib.compress(p.BODY.encode()), kind='application/octet-stream'),
    ]
    return [udp(message) for message in send]


def media():
    lines = f'a=ice-ufrag:uF{p.SHORT}zv\r\na=ice-pwd:pwdZackQ81xkLm3vvT0aa21\r\na=fingerprint:sha-256 {p.FINGERPRINT}\r\na=setup:actpass\r\n'
    lines += f'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:{p.KEY}|2^20|1:4\r\na=rtcp:30001 IN IP4 {p.CORE}\r\n'
    lines += f'a=candidate:1 1 UDP 2130706431 {p.CORE} 30000 typ host\r\na=candidate:2 1 UDP 1694498815 {p.HERE} 30000 typ srflx raddr {p.CORE} rport 30000\r\n'
    lines += f'a=candidate:3 1 UDP 1694498815 {p.HERE6} 30002 typ host ufrag uF{p.SHORT}zv\r\n'
    lines += f'a=ssrc:1029153737 cname:{p.USER}@{p.CORE}\r\na=ssrc:1029153737 msid:{p.OTHER}-stream {p.OTHER}-track\r\na=tool:{p.AGENT}\r\n'
    items = [(1, f'{p.USER}@{p.CORE}'), (2, p.NAME), (3, f'{p.USER}@{p.DOMAIN}'), (4, p.NUMBER), (5, 'Kilimanjaro-17'), (6, p.AGENT), (7, p.BODY), (8, f'\x05x-id {p.OTHER}')]
    ssrc = 0x3D51A7C9
    sdes = kit.sdes(ssrc, [(kind, text.encode()) for kind, text in items])
    bye = struct.pack('>BBHI', 0x81, 203, 1 + (1 + len(p.BODY) + 3) // 4, ssrc) + bytes([len(p.BODY)]) + p.BODY.encode()
    bye += b'\0' * (-len(bye) % 4)
    app = struct.pack('>BBHI4s', 0x80, 204, 2 + 6, ssrc, b'ZVOS') + p.OTHER.encode().ljust(24, b'\0')
    rtcp = kit.sender_report(ssrc) + sdes
    sockets = (p.HERE, 30_001), (p.THERE, 40_001)
    frames = call(lines) + sounds()
    frames += [udp(rtcp, *sockets), udp(kit.sender_report(ssrc) + bye, *sockets), udp(kit.sender_report(ssrc) + app, *sockets)]
    for i, digit in enumerate((7, 4, 3, 9)):
        event = struct.pack('>BBH', digit, 0x8A, 800)
        frames += [udp(kit.rtp(70 + i, event, kind=101, marker=1), (p.HERE, 30_000), (p.THERE, 40_000))]
    frames += [udp(kit.rtp(80 + i, SOUND, extension=b'\x1fZackSaysHello!!'), (p.HERE, 30_000), (p.THERE, 40_000)) for i in range(3)]
    return frames


def stun():
    transaction = b'Q81xkLm3vvT0'
    texts = [(6, f'uF{p.SHORT}zv:remote{p.OTHER}'.encode()), (0x14, p.REALM.encode()), (0x15, p.NONCE.encode()), (0x8022, p.AGENT.encode())]
    places = [(0x20, kit.mapped(p.HERE, 30_000, transaction)), (1, kit.mapped(p.HERE, 30_000)), (0x802B, kit.mapped(p.CORE, 3478)), (0x8023, kit.mapped(p.HERE6, 3478))]
    relay = [(0x16, kit.mapped(p.HERE6, 49_152, transaction)), (0x12, kit.mapped(p.CORE, 30_000, transaction))]
    data = [(0x12, kit.mapped(p.THERE, 40_000, transaction)), (0x13, kit.rtp(1, SOUND))]
    message = p.request('MESSAGE', 3, body=p.BODY, kind='text/plain')
    inner = [(0x12, kit.mapped(p.THERE, 5060, transaction)), (0x13, message)]
    server = (p.CARRIER and p.THERE, 3478)
    send = [(1, texts), (0x101, places + texts[3:]), (0x113, texts[1:] + [(9, struct.pack('>HBB', 0, 4, 1) + b'Unauthorized ' + p.OTHER.encode())]), (0x103, relay + places), (0x16, data), (0x16, inner)]
    frames = [udp(kit.stun(kind, transaction, attributes), (p.CORE, 30_000), server) for kind, attributes in send]
    channel = [struct.pack('>HH', 0x4001, len(data)) + data for data in [kit.rtp(i, SOUND) for i in range(20)]]
    return call() + frames + [udp(data, (p.CORE, 30_000), server) for data in channel]


def hep():
    more = [(0, 0x0E, p.PASSWORD.encode()), (0, 0x11, p.call_id(1).encode()), (0, 0x13, b'node-' + p.PROXY.encode()), (0x2A, 7, p.OTHER.encode())]
    invite, answer = p.request(body=p.sdp()), p.response(body=p.sdp(p.THERE, 40_000))
    packets = [kit.hep(invite, HERE, THERE, more=more), kit.hep(answer, THERE, HERE, more=more)]
    packets.append(kit.hep(p.request('INVITE', 2, body=p.sdp(p.HERE6)), HERE6, THERE6, more=more))
    packets.append(kit.hep(None, HERE, THERE, more=[*more, (0, 0x10, zlib.compress(p.request('OPTIONS', 3)))]))
    packets.append(kit.hep(f'{{"ssrc":1029153737,"sdes_information":[{{"type":1,"text":"{p.USER}@{p.CORE}"}}]}}'.encode(), HERE, THERE, 5, more))
    packets.append(kit.hep(f'call of {p.USER} from {p.HERE}'.encode(), HERE, THERE, 100, more))
    version2 = struct.pack('>BBBBHH', 2, 28, 2, 17, 5060, 5060) + kit.packed(p.HERE) + kit.packed(p.THERE) + struct.pack('<IIHH', 1_767_225_600, 0, 2001, 0) + invite
    version1 = struct.pack('>BBBBHH', 1, 16, 2, 17, 5060, 5060) + kit.packed(p.HERE) + kit.packed(p.THERE) + invite
    agent, collector = (p.CORE, 41_200), ('10.171.33.80', 9060)
    frames = [udp(data, agent, collector) for data in (*packets, version2, version1)]
    return frames + stream(b''.join(packets), agent, collector, [100, 700, 333, 2000])


def stream(data, source, target, sizes, begin=0xFFFFFE00, sends_again=True):
    """TCP that wraps its numbers, with segments of these sizes, one sent again joined to its next, and two out of order."""
    frames = [kit.tcp(source, target, begin, 0, 2), kit.tcp(target, source, 7, begin + 1, 0x12), kit.tcp(source, target, begin + 1, 8, 0x10)]
    segments, at = [], 0
    while at < len(data):
        size = sizes[len(segments) % len(sizes)]
        segments.append((at, data[at : at + size]))
        at += size
    if len(segments) > 3:
        segments[1], segments[2] = segments[2], segments[1]
    for i, (at, part) in enumerate(segments):
        frames.append(kit.tcp(source, target, begin + 1 + at, 8, 0x18, part))
        if sends_again and i % 3 == 2:
            again = data[max(0, at - 50) : at + len(part) + 20]
            frames.append(kit.tcp(source, target, begin + 1 + max(0, at - 50), 8, 0x18, again))
    frames.append(kit.tcp(target, source, 8, begin + 1 + len(data), 0x10))
    frames.append(kit.tcp(source, target, begin + 1 + len(data), 8, 0x11))
    return [kit.ethernet(frame) for frame in frames]


def over_tcp():
    via = f'SIP/2.0/TCP {p.HERE}:5060'
    messages = [p.request(n=1, via=via, body=p.sdp()), b'\r\n\r\n', p.request('OPTIONS', 2, via=via), p.request('MESSAGE', 3, via=via, body=p.BODY * 20, kind='text/plain'), p.request('BYE', 4, via=via)]
    answers = [p.response('100 Trying', n=1, via=via), p.response(n=1, via=via, body=p.sdp(p.THERE, 40_000)), p.response(method='OPTIONS', n=2, via=via)]
    frames = stream(b''.join(messages), (p.HERE, 39_271), THERE, [3, 211, 17, 640, 64, 1200])
    frames += stream(b''.join(answers), THERE, (p.HERE, 39_272), [90, 1, 1400], begin=1_000)
    return frames + stream(b''.join(messages), (p.HERE6, 39_271), THERE6, [100], begin=55)


def over_web_socket():
    via = f'SIP/2.0/WSS df7jal23ls0d-{p.OTHER}.invalid'
    extra = [f'Contact: <sip:{p.USER}@df7jal23ls0d.invalid;transport=ws>']
    head = f'GET /ws/{p.USER}?token={p.PASSWORD} HTTP/1.1\r\nHost: {p.PROXY}\r\nOrigin: https://{p.DOMAIN}\r\nCookie: session={p.NONCE}\r\nX-Forwarded-For: {p.CORE}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    head += 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\nSec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Version: 13\r\n\r\n'
    answer = f'HTTP/1.1 101 Switching Protocols\r\nServer: {p.SERVER}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: sip\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n'
    invite = p.request(n=1, via=via, extra=extra, body=p.sdp())
    frames = []
    for i, is_packed in enumerate((False, True)):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15) if is_packed else None
        unpacker = zlib.compressobj(9, zlib.DEFLATED, -15) if is_packed else None
        mask = b'\x37\xfa\x21\x3d'
        data = head.encode() + kit.web_socket(invite, mask, packer) + kit.web_socket(b'\r\n\r\n', mask)
        if not is_packed:
            data += kit.web_socket(invite[:100], mask, last=False) + kit.web_socket(invite[100:], mask, first=False)
        data += kit.web_socket(p.request('REGISTER', 2, via=via, extra=extra), mask, packer)
        back = answer.encode() + kit.web_socket(p.response('180 Ringing', via=via), b'', unpacker) + kit.web_socket(p.response(via=via, body=p.sdp(p.THERE)), b'', unpacker)
        source, target = (p.HERE, 50_100 + i), (p.THERE, 8080)
        ours = stream(data, source, target, [len(head), 500, 120, 900], sends_again=not is_packed)
        theirs = stream(back, target, source, [len(answer), 300], begin=7)
        # Both say how they speak before anybody does: three frames of the connection, and the HTTP head.
        frames += ours[:4] + theirs[3:4] + ours[4:-2] + theirs[4:-2] + ours[-2:]
    return frames


def in_pieces():
    extra = [f'X-Long-{i}: {p.USER} of {p.DOMAIN} at {p.CORE} calls {p.CALLED} for the {i}th time' for i in range(30)]
    big, big6 = p.request(extra=extra, body=p.sdp()), p.request(n=2, extra=extra, body=p.sdp(p.HERE6))
    frames = kit.fragments(kit.udp(HERE, THERE, big), 1480) + kit.fragments(kit.udp(HERE6, THERE6, big6), 1448)
    backwards = kit.fragments(kit.udp(HERE, THERE, p.request(n=3, extra=extra)), 568, 0x1234)[::-1]
    lost = kit.fragments(kit.udp(HERE, THERE, p.request(n=4, extra=extra)), 1000, 0x4321)
    return [kit.ethernet(packet) for packet in frames + backwards + lost[1:] + lost[:1][:0]]


def refused():
    invite, invite6 = kit.udp(HERE, THERE, p.request()), kit.udp(HERE6, THERE6, p.request(n=2))
    frames = [kit.ethernet(invite), kit.ethernet(kit.icmp_unreachable(p.THERE, p.HERE, invite)), kit.ethernet(kit.icmp_unreachable(p.THERE, p.HERE, invite[:28]))]
    frames += [kit.ethernet(invite6), kit.ethernet(kit.icmp_unreachable(p.THERE6, p.HERE6, invite6)), kit.ethernet(kit.icmp_unreachable(p.CORE, p.HERE, invite[:300]))]
    return frames + [kit.ethernet(kit.icmp_unreachable(p.THERE, p.HERE, kit.udp((p.HERE, 30_000), (p.THERE, 40_000), kit.rtp(1, SOUND))))]


def in_tunnels():
    inner = [kit.udp(HERE, THERE, p.request(body=p.sdp())), kit.udp(THERE, HERE, p.response(body=p.sdp(p.THERE)))]
    frames = []
    for packet in inner:
        outer = lambda protocol, data: kit.ethernet(kit.ip(p.CORE, '10.171.33.80', protocol, data))
        frames.append(kit.ethernet(packet, vlans=(100, 42)))
        frames.append(kit.MACS[0] + kit.MACS[1] + b'\x88\x47' + bytes.fromhex('0001403f0002813f') + packet)
        frames.append(kit.MACS[0] + kit.MACS[1] + b'\x88\x64' + struct.pack('>BBHHH', 0x11, 0, 5, len(packet) + 2, 0x21) + packet)
        frames.append(outer(4, packet))
        frames.append(outer(47, b'\x20\x00\x08\x00' + struct.pack('>I', 77) + packet))
        frames.append(udp(b'\x08\0\0\0\0\0\x2a\0' + kit.ethernet(packet, macs=(b'\x0a\x1b\x2c\x3d\x4e\x5f', b'\x06\x17\x28\x39\x4a\x5b')), (p.CORE, 52_000), ('10.171.33.80', 4789)))
        frames.append(udp(struct.pack('>BBHI', 0x30, 0xFF, len(packet), 99) + packet, (p.CORE, 2152), ('10.171.33.80', 2152)))
    return frames


def not_understood():
    """Nobody's, or broken: left out or replaced whole, never let through."""
    name = b''.join(bytes([len(label)]) + label.encode() for label in p.PROXY.split('.')) + b'\0'
    invite = p.request(body=p.sdp())
    broken = [
        invite[:200],
        invite.replace(b'\r\n', b'\n'),
        invite.replace(b'Call-ID:', b'Call-ID'),
        invite.replace(b'From:', b'\xff\xfeFrom\0'),
        b'\r\n\r\nJunk of ' + p.USER.encode() + b'\r\n' + invite,
        invite.replace(b'SIP/2.0\r\n', b'SIP/3.0\r\n', 1),
        invite + p.BODY.encode(),
        invite.replace(b'Content-Length: ', b'Content-Length: 9'),
        invite.replace(b'\r\n\r\n', b'\r\n', 1),
        b'INVITE ' + p.USER.encode() + b' ' + p.NUMBER.encode(),
        invite.replace(b'Via: SIP/2.0/UDP ', b'Via: '),
        invite.replace(b'"' + p.NAME.encode(), b'"' + p.NAME.encode() + b'\\'),
        p.request(extra=[f'no colon {p.OTHER}', ': ' + p.NUMBER]),
    ]
    frames = [udp(message) for message in broken]
    frames.append(udp(struct.pack('>HHHHHH', 7, 256, 1, 0, 0, 0) + name + b'\0\1\0\1', (p.HERE, 40_001), (p.CORE, 53)))
    frames.append(udp(f'<134>kamailio: call of {p.USER} from {p.HERE}'.encode(), (p.HERE, 40_001), (p.CORE, 514)))
    frames.append(udp(b'MGCP ' + p.USER.encode() + b' EPCF aaln/1@' + p.DOMAIN.encode(), (p.HERE, 2427), (p.CORE, 2427)))
    web = f'GET /users/{p.USER} HTTP/1.1\r\nHost: {p.DOMAIN}\r\nAuthorization: Basic {base64.b64encode(f"{p.USER}:{p.PASSWORD}".encode()).decode()}\r\n\r\n'
    frames += stream(web.encode(), (p.HERE, 40_003), (p.CORE, 8080), [1400])
    frames.append(kit.MACS[0] + kit.MACS[1] + b'\x08\x06' + bytes.fromhex('0001080006040001') + kit.MACS[1] + kit.packed(p.HERE) + bytes(6) + kit.packed(p.THERE))
    frames.append(b'\x01\x80\xc2\0\0\x0e' + kit.MACS[1] + b'\x88\xcc' + b'\x02\x07\x04' + kit.MACS[1] + b'\x0a' + bytes([len(p.PROXY)]) + p.PROXY.encode() + b'\0\0')
    frames.append(kit.ethernet(kit.ip(p.HERE, p.THERE, 132, struct.pack('>HHII', 5060, 5060, 1, 0) + b'\0\3' + struct.pack('>HIHHI', 16 + len(invite), 1, 0, 0, 0) + invite)))
    return frames + [frame + p.OTHER.encode() for frame in call()]


def with_notes():
    """A pcapng whose blocks tell more than its frames."""
    text = lambda value: value.encode()
    parts = [kit.block(0x0A0D0D0A, struct.pack('<IHHq', 0x1A2B3C4D, 1, 0, -1) + kit.options((1, text(f'Trace for {p.NAME}')), (2, text(f'Dell of {p.OTHER}')), (3, b'Linux fra-edge-7'), (4, text(f'dumpcap by {p.USER}'))))]
    pairs = [(1, text(p.BODY)), (2, text(f'eth-{p.OTHER}')), (3, text(f'uplink to {p.CARRIER}')), (4, kit.packed(p.HERE) + b'\xff\xff\xff\0'), (5, kit.packed(p.HERE6) + b'\x40'), (6, kit.MACS[0]), (9, b'\6'), (11, b'\0' + text(f'host {p.CORE} and port 5060')), (12, text(f'Linux {p.PROXY}')), (15, text(f'NIC of {p.OTHER}'))]
    parts.append(kit.block(1, struct.pack('<HHI', 1, 0, 262_144) + kit.options(*pairs)))
    names = struct.pack('<HH', 1, 4 + len(p.PROXY) + 1) + kit.packed(p.HERE) + text(p.PROXY) + b'\0'
    names += b'\0' * (-len(names) % 4)
    names6 = struct.pack('<HH', 2, 16 + len(p.CARRIER) + 1) + kit.packed(p.HERE6) + text(p.CARRIER) + b'\0'
    names6 += b'\0' * (-len(names6) % 4)
    parts.append(kit.block(4, names + names6 + b'\0\0\0\0' + kit.options((2, text(f'dns.{p.DOMAIN}')), (3, kit.packed(p.CORE)), (1, text(p.BODY)))))
    secrets = text(f'CLIENT_RANDOM {"ab" * 32} {"cd" * 24}{p.NONCE}\n')
    parts.append(kit.block(10, struct.pack('<II', 0x544C534B, len(secrets)) + secrets))
    parts.append(kit.block(0xBAD, struct.pack('<I', 32_473) + text(f'note of {p.USER}')))
    for i, frame in enumerate(call() + sounds(5)):
        parts.append(kit.packet_block(frame, 1_767_225_600_000_000 + i * 10_000, (1, text(f'this is {p.NAME} calling {p.CALLED}')), (2988, struct.pack('<I', 32_473) + text(p.USER))))
    parts.append(kit.block(5, struct.pack('<III', 0, 0, 0) + kit.options((1, text(f'stopped by {p.USER}')), (4, struct.pack('<Q', 9)))))
    return b''.join(parts)


def scenes():
    yield from ((name, kit.pcap([udp(message) for message in messages])) for name, messages in header_scenes())
    for make in (bodies, media, stun, hep, over_tcp, over_web_socket, in_pieces, refused, in_tunnels, not_understood):
        yield make.__name__.replace('_', '-'), kit.pcap(make())
    yield 'call-v6', kit.pcap(call(address=p.HERE6) + sounds(20, (p.HERE6, 30_000), (p.THERE6, 40_000)))
    yield 'cooked', kit.pcap([b'\0\0\0\1\0\6' + kit.MACS[0] + b'\0\0\x08\0' + frame[14:] for frame in call() + sounds(10)], link=113)
    yield 'raw', kit.pcap([frame[14:] for frame in call()], link=101)
    yield 'with-notes', with_notes()


def write_all(folder):
    os.makedirs(folder, exist_ok=True)
    for name, data in scenes():
        ending = 'pcapng' if data[:4] == b'\x0a\x0d\x0d\x0a' else 'pcap'
        with open(os.path.join(folder, f'{name}.{ending}'), 'wb') as file:
            file.write(data)
