/** The score of a stream is the same however wide the windows are that somebody wants to see, and they add up to the stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { rtpHeader } from '../../fixtures/build/rtp.ts';
import { streamMos, streamQuality } from '../../src/analysis/stream-quality.ts';
import type { StreamWindow } from '../../src/protocols/rtp/stream-window.ts';
import { readCapture } from '../helpers/read-capture.ts';

/** A minute with loss alone, in bursts, in outages of seconds, with late packets, repeats and changes of type. */
function stream(random: Random): Datagram[] {
  const out: Datagram[] = [];
  const [src, dst] = [
    { address: '192.0.2.1', port: 4000 },
    { address: '192.0.2.2', port: 5000 },
  ];
  const first = random.below(65_536);
  let gone = 0;
  let type = 0;
  for (let i = 0; i < 3_000; i++) {
    if (random.below(700) === 0) type = type === 0 ? 18 : 0;
    if (gone > 0) {
      gone--;
      continue;
    }
    if (random.below(400) === 0) gone = random.below(3) === 0 ? random.below(400) : random.below(12);
    if (random.below(60) === 0) continue;
    const header = rtpHeader((first + i) & 0xffff, i * 160, 7, type, false);
    const bytes = Buffer.concat([header, Buffer.alloc(type === 0 ? 160 : 20, 0x55)]);
    const lateMs = random.below(80) === 0 ? random.below(250) : 0;
    const packet = { tsUs: EPOCH_US + i * 20_000 + random.below(4_000) + lateMs * 1000, src, dst, bytes };
    out.push(packet);
    if (random.below(200) === 0) out.push({ ...packet, tsUs: packet.tsUs + 300 });
  }
  return out.sort((a, b) => a.tsUs - b.tsUs);
}

for (let seed = 1; seed <= 12; seed++)
  test(`seed ${seed}: windows of one to five seconds`, async (t) => {
    const pcap = new Capture().add(stream(new Random(seed))).pcap();
    const seen = [];
    for (const width of [1, 2, 3, 4, 5]) {
      const { session } = await readCapture(t, pcap, ['--quality-interval', String(width)]);
      const c = session.evidence.capture.quality;
      const [one] = [...session.streams.fromOldest()];
      assert.ok(one !== undefined);
      const q = streamQuality(one, c);
      assert.ok(q !== null);
      assert.equal(streamMos(one, c), q.mos);
      const { packets, expected, lost } = q.snapshot;
      const { windows } = q;
      const sum = (of: (w: StreamWindow) => number): number => windows.reduce((n, w) => n + of(w), 0);
      assert.deepEqual(
        [sum((w) => w.packets), sum((w) => w.net.expected), sum((w) => w.net.lost)],
        [packets, expected, lost],
      );
      assert.ok(q.windows.every((w) => w.lengthUs <= width * 1e6 + 1 && w.lost <= w.expected));
      seen.push({
        mos: q.mos?.toFixed(6),
        worst: q.worstMos?.toFixed(6),
        lost,
        segments: q.segments.length,
        jitterMs: q.jitterMs.toFixed(4),
      });
    }
    assert.ok(seen[0]?.mos !== undefined);
    for (const other of seen.slice(1)) assert.deepEqual(other, seen[0]);
  });
