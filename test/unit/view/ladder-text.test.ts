/** The drawing of a ladder: what stands on the left, and columns that hold whatever a label is made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskLadder, LadderStep } from '../../../src/contract/index.ts';
import { mermaidLines } from '../../../src/export/mermaid.ts';
import { charactersOf, widthOf } from '../../../src/faces/tui/cells.ts';
import { LADDER_LIFELINES, LADDER_STEPS } from '../../../src/view/ladder.ts';
import type { LadderDrawing } from '../../../src/view/ladder-text.ts';
import { ladderLines, ladderRows } from '../../../src/view/ladder-text.ts';

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
  const [head = '', invite = '', date = '', answer = ''] = lines(ladder('INVITE sip:b@x', '200 OK'), { width: 100 });
  assert.match(head, /^2025-03-04 UTC /);
  assert.match(invite, /^ {3}0 {2}23:59:59\.000 {5}\+0\.000 {2}/);
  assert.equal(date, '2025-03-05');
  assert.match(answer, /^ {3}1 {2}00:00:00\.500 {5}\+1\.000 {2}/);
});

test('seconds since the first message, and since the one before alone', () => {
  const l = ladder('INVITE sip:b@x', '200 OK');
  assert.match(lines(l, { width: 100, time: 'first' })[2] ?? '', /^ {3}1 {8}\+1\.500 {5}\+1\.000 {2}/);
  assert.match(lines(l, { width: 100, time: 'before' })[2] ?? '', /^ {3}1 {5}\+1\.000 {2} +\|/);
});

const HOSTS = ['172.16.100.200', '172.16.100.201', '172.16.100.202', '172.16.100.203'];

/** Each host asks the next one. */
function chain(count: number, name?: string): AskLadder {
  const hosts = HOSTS.slice(0, count);
  return {
    ...ladder('', ''),
    lifelines: hosts.map((address) => ({
      label: name === undefined ? `${address}:5060` : `${name} ${address}:5060`,
      address,
      ...(name === undefined ? {} : { name }),
    })),
    steps: hosts
      .slice(1)
      .map((_, i) => ({ ...step(i, `2025-03-04T23:59:5${i}.000000Z`, i, 'INVITE sip:b@x'), to: i + 1 })),
  };
}

test('80 columns have three hosts in full, times of 25 cells, and lifelines up to the margins', () => {
  const [head = '', first = '', second = ''] = lines(chain(3));
  assert.match(head, /^2025-03-04 UTC +172\.16\.100\.200 +172\.16\.100\.201 +172\.16\.100\.202$/);
  assert.match(first, /^ {2}0 23:59:50\.000 {2}\+0\.000 {5}\|-+ INVITE sip:b@x -+>\| +\|$/);
  assert.match(second, /^ {2}1 23:59:51\.000 {2}\+1\.000 {5}\| +\|-+ INVITE sip:b@x -+>\|$/);
  assert.ok([head, first, second].every((line) => line.length <= 80));
  assert.ok(first.length >= 75, first);
});

test('hosts for which there is no room keep their ends, and names stand alone', () => {
  const [head = ''] = lines(chain(4));
  for (const i of [0, 1, 2, 3]) assert.match(head, new RegExp(`\u2026[\\d.]*\\.100\\.20${i}\\b`));
  assert.ok(head.length <= 80, head);
  assert.match(lines(chain(3, 'pbx'))[0] ?? '', /^2025-03-04 UTC +pbx +pbx +pbx$/);
});

test('what is said of a message stands in its arrow where there is no room beside it', () => {
  const l = ladder('INVITE sip:b@x', '200 OK');
  const again = { ...l, steps: l.steps.map((one) => ({ ...one, notes: ['again' as const] })) };
  assert.match(lines(again)[1] ?? '', /\|-+ \(again\) INVITE sip:b@x -+>\|$/);
  assert.match(lines(again, { width: 120 })[1] ?? '', /\|-+ INVITE sip:b@x -+>\| +\(again\)$/);
});

test('a long time between messages keeps its place', () => {
  const l = ladder('INVITE sip:b@x', '200 OK');
  const long = { ...l, steps: l.steps.map((one) => ({ ...one, delta_sec: 12_345.678 })) };
  assert.match(lines(long)[1] ?? '', /^ {2}0 23:59:59\.000 {2}\+12346 {5}\|/);
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

/** As many as one ladder shows, from the last line, which stands for others. */
function fullLadder(): AskLadder {
  const lifelines = Array.from({ length: LADDER_LIFELINES }, (_, i) => ({ label: `h${i}`, address: `h${i}` }));
  const last = LADDER_LIFELINES - 1;
  lifelines.splice(last, 1, { label: '500 others', address: '', ...{ others: 500 } });
  return {
    ...ladder('', ''),
    lifelines,
    steps: Array.from({ length: LADDER_STEPS }, (_, i) => ({
      ...step(i, '2025-03-04T23:59:59.000000Z', 0, 'INVITE sip:b@x'),
      from: last,
      to: 0,
    })),
    not_shown: { calls: 1, messages: 7, lifelines: 500, streams: 0 },
  };
}

test('what there is no room for is said on top, and hosts that share a line are named', () => {
  const text = lines(fullLadder());
  assert.match(text[0] ?? '', / 500 others$/);
  assert.deepEqual(text.slice(1, 4), [
    '1 of 2 calls; the rest is not shown.',
    `${LADDER_STEPS} of ${LADDER_STEPS + 7} messages; the rest is not shown. The first call comes before its legs.`,
    `${LADDER_LIFELINES - 1} of ${LADDER_LIFELINES + 499} lifelines; the rest share the last one.`,
  ]);
  assert.match(text[4] ?? '', /\|<-.* INVITE sip:b@x -.*\| +\(from 192\.0\.2\.1:5060\)$/);
  const diagram = [...mermaidLines(fullLadder())];
  assert.deepEqual(
    diagram.slice(0, 3),
    text.slice(1, 4).map((sentence) => `- ${sentence}`),
  );
  assert.ok(diagram.includes('```mermaid'));
  assert.ok(diagram.some((line) => line.endsWith(', from 192.0.2.1#58;5060')));
});

test('the largest ladder is a text of some megabytes', () => {
  let chars = 0;
  for (const line of ladderLines(fullLadder(), { width: null, color: false, isUtc: true })) chars += line.length;
  assert.ok(chars < 5_000_000, String(chars));
});

test('a row is drawn when it is asked for', () => {
  let drawn = 0;
  const characters = (text: string) => {
    drawn++;
    return charactersOf(text);
  };
  const rows = [...ladderRows(fullLadder(), { width: 80, isUtc: true, characters })];
  assert.equal(drawn, LADDER_LIFELINES);
  assert.match(rows[4]?.text ?? '', /INVITE/);
  assert.equal(drawn, LADDER_LIFELINES + 1);
});
