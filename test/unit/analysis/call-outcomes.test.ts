/** How calls ended, as the metrics count it: one outcome an attempt, whatever was challenged, repeated or forked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callCases } from '../../../fixtures/build/calls.ts';
import type { CallOutcome } from '../../../src/store/dialogs/call-outcome.ts';
import { CALL_OUTCOMES } from '../../../src/store/dialogs/call-outcome.ts';
import { readCapture } from '../../helpers/read-capture.ts';

const EXPECTED: Readonly<Record<string, Partial<Record<CallOutcome, number>>>> = {
  answered: { answered: 1 },
  'auth-407': { answered: 1 },
  forked: { answered: 1 },
  'retransmitted-invite-and-200': { answered: 1 },
  'reinvite-refused': { answered: 1 },
  busy: { declined: 1 },
  declined: { declined: 1 },
  canceled: { abandoned: 1 },
  'cancel-too-late': { abandoned: 1 },
  redirected: { redirected: 1 },
  // Each attempt with the wrong password.
  'auth-loop': { challenged: 3 },
  'no-answer': { ineffective: 1 },
  // Nobody knows yet how these end.
  'invite-unanswered': {},
  'register-rejected': {},
  'options-refused': {},
};

test('calls of the cases by outcome', async (t) => {
  const byName = new Map(callCases().map((c) => [c.name, c]));
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const found = byName.get(name);
    assert.ok(found !== undefined, name);
    const { session } = await readCapture(t, found.bytes, found.options);
    const counted = Object.fromEntries(
      CALL_OUTCOMES.map((o) => [o, session.figures.observations.outcomes[o]]).filter(([, n]) => n !== 0),
    );
    assert.deepEqual(counted, expected, name);
  }
});
