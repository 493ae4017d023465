/**
 * The cause of a call's end: which message names it, what of several values counts, and how it is shown (RFC 3326).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { SipRequest } from '../../../fixtures/build/sip-call.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import type { Termination } from '../../../src/contract/index.ts';
import { toTermination } from '../../../src/view/termination.ts';
import { assertDocument } from '../../api/strict-contract.ts';
import { TrackerKit } from '../ingest/dialogs/tracker-kit.ts';

const party = (user: string, address: string) => ({
  user,
  sip: { address, port: 5060 },
  rtp: { address, port: 20_000 },
});

type Headers = readonly (readonly [string, string])[];

/** A call played by `play`, with the frame numbers of its messages; its termination. */
function terminationOf(play: (s: SipScript, invite: SipRequest) => void): Termination | null {
  const script = new SipScript({
    callId: 'ended',
    caller: party('alice', '192.0.2.1'),
    callee: party('bob', '192.0.2.2'),
    startUs: EPOCH_US,
  });
  play(script, script.request('INVITE', 0));
  const kit = new TrackerKit();
  script.messages.forEach((m, i) => {
    kit.send(m, { frame: i, digestHigh: 0x01020304, digestLow: i + 1 });
  });
  const out = toTermination(kit.dialog('ended'), ['calls.pcap']);
  if (out !== null) assertDocument('Termination', out);
  return out;
}

/** An answered call whose BYE has these headers. */
const byeWith = (headers: Headers): Termination | null =>
  terminationOf((s, invite) => {
    s.respond(invite, 200, 100);
    s.ack(invite, 200, 110);
    s.respond(s.request('BYE', 5000, { headers }), 200, 5010);
  });

test('the Reason of the BYE, with its frame', () => {
  assert.deepEqual(byeWith([['Reason', 'Q.850;cause=16;text="Normal call clearing, thanks"']]), {
    cause_code: 16,
    cause_text: 'Normal call clearing, thanks',
    protocol: 'Q.850',
    source_header: 'Reason',
    frame_ref: 'calls.pcap#3@0102030400000004',
  });
});

test('a Q.850 cause without a text gets the name of the standard; a code of SIP gets none', () => {
  assert.equal(byeWith([['Reason', 'q.850 ; cause = 34']])?.cause_text, 'No circuit available');
  const sip = byeWith([['Reason', 'SIP;cause=200']]);
  assert.deepEqual([sip?.protocol, sip?.cause_code, sip?.cause_text], ['SIP', 200, undefined]);
});

test('of several values the one of the telephone network counts', () => {
  const both = byeWith([['Reason', 'SIP;cause=480;text="a, b", Q.850;cause=18;text="no answer"']]);
  assert.deepEqual([both?.protocol, both?.cause_code, both?.cause_text], ['Q.850', 18, 'no answer']);
});

test('no Reason header, no termination', () => {
  for (const headers of [[], [['Reason', '']], [['Reason', ';cause=1']], [['Reason', 'a b;cause=1']]] as Headers[])
    assert.equal(byeWith(headers), null);
  const vague = byeWith([['Reason', 'Q.850;cause=abc']]);
  assert.deepEqual(vague && [vague.protocol, vague.cause_code, vague.cause_text], ['Q.850', undefined, undefined]);
});

test('Asterisk names the cause in headers of its own', () => {
  const own = byeWith([
    ['X-Asterisk-HangupCause', 'Normal Clearing'],
    ['X-Asterisk-HangupCauseCode', '16'],
  ]);
  assert.deepEqual(own && [own.protocol, own.cause_code, own.cause_text, own.source_header], [
    'Q.850',
    16,
    'Normal Clearing',
    'X-Asterisk-HangupCauseCode',
  ]);
  assert.equal(byeWith([['X-Asterisk-HangupCause', 'User busy']])?.source_header, 'X-Asterisk-HangupCause');
  const both = byeWith([
    ['X-Asterisk-HangupCauseCode', '17'],
    ['Reason', 'Q.850;cause=16'],
  ]);
  assert.equal(both?.source_header, 'Reason');
});

test('the message nearest to the end decides: BYE, CANCEL, final response, provisional response', () => {
  const reason = (cause: number): Headers => [['Reason', `Q.850;cause=${cause}`]];
  const refused = terminationOf((s, invite) => {
    s.respond(invite, 183, 50, { headers: reason(1) });
    s.respond(invite, 503, 100, { headers: reason(34) });
    s.ack(invite, 503, 110);
  });
  assert.equal(refused?.cause_code, 34);
  const canceled = terminationOf((s, invite) => {
    const cancel = s.request('CANCEL', 60, { headers: reason(26) });
    s.respond(cancel, 200, 70);
    s.respond(invite, 487, 100, { headers: reason(31) });
  });
  assert.equal(canceled?.cause_code, 26);
  const twice = terminationOf((s, invite) => {
    s.respond(invite, 200, 100);
    s.request('BYE', 5000, { headers: reason(16) });
    s.request('BYE', 5100, { headers: reason(127), by: 'callee' });
  });
  assert.equal(twice?.cause_code, 16, 'the first BYE');
});

test('a Reason in a request that ends nothing says nothing', () => {
  const asked = terminationOf((s, invite) => {
    s.respond(invite, 200, 100);
    s.request('INFO', 200, { headers: [['Reason', 'Q.850;cause=16']] });
  });
  assert.equal(asked, null);
});
