/** Minutes as lines of an index: read as they were written, and refused where somebody else wrote them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostFigures } from '../../../../src/watch/overview/host-figures.ts';
import { minuteLine, readMinute } from '../../../../src/watch/overview/minute-lines.ts';

type Line = Record<string, unknown>;
const lineOf = (text: string): Line => JSON.parse(text) as Line;

function busy(): HostFigures {
  const figures = new HostFigures();
  Object.assign(figures, { attempts: 9, failed: 2, canceled: 1, messages: 70, talking: 3, mostTalking: 5 });
  Object.assign(figures, { expected: 5_000, lost: 12 });
  for (const code of [200, 200, 486, 503, 503]) figures.noteCode(code, 0);
  for (const ms of [0, 20, 21, 400, 90_000]) figures.notePdd(ms);
  figures.noteMos(4.2);
  return figures;
}

test('a minute is read as it was written, and adds up as it did', () => {
  for (const figures of [busy(), new HostFigures()]) {
    const text = minuteLine(29_000_000, figures);
    const read = readMinute(lineOf(text));
    assert.equal(read?.minute, 29_000_000);
    assert.equal(read === null ? '' : minuteLine(read.minute, read.figures), text);
    const [sum, wanted] = [busy(), busy()];
    if (read !== null) sum.merge(read.figures);
    wanted.merge(figures);
    assert.equal(minuteLine(1, sum), minuteLine(1, wanted));
  }
});

test('a line that says no minute is none', () => {
  const line = lineOf(minuteLine(29_000_000, busy()));
  const pdd = line['pdd_ms'] as Line;
  const wrong: Line[] = [
    { minute: 1.5 },
    { minute: -1 },
    { attempts: 1e300 },
    { failed: '2' },
    { messages: undefined },
    { codes: Array.from({ length: 100_000 }, (_, code) => [code, 1]) },
    { codes: [[486]] },
    { codes: [[4_860_000, 1]] },
    { codes: 'none' },
    { mos: 4 },
    { mos: {} },
    ...[
      { count: 1 },
      { sum: -1 },
      { max: 1e308 },
      { bins: [[1e9, 5]] },
      { bins: [[1, 1e12]] },
      { bins: [[1, 1], null] },
      { bins: Array.from({ length: 1e6 }, () => [1, 1]) },
    ].map((change) => ({ pdd_ms: { ...pdd, ...change } })),
  ];
  for (const change of wrong)
    assert.equal(readMinute({ ...line, ...change }), null, JSON.stringify(change).slice(0, 60));
});
