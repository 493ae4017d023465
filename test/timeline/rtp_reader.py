#!/usr/bin/env python3
"""Reads RTP out of pcap files and says what each stream carried: the second opinion of the timeline tests.

It shares no code with the program. Both follow these definitions.

Stream (RFC 3550 s3): SSRC, source socket, destination socket. After 1 s of silence a packet continues the stream
where its number is the next, or the last once more with the same timestamp; where it is 2..2999 ahead and the
timestamp moved with the time (off by 1 s or half of it at most) or with the number (half to one and a half of it);
where it is further ahead and number, timestamp and time agree within an eighth; where it is less than 128 behind
and the timestamp says the same within 1 s. Else it begins a new stream of the same key.

Sequence (RFC 3550 A.1): 1..2999 ahead of the highest is forward. 0..127 behind is a duplicate, or, not yet seen,
a late arrival that takes its loss back; up to 16 before the first of a run the run begins earlier. Anything else is
a stray. A stray followed by the next number is a restart: a new run of numbers, nothing lost between the two.
A forward step is a jump, which is a stray too, where the timestamp contradicts it (off by more than a quarter of
number x packet time, and by more than one packet) and too little time passed for what is missing (elapsed + 32 x
running jitter < half of it); only where arrivals and timestamps since the last timing base agree within a quarter,
and never at 90000 Hz. A packet from 127 behind to 2999 ahead, but for the next one, is a stray where its timestamp,
at the clock of the last one and not 90000 Hz, goes more than 1 s the other way, or the same way by more than 64 s
beyond the time that passed; or where it is 8 or more behind, the one that came before has the same type and did not
come late, and the timestamp goes back by less than a quarter of that.

Counts (RFC 3550 A.3): expected is the sum over the runs of highest - first + 1; lost is expected less the different
numbers received. packets counts everything.

Aside: telephone-event (RFC 4733), CN (RFC 3389; 13, and 19 of old), RED (RFC 2198), FEC (RFC 5109, 8627), RTX (RFC
4588), and G.729's noise frame of 2 octets alone (RFC 3551 s4.5.6). They are counted where they arrive; no timing.

Segment: begins where another carrying type has five packets in a row, in order of arrival, from the first of them.
Aside types, duplicates and strays neither break such a run nor count to it. Shorter runs belong to the running
segment, and fewer than five packets in front of the first run to the next. A number is lost in the segment whose packet
showed that it is missing; in front of a segment's first packet, in the one before: it was due then.

Jitter (RFC 3550 s6.4.1, A.8): the running J at the type's clock over consecutive carrying packets as they arrive, no
duplicates or strays. It begins at 0 with each segment, whose first packet is its base. Shown is the mean of J after
each packet without the marker bit. Another type, a restart, and |D| above 5 s make a new base and no sample; a short
run of another type has no say in the segment's J and packet time.

Late: more than 60 ms behind the playout reference. The reference falls at once to whoever is earlier and rises by
1/4096 of the time that passes. It begins anew after 25 late packets in a row, at each new base, and at the marker of
a talkspurt (RFC 3551 s4.1), which only those begin who mark at most every eighth packet.

Packet time: the step of timestamps between neighbours in sequence. The first is one seen twice running; a smaller one
replaces it after two running; a greater one after eight running, and of 120 ms at most.
"""
import json
import re
import struct
import sys
from collections import namedtuple

SECOND = 10**9
MILLISECOND = 10**6
FORWARD, LATE, DUPLICATE, STRAY, RESTART = 'forward', 'late', 'duplicate', 'stray', 'restart'
STATIC = {  # RFC 3551 tables 4 and 5
    0: ('PCMU', 8000), 3: ('GSM', 8000), 4: ('G723', 8000), 8: ('PCMA', 8000), 9: ('G722', 8000),
    13: ('CN', 8000), 15: ('G728', 8000), 18: ('G729', 8000), 19: ('CN', 8000), 26: ('JPEG', 90000),
    31: ('H261', 90000), 32: ('MPV', 90000), 33: ('MP2T', 90000), 34: ('H263', 90000),
}
ASIDE = {'telephone-event', 'cn', 'red', 'ulpfec', 'parityfec', 'flexfec', 'flexfec-03', 'rtx'}

Datagram = namedtuple('Datagram', 'ns src dst data')
Packet = namedtuple('Packet', 'ns ssrc seq ts pt marker octets')


# ---- the file ----

def datagrams(path):
    """UDP over IPv4 over Ethernet, in the file's order."""
    with open(path, 'rb') as f:
        raw = f.read()
    magic = raw[:4]
    order = '<' if magic in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') else '>'
    to_ns = 1 if magic in (b'\x4d\x3c\xb2\xa1', b'\xa1\xb2\x3c\x4d') else 1000
    at = 24
    while at + 16 <= len(raw):
        sec, part, held, _ = struct.unpack_from(order + 'IIII', raw, at)
        frame = raw[at + 16:at + 16 + held]
        at += 16 + held
        if frame[12:14] != b'\x08\x00' or frame[23] != 17:
            continue
        ip = 14
        udp = ip + (frame[ip] & 15) * 4
        sport, dport, length = struct.unpack_from('>HHH', frame, udp)
        src = ('.'.join(map(str, frame[ip + 12:ip + 16])), sport)
        dst = ('.'.join(map(str, frame[ip + 16:ip + 20])), dport)
        yield Datagram(sec * SECOND + part * to_ns, src, dst, frame[udp + 8:udp + length])


# ---- what a payload type means (RFC 8866; RFC 3264 s5.1: the receiver's description says it) ----

class Formats:
    def __init__(self):
        self.by_socket = {}
        self.anywhere = {}

    def read(self, body):
        address = None
        sections = []
        for line in body.split('\n'):
            kind, value = line[:2], line[2:].strip()
            if kind == 'm=':
                words = value.split()
                sections.append({'port': int(words[1].split('/')[0]), 'at': address, 'pts': words[3:], 'map': {}, 'more': []})
            elif kind == 'c=':
                if sections:
                    sections[-1]['at'] = value.split()[2]
                else:
                    address = value.split()[2]
            elif kind == 'a=' and sections:
                mapped = re.match(r'rtpmap:(\d+) ([^/]+)/(\d+)', value)
                if mapped:
                    sections[-1]['map'][int(mapped[1])] = (mapped[2], int(mapped[3]))
                candidate = re.match(r'candidate:\S+ 1 \S+ \d+ (\S+) (\d+) ', value)
                if candidate:
                    sections[-1]['more'].append((candidate[1], int(candidate[2])))
        for s in sections:
            for socket in [(s['at'], s['port'])] + s['more']:
                for pt in map(int, filter(str.isdigit, s['pts'])):
                    known = s['map'].get(pt) or STATIC.get(pt)
                    if known:
                        self.by_socket.setdefault(socket, {}).setdefault(pt, known)
                        self.anywhere.setdefault(pt, known)

    def of(self, src, dst, pt):
        for socket in (dst, src):
            if pt in self.by_socket.get(socket, {}):
                return self.by_socket[socket][pt]
        return self.anywhere.get(pt) or STATIC.get(pt) or ('?', 0)


def sdp_of(data):
    if not (data[:8] == b'SIP/2.0 ' or b' SIP/2.0\r\n' in data[:300]):
        return None
    _, _, body = data.partition(b'\r\n\r\n')
    return body.decode('utf-8', 'replace') if body.startswith(b'v=0') else None


def rtp_of(d):
    """RFC 3550 s5.1; types 72..76 with the marker are RTCP (RFC 5761 s4)."""
    data = d.data
    if len(data) < 12 or data[0] >> 6 != 2 or 192 <= data[1] <= 223:
        return None
    seq, ts, ssrc = struct.unpack_from('>HII', data, 2)
    start = 12 + 4 * (data[0] & 15)
    if data[0] & 16:
        start += 4 + 4 * struct.unpack_from('>H', data, start + 2)[0]
    octets = len(data) - start - (data[-1] if data[0] & 32 else 0)
    return Packet(d.ns, ssrc, seq, ts, data[1] & 127, data[1] >> 7, octets)


# ---- time ----

def signed32(n):
    n &= 0xFFFFFFFF
    return n - (1 << 32) if n >> 31 else n


class Timing:
    """Jitter, lateness and packet time over carrying packets of one type."""

    def __init__(self, clock):
        self.clock = clock
        self.last = self.base = None
        self.j = 0.0
        self.js = []
        self.packet_ticks = 0
        self.step = self.times = 0
        self.behind = self.late_run = self.late = 0

    def rebase(self, p):
        self.base = self.last = p
        self.behind = self.late_run = 0

    def take(self, p, is_neighbour, begins_spurt):
        if self.last is None:
            return self.rebase(p)
        elapsed = p.ns - self.last.ns
        ticks = signed32(p.ts - self.last.ts)
        if is_neighbour:
            self.learn(ticks)
        d = elapsed - ticks * SECOND / self.clock
        if abs(d) > 5 * SECOND:
            return self.rebase(p)
        self.play(elapsed, d, begins_spurt)
        self.j += (abs(d) - self.j) / 16
        if not p.marker:
            self.js.append(self.j)
        self.last = p

    def learn(self, ticks):
        if not 0 < ticks < 65536:
            return
        self.times = self.times + 1 if ticks == self.step else 1
        self.step = ticks
        grows = self.packet_ticks != 0 and ticks > self.packet_ticks
        if grows and ticks * 1000 > 120 * self.clock:
            return
        if self.times >= (8 if grows else 2):
            self.packet_ticks = ticks

    def play(self, elapsed, d, begins_spurt):
        if begins_spurt:
            self.behind = self.late_run = 0
            return
        behind = self.behind + d
        self.behind = 0 if behind < 0 else behind - max(0, elapsed) / 4096
        if self.behind <= 60 * MILLISECOND:
            self.late_run = 0
            return
        self.late += 1
        self.late_run += 1
        if self.late_run == 25:
            self.behind = self.late_run = 0


class Types:
    """The timing of each type: the one before it says nothing of the next."""

    def __init__(self, clock_of):
        self.clock_of = clock_of
        self.of = {}
        self.now = None
        self.before = None

    def take(self, seen, begins_spurt):
        p, before = seen.p, self.before
        timing = self.of.setdefault(p.pt, Timing(self.clock_of(p.pt)))
        if seen.verdict == RESTART or timing is not self.now:
            timing.last = None
        self.now = timing
        is_neighbour = before is not None and before.run == seen.run and before.number + 1 == seen.number
        timing.take(p, is_neighbour, begins_spurt)
        self.before = seen


# ---- one stream ----

class Seen:
    """A packet and what became of it; `run` and `number` of those that count."""

    def __init__(self, packet):
        self.p = packet
        self.verdict = STRAY
        self.run = self.number = None


class Stream:
    def __init__(self, src, dst, formats):
        self.src, self.dst, self.formats = src, dst, formats
        self.seen = []
        self.numbers = []  # a set a run
        self.highest = 0
        self.pending = None
        self.was_late = False
        self.newest = 0
        self.types = Types(self.clock)

    def format(self, pt):
        return self.formats.of(self.src, self.dst, pt)

    def clock(self, pt):
        return self.format(pt)[1]

    @property
    def timing(self):
        return self.types.now

    def is_aside(self, p):
        name, _ = self.format(p.pt)
        return name.lower() in ASIDE or p.pt in (13, 19) or (name == 'G729' and p.octets == 2)

    def step_to(self, p):
        step = (p.seq - self.highest) & 0xFFFF
        return step - 65536 if step >= 32768 else step

    def is_outage(self, p):
        """Number, timestamp and time all say that so many are missing."""
        step = (p.seq - self.highest) & 0xFFFF
        last = self.timing and self.timing.last
        if last is None or step < 3000 or p.pt != last.pt:
            return False
        ticks = signed32(p.ts - last.ts)
        moved = ticks * SECOND / self.timing.clock
        near = lambda a, b: abs(a - b) < b / 8
        return ticks > 0 and near(step * self.timing.packet_ticks, ticks) and near(moved, p.ns - last.ns)

    def continues(self, p):
        if p.ns - self.newest < SECOND:
            return True
        step, t = self.step_to(p), self.timing
        if step == 1 or t is None:
            return True
        ticks = signed32(p.ts - t.last.ts)
        if step == 0 and ticks == 0:
            return True
        clock = self.format(p.pt)[1]
        if -128 < step < 0 and t.packet_ticks:
            return abs(ticks - step * t.packet_ticks) <= clock
        if not 1 < step < 3000:
            return self.is_outage(p)
        elapsed = p.ns - t.last.ns
        if abs(ticks * SECOND / clock - elapsed) <= max(SECOND, elapsed / 2):
            return True
        sent = step * t.packet_ticks
        return sent > 0 and sent / 2 <= ticks <= sent * 1.5

    def is_jump(self, p, step):
        t = self.timing
        clock = self.format(p.pt)[1]
        if step < 2 or self.is_aside(p) or t is None or clock != t.clock or clock == 90000 or not t.packet_ticks:
            return False
        ticks, due = signed32(p.ts - t.last.ts), step * t.packet_ticks
        if abs(ticks - due) <= max(due / 4, t.packet_ticks):
            return False
        missing = (step - 1) * t.packet_ticks * SECOND / clock
        if p.ns - t.last.ns + 32 * t.j >= missing / 2:
            return False
        told = signed32(t.last.ts - t.base.ts) * SECOND / clock
        return told > 0 and abs(t.last.ns - t.base.ns - told) <= told / 4

    def is_elsewhen(self, p, step):
        t = self.timing
        clock = self.format(p.pt)[1]
        if step == 1 or not -128 < step < 3000 or (p.pt >= 96 and self.is_aside(p)):
            return False
        if t is None or clock != t.clock or clock == 90000:
            return False
        on = signed32(p.ts - t.last.ts) * SECOND / clock * (1 if step > 0 else -1)
        if on < -SECOND:
            return True
        at_head = not self.was_late and self.seen[-2].p.pt == t.last.pt
        if step <= -8 and at_head and on * clock / SECOND < -step * t.packet_ticks / 4:
            return True
        return on > 64 * SECOND + p.ns - t.last.ns

    def begin_run(self, *packets):
        """Of the first packet, or of a stray and the next number, which confirms it."""
        self.numbers.append(set())
        self.highest = 65536 * len(self.numbers) + packets[0].p.seq - 1
        for seen in packets:
            self.highest += 1
            seen.run, seen.number = len(self.numbers) - 1, self.highest
            self.numbers[-1].add(self.highest)
        self.pending = None

    def place(self, seen):
        p = seen.p
        if not self.numbers:
            self.begin_run(seen)
            return FORWARD
        if self.pending is not None and p.seq == (self.pending.p.seq + 1) & 0xFFFF:
            self.pending.verdict = RESTART
            self.begin_run(self.pending, seen)
            return FORWARD
        outage = self.is_outage(p)
        step = (p.seq - self.highest) & 0xFFFF if outage else self.step_to(p)
        numbers = self.numbers[-1]
        number = self.highest + step
        if not outage and self.is_elsewhen(p, step):
            self.pending = seen
            return STRAY
        if outage or (0 < step < 3000 and not self.is_jump(p, step)):
            self.highest = number
            self.pending = None
            verdict = FORWARD
        elif -128 < step <= 0 and number in numbers:
            return DUPLICATE
        elif -128 < step <= 0 and min(numbers) - number <= 16:
            verdict = LATE
        else:
            self.pending = seen
            return STRAY
        numbers.add(number)
        seen.run, seen.number = len(self.numbers) - 1, number
        return verdict

    def take(self, p):
        seen, pending = Seen(p), self.pending
        self.seen.append(seen)
        seen.verdict = self.place(seen)
        if seen.verdict not in (DUPLICATE, STRAY):
            self.was_late = seen.verdict == LATE
        self.newest = max(self.newest, p.ns)
        confirmed = [pending] if pending is not None and pending.verdict == RESTART else []
        for one in confirmed + [seen]:
            if self.carries(one):
                self.types.take(one, False)

    # ---- segments ----

    def carries(self, seen):
        return seen.run is not None and not self.is_aside(seen.p)

    def segments(self):
        """Index of the first packet of each, and its type."""
        starts, run_of, run = [], None, []
        for i, seen in enumerate(self.seen):
            if not self.carries(seen):
                continue
            pt = seen.p.pt
            if not starts:
                starts.append((0, pt))
            if pt != run_of:
                run_of, run = pt, []
            run.append(i)
            if len(run) == 5 and pt != starts[-1][1]:
                if run[0] < 5:
                    starts = [(0, pt)]
                else:
                    starts.append((run[0], pt))
        return starts or [(0, self.seen[0].p.pt)]

    def report(self):
        starts = self.segments()
        parts = [self.blank(pt) for _, pt in starts]
        at, tops, firsts, owner, markers, held = 0, {}, {}, {}, 0, None
        for i, seen in enumerate(self.seen):
            p = seen.p
            before = parts[at]
            if at + 1 < len(starts) and i == starts[at + 1][0]:
                at += 1
            part = parts[at]
            part['first'], part['last'] = part['first'] or p.ns, p.ns
            part['packets'] += 1
            markers += p.marker
            part[seen.verdict] += 1
            if seen.run is None:
                continue
            run, n = seen.run, seen.number
            if run not in tops:
                tops[run], firsts[run] = n - 1, n
            for missing in list(range(tops[run] + 1, n + 1)) + list(range(n, firsts[run])):
                whose = before if tops[run] < missing < n else part
                owner[run, missing] = whose
                whose['expected'] += 1
            tops[run], firsts[run] = max(tops[run], n), min(firsts[run], n)
            owner[run, n]['unique'] += 1
            if not self.carries(seen):
                continue
            if seen.verdict == RESTART:
                held = (part, seen)  # until the next number shows what it is
                continue
            if held is not None and held[1].run == run:
                held[0]['types'].take(held[1], False)
                held = None
            part['types'].take(seen, p.marker and markers * 8 <= i + 1)
        return self.document(parts)

    def blank(self, pt):
        counts = dict.fromkeys(['packets', 'expected', 'unique', FORWARD, LATE, DUPLICATE, STRAY, RESTART, 'first', 'last'], 0)
        return {**counts, 'pt': pt, 'types': Types(self.clock)}

    def document(self, parts):
        total = lambda name: sum(part[name] for part in parts)
        rows = [self.segment(part) for part in parts]
        socket = lambda s: f'{s[0]}:{s[1]}'
        return {
            'ssrc': self.seen[0].p.ssrc, 'src': socket(self.src), 'dst': socket(self.dst),
            'from_us': self.seen[0].p.ns // 1000,
            'packets': total('packets'), 'expected': total('expected'), 'lost': total('expected') - total('unique'),
            'duplicates': total(DUPLICATE), 'reordered': total(LATE), 'strays': total(STRAY),
            'restarts': len(self.numbers) - 1, 'late': sum(row['late'] for row in rows), 'segments': rows,
        }

    def segment(self, part):
        pt = part['pt']
        name, clock = self.format(pt)
        own = part['types'].of.get(pt, Timing(clock))
        return {
            'payload_type': pt, 'codec': name, 'clock_rate': clock,
            'packet_ms': own.packet_ticks * 1000 / clock if own.packet_ticks and clock else None,
            'from_us': part['first'] // 1000, 'to_us': part['last'] // 1000, 'packets': part['packets'],
            'expected': part['expected'], 'lost': part['expected'] - part['unique'],
            'late': sum(timing.late for timing in part['types'].of.values()), 'jitter_ms': mean_ms(own.js),
        }


def mean_ms(samples):
    return sum(samples) / len(samples) / MILLISECOND if samples else None


def read(path):
    formats, packets = Formats(), []
    for d in datagrams(path):
        body = sdp_of(d.data)
        if body is not None:
            formats.read(body)
        p = rtp_of(d)
        if p is not None:
            packets.append((d.src, d.dst, p))
    streams, current = [], {}
    for src, dst, p in packets:
        key = (p.ssrc, src, dst)
        if key not in current or not current[key].continues(p):
            current[key] = Stream(src, dst, formats)
            streams.append(current[key])
        current[key].take(p)
    return [s.report() for s in streams]


if __name__ == '__main__':
    json.dump({path: read(path) for path in sys.argv[1:]}, sys.stdout, indent=1)
