/** Calls whose messages are as large as a sender can make them: no step of the judges reads many of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { dialogFactsSteps } from '../../../src/analysis/dialog-facts.ts';
import { LostDatagrams } from '../../../src/store/lost-datagrams.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const MESSAGES = 300;
/** Of 20 kB each: what one step may read. */
const MOST_READS = 16;

const SDP = `v=0\r\no=- 1 1 IN IP4 192.0.2.10\r\ns=-\r\nc=IN IP4 192.0.2.10\r\nt=0 0\r\n${'m=audio 4000 RTP/AVP 0\r\na=sendrecv\r\n'.repeat(500)}`;

/** A line: `INVITE`, or `200 INVITE`. */
function message(
  ms: number,
  what: string,
  cseq: number,
  body: string,
  headers = '',
): Parameters<Capture['add']>[0][number] {
  const [status, of = ''] = what.split(' ');
  const isRequest = of === '';
  const head = isRequest ? `${what} sip:b@y SIP/2.0` : `SIP/2.0 ${status} Said`;
  const isFirst = cseq === 1 && what === 'INVITE';
  const text = `${head}\r\nVia: SIP/2.0/UDP 192.0.2.10;branch=z9hG4bK${cseq}\r\nFrom: <sip:a@x>;tag=a\r\nTo: <sip:b@y>${isFirst ? '' : ';tag=b'}\r\nCall-ID: large\r\nCSeq: ${cseq} ${isRequest ? what : of}\r\n${headers}Content-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const [src, dst] = isRequest ? [ALICE.sip, BOB.sip] : [BOB.sip, ALICE.sip];
  return { tsUs: EPOCH_US + ms * 1_000, src, dst, bytes: Buffer.from(text, 'latin1') };
}

const BEGIN = [message(0, 'INVITE', 1, ''), message(500, '200 INVITE', 1, ''), message(600, 'ACK', 1, '')];
const FILL = `X-Fill: ${'x'.repeat(20_000)}\r\n`;
const many = (make: (i: number) => ReturnType<typeof message>) => Array.from({ length: MESSAGES }, (_, i) => make(i));

const CALLS: Readonly<Record<string, readonly ReturnType<typeof message>[]>> = {
  'a refused re-INVITE among many descriptions': [
    ...BEGIN,
    message(1_000, 'INVITE', 2, SDP),
    message(1_100, '488 INVITE', 2, ''),
    ...many((i) => message(2_000 + i, 'INFO', 3 + i, SDP)),
    message(20_000, 'BYE', 999, ''),
  ],
  'many answers without a session timer': [
    ...BEGIN,
    ...many((i) => message(700 + i, '200 INVITE', 1, '', `X-N: ${i}\r\n${FILL}`)),
    message(90_000, 'BYE', 999, ''),
  ],
  'many PRACKs for one response': [
    message(0, 'INVITE', 1, ''),
    ...[0, 500, 1_500].map((ms) => message(100 + ms, '183 INVITE', 1, '', 'Require: 100rel\r\nRSeq: 1\r\n')),
    ...many((i) => message(2_000 + i, 'PRACK', 2 + i, '', `RAck: 9 9 INVITE\r\n${FILL}`)),
  ],
};

for (const [name, messages] of Object.entries(CALLS))
  test(`a step reads few messages: ${name}`, async (t) => {
    const { session } = await readCapture(t, new Capture().add(messages).pcap());
    const d = session.dialogs.get('large');
    assert.ok(d !== undefined);
    const original = session.log.bytes.bind(session.log);
    let sinceStep = 0;
    let most = 0;
    session.log.bytes = (row) => {
      most = Math.max(most, ++sinceStep);
      return original(row);
    };
    const steps = dialogFactsSteps(session.evidence, d);
    while (steps.next().done !== true) sinceStep = 0;
    assert.ok(most > 0 && most <= MOST_READS, `${most} reads`);
  });

test('lost fragments of a call are held against the messages with their number alone', async (t) => {
  const { session } = await readCapture(
    t,
    new Capture()
      .add(BEGIN)
      .add(many((i) => message(1_000 + i, 'INFO', 3 + i, '')))
      .pcap(),
  );
  const d = session.dialogs.get('large');
  assert.ok(d !== undefined);
  const { lostDatagrams } = session.evidence.stores;
  assert.ok(lostDatagrams instanceof LostDatagrams);
  const own = { atUs: EPOCH_US, source: 0, method: 'INVITE', status: 0, cseq: 7, callId: d.callIdKey };
  for (let i = 0; i < 256; i++) lostDatagrams.add({ ...own, src: 1, dst: 2 });
  const original = session.log.origin.bind(session.log);
  let made = 0;
  // Each message that is made asks for it.
  Object.defineProperty(session.log, 'origin', {
    value: (row: number) => {
      made++;
      return original(row);
    },
  });
  const steps = dialogFactsSteps(session.evidence, d);
  while (steps.next().done !== true);
  assert.ok(made < 3 * MESSAGES, `${made} messages made`);
});
