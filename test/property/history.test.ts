/**
 * The index reader on hostile bytes: it never throws, and what it gives of a damaged index is what was written.
 *
 *   HISTORY_INPUTS=1000000 node --test dist/test/property/history.test.js     as many inputs as asked for; 500 by default
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BlockKind } from '../../src/history/blocks.ts';
import { BLOCK, packBlock } from '../../src/history/blocks.ts';
import { packTail } from '../../src/history/footer.ts';
import type { IndexFile } from '../../src/history/index-file.ts';
import { openIndex } from '../../src/history/index-file.ts';
import { readMinute } from '../../src/watch/overview/minute-lines.ts';
import { captureIn, someCall, writeIndex } from '../helpers/history-index.ts';

const numRuns = Number(process.env['HISTORY_INPUTS'] ?? 500);

/** Asks for all that an index has. */
function readAll(index: IndexFile): void {
  for (const call of [...index.rows()].flat()) index.document(call);
  index.chunks();
  index.minutes();
  index.frames();
  index.mayHold('49301');
}

test('bytes that are changed, cut out and put in give no wrong row', (t) => {
  const path = writeIndex(captureIn(t), { each: 2 });
  const whole = readFileSync(path);
  const change = fc.record({
    at: fc.nat(whole.length),
    removed: fc.nat(200),
    put: fc.uint8Array({ maxLength: 64 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      let bytes = whole;
      for (const { at, removed, put } of changes)
        bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);
      writeFileSync(path, bytes);
      const index = openIndex(path);
      if (!index.ok) return;
      readAll(index.value);
      for (const { row } of [...index.value.rows()].flat())
        assert.equal(JSON.stringify(row), someCall(Number(row['number']) - 1).row);
    }),
    { numRuns },
  );
});

test('blocks that somebody wrote with right checksums and anything in them are read to their end', (t) => {
  const path = `${captureIn(t)}.idx`;
  const line = fc.oneof(
    fc.json(),
    fc
      .array(fc.oneof(fc.integer(), fc.double(), fc.json(), fc.constant(null)), { maxLength: 8 })
      .map((a) => JSON.stringify(a)),
    fc
      .record({ format: fc.constant(1), capture: fc.string(), host: fc.string(), boot: fc.string() })
      .map((o) => JSON.stringify(o)),
  );
  const block = fc.record({
    kind: fc.constantFrom(...Object.values(BLOCK)),
    text: fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n')),
  });
  const pack = (blocks: readonly { kind: BlockKind; text: string }[]): Buffer => {
    const packed: Buffer[] = [];
    let offset = 0;
    for (const { kind, text } of blocks) {
      const one = packBlock(kind, offset, Buffer.from(text));
      packed.push(one);
      offset += one.length;
    }
    return Buffer.concat(packed);
  };
  /** An end that names the blocks, with anything else in it. */
  const end = fc.record(
    {
      ...{ captureBytes: fc.maxSafeNat(), rows: fc.nat(), rowsLeftOut: fc.nat(), documentsLeftOut: fc.nat() },
      ...{ states: fc.dictionary(fc.string(), fc.jsonValue()), isWhole: fc.boolean(), callIds: fc.string() },
      ...{
        frames: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
        calls: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
      },
    },
    { requiredKeys: ['rowsLeftOut', 'documentsLeftOut', 'isWhole', 'callIds', 'frames', 'calls'] },
  );
  let closed = 0;
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), end, (blocks, claims) => {
      const packed = pack(blocks);
      let offset = 0;
      const places = blocks.flatMap(({ kind, text }) => {
        const { length } = packBlock(kind, offset, Buffer.from(text));
        offset += length;
        return [kind, offset - length, length];
      });
      const about = { format: 1, capture: 'c', host: 'h', boot: 'b', captureBytes: 1, rows: 1, states: {} };
      const footer = packBlock(
        BLOCK.footer,
        offset,
        Buffer.from(JSON.stringify({ ...about, ...claims, blocks: places })),
      );
      writeFileSync(path, Buffer.concat([packed, footer, packTail(offset)]));
      const index = openIndex(path);
      if (index.ok && index.value.isClosed) closed++;
      if (index.ok) readAll(index.value);
      for (const line of index.ok ? index.value.minutes() : []) readMinute(line);
    }),
    { numRuns },
  );
  assert.ok(closed > numRuns / 2, `${closed} of ${numRuns}`);
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.nat(2_000), fc.boolean(), (blocks, footerAt, hasTail) => {
      writeFileSync(path, Buffer.concat([pack(blocks), hasTail ? packTail(footerAt) : Buffer.alloc(0)]));
      const index = openIndex(path);
      if (index.ok) readAll(index.value);
    }),
    { numRuns },
  );
});
