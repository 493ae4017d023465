/** Each UDP record of a slab gets the scan of its own bytes, whatever lies between and however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GROUP, SipAhead } from '../../../src/app/sip-ahead.ts';
import { hashBytes } from '../../../src/core/half-sip-hash.ts';
import { SCAN, SipScan, scanSip } from '../../../src/sip/scan.ts';
import { RecordBatch } from '../../../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES } from '../../../src/sources/records.ts';

const PAYLOADS: readonly string[] = [
  'OPTIONS sip:a@b SIP/2.0\r\nCall-ID: first\r\nCSeq: 1 OPTIONS\r\n\r\n',
  'SIP/2.0 200 OK\r\nCall-ID: second@b\r\nCSeq: 9 INVITE\r\n\r\n',
  'BYE sip:a@b SIP/2.0\r\nCSeq: 2 BYE\r\n\r\n',
  'no SIP at all',
  '',
];

/** A slab of one record for each entry: a payload of SIP by UDP, or a record of another kind. */
function slab(records: readonly (number | null)[]): RecordBatch {
  const texts = records.map((r) => (r === null ? 'rtcp' : (PAYLOADS[r] ?? '')));
  const data = Buffer.from(texts.join(''));
  const descriptors = new Uint8Array(Math.max(1, records.length) * RECORD_BYTES);
  const view = new DataView(descriptors.buffer);
  let off = 0;
  for (const [i, text] of texts.entries()) {
    const at = i * RECORD_BYTES;
    view.setUint8(at + OFFSET.kind, records[i] === null ? KIND.RTCP : KIND.UDP);
    view.setUint32(at + OFFSET.off, off, true);
    view.setUint32(at + OFFSET.len, text.length, true);
    off += text.length;
  }
  return new RecordBatch(data, descriptors);
}

test('each record gets its own scan, slab after slab', () => {
  const record = fc.oneof(fc.constant(null), fc.nat({ max: PAYLOADS.length - 1 }));
  const slabs = fc.array(fc.array(record, { maxLength: 3 * GROUP }), { maxLength: 4 });
  fc.assert(
    fc.property(slabs, (all) => {
      let announced: number[] = [];
      const ahead = new SipAhead((hashes, count) => announced.push(...hashes.subarray(0, count)));
      const direct = new SipScan();
      for (const records of all) {
        const b = slab(records);
        announced = [];
        const taken: number[] = [];
        for (let i = 0; i < records.length; i++) {
          if (b.kind(i) !== KIND.UDP) continue;
          const { scan, code, callIdHash } = ahead.take(b, i, records.length);
          assert.equal(code, scanSip(b.data, b.off(i), b.off(i) + b.len(i), direct));
          if (code === SCAN.OK) assert.deepEqual(scan, direct);
          const hasCallId = code === SCAN.OK && direct.callIdStart >= 0;
          assert.equal(callIdHash, hasCallId ? hashBytes(b.data, direct.callIdStart, direct.callIdEnd) : 0);
          taken.push(callIdHash);
        }
        assert.deepEqual(announced, taken);
      }
    }),
    { numRuns: 300 },
  );
});
