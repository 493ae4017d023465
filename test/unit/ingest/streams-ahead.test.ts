/** Whatever lies between them, the ends of every stream that opens are announced once, before it is taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GROUP, StreamsAhead } from '../../../src/ingest/streams-ahead.ts';
import { RecordBatch } from '../../../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES } from '../../../src/sources/records.ts';

type Given = { readonly kind: number; readonly ipVersion: number };

/** Record `i` runs from 192.0.2.i, port 1000 + i, to 198.51.100.i, port 2000 + i. */
function batchOf(records: readonly Given[]): RecordBatch {
  const bytes = new Uint8Array(records.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, { kind, ipVersion }] of records.entries()) {
    const at = i * RECORD_BYTES;
    view.setUint8(at + OFFSET.kind, kind);
    view.setUint8(at + OFFSET.ipVersion, ipVersion);
    view.setUint16(at + OFFSET.srcPort, 1000 + i, true);
    view.setUint16(at + OFFSET.dstPort, 2000 + i, true);
    bytes.set([192, 0, 2, i], at + OFFSET.src);
    bytes.set([198, 51, 100, i], at + OFFSET.dst);
  }
  return new RecordBatch(Buffer.alloc(0), bytes);
}

const record = fc.record({
  kind: fc.constantFrom(KIND.UDP, KIND.STREAM_OPENED, KIND.STREAM_OPENED, KIND.STREAM_ACCEPTED, KIND.RTCP),
  ipVersion: fc.constantFrom(4, 4, 4, 6),
});

test('both ends of each IPv4 stream are announced once, before it is taken, and few at a time', () => {
  const slabs = fc.array(fc.array(record, { maxLength: 120 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(slabs, (given) => {
      let announced: string[] = [];
      const ahead = new StreamsAhead((addresses, ports, count) => {
        assert.ok(count <= 2 * GROUP);
        for (let k = 0; k < count; k++) announced.push(`${(addresses[k] ?? 0) >>> 0}:${ports[k]}`);
      });
      for (const records of given) {
        announced = [];
        ahead.begin();
        const batch = batchOf(records);
        const taken: string[] = [];
        for (const [i, { kind, ipVersion }] of records.entries()) {
          if (kind !== KIND.STREAM_OPENED) continue;
          ahead.meet(batch, i, records.length);
          if (ipVersion !== 4) continue;
          taken.push(`${0xc6336400 + i}:${2000 + i}`, `${0xc0000200 + i}:${1000 + i}`);
          assert.deepEqual(announced.slice(0, taken.length), taken);
        }
        assert.deepEqual(announced, taken);
      }
    }),
  );
});
