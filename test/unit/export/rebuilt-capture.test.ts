/** A capture rebuilt from kept messages: the same calls for calltap, without the secrets of TLS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '../../../src/core/turns.ts';
import { ORIGINS } from '../../../src/core/words.ts';
import { rebuiltCapture } from '../../../src/export/rebuilt-capture.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { INVITE, probedMessage, probedPacket } from '../../helpers/probe-message.ts';
import { readCaptureFile } from '../../helpers/read-capture.ts';
import { calls, sessionWith, written } from './rebuilt-calls.ts';

test('it reads back as the same calls of the same origin; only what a probe read has no secrets', async (t) => {
  const session = sessionWith(t, calls());
  const rebuilt = finish(rebuiltCapture(session.dialogs.oldestFirst(), session.log));
  assert.deepEqual([rebuilt.messages, rebuilt.leftOut], [6, 0]);
  const again = (await readCaptureFile(t, written(t, rebuilt))).session;
  for (const origin of ORIGINS) {
    const [before, after] = [session, again].map((from) => {
      const d = from.dialogs.get(origin);
      assert.ok(d !== undefined);
      const { frame: _frame, ...document } = dialogDocument(from.evidence, d);
      return { document, transport: from.log.transport(d.headRow), bytes: Buffer.from(from.log.bytes(d.headRow)) };
    });
    assert.equal(after?.document.input_origin, origin);
    assert.deepEqual([after?.document, after?.transport], [before?.document, before?.transport]);
    assert.equal(after?.bytes.includes('S3CR3T'), origin !== 'uprobe');
    assert.equal(after?.bytes.length, before?.bytes.length);
  }
});

test('a call that is asked for twice is there once; nothing to show is an empty file', async (t) => {
  const session = sessionWith(t, calls());
  const wire = session.dialogs.get('wire');
  assert.ok(wire !== undefined);
  assert.equal(finish(rebuiltCapture([wire, wire], session.log)).messages, 2);
  const empty = finish(rebuiltCapture([], session.log));
  assert.equal(empty.messages, 0);
  assert.equal((await readCaptureFile(t, written(t, empty))).session.dialogs.size, 0);
});

test('many bytes come in pieces as they are taken; what is evicted meanwhile is left out, or ends the file', (t) => {
  const long = ['X-Long: '.padEnd(60_000, 'x')];
  const many = Array.from(
    { length: 20 },
    (_, i) => [probedMessage(INVITE.replace('bob', `bob${i}`), 'long', long), probedPacket(4, i * 1e6)] as const,
  );
  const session = sessionWith(t, many);
  const dialog = session.dialogs.get('long');
  assert.ok(dialog !== undefined);
  const whole = finish(rebuiltCapture([dialog], session.log));
  assert.deepEqual([whole.messages, whole.leftOut], [20, 0]);
  assert.ok(whole.keeps < 512 * 1024);
  const pieces = [...whole.pieces()];
  assert.ok(pieces.length > 5 && pieces.every((piece) => piece.length < 256 * 1024));
  const unread = whole.pieces();
  unread.next();

  const steps = rebuiltCapture([dialog], session.log);
  for (let i = 0; i < 4; i++) assert.equal(steps.next().done, false);
  for (const [bytes, packet] of [...many, ...many]) {
    const other = Buffer.from(bytes.toString().replace('Call-ID: long', 'Call-ID: late'));
    session.ingest.sip.onBytes(other, 0, other.length, packet);
  }
  const cut = finish(steps);
  assert.ok(cut.leftOut > 0);
  assert.equal(cut.messages + cut.leftOut, 20);
  assert.throws(() => [...unread], /evicted while it was read/);
});
