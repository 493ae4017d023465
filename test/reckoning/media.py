"""
RTP of calls: streams from or to the sockets that SDP names, and what is counted of their sequence numbers (RFC 3550 appendix
A.1 and A.3).
"""
import re
import struct

STATIC = {0: ('PCMU', 8000), 3: ('GSM', 8000), 4: ('G723', 8000), 8: ('PCMA', 8000), 9: ('G722', 8000), 13: ('CN', 8000)}
STATIC.update({15: ('G728', 8000), 18: ('G729', 8000)})
MAX_DROPOUT, MAX_MISORDER = 3000, 128
BUFFER_US = 60_000
RESTART_US, RESTART_RUN, DRIFT = 5_000_000, 25, 4_096
EVENT = 'TELEPHONE-EVENT'
NOT_SPOKEN = (EVENT, 'CN')


class Stream:
    """One SSRC between two sockets."""

    def __init__(self, call_id, ends, sequence):
        self.call_id, self.ends = call_id, ends
        self.packets = self.duplicates = self.reordered = self.late = 0
        self.types = {}
        self._expected = self._unique = 0
        self._jump, self._before, self._marks, self._delay_us, self._run = None, None, 0, 0, 0
        self._start(sequence)

    def _start(self, sequence):
        self._base = self._max = 0x10000 + sequence
        self._seen = set()

    def add(self, sequence, kind, formats):
        self.packets += 1
        self.types[kind] = self.types.get(kind, 0) + 1
        self.formats = formats
        ahead = (sequence - self._max) & 0xFFFF
        if ahead >= 0x8000:
            ahead -= 0x10000
        if ahead >= MAX_DROPOUT or ahead <= -MAX_MISORDER:
            # Two packets in a row beyond reach: the sender began again.
            if self._jump != sequence:
                self._jump = (sequence + 1) & 0xFFFF
                return False
            self._expected += self._max - self._base + 1
            self._unique += len(self._seen)
            self._start((sequence - 1) & 0xFFFF)
            self._seen.add(self._max)
            ahead = 1
        self._jump = None
        extended = self._max + ahead
        if extended in self._seen:
            self.duplicates += 1
            return False
        self._seen.add(extended)
        self.reordered += extended < self._max
        self._base, self._max = min(self._base, extended), max(self._max, extended)
        return True

    def time(self, now_us, kind, timestamp, clock, has_marker):
        """
        Too late for a buffer of 60 ms, which plays the packet that was fastest so far at once. Its clock may be slow: what it
        waits for moves by a 4096th of the time. A talkspurt starts it again, and so do another payload type, 25 late packets
        in a row, and a step that no delay explains.
        """
        self._marks += has_marker
        before, self._before = self._before, (now_us, kind, timestamp)
        if before is None or before[1] != kind:
            self._delay_us = self._run = 0
            return
        passed_us = now_us - before[0]
        step = (timestamp - before[2] + 0x80000000) % 0x100000000 - 0x80000000
        later_us = passed_us - step * 1_000_000 / clock
        if abs(later_us) > RESTART_US or (has_marker and self._marks * 8 <= self.packets):
            self._delay_us = self._run = 0
            return
        self._delay_us += later_us
        if self._delay_us >= 0:
            self._delay_us -= max(0, passed_us) / DRIFT
        else:
            self._delay_us = 0
        self._run = self._run + 1 if self._delay_us > BUFFER_US else 0
        self.late += self._delay_us > BUFFER_US
        if self._run == RESTART_RUN:
            self._delay_us = self._run = 0

    @property
    def missing(self):
        """Who sends key presses alone counts what it does not send."""
        if set(self.types) <= {kind for kind, (name, _) in self.formats.items() if name == EVENT}:
            return 0
        expected = self._expected + self._max - self._base + 1
        return max(0, expected - self._unique - len(self._seen))

    @property
    def codec(self):
        spoken = {kind: n for kind, n in self.types.items() if self.formats.get(kind, ('', 0))[0] not in NOT_SPOKEN}
        kind = max(spoken or self.types, key=lambda one: self.types[one])
        return self.formats.get(kind, ('other', 0))[0]


class Media:
    def __init__(self):
        self._claims, self.streams = {}, {}

    def on_message(self, message):
        if b'm=audio' not in message.body:
            return
        text = message.body.decode('utf-8', 'replace')
        session, *sections = re.split(r'(?m)^(?=m=)', text)
        for section in sections:
            described = re.match(r'm=audio (\d+)\S* \S+ ([\d ]+)', section)
            where = re.search(r'(?m)^c=IN IP[46] ([^\s/]+)', section) or re.search(r'(?m)^c=IN IP[46] ([^\s/]+)', session)
            if described is None or where is None or described.group(1) == '0':
                continue
            formats = {kind: STATIC[kind] for kind in map(int, described.group(2).split()) if kind in STATIC}
            for kind, name, clock in re.findall(r'(?m)^a=rtpmap:(\d+) ([^/\s]+)/(\d+)', section):
                formats[int(kind)] = (name.upper(), int(clock))
            known = self._claims.get((where.group(1), int(described.group(1))))
            merged = {**known[1], **formats} if known is not None and known[0] == message.call_id else formats
            self._claims[(where.group(1), int(described.group(1)))] = (message.call_id, merged)

    def on_datagram(self, datagram):
        data = datagram.payload
        if len(data) < 12 or data[0] >> 6 != 2 or 192 <= data[1] <= 223:
            return
        claim = self._claims.get((datagram.target, datagram.target_port))
        claim = claim or self._claims.get((datagram.source, datagram.source_port))
        if claim is None:
            return
        kind, sequence, timestamp, ssrc = data[1] & 0x7F, *struct.unpack_from('>HII', data, 2)
        key = (datagram.source, datagram.source_port, datagram.target, datagram.target_port, ssrc, claim[0])
        stream = self.streams.get(key)
        if stream is None:
            stream = self.streams[key] = Stream(claim[0], (datagram.source, datagram.target), sequence)
        is_new = stream.add(sequence, kind, claim[1]) or stream.packets == 1
        name, clock = claim[1].get(kind, ('', 0))
        if clock and name != EVENT and is_new:
            stream.time(datagram.ts_us, kind, timestamp, clock, bool(data[1] & 0x80))

    def count(self, families, answered, trunks):
        """
        Of each call that was answered, on each trunk: the streams from or to its own addresses, or all where it has none. An
        address without a name is a trunk of its own, and all of them are counted together.
        """
        for call_id in {one[0] for one in answered}:
            streams = [stream for stream in self.streams.values() if stream.call_id == call_id]
            hops = [(source, target) for id_, source, target, _ in answered if id_ == call_id]
            ends = {(trunks.name(source), 'in') for source, _ in hops} | {(trunks.name(target), 'out') for _, target in hops}
            for name, direction in sorted(end for end in ends if end[0] is not None):
                own = [stream for stream in streams if name in map(trunks.name, stream.ends)]
                labels = {'trunk': trunks.shown(name), 'direction': direction}
                for stream in own or streams:
                    for what in ('packets', 'missing', 'late', 'duplicates', 'reordered'):
                        families.count(f'calltap_trunk_rtp_{what}_total', getattr(stream, what), **labels)
        for stream in self.streams.values():
            families.count('calltap_codec_streams_total', codec=stream.codec)
            families.count('calltap_codec_rtp_packets_total', stream.packets, codec=stream.codec)
            families.count('calltap_codec_rtp_missing_total', stream.missing, codec=stream.codec)
