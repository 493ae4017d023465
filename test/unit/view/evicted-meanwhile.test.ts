/** A call that is evicted while an answer about several is made: the answer says nothing more of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALICE, BOB, callIdOf } from '../../../fixtures/build/basic-call.ts';
import { Capture, EPOCH_US } from '../../../fixtures/build/capture.ts';
import { SipScript } from '../../../fixtures/build/sip-call.ts';
import { finish, type Steps } from '../../../src/core/turns.ts';
import { pageSteps } from '../../../src/explore/call-page.ts';
import { chosenSteps } from '../../../src/explore/chosen.ts';
import { textSteps } from '../../../src/explore/memory-asker.ts';
import { questionOf } from '../../../src/explore/question.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { findingsSteps } from '../../../src/view/ask-findings.ts';
import { registrationsSteps } from '../../../src/view/ask-registrations.ts';
import { traceOf } from '../../../src/view/call-trace.ts';
import { ladderSteps } from '../../../src/view/ladder.ts';
import type { OpenSession } from '../../helpers/open-session.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const NAMES = ['one', 'two', 'three', 'four'];
const GONE = callIdOf('four');

type Answer = (session: OpenSession, dialogs: readonly Dialog[]) => Steps<readonly string[]>;

/** The calls that each answer says something of. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  *page({ figures }) {
    const { calls } = yield* pageSteps(figures, questionOf('', 'created', true), 10, '');
    return calls.map(({ call_id }) => call_id);
  },
  *messages({ evidence }, dialogs) {
    return (yield* traceOf(evidence, dialogs)).map(({ d }) => d.callId);
  },
  *ladder({ evidence }, dialogs) {
    return (yield* ladderSteps(evidence, dialogs)).steps.map(({ call_id }) => call_id);
  },
  *text({ evidence }, dialogs) {
    const style = { width: null, color: false, isUtc: true };
    const lines = (yield* textSteps(evidence, dialogs, 0, 'markdown', style)) ?? [];
    return lines.flatMap((line) => /^# Call (.+)$/.exec(line)?.[1] ?? []);
  },
  *findings({ figures }, dialogs) {
    return (yield* findingsSteps(figures, dialogs)).codes.flatMap(({ call_ids }) => call_ids);
  },
  *registrations({ evidence }, dialogs) {
    const { registrations } = yield* registrationsSteps(evidence, dialogs);
    return registrations.map(({ call_id }) => call_id);
  },
  *filter({ evidence }) {
    const { dialogs } = yield* chosenSteps(evidence, questionOf('finding:registration-failure', 'created', true));
    return dialogs.map(({ callId }) => callId);
  },
};

/** Registrations that are refused, each of another user. */
function registrations(): Uint8Array {
  const capture = new Capture();
  for (const [i, user] of NAMES.entries()) {
    const startUs = EPOCH_US + i * 1_000_000;
    const script = new SipScript({ callId: callIdOf(user), caller: { ...ALICE, user }, callee: BOB, startUs });
    script.respond(script.request('REGISTER', 0), 403, 20);
    capture.add(script.messages);
  }
  return capture.pcap();
}

for (const [name, answer] of Object.entries(ANSWERS)) {
  test(`${name}: a call that goes after the first step`, async (t) => {
    const { session } = await readCapture(t, registrations());
    const all = [...session.dialogs.oldestFirst()];
    const whole = finish(answer(session, all));
    assert.ok(whole.includes(GONE), whole.join());
    const steps = answer(session, all);
    assert.equal(steps.next().done, false);
    const holds = session.dialogs.holds.bind(session.dialogs);
    session.dialogs.holds = (d) => d.callId !== GONE && holds(d);
    assert.deepEqual(
      finish(steps),
      whole.filter((callId) => callId !== GONE),
    );
  });
}
