/** Cells: only what changed is written, wide characters take two, and no captured byte steers the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Cells, fitCells, LOOK, widthOf } from '../../../../src/faces/tui/cells.ts';

/** What a terminal shows of the frames: enough of one to check them, with cells that are one or two wide. */
class FakeTerminal {
  readonly cells: string[][];
  #x = 0;
  #y = 0;
  constructor(width: number, height: number) {
    this.cells = Array.from({ length: height }, () => new Array<string>(width).fill('?'));
  }

  write(text: string): void {
    for (const [, y, x, other, shown = ''] of text.matchAll(
      /\u001b\[(?:(\d+);(\d+)H|([?\d;]*[a-zA-Z]))|([^\u001b]+)/g,
    )) {
      if (y !== undefined) [this.#y, this.#x] = [Number(y) - 1, Number(x) - 1];
      else if (other === undefined) for (const { segment } of new Intl.Segmenter().segment(shown)) this.#put(segment);
    }
  }

  #put(segment: string): void {
    const row = this.cells[this.#y] ?? [];
    row[this.#x] = segment;
    if (widthOf(segment) === 2) row[this.#x + 1] = '';
    this.#x += widthOf(segment);
  }

  line(y: number): string {
    return (this.cells[y] ?? []).join('').trimEnd();
  }
}

test('the first frame draws all, the next one only what differs', () => {
  const cells = new Cells(20, 3, true);
  cells.put(0, 0, 'one');
  cells.put(0, 2, 'three', LOOK.red | LOOK.bold);
  const first = cells.frame(null);
  assert.ok(first.startsWith('\u001b[?2026h') && first.endsWith('\u001b[?2026l\u001b[?25l'));
  assert.ok(first.includes('\u001b[0;1;31mthree'));
  assert.equal(cells.frame(null), '\u001b[?25l');
  cells.clear();
  cells.put(0, 0, 'one');
  cells.put(0, 2, 'threw', LOOK.red | LOOK.bold);
  assert.equal(
    cells.frame({ x: 2, y: 1 }),
    '\u001b[?2026h\u001b[?25l\u001b[3;5H\u001b[0;1;31mw\u001b[0m\u001b[?2026l\u001b[2;3H\u001b[?25h',
  );
  cells.forget();
  assert.ok(cells.frame(null).includes('one'));
});

test('without colours there are marks alone', () => {
  const cells = new Cells(10, 1, false);
  cells.put(0, 0, 'red', LOOK.red | LOOK.reverse);
  assert.ok(cells.frame(null).includes('\u001b[0;7mred'));
});

test('what is too wide is cut before the end of the cell, with an ellipsis', () => {
  assert.equal(fitCells('abcdef', 4), 'abc\u2026');
  assert.equal(fitCells('\u6f22\u5b57\u6f22', 5), '\u6f22\u5b57\u2026');
  assert.equal(fitCells('\u6f22\u5b57\u6f22', 4), '\u6f22\u2026');
  assert.equal(fitCells('abc', 0), '');
  const cells = new Cells(6, 1, true);
  assert.equal(cells.put(4, 0, 'abc'), 2);
  assert.equal(cells.line(0), '    a\u2026');
  for (const [x, y] of [
    [-1, 0],
    [0, -1],
    [6, 0],
    [0, 1],
  ] as const)
    assert.equal(cells.put(x, y, 'a'), 0);
});

test('half of a wide character that is written over is blank', () => {
  const cells = new Cells(6, 1, true);
  cells.put(0, 0, '\u6f22\u5b57');
  cells.put(1, 0, 'a');
  assert.equal(cells.line(0), ' a\u5b57');
  cells.put(2, 0, 'b');
  assert.equal(cells.line(0), ' ab');
});

test('whatever is drawn, the terminal shows it, and gets no control character but those of the frame', () => {
  const wild = fc.string({ unit: 'binary', maxLength: 12 });
  const nasty = fc.constantFrom(
    '\u001b[2J',
    '\u0007',
    'a\u202eb',
    '\u009b1m',
    '\u0000',
    'e\u0301',
    '\u6f22',
    '\u{1f468}\u200d\u{1f469}',
    'a\u0301'.repeat(40),
  );
  const puts = fc.array(fc.tuple(fc.nat(11), fc.nat(3), fc.oneof(wild, nasty), fc.nat(127)), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(puts, { minLength: 1, maxLength: 4 }), (frames) => {
      const cells = new Cells(12, 4, true);
      const terminal = new FakeTerminal(12, 4);
      for (const frame of frames) {
        cells.clear();
        for (const [x, y, text, look] of frame) cells.put(x, y, text, look);
        const written = cells.frame(null);
        assert.equal(
          written
            .replace(/\u001b\[(\?2026[hl]|\?25[hl]|\d+;\d+H|[\d;]+m)/g, '')
            .search(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/),
          -1,
        );
        terminal.write(written);
        for (let y = 0; y < 4; y++) assert.equal(terminal.line(y), cells.line(y));
      }
    }),
    { numRuns: 500 },
  );
});
