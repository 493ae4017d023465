/** Figures of trunks keep their counts as minutes become hours and hours one sum, within their bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrunkFigures } from '../../../../src/watch/trunks/trunk-figures.ts';
import { TRUNK_MINUTES, TrunkSpans } from '../../../../src/watch/trunks/trunk-spans.ts';
import { TRUNK_FIGURE_BYTES, TrunkStore } from '../../../../src/watch/trunks/trunk-store.ts';

/** A minute some years after the epoch, at the beginning of an hour. */
const START = 480_000 * 60;

function fill(spans: TrunkSpans, minutes: number): void {
  for (let i = 0; i < minutes; i++) {
    spans.add(START + i, (f) => {
      f.attempts += 2;
      f.noteCode(200, 0);
      f.noteCode(503, 0);
      f.notePdd(100 + i);
    });
  }
}

test('minutes become hours, and hours one sum: no count changes', () => {
  const spans = new TrunkSpans();
  fill(spans, 240);
  const whole = () => {
    const sum = spans.since(0);
    if (spans.before !== null) sum.merge(spans.before);
    return sum;
  };
  const before = whole();
  spans.mergeMinutes(START / 60 + 1);
  assert.equal(spans.minutes.size, 120);
  assert.equal(spans.hours.size, 2);
  spans.mergeHours(START / 60);
  assert.equal(spans.hours.size, 1);
  const after = whole();
  assert.equal(after.attempts, before.attempts);
  assert.equal(spans.whole.attempts, before.attempts);
  assert.deepEqual([...after.codes], [...before.codes]);
  assert.equal(after.pddMs?.count, 240);
  assert.deepEqual(after.pddMs?.bins, before.pddMs?.bins);
  // The last hour alone, and what is older than all minutes.
  assert.equal(spans.since(START + 180).attempts, 120);
  assert.equal(spans.before?.attempts, 120);
});

test('a figure that comes late goes to what holds its minute now', () => {
  const spans = new TrunkSpans();
  const more = (f: TrunkFigures): void => {
    f.attempts++;
  };
  fill(spans, 180);
  spans.mergeMinutes(START / 60 + 1);
  spans.mergeHours(START / 60);
  spans.add(START + 5, more);
  spans.add(START + 65, more);
  spans.add(START + 125, more);
  assert.equal(spans.before?.attempts, 121);
  assert.equal(spans.hours.get(START / 60 + 1)?.attempts, 121);
  assert.equal(spans.minutes.get(START + 125)?.attempts, 3);
  assert.equal(spans.minutes.size, 60);
});

test('a code that is revised leaves the one before', () => {
  const figures = new TrunkFigures();
  figures.noteCode(401, 0);
  figures.noteCode(503, 401);
  figures.noteCode(200, 503);
  assert.deepEqual([...figures.codes], [[200, 1]]);
});

test('minutes are kept for a day, then as hours', () => {
  const spans = new TrunkSpans();
  fill(spans, TRUNK_MINUTES + 120);
  spans.age(START + TRUNK_MINUTES + 119);
  assert.ok(spans.minutes.size >= TRUNK_MINUTES && spans.minutes.size <= TRUNK_MINUTES + 60);
  assert.ok(spans.hours.size >= 1);
});

test('minutes ahead of the capture, by which a forger fills memory, become one sum', () => {
  const store = new TrunkStore(3);
  const named = store.row('acme', 'out', true);
  store.tick(START * 60e6);
  named.spans.add(START, (f) => f.noteCode(200, 0));
  let most = 0;
  for (let i = 1; i <= 200_000; i++) {
    named.spans.add(START + 7 * i, (f) => f.noteCode(i % 700, 0));
    if (i % 4_096 === 0) store.weigh();
    most = Math.max(most, named.spans.minutes.size);
  }
  store.weigh();
  assert.ok(named.spans.bytes <= TRUNK_FIGURE_BYTES, `${named.spans.bytes} bytes`);
  assert.ok(most < 200_000, 'nothing was summed up: the case is too small');
  // The minute that is now stays what it was, and the next ones have their own.
  assert.deepEqual([...(named.spans.minutes.get(START)?.codes ?? [])], [[200, 1]]);
  named.spans.add(START + 1, (f) => f.noteCode(503, 0));
  assert.ok(named.spans.minutes.has(START + 1));
});

test('all figures hold as many bytes as are promised, and lose no count', () => {
  const store = new TrunkStore(3);
  const rows = Array.from({ length: 100 }, (_, i) => store.row(`198.51.100.${i}`, 'out', false));
  const minutes = 1_000;
  for (let i = 0; i < minutes; i++) {
    for (const row of rows)
      row.spans.add(START + i, (f) => {
        f.attempts++;
        f.notePdd(1 + i * 10);
        f.noteMos(4.1);
      });
    store.tick((START + i + 1) * 60e6);
  }
  let [bytes, attempts] = [0, 0];
  for (const { spans } of store.rows) {
    bytes += spans.bytes;
    attempts += spans.since(0).attempts + (spans.before?.attempts ?? 0);
  }
  assert.ok(bytes <= TRUNK_FIGURE_BYTES, `${bytes} bytes`);
  assert.ok(
    rows.some(({ spans }) => spans.hours.size > 0),
    'nothing was merged: the case is too small',
  );
  assert.equal(attempts, rows.length * minutes);
});

test('the sum and the cells have each call once, whenever somebody looks at them', () => {
  const call = (spans: TrunkSpans, minute: number): void =>
    spans.addCall(minute, (f) => {
      f.attempts++;
      f.notePdd(50);
    });
  const counted = (spans: TrunkSpans): number[][] =>
    spans.cells.map((cells) => [0, 5, 60].map((at) => cells.at(cells.startOf(START + at))?.attempts ?? 0));
  const [looked, other] = [new TrunkSpans(), new TrunkSpans()];
  // The next minute begins, an earlier one gets more, somebody looks, and the same minutes get more.
  for (const at of [0, 0, 1, 0, 7, 61, 7, 1]) {
    call(looked, START + at);
    call(other, START + at);
    counted(looked);
  }
  const once = [
    [5, 2, 1],
    [7, 7, 1],
  ];
  assert.deepEqual(counted(looked), once);
  assert.deepEqual([looked.whole.attempts, other.whole.attempts], [8, 8]);
  looked.merge(other);
  assert.deepEqual(
    counted(looked),
    once.map((row) => row.map((n) => 2 * n)),
  );
  looked.merge(new TrunkSpans());
  call(looked, START + 61);
  looked.mergeMinutes(START / 60 + 2);
  call(looked, START);
  assert.deepEqual(counted(looked), [
    [11, 4, 3],
    [15, 15, 3],
  ]);
  assert.equal(looked.cells[1]?.at(START)?.pddMs?.count, 15);
  assert.deepEqual([looked.whole.attempts, looked.whole.pddMs?.count], [18, 18]);
});
