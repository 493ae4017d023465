/**
 * Whose stream it is: claimed by the description that named one of its ends before it began, or shortly after; shown
 * once the heuristic accepted it or a dialog claims it; an orphan again when its dialog goes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, basicCall } from '../../../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../../../fixtures/build/capture.ts';
import { STREAM, STREAM_BYTES, WINDOW, WINDOW_BYTES } from '../../../../src/protocols/rtp/stream-layout.ts';
import { StreamTable } from '../../../../src/protocols/rtp/stream-table.ts';
import { MARK } from '../../../../src/store/dialogs/call-marks.ts';
import { CLAIM_LINGER_US } from '../../../../src/store/media/endpoint-index.ts';
import type { StreamStore } from '../../../../src/store/media/stream-store.ts';
import { MAX_DIALOG_STREAMS } from '../../../../src/store/media/stream-store.ts';
import { TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';
import { StreamKit } from './stream-kit.ts';

const A = ALICE.rtp;
const B = BOB.rtp;
const ELSEWHERE = { address: '203.0.113.99', port: 17002 };

/** A call that named A and B, and streams among the same endpoints. */
function called(name = 'owner'): { dialogs: TrackerKit; streams: StreamKit } {
  const dialogs = new TrackerKit();
  const streams = new StreamKit(dialogs.endpoints);
  dialogs.play(basicCall(name));
  return { dialogs, streams };
}

/** A closed window that began at `startUs`, as the native table writes it. */
function windowBytes(startUs: number): Uint8Array {
  const bytes = new Uint8Array(WINDOW_BYTES);
  const view = new DataView(bytes.buffer);
  view.setFloat64(WINDOW.startUs, startUs, true);
  view.setUint32(WINDOW.packets, 1, true);
  return bytes;
}

const counts = (s: StreamStore): readonly [number, number, number] => [s.established, s.orphaned, s.size];

test('a stream whose end was named is its dialog’s from the first packet, by destination or by source', () => {
  const { dialogs, streams } = called();
  const atUs = EPOCH_US + 3_000_000;
  streams.open(ELSEWHERE, B, { atUs });
  streams.open(A, ELSEWHERE, { atUs });
  assert.deepEqual(counts(streams.store), [2, 0, 2], 'shown at once: the description vouches for it');
  const d = dialogs.dialog('owner@calltap.example.com');
  assert.deepEqual(
    [...streams.store.fromNewest()].map((s) => s.dialog),
    [d, d],
  );
  assert.equal(streams.store.ownedBy(d).length, 2);
});

test('before the description and long after the end it is nobody’s', () => {
  const { streams, dialogs } = called();
  const { endedUs } = dialogs.dialog('owner@calltap.example.com');
  streams.accept(streams.open(ELSEWHERE, A, { atUs: EPOCH_US - 1 }));
  streams.accept(streams.open(ELSEWHERE, A, { atUs: endedUs + CLAIM_LINGER_US + 1 }));
  assert.deepEqual(counts(streams.store), [0, 2, 2]);
  streams.accept(streams.open(ELSEWHERE, A, { atUs: endedUs + CLAIM_LINGER_US }));
  assert.deepEqual(counts(streams.store), [1, 2, 3]);
});

test('what begins behind the end goes to the next call that claims the socket, and what ran before stays', () => {
  const { streams, dialogs } = called();
  const first = dialogs.dialog('owner@calltap.example.com');
  const during = streams.open(A, B, { atUs: EPOCH_US + 3_000_000 });
  const behind = streams.open(B, A, { atUs: first.endedUs + 1_000_000 });
  streams.accept(behind);
  assert.equal(streams.store.ownedBy(first).length, 2);
  const next = dialogs.play(basicCall('next', { startUs: first.endedUs + 2_000_000 }));
  for (const { key, claim } of dialogs.claims) streams.store.onClaim(key, claim);
  const owners = [during, behind].map((place) => streams.store.stream(place).dialog);
  assert.deepEqual(owners, [first, next]);
  assert.deepEqual(
    [streams.store.ownedBy(first).length, streams.store.ownedBy(next).length, ...counts(streams.store)],
    [1, 1, 2, 0, 2],
  );
  // It waits for nobody any more.
  streams.store.onDialogGone(next);
  streams.evict(behind);
  streams.store.onDialogGone(first);
  assert.deepEqual(counts(streams.store), [0, 0, 0]);
});

test('a stream that began behind the end of an evicted call waits once, and can be claimed', () => {
  const { streams, dialogs } = called();
  const first = dialogs.dialog('owner@calltap.example.com');
  const place = streams.open(B, A, { atUs: first.endedUs + 1_000_000 });
  streams.accept(place);
  streams.store.onDialogGone(first);
  assert.deepEqual(counts(streams.store), [0, 1, 1]);
  dialogs.claims.splice(0);
  const next = dialogs.play(basicCall('next', { startUs: first.endedUs + 2_000_000 }));
  for (const { key, claim } of dialogs.claims) streams.store.onClaim(key, claim);
  assert.equal(streams.store.stream(place).dialog, next);
  assert.deepEqual(counts(streams.store), [1, 0, 1]);
});

test('a candidate nobody named is not shown until it is accepted', () => {
  const streams = new StreamKit();
  const index = streams.open(A, ELSEWHERE);
  assert.deepEqual(counts(streams.store), [0, 0, 0]);
  streams.accept(index);
  streams.accept(index);
  assert.deepEqual([counts(streams.store), streams.store.orphanedEver], [[0, 1, 1], 1]);
});

test('a late description takes what runs on its endpoints, if it comes in time', () => {
  const dialogs = new TrackerKit();
  const call = basicCall('late');
  const streams = new StreamKit(dialogs.endpoints);
  const early = streams.open(ELSEWHERE, A, { atUs: EPOCH_US - 29_000_000 });
  streams.open(ELSEWHERE, B, { atUs: EPOCH_US - 60_000_000 });
  streams.accept(early);
  const d = dialogs.play(call);
  for (const { key, claim } of dialogs.claims) streams.store.onClaim(key, claim);
  assert.deepEqual(counts(streams.store), [1, 0, 1], 'the older one ended before the call and stays a candidate');
  assert.equal([...streams.store.fromNewest()][0]?.dialog, d);
  assert.deepEqual([streams.store.orphanedEver, streams.store.establishedEver], [1, 1]);
});

test('streams of an evicted dialog are orphans; one that only the dialog vouched for is hidden', () => {
  const { dialogs, streams } = called();
  const atUs = EPOCH_US + 3_000_000;
  streams.accept(streams.open(A, B, { atUs }));
  streams.open(B, A, { atUs });
  assert.deepEqual(counts(streams.store), [2, 0, 2]);
  streams.store.onDialogGone(dialogs.dialog('owner@calltap.example.com'));
  assert.deepEqual(counts(streams.store), [0, 1, 1]);
  assert.equal([...streams.store.fromNewest()].length, 1);
  assert.deepEqual([streams.store.shown(0, 1)?.wasOwned, streams.store.shown(1, 1)], [true, undefined]);
  assert.equal(streams.store.shown(0, 2), undefined);
  assert.equal(streams.stream(ELSEWHERE, ELSEWHERE).wasOwned, false);
});

test('an evicted stream is gone from its dialog; an old record speaks of nobody', () => {
  const { dialogs, streams } = called();
  const index = streams.open(A, B, { atUs: EPOCH_US + 3_000_000 });
  streams.evict(index, 2);
  assert.equal(dialogs.dialog('owner@calltap.example.com').marks & MARK.MEDIA_EVICTED, 0);
  assert.deepEqual(counts(streams.store), [1, 0, 1], 'another use of the slot is meant');
  streams.evict(index);
  assert.deepEqual([counts(streams.store), streams.store.evicted], [[0, 0, 0], 1]);
  const owner = dialogs.dialog('owner@calltap.example.com');
  assert.equal(streams.store.ownedBy(owner).length, 0);
  assert.notEqual(owner.marks & MARK.MEDIA_EVICTED, 0);
  streams.evict(index);
  assert.equal(streams.store.evicted, 1);
});

test('who holds a stream that is evicted reads what it was; its place is another’s', () => {
  const { dialogs, streams } = called();
  const d = dialogs.dialog('owner@calltap.example.com');
  const held = streams.stream(A, B, { atUs: EPOCH_US + 3_000_000, ssrc: 0xfffffffe });
  const facts = (): unknown => [
    held.serial,
    held.ssrc,
    held.openedUs,
    held.srcKey,
    held.dstKey,
    held.dialog,
    held.index,
  ];
  const before = facts();
  streams.evict(held.index);
  streams.open(B, ELSEWHERE, { atUs: EPOCH_US + 4_000_000, index: held.index, generation: 2 });
  assert.deepEqual(facts(), before);
  assert.equal(held.generation, 1);
  const [now, ...others] = streams.store.ownedBy(d);
  assert.deepEqual([others.length, now?.generation, now?.index, now?.ssrc], [0, 2, held.index, 0x1000 + held.index]);
  assert.notEqual(now, held);
  streams.store.onWindow(held.index, 1, windowBytes(1), 0);
  assert.equal(streams.store.windows(held).length, 0, 'a record of the old one speaks of nobody');
});

test('a place that is opened again without word of its stream’s end is the new one’s alone', () => {
  const { dialogs, streams } = called();
  const index = streams.open(A, B, { atUs: EPOCH_US + 3_000_000 });
  streams.open(B, A, { atUs: EPOCH_US + 4_000_000, index, generation: 2 });
  assert.deepEqual([counts(streams.store), streams.store.evicted], [[1, 0, 1], 1]);
  assert.deepEqual(
    streams.store.ownedBy(dialogs.dialog('owner@calltap.example.com')).map((s) => s.generation),
    [2],
  );
});

test('of a dialog’s streams any may go, and the others keep their order', () => {
  for (const gone of [0, 1, 2]) {
    const { dialogs, streams } = called();
    const places = [0, 1, 2].map((n) => streams.open(A, B, { atUs: EPOCH_US + 3_000_000 + n }));
    streams.evict(places[gone] ?? -1);
    const left = streams.store.ownedBy(dialogs.dialog('owner@calltap.example.com')).map((s) => s.index);
    assert.deepEqual(
      left,
      places.filter((_, n) => n !== gone),
    );
  }
});

test('a walk that rests meets each stream once, though places are used again meanwhile', () => {
  const streams = new StreamKit();
  const opened = [0, 1, 2, 3].map((n) => streams.open({ ...A, port: 4000 + n }, ELSEWHERE, { atUs: 1000 + n }));
  for (const index of opened) streams.accept(index);
  for (const walk of [streams.store.fromNewest(), streams.store.fromOldest()]) {
    const met: number[] = [];
    for (const stream of walk) {
      met.push(stream.serial);
      if (met.length !== 2) continue;
      const { index, generation } = stream;
      streams.evict(index, generation);
      streams.open(A, ELSEWHERE, { atUs: 5000, index, generation: generation + 1 });
      streams.store.onAccepted(index, generation + 1);
    }
    assert.equal(new Set(met).size, met.length, met.join(' '));
    assert.ok(met.length >= 4, met.join(' '));
  }
});

test('the list is newest first by the first packet, ties by arrival', () => {
  const streams = new StreamKit();
  const ssrcs = (): number[] => [...streams.store.fromNewest()].map((s) => s.ssrc);
  for (const [ssrc, atUs] of [
    [1, 500],
    [2, 900],
    [3, 100],
    [4, 500],
  ] as const)
    streams.accept(streams.open({ ...A, port: 1000 + ssrc }, ELSEWHERE, { ssrc, atUs }));
  assert.deepEqual(ssrcs(), [2, 4, 1, 3]);
  assert.deepEqual(ssrcs(), [2, 4, 1, 3]);
});

test('of a stream that goes on for days the windows of the last hour are kept, in order', () => {
  const { streams } = called();
  const stream = streams.stream(A, B);
  for (let n = 1; n <= 2_000; n++) {
    streams.store.onWindow(0, 1, windowBytes(n), 0);
    const starts = streams.store.windows(stream).map(({ startUs }) => startUs);
    const first = Math.max(1, n - 719);
    assert.deepEqual([starts.length, starts[0], starts.at(-1)], [n - first + 1, first, n]);
  }
  assert.deepEqual(
    streams.store.windows(stream, 2).map(({ startUs }) => startUs),
    [1_999, 2_000],
  );
});

test('a flood of SSRCs to the sockets of a call is the call’s up to its cap only, and counted', () => {
  const { dialogs, streams } = called();
  const atUs = EPOCH_US + 3_000_000;
  const own = streams.stream(A, B, { atUs });
  const forged = Array.from({ length: 1000 }, (_, i) => streams.open(ELSEWHERE, B, { atUs: atUs + 1 + i, ssrc: i }));
  const d = dialogs.dialog('owner@calltap.example.com');
  assert.equal(streams.store.ownedBy(d).length, MAX_DIALOG_STREAMS);
  assert.equal(own.dialog, d, 'what ran before the flood stays');
  assert.equal(streams.store.size, MAX_DIALOG_STREAMS, 'what is nobody’s is not shown for a packet');
  assert.equal(streams.store.beyondDialogCap, 1001 - MAX_DIALOG_STREAMS);
  for (const index of forged) streams.evict(index);
  assert.deepEqual(counts(streams.store), [1, 0, 1]);
  assert.equal(streams.stream(ELSEWHERE, B, { atUs: atUs + 9000, ssrc: 7 }).dialog, d, 'there is room again');
});

test('the native table is told of a claim, and when the dialog has gone that there is none', () => {
  const memory = new ArrayBuffer(64 * STREAM_BYTES);
  const view = new DataView(memory);
  const claimed = (index: number): number => view.getUint8(index * STREAM_BYTES + STREAM.claimed);
  const { dialogs, streams } = called();
  streams.store.table = new StreamTable(() => memory, { streamBytes: STREAM_BYTES, streamChunk: 64 });
  for (const index of [0, 1]) view.setUint32(index * STREAM_BYTES + STREAM.generation, 1, true);
  view.setUint32(2 * STREAM_BYTES + STREAM.generation, 5, true);
  const atUs = EPOCH_US + 3_000_000;
  streams.open(ELSEWHERE, A, { atUs });
  streams.open(ELSEWHERE, ELSEWHERE, { atUs });
  streams.open(A, B, { atUs });
  assert.deepEqual([0, 1, 2].map(claimed), [1, 0, 0], 'the third place is another stream’s by now');
  streams.store.onDialogGone(dialogs.dialog('owner@calltap.example.com'));
  assert.deepEqual([0, 1, 2].map(claimed), [0, 0, 0]);
});
