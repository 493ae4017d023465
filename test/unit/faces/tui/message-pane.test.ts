/** Lines of messages in pieces: all of them, none too wide, and a line of 64 kB in no time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { widthOf } from '../../../../src/faces/tui/cells.ts';
import { folded } from '../../../../src/faces/tui/message-pane.ts';

test('the pieces of a line are the line, and each fits', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '\u6f22', '\u00e9', ';'), maxLength: 200 });
  fc.assert(
    fc.property(line, fc.integer({ min: 4, max: 40 }), (text, width) => {
      const pieces = folded(text, width);
      assert.equal(pieces.map((piece, i) => (i === 0 ? piece : piece.slice(2))).join(''), text);
      for (const piece of pieces) assert.ok(widthOf(piece) <= width, piece);
    }),
  );
});

test('a header of 64 kB is cut into a thousand pieces', () => {
  assert.equal(folded('x'.repeat(64_000), 66).length, 1_000);
});
