/** Calls while they happen: each message of the chosen ones, and each dialog once it has ended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskMessage, CallDocument } from '../../../src/contract/index.ts';
import { statusText } from '../../../src/faces/cli/status-line.ts';
import { parseFilter } from '../../../src/query/parse.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { openSession } from '../../helpers/open-session.ts';

const DEMO = 'fixtures/demo/demo.pcap';

async function watched(
  filter: string,
): Promise<{ session: OpenSession; messages: AskMessage[]; ended: CallDocument[] }> {
  const parsed = parseFilter(filter, { isUtc: true });
  assert.ok(parsed.ok);
  const messages: AskMessage[] = [];
  const ended: CallDocument[] = [];
  const telling = {
    filter: parsed.filter,
    showsSecrets: false,
    onMessage: (m: AskMessage) => messages.push(m),
    onEnd: (d: CallDocument) => ended.push(d),
  };
  const session = openSession(['-I', DEMO, '--json'], {}, { telling });
  await session.read([DEMO], () => undefined);
  return { session, messages, ended };
}

test('each message of the chosen calls comes once, in order, without secrets', async () => {
  const { session, messages } = await watched('from:2019');
  assert.deepEqual(
    messages.map(({ call_id, index }) => [call_id, index]),
    Array.from({ length: messages.length }, (_, i) => ['auth-loop@pbx.example.com', i]),
  );
  assert.ok(messages.length > 8);
  assert.ok(messages.some(({ text }) => text.includes('Proxy-Authorization: [removed]')));
  assert.ok(!messages.some(({ text }) => text.includes('response=')));
  session.close();
});

test('a filter is asked anew as a call goes on', async () => {
  const { session, messages } = await watched('code:486');
  // The call is refused by its third message: from then on it is chosen.
  assert.deepEqual(
    messages.map(({ summary }) => summary.split(' ')[0]),
    ['486', 'ACK'],
  );
  session.close();
});

test('a dialog is told of when it has settled, the rest at the end, each once', async () => {
  const { session, ended } = await watched('');
  const { watched: calls, evidence, ingest } = session;
  assert.ok(calls !== null);
  const { nowUs } = evidence.capture;
  calls.onTick(nowUs);
  const soon = ended.length;
  assert.ok(soon > 15 && soon < 21, String(soon));
  calls.onTick(nowUs);
  assert.equal(ended.length, soon);
  const all = [...ended, ...calls.rest()];
  assert.equal(all.length, 21);
  assert.deepEqual([...calls.rest()], []);
  assert.equal(new Set(all.map(({ call_id }) => call_id)).size, 21);
  assert.ok(ingest.tracker.counts.messages === 149);
  session.close();
});

test('the status line names what is not analysed only where there is something', () => {
  const pulse = {
    calls: 3,
    active: 1,
    packets: 9,
    sipMessages: 7,
    dropped: 0,
    outside: 0,
    isDegraded: false,
    progress: null,
    nowUs: 0,
  };
  assert.equal(statusText(pulse, 12), '3 dialogs (1 active), 7 SIP messages, 12 packets/s, 0 dropped');
  assert.match(statusText({ ...pulse, outside: 4 }, 12), /, 4 on ports not analysed \(--portrange\)$/);
});
