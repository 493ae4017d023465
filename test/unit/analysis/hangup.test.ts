/** Who hung up, where one BYE was of no call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesOf } from '../../../src/analysis/call-messages.ts';
import { whoHungUp } from '../../../src/analysis/hangup.ts';
import { ACME, PHONE, Talk, US } from '../../helpers/numbers.ts';
import { readCapture } from '../../helpers/read-capture.ts';

/** `code` is what a stranger's BYE with tags of its own gets; the caller hangs up so many seconds after it. */
const WHO: readonly (readonly [code: number, afterSec: number, side: 'caller' | 'callee', why: string])[] = [
  [481, 20, 'caller', 'the callee knew nothing of the first BYE, and the call went on'],
  [481, 1, 'callee', 'both hung up at once'],
  [200, 20, 'callee', 'the first BYE was accepted'],
];

for (const [code, afterSec, side, why] of WHO)
  test(why, async (t) => {
    const talk = new Talk().call(0, [
      [1, 180],
      [2, 200],
    ]);
    const strange = { from: '9', fromTag: 'made-up', tag: ';tag=unknown' };
    talk.say(10, PHONE, ACME, 'BYE sip:2@x SIP/2.0', 'call1', '7 BYE', strange);
    talk.say(10.01, ACME, PHONE, `SIP/2.0 ${code} x`, 'call1', '7 BYE', strange);
    talk.say(10 + afterSec, US, ACME, 'BYE sip:2@x SIP/2.0', 'call1', '2 BYE');
    talk.say(10.02 + afterSec, ACME, US, 'SIP/2.0 200 x', 'call1', '2 BYE');
    const { session } = await readCapture(t, talk.capture.pcap());
    const d = session.dialogs.get('call1') ?? assert.fail('no call');
    assert.equal(whoHungUp(d, messagesOf(d, session.evidence.stores.log))?.side, side);
  });
