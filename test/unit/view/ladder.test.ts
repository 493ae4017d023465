/** How much of calls a ladder shows: rows, lifelines, streams and characters have a cap, and the ladder counts the rest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../src/core/turns.ts';
import type { LadderMessage, LadderParts } from '../../../src/view/ladder.ts';
import { drawnLadder, LADDER_CHARS, LADDER_LIFELINES, LADDER_STEPS, LADDER_STREAMS } from '../../../src/view/ladder.ts';

type Ends = { readonly src: string; readonly dst: string; readonly srcPort?: number };

/** Counts the messages that were read. */
let read = 0;

function message(callId: string, n: number, { src, dst, srcPort = 5060 }: Ends): LadderMessage {
  return {
    callId,
    src: { host: src, port: srcPort },
    dst: { host: dst, port: 5060 },
    tsUs: n * 1_000,
    facts: () => {
      read++;
      return {
        call_id: callId,
        index: n,
        at: '2025-03-04T09:00:00.000000Z',
        src: `${src}:${srcPort}`,
        dst: `${dst}:5060`,
        transport: 'UDP',
        origin: 'wire',
        summary: 'INVITE sip:b@x',
        has_sdp: false,
        notes: [],
      };
    },
  };
}

const ladder = (messages: readonly LadderMessage[], parts: Partial<LadderParts> = {}) =>
  finish(
    drawnLadder(
      { callIds: ['asked', 'leg'], moreCalls: 0, startedUs: 0, messages, media: [], notKept: 0, ...parts },
      () => null,
    ),
  );

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const address = (i: number): string => `11.0.${i >> 8}.${i & 255}`;

test('up to the cap each host has a line, and nothing is said', () => {
  const hosts = LADDER_LIFELINES - 1;
  const made = ladder(many(hosts, (i) => message('asked', i, { src: address(i), dst: '192.0.2.2' })));
  assert.equal(made.lifelines.length, LADDER_LIFELINES);
  assert.deepEqual([made.not_shown, made.lifelines.at(-1)?.others], [undefined, undefined]);
});

test('of more hosts those with most messages have a line, and so have the ends of the first message', () => {
  const once = many(3_000, (i) => message('leg', i, { src: address(i), dst: '192.0.2.2' }));
  const busy = many(30, (i) => message('leg', 3_000 + i, { src: '192.0.2.77', dst: '192.0.2.2' }));
  const asked = message('asked', 4_000, { src: '192.0.2.1', dst: '192.0.2.3' });
  const { lifelines, steps, not_shown } = ladder([...once, ...busy, asked]);
  assert.equal(lifelines.length, LADDER_LIFELINES);
  const total = 3_000 + 4;
  const others = total - (LADDER_LIFELINES - 1);
  assert.deepEqual(lifelines.at(-1), { label: `${others} others`, address: '', others });
  assert.deepEqual(not_shown, { calls: 0, messages: 0, lifelines: others, streams: 0 });
  const shown = new Set(lifelines.map(({ address: one }) => one));
  for (const one of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.77', address(0), address(1)])
    assert.ok(shown.has(one), one);
  // Whatever line a step leads to, it says which host that was.
  const last = lifelines.length - 1;
  assert.equal(steps[2_999]?.from, last);
  assert.equal(steps[2_999]?.src, `${address(2_999)}:5060`);
  assert.ok(steps.every(({ from, to }) => from <= last && to < last));
});

test('a host that talks to itself from thousands of ports has no more lines', () => {
  const messages = many(3_000, (i) => message('asked', i, { src: '192.0.2.2', dst: '192.0.2.2', srcPort: 10_000 + i }));
  const { lifelines, not_shown } = ladder(messages);
  assert.equal(lifelines.length, LADDER_LIFELINES);
  assert.equal(not_shown?.lifelines, 3_001 - (LADDER_LIFELINES - 1));
});

test('the first call is shown before its legs, whenever they were; what is not shown is not read', () => {
  const legs = many(LADDER_STEPS + 500, (i) => message('leg', i, { src: '192.0.2.1', dst: '192.0.2.2' }));
  const asked = many(100, (i) => message('asked', 10_000 + i, { src: '192.0.2.1', dst: '192.0.2.2' }));
  read = 0;
  const { steps, not_shown } = ladder([...legs, ...asked]);
  assert.equal(steps.length, LADDER_STEPS);
  assert.equal(steps.filter(({ call_id }) => call_id === 'asked').length, 100);
  assert.deepEqual(
    steps.slice(0, 3).map(({ index }) => index),
    [0, 1, 2],
  );
  assert.equal(not_shown?.messages, 600);
  assert.equal(read, LADDER_STEPS);
});

test('long Call-IDs make it end sooner', () => {
  const callId = 'x'.repeat(4_096);
  const messages = many(2_000, (i) => message(callId, i, { src: '192.0.2.1', dst: '192.0.2.2' }));
  const { steps, not_shown } = ladder(messages, { callIds: [callId] });
  assert.ok(steps.length <= LADDER_CHARS / 4_096 && steps.length > LADDER_CHARS / 5_000);
  assert.equal(not_shown?.messages, 2_000 - steps.length);
});

test('streams and calls are counted too', () => {
  const at = '2025-03-04T09:00:00.000000Z';
  const media = many(LADDER_STREAMS + 7, (i) => ({
    call_id: 'asked',
    src: `192.0.2.1:${10_000 + i}`,
    dst: '192.0.2.2:4000',
    ssrc: '0x00000001',
    packets: 1,
    loss_pct: 0,
    first_seen: at,
    last_seen: at,
  }));
  const made = ladder([message('asked', 0, { src: '192.0.2.1', dst: '192.0.2.2' })], { media, moreCalls: 3 });
  assert.equal(made.media.length, LADDER_STREAMS);
  assert.deepEqual(made.not_shown, { calls: 3, messages: 0, lifelines: 0, streams: 7 });
});

test('it reads a message a step', () => {
  const messages = many(1_000, (i) => message('asked', i, { src: address(i), dst: '192.0.2.2' }));
  const parts = { callIds: ['asked'], moreCalls: 0, startedUs: 0, messages, media: [], notKept: 0 };
  const work = drawnLadder(parts, () => null);
  read = 0;
  let before = 0;
  let most = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) {
    most = Math.max(most, read - before);
    before = read;
  }
  assert.equal(most, 1);
  assert.equal(read, 1_000);
});
