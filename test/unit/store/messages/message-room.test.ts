/** Who gives room when the message log is full: strangers push out strangers, and calls keep the texts of their messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, hangUp, sdpBody } from '../../../../fixtures/build/basic-call.ts';
import { answerOf, offerOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../../fixtures/build/sip-call.ts';
import { emptyPacket } from '../../../../src/sources/packet.ts';
import { MessageLog } from '../../../../src/store/messages/message-log.ts';
import type { MessageOwner } from '../../../../src/store/messages/message-room.ts';
import { NO_ROW, ROW_COST } from '../../../../src/store/messages/message-rows.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { Flood, request, response, SERVER_V4, STRANGER_V4 } from '../../ingest/flood.ts';

const MIB = 1024 * 1024;
const TRUNK = { user: 'trunk', sip: { address: '10.1.1.1', port: 5060 }, rtp: { address: '10.1.1.1', port: 20_000 } };
const SERVER = { user: 'pbx', sip: { address: '192.0.2.2', port: 5060 }, rtp: { address: '192.0.2.2', port: 30_000 } };
const TRUNK_V4 = 0x0a010101;
const LARGE = 60_000;

function answered(name: string): SipScript {
  const call = scriptOf(name, TRUNK, SERVER);
  answer(call, call.request('INVITE', 0, { body: sdpBody(offerOf(name)) }), answerOf(name));
  return call;
}

/** Its messages as they are kept. */
function texts(kit: TrackerKit, { callId }: SipScript): string[] {
  const d = kit.dialog(callId);
  const out: string[] = [];
  for (let row = d.headRow; row !== NO_ROW && kit.log.has(row); row = kit.log.next(row))
    out.push(Buffer.from(kit.log.bytes(row)).toString('latin1'));
  return out;
}

function assertKept(kit: TrackerKit, scripts: readonly SipScript[], why: string): void {
  for (const script of scripts)
    assert.deepEqual(
      texts(kit, script),
      script.messages.map((m) => Buffer.from(m.bytes).toString('latin1')),
      `${why}: ${script.callId}`,
    );
}

/** What strangers send, the n-th time. */
const FLOODS: Readonly<Record<string, (flood: Flood, n: number) => void>> = {
  'small OPTIONS of one source': (flood, n) => flood.send(request('OPTIONS'), n, STRANGER_V4),
  'unanswered INVITEs of one source': (flood, n) => flood.send(request('INVITE'), n, STRANGER_V4),
  'small ones of 100,000 sources': (flood, n) => flood.send(request('INVITE'), n, 0x0b000000 + (n % 100_000)),
  'large ones of one source': (flood, n) => flood.send(request('OPTIONS', '', LARGE), n, STRANGER_V4),
  'large ones of 100,000 sources': (flood, n) =>
    flood.send(request('INVITE', '', LARGE), n, 0x0b000000 + (n % 100_000)),
  'large ones in one dialog': (flood, n) => flood.send(request('OPTIONS', '', LARGE), Math.floor(n / 400), STRANGER_V4),
  'both, answered by the server': (flood, n) => {
    flood.send(request('OPTIONS', '', n % 9 === 0 ? LARGE : 0), n, 0x0b000000 + n);
    flood.send(response(200, 'OPTIONS'), n, SERVER_V4, 0x0b000000 + n);
  },
  "under the trunk's address": (flood, n) => flood.send(request('INVITE', '', n % 9 === 0 ? LARGE : 0), n, TRUNK_V4),
};
/** Bytes that go by before a flood has done what it can: many times what the log holds. */
const LOG_BYTES = 2 * MIB;
const FLOOD_BYTES = 4 * LOG_BYTES;

for (const [name, send] of Object.entries(FLOODS)) {
  test(`calls keep the texts of their messages among ${name}`, () => {
    const kit = new TrackerKit({ logBytes: LOG_BYTES, maxDialogs: 20_000 });
    const flood = new Flood(kit);
    const early = Array.from({ length: 50 }, (_, i) => answered(`early ${i}`));
    for (const call of early) kit.play(call);
    const late = Array.from({ length: 50 }, (_, i) => answered(`late ${i}`));
    let n = 0;
    for (const [i, call] of late.entries()) {
      while (flood.bytes < (FLOOD_BYTES * (i + 1)) / late.length) send(flood, n++);
      kit.play(call);
    }
    while (flood.bytes < FLOOD_BYTES * 1.5) send(flood, n++);
    for (const call of early) hangUpIn(kit, call);
    while (flood.bytes < FLOOD_BYTES * 2) send(flood, n++);
    assertKept(kit, [...early, ...late], name);
    assert.ok(kit.log.evicted > 0 && kit.log.bytesHeld < LOG_BYTES + MIB, `${kit.log.bytesHeld} bytes`);
  });
}

function hangUpIn(kit: TrackerKit, call: SipScript): void {
  const had = call.messages.length;
  hangUp(call, 60_000);
  for (const m of call.messages.slice(had)) kit.send(m);
}

test('a call that rings while one source sends, or all of them large messages, keeps its texts until it is answered', () => {
  for (const name of ['small OPTIONS of one source', 'large ones of one source', 'large ones of 100,000 sources']) {
    const send = FLOODS[name] ?? assert.fail();
    const kit = new TrackerKit({ logBytes: LOG_BYTES, maxDialogs: 20_000 });
    const flood = new Flood(kit);
    const call = answered('rings');
    for (const m of call.messages.slice(0, 2)) kit.send(m);
    for (let n = 0; flood.bytes < FLOOD_BYTES; n++) send(flood, n);
    for (const m of call.messages.slice(2)) kit.send(m);
    for (let n = 1e6; flood.bytes < 2 * FLOOD_BYTES; n++) send(flood, n);
    assertKept(kit, [call], name);
  }
});

test('without strangers the oldest messages go first, whoever sent them', () => {
  const kit = new TrackerKit({ logBytes: MIB, maxDialogs: 20_000 });
  const calls = Array.from({ length: 2_000 }, (_, i) => answered(`call ${i}`));
  for (const call of calls) kit.play(call);
  const kept = calls.map((call) => texts(kit, call).length);
  const first = kept.findIndex((n) => n > 0);
  assert.ok(first > 0);
  assert.deepEqual([...new Set(kept.slice(first + 1))], [answered('').messages.length]);
});

test('calls that hold less than a third of the log lose nothing, however long strangers send', () => {
  const kit = new TrackerKit({ logBytes: LOG_BYTES, maxDialogs: 20_000 });
  const flood = new Flood(kit);
  const calls: SipScript[] = [];
  let bytes = 0;
  for (let n = 0; flood.bytes < 8 * LOG_BYTES; n++) {
    flood.send(request('OPTIONS', '', n % 1_000), n, STRANGER_V4);
    if (bytes * 3 > LOG_BYTES || flood.bytes < bytes * 12) continue;
    const call = answered(`call ${n}`);
    kit.play(call);
    calls.push(call);
    for (const m of call.messages) bytes += m.bytes.length + ROW_COST;
  }
  assertKept(kit, calls, 'a third');
});

test('rows that move keep their order, their bytes and their dialog, whoever comes and goes', () => {
  const seed = Date.now() >>> 0;
  let state = seed;
  const random = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % n;
  };
  const slots: (MessageOwner & { isProven: boolean; sent: number[] })[] = [];
  const birth = (slot: number, sender: number): void => {
    const ends = { headRow: NO_ROW, tailRow: NO_ROW, openRow: 0 };
    slots[slot] = { slot, ...ends, isProven: false, sender, isSenderEstablished: sender === 1, sent: [] };
  };
  for (let slot = 0; slot < 60; slot++) birth(slot, slot % 7);
  const log = new MessageLog(2 * MIB, { bySlot: (slot) => slots[slot] });
  const moves = new Map<number, number>();
  log.onMove = (dialog, from, to) => {
    assert.equal(log.dialog(from), dialog);
    assert.equal(log.dialog(to), dialog);
    moves.set(from, to);
  };
  const bytes = Buffer.alloc(70_000);
  for (let n = 0; n < 60_000; n++) {
    const slot = random(4) === 0 ? random(60) : random(3);
    if (random(200) === 0) birth(slot, random(7));
    const d = slots[slot] ?? assert.fail();
    if (slot >= 20 && random(4) === 0) d.isProven = true;
    const length = 8 + (random(30) === 0 ? random(60_000) : random(600));
    bytes.writeUInt32LE(n, 0);
    bytes.writeUInt32LE(n, length - 4);
    log.append(d, { ...emptyPacket(), tsUs: n }, { ...REQUEST, cseq: n }, 0, bytes, 0, length);
    d.sent.push(n);
    if (n % 500 !== 0) continue;
    let rows = 0;
    for (const one of slots) {
      let last = -1;
      for (let row = one.headRow; row !== NO_ROW && log.has(row); row = log.next(row), rows++) {
        const text = Buffer.from(log.bytes(row));
        assert.deepEqual([text.readUInt32LE(0), text.readUInt32LE(text.length - 4)], Array(2).fill(log.cseq(row)));
        assert.ok(log.cseq(row) > last && one.sent.includes(log.cseq(row)) && log.dialog(row) === one.slot, `${seed}`);
        last = log.cseq(row);
      }
      if (last >= 0) assert.equal(last, log.cseq(one.tailRow), `seed ${seed}: the newest one is the last`);
    }
    assert.ok(rows <= log.lastRow + 1 - log.firstRow, `seed ${seed}`);
  }
  assert.ok(moves.size > 1_000 && log.evicted > 10_000, `seed ${seed}: ${moves.size} moved, ${log.evicted} gone`);
});

const REQUEST = { isRequest: true, method: 1, status: 0, cseq: 1, cseqMethod: 1, hasAuthorization: false };
