/** The account of npm run tls-coverage: what was sent against what calltap printed, message by message. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../../src/core/package.ts';

type Message = { from: string; to: string; identity: string; isProven?: boolean };
type Count = { read: number[]; written: number[]; right: number; unproven: number; extra: number };
const folder = join(packageRoot(), 'scripts/tls-coverage');
const account: {
  printed: (text: string) => Message[];
  compare: (sent: readonly Message[], seen: readonly Message[], partner: string) => Count;
  isWhole: (count: Count) => boolean;
  cells: (count: Count) => string[];
} = await import(join(folder, 'account.mjs'));
const sip: {
  Messages: new (each: (message: string) => void) => { push: (chunk: string) => void };
  request: (what: { prefix: string; number: number; local: string; remote: string }) => string;
  answer: (message: string) => string;
  identity: (message: string) => string;
} = await import(join(folder, 'sip.mjs'));

const PARTNER = '10.0.0.2';
const [A, B] = ['10.0.0.1:5061', `${PARTNER}:40001`];

/** Requests with their answers, as the partner tells them. */
function exchange(count: number): { texts: string[]; sent: Message[] } {
  const texts = Array.from({ length: count }, (_, number) => {
    const text = sip.request({ prefix: 'p', number, local: B, remote: A });
    return [text, sip.answer(text)];
  }).flat();
  const sent = texts.map((text, i) => {
    const [from, to] = i % 2 === 0 ? [B, A] : [A, B];
    return { from, to, identity: sip.identity(text) };
  });
  return { texts, sent };
}

/** As `calltap --messages` prints them. */
function print(messages: readonly { text: string; from: string; to: string; notes?: string }[]): string {
  return messages
    .map(({ text, from, to, notes = '' }, i) => {
      const head = `2026-11-26 09:00:00.${String(i).padStart(3, '0')}+00:00  ${from} -> ${to}  TLS uprobe  p-0#${i}${notes}`;
      return `${head}\n${text.replaceAll('\r\n', '\n').trimEnd()}\n\n`;
    })
    .join('');
}

test('every message seen once, with its addresses, is a whole account', () => {
  const { texts, sent } = exchange(6);
  const seen = account.printed(
    print(texts.map((text, i) => ({ text, from: sent[i]?.from ?? '', to: sent[i]?.to ?? '' }))),
  );
  const count = account.compare(sent, seen, PARTNER);
  assert.deepEqual(count, { read: [6, 6], written: [6, 6], right: 12, unproven: 0, extra: 0 });
  assert.equal(account.isWhole(count), true);
  assert.deepEqual(account.cells(count), ['6 of 6', '6 of 6', 'right']);
});

test('missing, wrong, likely and doubled messages are told apart', () => {
  const { texts, sent } = exchange(3);
  const [first = '', second = '', third = ''] = texts;
  const seen = account.printed(
    print([
      { text: first, from: B, to: A },
      { text: first, from: B, to: A },
      { text: second, from: A, to: B, notes: '  (address-likely)' },
      { text: third, from: `${PARTNER}:1`, to: A },
      // Another program's, which nobody here has sent.
      { text: sip.request({ prefix: 'other', number: 0, local: B, remote: A }), from: B, to: A },
    ]),
  );
  const count = account.compare(sent, seen, PARTNER);
  assert.deepEqual(count, { read: [2, 3], written: [1, 3], right: 2, unproven: 1, extra: 1 });
  assert.equal(account.isWhole(count), false);
  assert.deepEqual(account.cells(count), ['2 of 3', '1 of 3, 1 more', '2 of 3 right, 1 only likely']);
});

test('a way that nobody used is no whole account', () => {
  const { texts, sent } = exchange(1);
  const oneWay = sent.slice(0, 1);
  const seen = account.printed(print([{ text: texts[0] ?? '', from: B, to: A }]));
  assert.equal(account.isWhole(account.compare(oneWay, seen, PARTNER)), false);
  assert.deepEqual(account.cells(account.compare([], [], PARTNER)), ['0 of 0', '0 of 0', '']);
});

test('messages come whole out of a stream, however it is cut', () => {
  const { texts } = exchange(4);
  const whole = `\r\n\r\n${texts.join('\r\n')}`;
  for (const size of [1, 7, 100, whole.length]) {
    const found: string[] = [];
    const messages = new sip.Messages((message) => found.push(message));
    for (let at = 0; at < whole.length; at += size) messages.push(whole.slice(at, at + size));
    assert.deepEqual(found, texts, `pieces of ${size}`);
  }
});
