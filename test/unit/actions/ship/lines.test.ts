/** Lines of text as bytes in slabs: what fits to the last byte stays in one, what does not goes whole to the next. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHIP_SLAB_BYTES, Slabs, WaitingLines } from '../../../../src/actions/ship/lines.ts';

const FILL = 'a'.repeat(SHIP_SLAB_BYTES - 101);
/** 99 bytes of UTF-8, and a line end. */
const EUROS = '€'.repeat(33);

function piecesOf(texts: readonly string[]): { readonly pieces: readonly string[]; readonly bytes: number } {
  const lines = new WaitingLines(new Slabs());
  const added = texts.reduce((sum, text) => sum + lines.add(text), 0);
  assert.equal(lines.bytes, added);
  const { pieces, bytes, rows } = lines.take(10 * SHIP_SLAB_BYTES);
  assert.equal(rows, texts.length);
  assert.equal(bytes, added);
  return { pieces: pieces.map((piece) => piece.toString('utf8')), bytes };
}

test('a line of long characters that fits to the last byte takes no other slab', () => {
  assert.deepEqual(piecesOf([FILL, EUROS]), { pieces: [`${FILL}\n${EUROS}\n`], bytes: SHIP_SLAB_BYTES });
});

test('a line that does not fit by one byte goes whole to the next slab', () => {
  const text = `${EUROS}b`;
  assert.deepEqual(piecesOf([FILL, text]), { pieces: [`${FILL}\n`, `${text}\n`], bytes: SHIP_SLAB_BYTES + 1 });
});

test('a line longer than a slab has one of its own, and those after it another', () => {
  const long = '€'.repeat(SHIP_SLAB_BYTES);
  const { pieces, bytes } = piecesOf(['{}', long, '{}']);
  assert.deepEqual(pieces, ['{}\n', `${long}\n`, '{}\n']);
  assert.equal(bytes, 3 * SHIP_SLAB_BYTES + 7);
});
