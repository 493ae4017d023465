/** RTCP as JSON in HEP: what agents write is read, in either form of the NTP fraction, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rtcpToJson } from '../../../../src/actions/hep-out/rtcp-json.ts';
import { ntpMiddle, parseRtcp } from '../../../../src/protocols/rtp/rtcp.ts';
import { parseRtcpJson } from '../../../../src/protocols/rtp/rtcp-json.ts';

const bytes = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

const BLOCK = {
  source_ssrc: 1,
  fraction_lost: 25,
  packets_lost: -3,
  highest_seq_no: 70_000,
  ia_jitter: 12,
  lsr: 305_419_896,
  dlsr: 65_536,
};

test('a receiver report, numbers as numbers or in digits', () => {
  for (const jitter of [12, '12']) {
    const r = parseRtcpJson(
      bytes({ ssrc: 7, type: 201, report_count: 1, report_blocks: [{ ...BLOCK, ia_jitter: jitter }] }),
    );
    assert.ok(r.ok);
    assert.deepEqual(r.value.packets, [
      {
        kind: 'rr',
        ssrc: 7,
        reports: [
          {
            ssrc: 1,
            fractionLost: 25,
            cumulativeLost: -3,
            highestSequence: 70_000,
            jitter: 12,
            lastSr: 305_419_896,
            delaySinceLastSr: 65_536,
          },
        ],
      },
    ]);
  }
});

test('an extended report: VoIP metrics where there are any', () => {
  const xr = { type: 7, id: 9, fraction_lost: 31, fraction_discard: 300, burst_duration: 20, round_trip_delay: 180 };
  const r = parseRtcpJson(bytes({ ssrc: 7, report_blocks: null, report_blocks_xr: xr }));
  assert.ok(r.ok);
  const [, packet] = r.value.packets;
  assert.ok(packet?.kind === 'xr');
  const [block] = packet.blocks;
  assert.ok(block?.kind === 'voip_metrics');
  const { ssrc, lossRate, discardRate, burstDurationMs, roundTripMs, mosLq } = block;
  assert.deepEqual(
    [ssrc, lossRate, discardRate, burstDurationMs, roundTripMs, mosLq],
    [9, 31, 255, 20, 180, undefined],
  );
  for (const none of [{ ...xr, type: 0 }, { ...xr, type: 4 }, null, 7])
    assert.ok(!parseRtcpJson(bytes({ ssrc: 7, report_blocks: [], report_blocks_xr: none })).ok);
});

test('a sender report: microseconds as the name says, or the fraction as it was', () => {
  const sender = { ntp_timestamp_sec: 3_900_000_000, rtp_timestamp: 160, packets: 10, octets: 1600 };
  for (const [usec, about] of [
    [500_000, 0x80000000],
    [0x80000000, 0x80000000],
    [0, 0],
  ] as const) {
    const r = parseRtcpJson(bytes({ ssrc: 7, sender_information: { ...sender, ntp_timestamp_usec: usec } }));
    const [packet] = r.ok ? r.value.packets : [];
    assert.ok(packet?.kind === 'sr');
    assert.ok(Math.abs(packet.ntpFraction - about) <= 4_295, `${packet.ntpFraction}`);
    assert.deepEqual(packet.reports, []);
  }
});

test('null counts as absent, and zeros of a sender are no sender', () => {
  const sender = {
    ntp_timestamp_sec: 3_900_000_000,
    ntp_timestamp_usec: 1,
    rtp_timestamp: 160,
    packets: 10,
    octets: 1600,
  };
  const sr = parseRtcpJson(bytes({ ssrc: 7, type: 200, sender_information: sender, report_blocks: null }));
  assert.ok(sr.ok && sr.value.packets[0]?.kind === 'sr' && sr.value.packets[0].packets === 10);
  const silent = Object.fromEntries(Object.keys(sender).map((name) => [name, 0]));
  for (const type of [200, 201, 202, null])
    for (const blocks of [[BLOCK], [null, BLOCK]]) {
      const rr = parseRtcpJson(bytes({ ssrc: 7, type, sender_information: silent, report_blocks: blocks }));
      assert.ok(rr.ok && rr.value.packets[0]?.kind === 'rr' && rr.value.packets[0].reports.length === 1, `${type}`);
    }
  const empty = parseRtcpJson(bytes({ ssrc: null, sender_information: silent, report_blocks: null }));
  assert.deepEqual(empty, { ok: false, reason: 'no_report' });
});

test('the number of lost packets has 24 bits and a sign, whoever read it (RFC 3550 6.4.1)', () => {
  for (const [written, lost] of [
    [16_777_210, -6],
    [0x800000, -0x800000],
    [0x7fffff, 0x7fffff],
    [-6, -6],
  ]) {
    const r = parseRtcpJson(bytes({ ssrc: 7, report_blocks: [{ ...BLOCK, packets_lost: written }] }));
    const [packet] = r.ok ? r.value.packets : [];
    assert.ok(packet?.kind === 'rr');
    assert.equal(packet.reports[0]?.cumulativeLost, lost);
  }
});

test('what the mirror writes is read back as it was sent', () => {
  const word = fc.integer({ min: 0, max: 0xffffffff });
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 6, maxLength: 6 }),
      fc.array(word, { minLength: 6, maxLength: 6 }),
      (s, b) => {
        const rtcp = Buffer.alloc(52);
        rtcp.writeUInt32BE(0x81c8000c, 0);
        for (const [i, value] of [...s, ...b].entries()) rtcp.writeUInt32BE(value, 4 + i * 4);
        // A smaller fraction, one in 4,295, reads as microseconds.
        rtcp.writeUInt32BE(Math.max(s[2] ?? 0, 1_000_000), 12);
        const sent = parseRtcp(rtcp);
        const json = rtcpToJson(rtcp);
        assert.ok(sent.ok && json.ok);
        const back = parseRtcpJson(bytes(json.value));
        assert.ok(back.ok, json.value);
        const [was, is] = [sent.value.packets[0], back.value.packets[0]];
        assert.ok(was?.kind === 'sr' && is?.kind === 'sr');
        assert.deepEqual({ ...is, ntpFraction: 0 }, { ...was, ntpFraction: 0 });
        // A round trip is found by the middle of the NTP time: one unit of it is 15 microseconds.
        const apart = (ntpMiddle(is.ntpSeconds, is.ntpFraction) - ntpMiddle(was.ntpSeconds, was.ntpFraction)) >>> 0;
        assert.ok(apart <= 1 || apart === 0xffffffff, `${apart}`);
      },
    ),
  );
});

test('anything else is refused with a reason and never throws', () => {
  const wrong: unknown[] = [
    '',
    '{',
    '[]',
    'null',
    '7',
    '{"ssrc":-1}',
    '{"ssrc":1.5}',
    '{"ssrc":4294967296}',
    '{"ssrc":"x"}',
  ];
  for (const field of Object.keys(BLOCK)) wrong.push({ ssrc: 1, report_blocks: [{ ...BLOCK, [field]: {} }] });
  wrong.push({ ssrc: 1, report_blocks: {} }, { ssrc: 1, report_blocks: [7] });
  wrong.push({ ssrc: 1, report_blocks: [{ ...BLOCK, packets_lost: 0x1000000 }] });
  wrong.push({ ssrc: 1, sender_information: { packets: 'many' } }, '['.repeat(60_000));
  for (const value of wrong)
    assert.deepEqual(parseRtcpJson(bytes(value)), { ok: false, reason: 'bad_json' }, `${value}`);
  assert.deepEqual(parseRtcpJson(bytes({ ssrc: 1 })), { ok: false, reason: 'no_report' });
  const many = parseRtcpJson(bytes({ ssrc: 1, report_blocks: Array(2000).fill(BLOCK) }));
  assert.ok(many.ok && many.value.packets[0]?.kind === 'rr' && many.value.packets[0].reports.length === 31);
  fc.assert(fc.property(fc.json(), (text) => typeof parseRtcpJson(bytes(text)).ok === 'boolean'));
});
