/** Messages for SIPp: secrets are taken out, and what SIPp would copy past its buffers or misread is refused. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { replayedMessage } from '../../../src/export/sipp-message.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** The last message of OPTIONS, its response and one more with these changes. */
async function read(t: TestContext, change: (text: string) => string, showSecrets = false) {
  const script = new SipScript({ callId: 'one@example.com', caller: ALICE, callee: BOB, startUs: EPOCH_US });
  script.respond(script.request('OPTIONS', 0), 200, 10);
  script.request('OPTIONS', 20, { headers: [['X', 'here']] });
  const messages = script.messages.map((m, i) => {
    const text = Buffer.from(m.bytes).toString('latin1');
    return { ...m, bytes: Buffer.from(i === 2 ? change(text) : text, 'latin1') };
  });
  const { session } = await readCapture(t, new Capture().add(messages).pcap());
  const d = session.dialogs.get('one@example.com') ?? assert.fail();
  const last = messagesOf(d, session.log).at(-1) ?? assert.fail();
  return replayedMessage(last, true, showSecrets);
}

const put = (header: string) => (text: string) => text.replace('X: here', header);
const long = 'A'.repeat(3_000);

const REFUSED: Readonly<Record<string, readonly [(text: string) => string, string]>> = {
  'a long Contact': [put(`Contact: <sip:${long}@192.0.2.10>`), 'too_long'],
  'a long Via': [put(`Via: SIP/2.0/UDP a;branch=${long}`), 'too_long'],
  'many long headers': [put(Array.from({ length: 8 }, (_, i) => `X-${i}: ${long}`).join('\r\n')), 'too_long'],
  'an empty Contact in front of the body': [(text) => text.replace(/Content-Length.*\r\n/, 'Contact: \r\n'), 'headers'],
  'a CSeq without a number': [(text) => text.replace(/CSeq: .*/, 'CSeq: OPTIONS'), 'headers'],
  'another version': [(text) => text.replace(' SIP/2.0\r\n', ' SIP/3.0\r\n'), 'start_line'],
  'no blank behind the method': [(text) => text.replace('OPTIONS ', 'OPTIONS\t'), 'start_line'],
  'a long method': [(text) => text.replaceAll('OPTIONS', 'A'.repeat(40)), 'method'],
};
for (const [name, [change, reason]] of Object.entries(REFUSED)) {
  test(`refused: ${name}`, async (t) => {
    const found = await read(t, change);
    assert.deepEqual(found, { ok: false, reason });
  });
}

test('a long header that SIPp never looks at is replayed', async (t) => {
  const found = await read(t, put(`Identity: ${long}`));
  assert.ok(found.ok && found.value.text.includes(long));
});

test('credentials go, a challenge stays; offsets fit the text', async (t) => {
  const challenge = 'WWW-Authenticate: Digest realm="r", nonce="open"';
  const headers = `${challenge}\r\nAuthorization: Digest response="hidden"`;
  const found = await read(t, put(headers));
  assert.ok(found.ok);
  const { text, lines } = found.value;
  assert.ok(text.includes(`\r\n${challenge}\r\nAuthorization: [removed]\r\n`) && !text.includes('hidden'));
  for (const line of lines) assert.match(text.slice(line.start, line.end), /^[\w-]+: ?/);
  const shown = await read(t, put(headers), true);
  assert.ok(shown.ok && shown.value.text.includes('response="hidden"'));
});
