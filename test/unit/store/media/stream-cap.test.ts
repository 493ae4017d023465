/** More streams than `--max-streams`: as many as fit are measured whole, the rest is counted; calls come first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../../fixtures/build/basic-call.ts';
import { concat } from '../../../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../../../fixtures/build/capture.ts';
import type { Datagram } from '../../../../fixtures/build/rtp.ts';
import { rtpHeader, rtpStream, voice } from '../../../../fixtures/build/rtp.ts';
import { toStats } from '../../../../src/view/stats.ts';
import { assertDocument } from '../../../api/strict-contract.ts';
import { asJson } from '../../../helpers/json.ts';
import { readCapture } from '../../../helpers/read-capture.ts';

const PAYLOAD = new Uint8Array(20).fill(0xd5);

/** Packet `k` of stranger `i`, whom no SDP names. */
function stranger(i: number, k: number, tsUs: number): Datagram {
  return {
    tsUs,
    src: { address: `203.0.113.${1 + (i % 200)}`, port: 20_000 + 2 * Math.floor(i / 200) },
    dst: { address: '198.51.100.7', port: 30_000 },
    bytes: concat(rtpHeader(k, k * 160, 0x5000_0000 + i, 0, false), PAYLOAD),
  };
}

test('a host that sees many streams at once and no SIP accepts as many as fit, and counts the rest', async (t) => {
  const [count, cap, rounds] = [400, 100, 6];
  const packets: Datagram[] = [];
  for (let k = 0; k < rounds; k++)
    for (let i = 0; i < count; i++) packets.push(stranger(i, k, EPOCH_US + k * 1_500_000 + i * 1000));
  const { session } = await readCapture(t, new Capture().add(packets).pcap(), ['--max-streams', String(cap)]);
  const stats = toStats(session.figures);
  assertDocument('Stats', asJson(stats));
  assert.deepEqual(stats.streams, { total: cap, active: 0, established: 0, orphaned: cap });
  assert.equal(stats.capture_quality.streams_refused, count - cap);
  assert.equal(stats.capture_quality.degraded, true);
  assert.deepEqual([stats.caveats.streams_refused, stats.caveats.streams_evicted], [count - cap, 0]);
  assert.equal(stats.losses['rtp_packets_refused'], (count - cap) * rounds);
  assert.equal(session.streams.totals().packets, cap * rounds, 'those that fit are measured whole');
  // Opened, accepted, windows: nothing is said of the others.
  assert.ok(session.ingest.packets.records <= cap * 4, String(session.ingest.packets.records));
});

test('a flood of strangers takes no stream of a call, running or ended', async (t) => {
  const call = basicCall('kept');
  const both = [
    { src: ALICE.rtp, dst: BOB.rtp, ssrc: 1 },
    { src: BOB.rtp, dst: ALICE.rtp, ssrc: 2 },
  ].map((o) => rtpStream({ ...o, startUs: EPOCH_US + 2_500_000 }, voice({ payloadType: 0, count: 50 })));
  const flood: Datagram[] = [];
  for (let i = 0; i < 3000; i++)
    for (let k = 0; k < 4; k++) flood.push(stranger(i, k, EPOCH_US + 2_600_000 + i * 30_000 + k * 1000));
  const packets = [...call.messages, ...both.flatMap((s) => s.datagrams), ...flood];
  const { session } = await readCapture(t, new Capture().add(packets).pcap(), ['--max-streams', '64']);
  const d = session.dialogs.get(call.callId);
  const owned = (d === undefined ? [] : session.streams.ownedBy(d)).map((s) => session.streams.snapshot(s)?.packets);
  assert.deepEqual(
    owned,
    both.map((s) => s.truth.captured),
    'both directions, whole, 90 s later',
  );
  assert.ok((toStats(session.figures).losses['rtp_streams_refused'] ?? 0) > 0);
});
