/** The message log keeps what its budget allows, drops the oldest first and counts what it drops. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageLog } from '../../../src/store/message-log.ts';
import type { MessageFacts } from '../../../src/store/message-rows.ts';
import { NO_ROW, ROW } from '../../../src/store/message-rows.ts';

const MIB = 1024 * 1024;

function facts(over: Partial<MessageFacts> = {}): MessageFacts {
  return {
    tsUs: 1,
    dialog: 0,
    hashA: 1,
    hashB: 2,
    flags: ROW.REQUEST,
    origin: 0,
    transport: 0,
    method: 1,
    status: 0,
    cseq: 1,
    ipId: 0,
    srcPort: 5060,
    dstPort: 5062,
    addresses: Uint8Array.from([192, 0, 2, 1, 198, 51, 100, 2]),
    srcOff: 0,
    dstOff: 4,
    place: null,
    ...over,
  };
}

test('rows of one dialog are linked in order and give back their bytes and facts', () => {
  const log = new MessageLog(8 * MIB, () => assert.fail('nothing is evicted'));
  const bytes = Buffer.from('..INVITE sip:a SIP/2.0..');
  const first = log.append(facts({ tsUs: 10 }), bytes, 2, 22, NO_ROW);
  const second = log.append(facts({ tsUs: 20, flags: ROW.RETRANSMISSION, status: 200 }), bytes, 2, 8, first);
  assert.equal(log.next(first), second);
  assert.equal(log.next(second), NO_ROW);
  assert.equal(new TextDecoder().decode(log.bytes(first)), 'INVITE sip:a SIP/2.0');
  assert.equal(new TextDecoder().decode(log.bytes(second)), 'INVITE');
  assert.equal(log.tsUs(second), 20);
  assert.equal(log.status(second), 200);
  assert.equal(log.flags(second), ROW.RETRANSMISSION);
  assert.ok(log.hashesEqual(first, 1, 2) && !log.hashesEqual(first, 1, 3));
  const ends = log.endpoints(first);
  assert.deepEqual([...ends.bytes.subarray(ends.srcOff, ends.srcOff + 4)], [192, 0, 2, 1]);
  assert.deepEqual([...ends.bytes.subarray(ends.dstOff, ends.dstOff + 4)], [198, 51, 100, 2]);
  assert.deepEqual([ends.srcPort, ends.dstPort], [5060, 5062]);
});

test('the budget holds under a flood; evictions are counted and told with the next row', () => {
  const heads = new Map<number, number>();
  const log = new MessageLog(4 * MIB, (dialog, row, next) => {
    assert.equal(heads.get(dialog), row, 'the oldest row is its dialog’s head');
    heads.set(dialog, next);
  });
  const body = Buffer.alloc(1000, 65);
  const tails = new Map<number, number>();
  for (let i = 0; i < 20_000; i++) {
    const dialog = i % 7;
    const row = log.append(facts({ dialog, tsUs: i }), body, 0, 900 + (i % 100), tails.get(dialog) ?? NO_ROW);
    if ((heads.get(dialog) ?? NO_ROW) === NO_ROW) heads.set(dialog, row);
    tails.set(dialog, row);
    assert.ok(log.bytesHeld <= 4 * MIB + MIB, `${log.bytesHeld} bytes`);
  }
  assert.ok(log.evicted > 10_000);
  assert.equal(log.evicted, log.firstRow);
  for (const [dialog, head] of heads) {
    let n = 0;
    for (let row = head; row !== NO_ROW; row = log.next(row)) {
      assert.equal(log.tsUs(row) % 7, dialog);
      n++;
    }
    assert.ok(n > 0);
  }
});

test('memory that is needed next is got ready once, and used', () => {
  const touched: Uint8Array[] = [];
  const log = new MessageLog(
    2 * MIB,
    () => undefined,
    (bytes) => new Uint8Array(bytes),
    () => null,
    (memory) => touched.push(memory),
  );
  const message = Buffer.alloc(1000, 'x');
  const chunkRows = Math.floor(MIB / 4 / 1000);
  for (let n = 0; n < chunkRows / 2; n++) log.append(facts(), message, 0, 1000, NO_ROW);
  assert.equal(touched.length, 0);
  for (let n = 0; n < chunkRows; n++) log.append(facts(), message, 0, 1000, NO_ROW);
  const [ahead] = touched;
  assert.ok(ahead !== undefined && log.bytes(log.lastRow).buffer === ahead.buffer);
  for (let n = 0; n < 20 * chunkRows; n++) log.append(facts(), message, 0, 1000, NO_ROW);
  assert.ok(log.evicted > 0);
  // What is dropped is used again: nothing more than the budget holds is got ready.
  assert.ok(touched.length <= 8, `${touched.length} pieces`);
});

test('bytes come back whole whatever their length and place', () => {
  const log = new MessageLog(8 * MIB, () => undefined);
  const source = Buffer.from(Uint8Array.from({ length: 9000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
  const rows: [number, number, number][] = [];
  for (const start of [0, 1, 2, 3, 17])
    for (const length of [0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 2047, 2048, 2049, 5000])
      rows.push([log.append(facts(), source, start, start + length, NO_ROW), start, start + length]);
  for (const [row, start, end] of rows)
    assert.deepEqual(Buffer.from(log.bytes(row)), source.subarray(start, end), `${start}..${end}`);
});
