/** Server-sent events, and the words for what a server does instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, REMOTE_EVENT_BYTES } from '../../../src/net/event-stream.ts';
import { connectionFailure, RemoteFailure, saidText } from '../../../src/net/failures.ts';

test('events: cut anywhere, with comments and CR LF; beyond the cap it ends', () => {
  const text =
    ': hello\r\nretry: 2000\n\nevent: change\ndata: {"a":\ndata: "\u00e4"}\n\nevent: resync\r\ndata: {}\r\n\r\ndata:x\n\n';
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) {
    const reader = new EventReader();
    const events = [...reader.read(bytes.subarray(0, at)), ...reader.read(bytes.subarray(at))];
    assert.deepEqual(
      events.map(({ name, data }) => [name, data]),
      [
        ['change', '{"a":\n"\u00e4"}'],
        ['resync', '{}'],
        ['', 'x'],
      ],
      String(at),
    );
  }
  const endless = new EventReader();
  assert.throws(() => {
    for (let i = 0; i < 100; i++) for (const _ of endless.read(Buffer.alloc(REMOTE_EVENT_BYTES / 10, 'a')));
  }, RemoteFailure);
  const many = new EventReader();
  assert.throws(() => {
    for (let i = 0; i < 1_000; i++) for (const _ of many.read(Buffer.from(`data: ${'a'.repeat(1_000)}\n`)));
  }, RemoteFailure);
});

test('what a server says is cut and holds nothing that steers a terminal', () => {
  assert.equal(saidText('a\u001b[2Jb\u202e.'), 'a\u00b7[2Jb\u00b7');
  assert.ok(saidText('x'.repeat(10_000)).length <= 200);
  const odd = Object.assign(new Error('x'), { code: 'E\u001b[31m' });
  assert.doesNotMatch(connectionFailure(odd).message, /\u001b/);
});
