/** The drawing of a ladder: what stands on the left, and columns that hold whatever a label is made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskLadder, LadderStep } from '../../../src/contract/index.ts';
import { charactersOf, widthOf } from '../../../src/faces/tui/cells.ts';
import type { LadderDrawing } from '../../../src/view/ladder-text.ts';
import { ladderRows } from '../../../src/view/ladder-text.ts';

const step = (index: number, at: string, from: number, summary: string): LadderStep => ({
  call_id: 'a',
  index,
  at,
  src: '192.0.2.1:5060',
  dst: '192.0.2.2:5060',
  transport: 'UDP',
  origin: 'wire',
  summary,
  has_sdp: false,
  notes: [],
  from,
  to: 1 - from,
  delta_sec: index,
});

function ladder(first: string, answer: string, label = '192.0.2.1:5060'): AskLadder {
  return {
    schema_version: 1,
    call_ids: ['a'],
    started_at: '2025-03-04T23:59:59.000000Z',
    lifelines: [
      { label, address: '192.0.2.1' },
      { label: '192.0.2.2:5060', address: '192.0.2.2' },
    ],
    steps: [step(0, '2025-03-04T23:59:59.000000Z', 0, first), step(1, '2025-03-05T00:00:00.500000Z', 1, answer)],
    media: [],
    not_kept: 0,
  };
}

const lines = (l: AskLadder, style: Partial<LadderDrawing> = {}): string[] =>
  [...ladderRows(l, { width: 80, isUtc: true, ...style })].map(({ text }) => text);

test('times of day, with the date where it changes', () => {
  const [head = '', invite = '', date = '', answer = ''] = lines(ladder('INVITE sip:b@x', '200 OK'));
  assert.match(head, /^2025-03-04 UTC /);
  assert.match(invite, /^ {3}0 {2}23:59:59\.000 {5}\+0\.000 {2}/);
  assert.equal(date, '2025-03-05');
  assert.match(answer, /^ {3}1 {2}00:00:00\.500 {5}\+1\.000 {2}/);
});

test('seconds since the first message, and since the one before alone', () => {
  const l = ladder('INVITE sip:b@x', '200 OK');
  assert.match(lines(l, { time: 'first' })[2] ?? '', /^ {3}1 {8}\+1\.500 {5}\+1\.000 {2}/);
  assert.match(lines(l, { time: 'before' })[2] ?? '', /^ {3}1 {5}\+1\.000 {2} +\|/);
});

for (const [what, text] of [
  ['wide characters', 'INVITE sip:\u4f1a\u8b70\u5ba4@example.com'],
  ['emoji of several code points', 'INVITE \u{1f469}\u200d\u{1f4bb}\u{1f1eb}\u{1f1f7} sip:b'],
  ['marks on a character', `INVITE sip:e\u0301${'a\u0308'.repeat(80)}`],
  ['a label of 60 kB', `INVITE sip:${'\u4f1a'.repeat(30_000)}`],
] as const)
  test(`${what}: the lifelines stay in their columns`, () => {
    const shown = lines(ladder(text, text, '\u6771\u4eac 192.0.2.1:5060'), { characters: charactersOf });
    const [, plain = ''] = lines(ladder('A', 'A'));
    const columns = (line: string): number[] => {
      const at: number[] = [];
      let x = 0;
      for (const { text: character, width } of charactersOf(line)) {
        if (character === '|') at.push(x);
        x += width;
      }
      return at;
    };
    for (const line of [shown[1], shown[3]]) {
      assert.deepEqual(columns(line ?? ''), columns(plain));
      assert.ok(widthOf(line ?? '') <= 80);
    }
  });
