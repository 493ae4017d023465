/** Keys by their names, from the bytes that terminals send; and the line that is typed into. */
import assert from 'node:assert/strict';
import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Binding, Pressed } from '../../../../src/faces/tui/keys.ts';
import { bindingOf, keyNames, shownKey } from '../../../../src/faces/tui/keys.ts';
import { LineEditor } from '../../../../src/faces/tui/line-editor.ts';

function namesOf(bytes: string): string[] {
  const stream = new PassThrough();
  const names: string[] = [];
  emitKeypressEvents(stream);
  stream.on('keypress', (_: string | undefined, pressed: Pressed) => names.push(...keyNames(pressed)));
  stream.write(bytes);
  return names;
}

test('what terminals send, by name', () => {
  assert.deepEqual(namesOf('jG/ \r\n\t'), ['j', 'G', '/', 'space', 'enter', 'enter', 'tab']);
  assert.deepEqual(namesOf('\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[F'), [
    'up',
    'down',
    'pageup',
    'pagedown',
    'home',
    'end',
  ]);
  assert.deepEqual(namesOf('\u001bOP\u001b[15~\u007f\u0003\u000c'), ['f1', 'f5', 'backspace', 'ctrl-c', 'ctrl-l']);
  assert.deepEqual(namesOf('\u00e4\u6f22>?'), ['\u00e4', '\u6f22', '>', '?']);
});

test('Esc and what comes with it in one read are two keys', () => {
  assert.deepEqual(namesOf('\u001bx'), ['esc', 'x']);
  assert.deepEqual(namesOf('\u001b/\u0015\r'), ['esc', '/', 'ctrl-u', 'enter']);
  assert.deepEqual(namesOf('r\u001b\r\u001b\u001bj'), ['r', 'esc', 'enter', 'esc', 'esc', 'j']);
  assert.deepEqual(namesOf('\u001b\u001b[A\u001bG'), ['esc', 'up', 'esc', 'G']);
});

test('a key is written as it stands on a keyboard', () => {
  assert.deepEqual(['ctrl-l', 'f10', 'enter', 'up', 'x'].map(shownKey), ['^L', 'F10', 'Enter', '\u2191', 'x']);
});

test('the first table that has a key decides', () => {
  const said: string[] = [];
  const binding = (key: string, what: string): Binding => ({ keys: [key], help: what, run: () => said.push(what) });
  const tables = [[binding('q', 'back')], [binding('q', 'quit'), binding('h', 'help')]];
  bindingOf(tables, 'q')?.run('q');
  bindingOf(tables, 'h')?.run('h');
  assert.equal(bindingOf(tables, 'z'), null);
  assert.deepEqual(said, ['back', 'help']);
});

test('a line is typed, moved in, and cut by whole characters', () => {
  const line = new LineEditor('a\u{1f600}c');
  for (const key of ['left', 'backspace', 'x', 'space', 'end', 'd', 'home', 'delete']) assert.ok(line.take(key), key);
  assert.equal(line.text, 'x cd');
  assert.equal(line.take('f5'), false);
  for (const key of ['end', 'ctrl-w']) line.take(key);
  assert.equal(line.text, 'x ');
  line.replace({ start: 0, end: 1, words: [] }, 'from:');
  assert.deepEqual([line.text, line.before], ['from: ', 'from:']);
  for (const key of ['ctrl-u', 'ctrl-k']) line.take(key);
  assert.equal(line.text, '');
});
