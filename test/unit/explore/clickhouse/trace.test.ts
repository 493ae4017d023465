/** One ladder over hosts: clocks are brought together, copies are one message, and causes come first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampText } from '../../../../src/core/timestamp.ts';
import type { Steps } from '../../../../src/core/turns.ts';
import { finish } from '../../../../src/core/turns.ts';
import type { StoreReader } from '../../../../src/explore/clickhouse/store-reader.ts';
import type { MessageRow } from '../../../../src/explore/clickhouse/trace.ts';
import { askMessages, ladderMessages, openingMessage, traceOf } from '../../../../src/explore/clickhouse/trace.ts';
import { drawnLadder } from '../../../../src/view/ladder.ts';

const CALL_ID = 'one@call';
const START_US = Date.UTC(2026, 10, 27, 3) * 1000;

type Sent = { readonly ms: number; readonly from: string; readonly to: string; readonly text: string };

const request = (branch: string, method = 'INVITE'): string =>
  `${method} sip:b@x SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK${branch}\r\nCSeq: 1 ${method}\r\n\r\n`;
const response = (branch: string, code: number): string =>
  `SIP/2.0 ${code} x\r\nVia: SIP/2.0/UDP x;branch=z9hG4bK${branch}\r\nCSeq: 1 INVITE\r\n\r\n`;

/** What a host saw, by its clock. */
function seenBy(host: string, aheadMs: number, sent: readonly Sent[]): MessageRow[] {
  return sent.map(({ ms, from, to, text }, message) => ({
    ...{ host, boot: 'b', number: 1, message, transport: 'UDP', origin: 'wire', notes: [], text },
    at: timestampText(START_US + (ms + aheadMs) * 1000),
    src: `${from}:5060`,
    dst: `${to}:5060`,
    summary: text.slice(0, 12),
  }));
}

function trace(rows: readonly MessageRow[]) {
  const reader = {
    rows: async () => [...rows],
    inTurns: async (steps: Steps<unknown>) => finish(steps),
  } as unknown as StoreReader;
  const hosts = [...new Set(rows.map(({ host }) => host))];
  const parts = hosts.map((host) => {
    const messages = rows.filter((row) => row.host === host).length;
    return { host, boot: 'b', number: 1, hour: '', createdUs: START_US, updatedUs: START_US, messages };
  });
  return traceOf(reader, [{ callId: CALL_ID, parts }]);
}

/** Phone a, proxies p and q, phone z; each hop takes 10 ms. */
const HOPS: readonly Sent[] = [
  { ms: 0, from: '10.0.0.1', to: '10.0.0.2', text: request('a') },
  { ms: 20, from: '10.0.0.2', to: '10.0.0.3', text: request('p') },
  { ms: 40, from: '10.0.0.3', to: '10.0.0.4', text: request('q') },
  { ms: 60, from: '10.0.0.4', to: '10.0.0.3', text: response('q', 200) },
  { ms: 80, from: '10.0.0.3', to: '10.0.0.2', text: response('p', 200) },
  { ms: 100, from: '10.0.0.2', to: '10.0.0.1', text: response('a', 200) },
];

/** A host sees what it sends at once, and the rest 10 ms later. */
function ofHost(address: string): Sent[] {
  return HOPS.filter(({ from, to }) => from === address || to === address).map((one) =>
    one.from === address ? one : { ...one, ms: one.ms + 10 },
  );
}

const orderOf = (messages: readonly { row: MessageRow }[]): string[] => messages.map(({ row }) => row.text);

test('what two hosts saw is one message, with the hosts that saw it', async () => {
  const rows = [...seenBy('p', 0, ofHost('10.0.0.2')), ...seenBy('q', 0, ofHost('10.0.0.3'))];
  const { messages, clocks, notKept } = await trace(rows);
  assert.deepEqual(
    orderOf(messages),
    HOPS.map(({ text }) => text),
  );
  assert.deepEqual(
    messages.map(({ hosts }) => hosts),
    [['p'], ['p', 'q'], ['q'], ['q'], ['q', 'p'], ['p']],
  );
  assert.deepEqual(
    messages.map(({ index }) => index),
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(clocks?.shown(), [
    { host: 'p', ahead_ms: 0, pairs: 0 },
    { host: 'q', ahead_ms: 0, pairs: 2 },
  ]);
  assert.equal(notKept, 0);
  assert.deepEqual(finish(askMessages([CALL_ID], 0, { messages, clocks, notKept })).clocks, clocks?.shown());
});

test('a clock that is ahead or behind is found by both ways, and taken from the times', async () => {
  for (const aheadMs of [5_000, -90, 3_600_000]) {
    const rows = [...seenBy('p', 0, ofHost('10.0.0.2')), ...seenBy('q', aheadMs, ofHost('10.0.0.3'))];
    const { messages, clocks } = await trace(rows);
    assert.equal(clocks?.aheadUs('q'), aheadMs * 1000);
    assert.deepEqual(
      orderOf(messages),
      HOPS.map(({ text }) => text),
      `${aheadMs} ms`,
    );
    const [, , third] = messages;
    assert.equal(third?.atUs, START_US + 40_000);
  }
});

test('over a third host clocks are told by way of the second', async () => {
  const rows = [
    ...seenBy('p', 0, ofHost('10.0.0.2')),
    ...seenBy('q', 700, ofHost('10.0.0.3')),
    ...seenBy('z', -2_000, ofHost('10.0.0.4')),
  ];
  const { messages, clocks } = await trace(rows);
  assert.deepEqual(
    ['p', 'q', 'z'].map((host) => clocks?.aheadUs(host)),
    [0, 700_000, -2_000_000],
  );
  assert.deepEqual(
    orderOf(messages),
    HOPS.map(({ text }) => text),
  );
});

test('no answer stands before its request where nothing tells the clocks', async () => {
  const p = seenBy(
    'p',
    0,
    [HOPS[0], HOPS[1]].flatMap((one) => one ?? []),
  );
  const q = seenBy(
    'q',
    -500,
    [HOPS[4]].flatMap((one) => one ?? []),
  );
  const { messages, clocks } = await trace([...p, ...q]);
  assert.deepEqual(orderOf(messages), [HOPS[0]?.text, HOPS[1]?.text, HOPS[4]?.text]);
  assert.deepEqual(clocks?.shown().at(-1), { host: 'q', ahead_ms: 0, pairs: 0 });
});

test('a message that was sent again is there as often as it was sent', async () => {
  const again = { ...(HOPS[1] ?? assert.fail()), ms: 520 };
  const p = seenBy('p', 0, [...ofHost('10.0.0.2').slice(0, 2), again]);
  const q = seenBy('q', 0, [HOPS[1] ?? assert.fail(), { ...again, ms: 530 }]);
  const { messages } = await trace([...p, ...q]);
  assert.deepEqual(
    messages.map(({ hosts }) => hosts),
    [['p'], ['p', 'q'], ['p', 'q']],
  );
});

test('ten thousand copies of one message take no more than a moment', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ ...(HOPS[1] ?? assert.fail()), ms: i }));
  const { messages } = await trace([...seenBy('p', 0, many), ...seenBy('q', 3, many)]);
  assert.equal(messages.length, 10_000);
});

test('of one host that saw the response first, the request opened the call, and its sender is drawn first', async () => {
  const [asked, answered] = [HOPS[0] ?? assert.fail(), HOPS[5] ?? assert.fail()];
  const early = { ...answered, ms: -1 };
  const { messages, ...rest } = await trace(seenBy('p', 0, [early, asked]));
  assert.equal(openingMessage(messages)?.row.text, asked.text);
  assert.equal(openingMessage(messages.slice(0, 1))?.row.text, answered.text);
  assert.equal(openingMessage([]), undefined);
  const drawn = drawnLadder(
    {
      ...{ callIds: [CALL_ID], moreCalls: 0, startedUs: START_US, media: [], notKept: 0 },
      messages: finish(ladderMessages({ messages, ...rest })),
    },
    () => null,
  );
  assert.deepEqual(
    finish(drawn).lifelines.map(({ address }) => address),
    [asked.from, asked.to],
  );
});
