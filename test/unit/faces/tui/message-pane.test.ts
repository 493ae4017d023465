/** Lines of messages in pieces: all of them, none too wide, and a line of 64 kB in no time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AskMessage } from '../../../../src/contract/index.ts';
import { Cells, charactersOf, widthOf } from '../../../../src/faces/tui/cells.ts';
import { folded, MessagePane } from '../../../../src/faces/tui/message-pane.ts';
import { assertBounded } from '../../../helpers/bounded.ts';

test('the pieces of a line are the line, and each fits', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '\u6f22', '\u00e9', ';'), maxLength: 200 });
  fc.assert(
    fc.property(line, fc.integer({ min: 4, max: 40 }), (text, width) => {
      const pieces = [...folded(text, width)];
      assert.equal(pieces.map((piece, i) => (i === 0 ? piece : piece.slice(2))).join(''), text);
      for (const piece of pieces) assert.ok(widthOf(piece) <= width, piece);
    }),
  );
});

test('a header of 64 kB is cut into a thousand pieces', () => {
  assert.equal([...folded('x'.repeat(64_000), 66)].length, 1_000);
});

test('characters are the same however long the text is in which they stand', () => {
  for (const one of ['a', '\u6f22', 'a\u0301', '\u{1f469}\u200d\u{1f4bb}', 'ab\u0301c'])
    for (const before of ['', 'x', '\u00e9']) {
      const alone = charactersOf(one);
      const many = charactersOf(before + one.repeat(2_000));
      assert.deepEqual(many, [...charactersOf(before), ...Array.from({ length: 2_000 }, () => alone).flat()], one);
    }
});

test('of a message of 128 KiB in one line a frame folds what it shows', () => {
  const message: AskMessage = {
    ...{ call_id: 'a', index: 0, at: '2026-01-01T00:00:00Z', src: '', dst: '', transport: 'UDP', origin: 'wire' },
    ...{ summary: '', has_sdp: false, notes: [], text: 'a\u0301\u6f22'.repeat(32_000) },
  };
  const pane = new MessagePane();
  const cells = new Cells(80, 20, false);
  const draw = (): string => {
    pane.draw(cells, { x: 0, y: 0, width: 80, height: 20 }, message, { src: '', dst: '' });
    return cells.line(19);
  };
  assertBounded(250, 'a frame', draw);
  const first = draw();
  for (let i = 0; i < 3; i++) pane.scroll(1);
  assert.equal(draw().trimStart(), first.trimStart());
  // Beyond the end it stays at the end.
  for (let i = 0; i < 1_000; i++) pane.scroll(1);
  assert.notEqual(draw(), '');
});
