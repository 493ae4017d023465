/** RTCP packets of every type are read field by field (RFC 3550 section 6, RFC 3611). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RtcpPacket } from '../../../../src/protocols/rtp/rtcp.ts';
import { ntpMiddle, parseRtcp } from '../../../../src/protocols/rtp/rtcp.ts';

/** Bytes from rows of hex; what follows `#` in a row is its meaning. */
function bytes(...rows: string[]): Uint8Array {
  return Buffer.from(rows.map((row) => row.replace(/#.*/, '').replaceAll(' ', '')).join(''), 'hex');
}
const SR = bytes(
  '81c8 000c # V=2, one report, SR, 12 words',
  '1122 3344 # sender',
  'e1a2 b3c4 8000 0000 # NTP: half a second',
  '0001 0000 # RTP timestamp',
  '0000 03e8 # packets',
  '0002 7100 # octets',
  '5566 7788 # report about this source',
  '40ff fffe # a quarter lost, cumulative -2',
  '0001 2345 # highest sequence',
  '0000 00a0 # jitter',
  'b3c4 8000 # LSR',
  '0001 0000 # DLSR: one second',
);
const SDES = bytes(
  '82ca 0006 # two chunks',
  '1122 3344 01 03 61 62 63 00 00 00 # CNAME "abc"',
  '5566 7788 01 01 78 07 00 00 00 00 # CNAME "x", empty private item',
);
const BYE = bytes('81cb 0003', '1122 3344', '06 6c6f 6e67 2121 00 # "long!!"');
const APP = bytes('85cc 0003', '1122 3344', '71746d72', 'dead beef');
const RR = bytes('80c9 0001', '1122 3344');
const XR = bytes(
  '80cf 0011 # XR',
  '1122 3344',
  '0400 0002 e1a2 b3c4 8000 0000 # receiver reference time',
  '0500 0003 5566 7788 b3c4 8000 0000 8000 # DLRR',
  '0700 0008 # VoIP metrics',
  '5566 7788',
  '0a 05 80 02 # loss, discard, burst and gap density',
  '0064 03e8 # burst 100 ms, gap 1000 ms',
  '0078 0014 # round trip 120 ms, end system 20 ms',
  'ec c4 37 10 # levels, Gmin 16',
  '5d 7f 29 28 # R 93, no external R, MOS-LQ 4.1, MOS-CQ 4.0',
  '3000 0028 # RX config, nominal 40',
  '0050 00c8 # max 80, absolute max 200',
);
const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);
function only(b: Uint8Array): RtcpPacket {
  const r = parseRtcp(b);
  assert.ok(r.ok, r.ok ? '' : r.reason);
  assert.equal(r.value.packets.length, 1);
  const p = r.value.packets[0];
  assert.ok(p !== undefined);
  return p;
}

test('sender report with a report block', () => {
  assert.deepEqual(only(SR), {
    kind: 'sr',
    ssrc: 0x11223344,
    ntpSeconds: 0xe1a2b3c4,
    ntpFraction: 0x80000000,
    rtpTimestamp: 0x10000,
    packets: 1000,
    octets: 160000,
    reports: [
      {
        ssrc: 0x55667788,
        fractionLost: 64,
        cumulativeLost: -2,
        highestSequence: 0x12345,
        jitter: 160,
        lastSr: 0xb3c48000,
        delaySinceLastSr: 65536,
      },
    ],
  });
  assert.equal(ntpMiddle(0xe1a2b3c4, 0x80000000), 0xb3c48000);
});

test('descriptions, goodbye with a reason, application data', () => {
  const sdes = only(SDES);
  assert.deepEqual(sdes, {
    kind: 'sdes',
    chunks: [
      { ssrc: 0x11223344, items: [{ type: 1, text: 'abc' }] },
      {
        ssrc: 0x55667788,
        items: [
          { type: 1, text: 'x' },
          { type: 7, text: '' },
        ],
      },
    ],
  });
  assert.deepEqual(only(BYE), { kind: 'bye', ssrcs: [0x11223344], reason: 'long!!' });
  assert.deepEqual(only(APP), { kind: 'app', ssrc: 0x11223344, name: 'qtmr', subtype: 5, bytes: 4 });
  assert.deepEqual(only(bytes('80cb 0000')), { kind: 'bye', ssrcs: [], reason: '' });
  assert.deepEqual(only(bytes('80ce 0002 0000 0001 0000 0002')), { kind: 'other', packetType: 206 });
});

test('extended report: reference time, its echo and VoIP metrics', () => {
  const xr = only(XR);
  assert.ok(xr.kind === 'xr');
  assert.deepEqual(xr.blocks, [
    { kind: 'reference_time', ntpSeconds: 0xe1a2b3c4, ntpFraction: 0x80000000 },
    {
      kind: 'reference_time_echo',
      echoes: [{ ssrc: 0x55667788, lastRr: 0xb3c48000, delaySinceLastRr: 32768 }],
    },
    {
      kind: 'voip_metrics',
      ssrc: 0x55667788,
      lossRate: 10,
      discardRate: 5,
      burstDensity: 128,
      gapDensity: 2,
      burstDurationMs: 100,
      gapDurationMs: 1000,
      roundTripMs: 120,
      endSystemDelayMs: 20,
      gmin: 16,
      rFactor: 93,
      mosLq: 4.1,
      mosCq: 4,
      jitterBufferMs: 40,
      jitterBufferMaxMs: 80,
    },
  ]);
});

test('a compound is read whole; without a leading report it is reduced-size', () => {
  const compound = parseRtcp(join(SR, SDES, XR, BYE));
  assert.ok(compound.ok);
  assert.deepEqual(
    compound.value.packets.map((p) => p.kind),
    ['sr', 'sdes', 'xr', 'bye'],
  );
  assert.equal(compound.value.isReducedSize, false);
  const reduced = parseRtcp(XR);
  assert.ok(reduced.ok && reduced.value.isReducedSize);
});

test('padding is allowed at the end of the last packet only', () => {
  const padded = bytes('a0c9 0002', '1122 3344', '0000 0004');
  assert.equal(only(padded).kind, 'rr');
  const reasons: [Uint8Array, string][] = [
    [join(padded, RR), 'padding'],
    [bytes('a0c9 0002', '1122 3344', '0000 0003'), 'padding'],
    [bytes('a0c9 0002', '1122 3344', '0000 0000'), 'padding'],
    [bytes('a0c9 0002', '1122 3344', '0000 000c'), 'padding'],
    [bytes('a0cb 0000'), 'padding'],
    [bytes('a0c9 0002', '1122 3344', '0000 0008'), 'receiver_report'],
  ];
  for (const [b, reason] of reasons) assert.deepEqual(parseRtcp(b), { ok: false, reason });
});

test('each malformed packet has its reason', () => {
  const rows: [Uint8Array, string][] = [
    [bytes(''), 'short'],
    [bytes('80c9 00'), 'short'],
    [bytes('40c9 0001 1122 3344'), 'version'],
    [bytes('80bf 0001 1122 3344'), 'packet_type'],
    [bytes('80e0 0001 1122 3344'), 'packet_type'],
    [bytes('80c9 0002 1122 3344'), 'length'],
    [join(RR, bytes('80')), 'length'],
    [bytes('81c9 0001 1122 3344'), 'receiver_report'],
    [bytes('80c8 0001 1122 3344'), 'sender_report'],
    [bytes('81ca 0001 1122 3344'), 'source_description'],
    [bytes('81ca 0002 1122 3344 01 7f 61 62'), 'source_description'],
    [bytes('81ca 0002 1122 3344 01 02 61 62'), 'source_description'],
    [bytes('82cb 0001 1122 3344'), 'bye'],
    [bytes('81cb 0002 1122 3344 09 61 62 63'), 'bye'],
    [bytes('80cc 0001 1122 3344'), 'app'],
    [bytes('80cf 0000'), 'extended_report'],
    [bytes('80cf 0002 1122 3344 0700 0008'), 'extended_report'],
    [bytes('80cf 0003 1122 3344 0700 0001 0000 0000'), 'extended_report'],
    [bytes('80cf 0003 1122 3344 0500 0001 0000 0000'), 'extended_report'],
  ];
  for (const [b, reason] of rows) assert.deepEqual(parseRtcp(b), { ok: false, reason }, Buffer.from(b).toString('hex'));
});

test('two sound packets are kept when what follows is malformed, one is not', () => {
  const tail = bytes('81ca');
  const kept = parseRtcp(join(SR, SDES, tail));
  assert.ok(kept.ok);
  assert.deepEqual(
    kept.value.packets.map((p) => p.kind),
    ['sr', 'sdes'],
  );
  assert.equal(kept.value.stoppedBy, 'length');
  assert.deepEqual(parseRtcp(join(SR, tail)), { ok: false, reason: 'length' });
  const many = parseRtcp(join(...Array<Uint8Array>(33).fill(RR)));
  assert.ok(many.ok && many.value.packets.length === 32 && many.value.stoppedBy === 'too_many');
  const whole = parseRtcp(join(SR, SDES));
  assert.ok(whole.ok && whole.value.stoppedBy === null);
});

test('an SRTCP packet is refused: its trailer is no RTCP packet', () => {
  // The first eight bytes stay in the clear, the rest is ciphertext, an index and a tag (RFC 3711 section 3.4).
  const sr = Buffer.from(SR);
  for (let i = 8; i < sr.length; i++) sr[i] = (sr[i] ?? 0) ^ ((i * 73 + 19) & 255);
  const srtcp = join(sr, bytes('8000 0001', '9f3a 55c1 0e77 d2aa 41b6'));
  assert.equal(parseRtcp(srtcp).ok, false);
});
