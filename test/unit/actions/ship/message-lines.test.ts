/** Rows of messages: what the log knows of each, without secrets, and without bodies unless they are wanted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageRange } from '../../../../src/actions/ship/message-lines.ts';
import { messageLinesSteps } from '../../../../src/actions/ship/message-lines.ts';
import { CallMessage } from '../../../../src/analysis/call-messages.ts';
import { finish } from '../../../../src/core/turns.ts';
import { MAX_KEPT_MESSAGE_BYTES } from '../../../../src/store/messages/message-log.ts';
import { ROW } from '../../../../src/store/messages/message-rows.ts';
import type { Kept } from './kept-message.ts';
import { kept, sip } from './kept-message.ts';

const NOW_US = 1_700_000_000e6;

function rowsOf(all: readonly Kept[], more: Partial<MessageRange> = {}, hasBodies = true): Record<string, unknown>[] {
  const messages = all.map(({ log, row }, i) => new CallMessage(log, row, i));
  const rows: Record<string, unknown>[] = [];
  const gone = finish(
    messageLinesSteps({ kept: messages, from: 0, upTo: messages.length, ...more }, NOW_US, {
      ...{ head: '{"host":"sbc1",', clockSteps: [], hasBodies },
      add: (line) => rows.push(JSON.parse(line) as Record<string, unknown>),
    }),
  );
  assert.equal(gone + rows.length, (more.upTo ?? messages.length) - (more.from ?? 0));
  return rows;
}

test('a row says what the log knows of the message', () => {
  const flags = ROW.RETRANSMISSION | ROW.COPY | ROW.DUPLICATE;
  const first = kept(sip('über'), { flags, isIpv6: true, transport: 1 });
  const second = kept(sip('b'));
  const same = { host: 'sbc1', at: '2023-11-14T22:13:20.123456Z', origin: 'wire', summary: 'INVITE sip:2@example.net' };
  assert.deepEqual(rowsOf([first, second]), [
    {
      ...{ ...same, message: 0, src: '[::ffff:192.0.2.1]:5060', dst: '[2001:db8:707:707:707:707:707:707]:65535' },
      ...{ transport: 'TCP', notes: ['again', 'duplicate', 'copy'], text: first.bytes.toString('utf8') },
    },
    {
      ...{ ...same, message: 1, src: '192.0.2.1:5060', dst: '32.1.13.184:65535', transport: 'UDP', notes: [] },
      text: second.bytes.toString('utf8'),
    },
  ]);
});

test('messages keep their numbers, and those that are gone are counted', () => {
  const all = ['a', 'b', 'c'].map((text) => kept(sip(text)));
  assert.deepEqual(
    rowsOf(all, { from: 6, upTo: 10 }).map(({ message }) => message),
    [7, 8, 9],
  );
  assert.deepEqual(
    rowsOf(all, { from: 9, upTo: 10 }).map(({ message }) => message),
    [9],
  );
  assert.deepEqual(rowsOf(all, { from: 10, upTo: 10 }), []);
});

test('a body is there where it is wanted, and no secret ever', () => {
  const body = 'v=0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj\r\n';
  const head = 'INVITE sip:2@example.net SIP/2.0\r\nAuthorization: Digest username="a", response="0123"\r\n\r\n';
  const [full, headers] = [true, false].map((hasBodies) =>
    String(rowsOf([kept(head + body)], {}, hasBodies)[0]?.['text']),
  );
  assert.ok(full?.includes('v=0') && !headers?.includes('v=0'));
  for (const text of [full, headers]) assert.doesNotMatch(text ?? '', /d0Rm|0123/);
  for (const end of ['\r\n\r\n', '\n\n', '\n\r\n'])
    assert.equal(
      rowsOf([kept(`OPTIONS sip:a SIP/2.0\r\nTo: b${end}body`)], {}, false)[0]?.['text'],
      `OPTIONS sip:a SIP/2.0\r\nTo: b${end}`,
    );
});

test('every message is one row, whatever its length', () => {
  for (const length of [1, 900, 90_000, MAX_KEPT_MESSAGE_BYTES - 100])
    for (const char of ['a', '\u0001', '"', '\\', '☎']) {
      const one = kept(sip(char.repeat(Math.floor(length / Buffer.byteLength(char)))));
      assert.equal(rowsOf([one])[0]?.['text'], one.bytes.toString('utf8'));
    }
});
