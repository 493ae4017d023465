/**
 * Dialogs as large as a sender can make them: what their documents look at is counted, not timed. Each is made in small
 * steps, reads each message once, and says what it left out.
 */

import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Capture } from '../../../fixtures/build/capture.ts';
import { LINT_BYTES } from '../../../src/analysis/lint/context.ts';
import type { Steps } from '../../../src/core/turns.ts';
import { finish } from '../../../src/core/turns.ts';
import { MAX_CONTAINERS } from '../../../src/explore/containers.ts';
import { NotHere } from '../../../src/explore/refusal.ts';
import { dialogVcon } from '../../../src/export/vcon.ts';
import { MAX_DIALOG_STREAMS } from '../../../src/store/media/stream-store.ts';
import { dialogDocumentSteps, dialogLintSteps } from '../../../src/view/documents.ts';
import { lossesByReason } from '../../../src/view/losses.ts';
import { dialogDocument } from '../../helpers/at-once.ts';
import { asJson, asRows } from '../../helpers/json.ts';
import { largeDialog, manyStreams } from '../../helpers/large-dialog.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';
import { refusalOf } from '../../helpers/refusal.ts';

const MESSAGES = 300;

async function read(t: TestContext, capture: Capture, options: readonly string[] = []) {
  const { session } = await readCapture(t, capture.pcap(), ['--api', '127.0.0.1:1', ...options]);
  const d = session.dialogs.get('large');
  assert.ok(d !== undefined);
  return { session, d };
}

/** Reads of message bytes, and the most of them between two steps. */
function countReads(session: OpenSession, steps: (s: OpenSession) => Steps<unknown>) {
  const { log } = session;
  const original = log.bytes.bind(log);
  let sinceStep = 0;
  const counts = { reads: 0, atOnce: 0, steps: 0 };
  log.bytes = (row) => {
    counts.reads++;
    counts.atOnce = Math.max(counts.atOnce, ++sinceStep);
    return original(row);
  };
  const work = steps(session);
  for (let step = work.next(); step.done !== true; step = work.next()) {
    counts.steps++;
    sinceStep = 0;
  }
  log.bytes = original;
  return counts;
}

test('lint reads each message once and no more than its share, and says what it left out', async (t) => {
  const { session, d } = await read(t, largeDialog(MESSAGES, 40_000));
  const counts = countReads(session, (s) => dialogLintSteps(s.evidence, d));
  assert.equal(counts.atOnce, 1);
  const looked = Math.ceil(LINT_BYTES / 40_000);
  assert.ok(counts.reads <= looked + 1, `${counts.reads} messages read`);
  const found = await session.explorer.lint('large');
  const result = found;
  assert.equal(result?.messages_unread, MESSAGES - counts.reads);
  assert.ok((result?.finding_count ?? 0) > 0);
  // Counted for both.
  assert.equal(lossesByReason(session.figures)['lint_messages_unread'], 2 * (MESSAGES - counts.reads));
});

test('lint of what fits says nothing of limits', async (t) => {
  const { session } = await read(t, largeDialog(20, 1_000));
  const found = await session.explorer.lint('large');
  assert.deepEqual([found?.call_id, found?.messages_unread], ['large', undefined]);
  assert.equal(lossesByReason(session.figures)['lint_messages_unread'], 0);
});

test('the full document reads a message a step', async (t) => {
  const { session, d } = await read(t, largeDialog(MESSAGES, 20_000));
  const counts = countReads(session, (s) => dialogDocumentSteps(s.evidence, d));
  assert.ok(counts.reads > MESSAGES / 2 && counts.reads <= 3 * MESSAGES, `${counts.reads} reads`);
  // Of the detections one reads one message for the reason phrase.
  assert.ok(counts.atOnce <= 2, `${counts.atOnce} at once`);
});

test('a container brings every message, in pieces of bounded size', async (t) => {
  const { session, d } = await read(t, largeDialog(MESSAGES, 60_000, { fill: '\u0001' }));
  const pieces: number[] = [];
  const parts: string[] = [];
  for (const piece of finish(dialogVcon(session.figures, d, 0, null))) {
    pieces.push(piece.length);
    parts.push(piece);
  }
  const vcon = asJson(JSON.parse(parts.join('')));
  const [trace, complete] = asRows(vcon['attachments']).map((a) => asJson(a['body']));
  const messages = asRows(trace?.['messages']);
  assert.deepEqual(
    messages.map((m) => m['index']),
    Array.from({ length: MESSAGES }, (_, i) => i),
  );
  assert.ok(messages.every((m) => String(m['text']).length > 60_000));
  assert.deepEqual(complete?.['blind_spots'], []);
  // A control character is six characters of JSON.
  assert.ok(Math.max(...pieces) <= 6 * 32 * 1024, `${Math.max(...pieces)} characters`);
});

test('a container says what was evicted while it was read', async (t) => {
  const { session, d } = await read(t, largeDialog(30, 1_000));
  const container = finish(dialogVcon(session.figures, d, 0, null));
  const parts = [container.next().value ?? ''];
  const { log } = session;
  const has = log.has.bind(log);
  const gone = log.firstRow + 10;
  log.has = (row) => row >= gone && has(row);
  for (const piece of container) parts.push(piece);
  const vcon = asJson(JSON.parse(parts.join('')));
  const [trace, complete] = asRows(vcon['attachments']).map((a) => asJson(a['body']));
  const messages = asRows(trace?.['messages']);
  assert.deepEqual([messages.length, messages[0]?.['index']], [20, 10]);
  assert.deepEqual(complete?.['blind_spots'], ['10 messages of this dialog were not kept']);
});

test('a dialog that is evicted while its document is made is not found', async (t) => {
  const { session } = await read(t, largeDialog(MESSAGES, 20_000));
  const readers = session.explorer;
  const asked = readers.lint('large');
  const holds = session.dialogs.holds.bind(session.dialogs);
  session.dialogs.holds = () => false;
  assert.ok((await refusalOf(() => asked)) instanceof NotHere);
  session.dialogs.holds = holds;
  assert.ok(((await readers.lint('large'))?.finding_count ?? 0) > 0);
});

test('of a call with thousands of streams each is looked at once', async (t) => {
  const { session, d } = await read(t, manyStreams(3_000));
  const document = dialogDocument(session.evidence, d);
  assert.equal(document.streams.length, MAX_DIALOG_STREAMS);
  let steps = 0;
  const work = dialogDocumentSteps(session.evidence, d);
  for (let step = work.next(); step.done !== true; step = work.next()) steps++;
  // One for its quality and one for its row.
  assert.ok(steps >= 2 * MAX_DIALOG_STREAMS, `${steps} steps`);
});

test('more containers than are made at a time are made one after the other, and nobody need read one', async (t) => {
  const { session } = await read(t, largeDialog(20, 1_000));
  const containers = await Promise.all(
    Array.from({ length: 3 * MAX_CONTAINERS }, async () => session.explorer.vcon('large')),
  );
  for (const { keeps } of containers) assert.ok(keeps < 256 * 1024, `${keeps}`);
  const last = containers.at(-1) ?? assert.fail();
  assert.ok((await text(last.text)).length > 20_000);
  for (const { text: unread } of containers) unread.destroy();
});
