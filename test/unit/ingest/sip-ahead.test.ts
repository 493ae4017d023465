/** Each UDP and HEP record of a slab gets the scan of its own bytes, whatever lies between and however many there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashBytes } from '../../../src/core/hash.ts';
import { HepDoor } from '../../../src/ingest/hep-door.ts';
import { GROUP, SipAhead } from '../../../src/ingest/sip-ahead.ts';
import { SCAN, scanSip } from '../../../src/protocols/sip/scanner/scan.ts';
import { RecordBatch } from '../../../src/sources/record-batch.ts';
import { KIND, OFFSET, RECORD_BYTES } from '../../../src/sources/records.ts';

const PAYLOADS: readonly string[] = [
  'OPTIONS sip:a@b SIP/2.0\r\nCall-ID: first\r\nCSeq: 1 OPTIONS\r\n\r\n',
  'SIP/2.0 200 OK\r\nCall-ID: second@b\r\nCSeq: 9 INVITE\r\n\r\n',
  'BYE sip:a@b SIP/2.0\r\nCSeq: 2 BYE\r\n\r\n',
  'no SIP at all',
  '',
];

type Entry = { readonly kind: number; readonly payload: number };

const EMPTY = 4;
const BROKEN_HEP = 3;

/** A HEP 3 packet with nothing but a payload. */
function hep(payload: string): string {
  const packet = Buffer.alloc(12 + payload.length);
  packet.write('HEP3', 'latin1');
  packet.writeUInt16BE(packet.length, 4);
  packet.writeUInt16BE(0x0f, 8);
  packet.writeUInt16BE(6 + payload.length, 10);
  packet.write(payload, 12, 'latin1');
  return packet.toString('latin1');
}

function textOf({ kind, payload }: Entry): string {
  const text = PAYLOADS[payload] ?? '';
  return kind === KIND.HEP && payload !== BROKEN_HEP ? hep(text) : text;
}

/** A slab of one record for each entry. */
function slab(records: readonly Entry[]): RecordBatch {
  const texts = records.map(textOf);
  const data = Buffer.from(texts.join(''), 'latin1');
  const descriptors = new Uint8Array(Math.max(1, records.length) * RECORD_BYTES);
  const view = new DataView(descriptors.buffer);
  let off = 0;
  for (const [i, text] of texts.entries()) {
    const at = i * RECORD_BYTES;
    view.setUint8(at + OFFSET.kind, records[i]?.kind ?? 0);
    view.setUint32(at + OFFSET.off, off, true);
    view.setUint32(at + OFFSET.len, text.length, true);
    off += text.length;
  }
  return new RecordBatch(data, descriptors);
}

test('each record gets its own scan, slab after slab', () => {
  const record = fc.record({
    kind: fc.constantFrom(KIND.UDP, KIND.HEP, KIND.RTCP),
    payload: fc.nat({ max: PAYLOADS.length - 1 }),
  });
  const slabs = fc.array(fc.array(record, { maxLength: 3 * GROUP }), { maxLength: 4 });
  fc.assert(
    fc.property(slabs, (all) => {
      const ahead = new SipAhead(new HepDoor(null));
      for (const records of all) {
        const b = slab(records);
        for (let i = 0; i < records.length; i++) {
          const kind = b.kind(i);
          if (kind === KIND.RTCP) continue;
          const packet = kind === KIND.HEP ? ahead.takeHep(b, i, records.length) : null;
          if (packet !== null && !packet.isSip()) {
            const payload = records[i]?.payload;
            assert.equal(packet.refused === null, payload !== BROKEN_HEP);
            assert.ok(payload === BROKEN_HEP || payload === EMPTY);
            continue;
          }
          const scan = packet?.sip ?? ahead.takeSip(b, i, records.length);
          const { code, callIdHash } = scan;
          const start = b.off(i) + (packet === null ? 0 : 12);
          const direct = scanSip(b.data, start, b.off(i) + b.len(i));
          assert.equal(code, direct.code);
          if (code === SCAN.OK) assert.deepEqual(scan.ints.subarray(0, direct.ints.length), direct.ints);
          const hasCallId = code === SCAN.OK && direct.callIdStart >= 0;
          assert.equal(callIdHash, hasCallId ? hashBytes(b.data, direct.callIdStart, direct.callIdEnd) : 0);
        }
      }
    }),
    { numRuns: 300 },
  );
});
