/** The message log keeps what its budget allows, drops the oldest first and counts what it drops. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { fingerprint } from '../../../../src/store/messages/fingerprint.ts';
import { MessageLog } from '../../../../src/store/messages/message-log.ts';
import type { MessageOwner } from '../../../../src/store/messages/message-room.ts';
import { NO_ROW, ROW } from '../../../../src/store/messages/message-rows.ts';

const MIB = 1024 * 1024;

const PACKET = {
  ...emptyPacket(Uint8Array.from([192, 0, 2, 1, 198, 51, 100, 2])),
  tsUs: 1,
  dstOff: 4,
  srcPort: 5060,
  dstPort: 5062,
};
const REQUEST = { isRequest: true, method: 1, status: 0, cseq: 1, cseqMethod: 1, hasAuthorization: false };

/** A dialog that nothing proves, unless told otherwise. */
function owner(slot = 0, isProven = false, sender = slot): MessageOwner {
  return { slot, headRow: NO_ROW, tailRow: NO_ROW, openRow: 0, isProven, sender, isSenderEstablished: false };
}

/** Owners by slot, made as they are asked for. */
class Owners {
  readonly all: MessageOwner[] = [];
  bySlot(slot: number): MessageOwner {
    const known = this.all[slot] ?? owner(slot);
    this.all[slot] = known;
    return known;
  }
}

const NOBODY = { bySlot: () => undefined };

/** Numbers of the messages kept of a dialog, in order, which stand in their CSeq. */
function kept(log: MessageLog, { headRow }: MessageOwner): number[] {
  const out: number[] = [];
  for (let row = headRow; row !== NO_ROW && log.has(row); row = log.next(row)) out.push(log.cseq(row));
  return out;
}

test('rows of one dialog are linked in order and give back their bytes and facts', () => {
  const log = new MessageLog(8 * MIB, NOBODY);
  const d = owner();
  const bytes = Buffer.from('..INVITE sip:a SIP/2.0..');
  Object.assign(fingerprint, { a: 1, b: 2 });
  const first = log.append(d, { ...PACKET, tsUs: 10 }, REQUEST, 0, bytes, 2, 22);
  const response = { ...REQUEST, isRequest: false, status: 200 };
  const second = log.append(d, { ...PACKET, tsUs: 20 }, response, ROW.RETRANSMISSION, bytes, 2, 8);
  assert.deepEqual([d.headRow, d.tailRow, log.evicted], [first, second, 0]);
  assert.equal(log.next(first), second);
  assert.equal(log.next(second), NO_ROW);
  assert.equal(new TextDecoder().decode(log.bytes(first)), 'INVITE sip:a SIP/2.0');
  assert.equal(new TextDecoder().decode(log.bytes(second)), 'INVITE');
  assert.equal(log.tsUs(second), 20);
  assert.equal(log.status(second), 200);
  assert.deepEqual([log.flags(first), log.flags(second)], [ROW.REQUEST, ROW.RETRANSMISSION]);
  assert.ok(log.hashesEqual(first, 1, 2) && !log.hashesEqual(first, 1, 3));
  const ends = log.endpoints(first);
  assert.deepEqual([...ends.bytes.subarray(ends.srcOff, ends.srcOff + 4)], [192, 0, 2, 1]);
  assert.deepEqual([...ends.bytes.subarray(ends.dstOff, ends.dstOff + 4)], [198, 51, 100, 2]);
  assert.deepEqual([ends.srcPort, ends.dstPort], [5060, 5062]);
});

test('the budget holds under a flood, and what goes is counted', () => {
  const owners = new Owners();
  const log = new MessageLog(4 * MIB, owners);
  const body = Buffer.alloc(1000, 65);
  for (let i = 0; i < 20_000; i++) {
    const slot = i % 7;
    log.append(owners.bySlot(slot), PACKET, { ...REQUEST, cseq: i }, 0, body, 0, 900 + (i % 100));
    assert.ok(log.bytesHeld <= 4 * MIB + MIB, `${log.bytesHeld} bytes`);
  }
  assert.ok(log.evicted > 10_000);
  const all = owners.all.flatMap((d) => kept(log, d));
  assert.equal(all.length + log.evicted, 20_000);
  for (const d of owners.all) assert.deepEqual([...new Set(kept(log, d).map((n) => n % 7))], [d.slot]);
});

test('the memory of what was dropped is used again', () => {
  const log = new MessageLog(2 * MIB, NOBODY);
  const seen = new Set<ArrayBufferLike>();
  const message = Buffer.alloc(1000, 'x');
  const chunkRows = Math.floor(MIB / 4 / 1000);
  for (let n = 0; n < 20 * chunkRows; n++) {
    log.append(owner(), PACKET, REQUEST, 0, message, 0, 1000);
    seen.add(log.bytes(log.lastRow).buffer);
  }
  assert.ok(log.evicted > 0);
  assert.ok(seen.size <= 8, `${seen.size} pieces`);
});

test('bytes come back whole whatever their length and place', () => {
  const log = new MessageLog(8 * MIB, NOBODY);
  const source = Buffer.from(Uint8Array.from({ length: 9000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
  const rows: [number, number, number][] = [];
  for (const start of [0, 1, 2, 3, 17])
    for (const length of [0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 2047, 2048, 2049, 5000])
      rows.push([log.append(owner(), PACKET, REQUEST, 0, source, start, start + length), start, start + length]);
  for (const [row, start, end] of rows)
    assert.deepEqual(Buffer.from(log.bytes(row)), source.subarray(start, end), `${start}..${end}`);
});
