/** Lines for people: folded between words, and scrolled as a text is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOK, widthOf } from '../../../../src/faces/tui/cells.ts';
import { TextView } from '../../../../src/faces/tui/text-view.ts';
import { wrapped, wrappedTo } from '../../../../src/faces/tui/wrap.ts';
import { cpuMs } from '../../../helpers/patience.ts';
import { testScreen } from '../../../helpers/tui-screen.ts';

test('a line is folded between words, and set in below its own text', () => {
  assert.deepEqual([...wrapped('- INVITE was refused with 503', 16)], ['- INVITE was', '  refused with', '  503']);
  assert.deepEqual([...wrapped('    a table  of  figures', 14)], ['    a table', '   of  figures']);
  assert.deepEqual([...wrapped('', 10)], ['']);
  assert.deepEqual([...wrapped('short', 10)], ['short']);
});

test('a word that is longer than a line is cut, and no character of it is lost', () => {
  assert.deepEqual([...wrapped('x abcdefghij', 6)], ['x', ' abcde', ' fghij']);
  for (const text of [
    '\u6771\u4eac'.repeat(40),
    `a\u0308`.repeat(90),
    'x'.repeat(300),
    '\u{1f469}\u200d\u{1f4bb} '.repeat(30),
  ]) {
    const pieces = [...wrapped(text, 11)];
    assert.ok(
      pieces.every((piece) => widthOf(piece) <= 11),
      text,
    );
    assert.equal(pieces.join('').replaceAll(' ', ''), text.replaceAll(' ', ''));
  }
});

test('a line of 128 KiB is folded at once, whatever it is made of', () => {
  for (const text of ['x', '\u6771', 'a\u0308', ' y', '\u0308'].map((part) => part.repeat(131_072 / part.length))) {
    const tookMs = cpuMs(() => assert.ok([...wrapped(text, 80)].length > 0));
    assert.ok(tookMs < 5_000, JSON.stringify(text.slice(0, 4)));
  }
});

test('where lines are left out the last one says so', () => {
  assert.deepEqual(wrappedTo(['one two', 'three'], 5, 2), ['one', ' two\u2026']);
  assert.deepEqual(wrappedTo(['one two', 'three'], 5, 3), ['one', ' two', 'three']);
});

test('the first page key moves a page, and the last page is full', (t) => {
  const screen = testScreen(t, [40, 12]);
  const lines = Array.from({ length: 25 }, (_, i) => `line ${i}`);
  screen.show(new TextView(screen.app, 'Report', lines));
  const shown = (): string[] => screen.lines().filter((line) => line.startsWith('line '));
  assert.deepEqual(shown(), lines.slice(0, 9));
  screen.press('pagedown');
  assert.deepEqual(shown(), lines.slice(9, 18));
  screen.press('pagedown');
  assert.deepEqual(shown(), lines.slice(16));
  assert.match(screen.lines()[1] ?? '', /^Report {3}lines 17 to 25 of 25$/);
  screen.press('pageup', 'j');
  assert.deepEqual(shown(), lines.slice(8, 17));
  screen.press('g');
  assert.deepEqual(shown(), lines.slice(0, 9));
});

test('a sentence that is wider than the screen is shown in whole, also one that is said below', (t) => {
  const screen = testScreen(t, [40, 12]);
  const sentence = 'INVITE was refused with 503 Service Unavailable. Try again after 30 s.';
  screen.show(new TextView(screen.app, 'Report', [{ text: sentence, look: LOOK.red }]));
  const text = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(' ');
  assert.ok(text(screen.lines()).includes(sentence));
  screen.app.say(`cannot write it: ${sentence}`);
  assert.ok(text(screen.lines().slice(-3)).endsWith(`cannot write it: ${sentence}`));
});
