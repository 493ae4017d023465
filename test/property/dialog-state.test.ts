/** The dialog state table is total, deterministic and causal, whatever order events come in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DIALOG_STATES, METHOD_NAMES } from '../../src/core/words.ts';
import {
  DIALOG_EVENTS,
  DIALOG_RULES,
  EVENT,
  FAMILIES,
  familyOf,
  initialState,
  nextState,
  STATE,
} from '../../src/store/dialogs/dialog-state.ts';

const methods = METHOD_NAMES.map((_, id) => id);

type Run = { states: number[]; transfers: number[] };

/** Runs events from the birth of a dialog as the tracker does. */
function run(method: number, isRequest: boolean, bothTags: boolean, events: number[]): Run {
  const family = familyOf(method);
  let state = initialState(method, isRequest, bothTags);
  let before = state;
  const out: Run = { states: [state], transfers: [before] };
  for (const event of events) {
    const next = nextState(family, event, state, before);
    if (next === STATE.Transferring && state !== next) before = state;
    state = next;
    out.states.push(state);
    out.transfers.push(before);
  }
  return out;
}

const runs = fc.record({
  method: fc.constantFrom(...methods),
  isRequest: fc.boolean(),
  bothTags: fc.boolean(),
  events: fc.array(fc.integer({ min: 0, max: DIALOG_EVENTS.length - 1 }), { maxLength: 60 }),
});

test('every order of events leads to a known state, twice the same', () => {
  fc.assert(
    fc.property(runs, ({ method, isRequest, bothTags, events }) => {
      const first = run(method, isRequest, bothTags, events);
      assert.deepEqual(run(method, isRequest, bothTags, events), first);
      for (const s of first.states) assert.ok(s >= 0 && s < DIALOG_STATES.length);
    }),
    { numRuns: 2000 },
  );
});

test('a challenge and an event without meaning never move a dialog', () => {
  FAMILIES.forEach((_, family) => {
    DIALOG_STATES.forEach((_name, state) => {
      for (const event of [EVENT.challenge, EVENT.none, EVENT['refer-accepted']])
        assert.equal(nextState(family, event, state, STATE.InCall), state);
    });
  });
});

test('once answered, no failure, cancel or redirect of an INVITE undoes the call', () => {
  const late = [
    'invite-failure',
    'invite-cancelled',
    'invite-redirect',
    'cancel',
    'invite-progress',
    'invite-again',
  ] as const;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...late), { maxLength: 20 }), (names) => {
      const states = run(1, true, false, [EVENT['invite-success'], ...names.map((n) => EVENT[n])]).states;
      assert.equal(states[states.length - 1], STATE.InCall);
    }),
  );
});

test('a 2xx beats CANCEL, failure and redirect; a BYE beats everything but them', () => {
  for (const first of ['cancel', 'invite-cancelled', 'invite-failure', 'invite-redirect'] as const) {
    const ended = run(1, true, false, [EVENT[first]]).states[1];
    assert.notEqual(ended, STATE.Trying);
    assert.equal(run(1, true, false, [EVENT[first], EVENT['invite-success']]).states[2], STATE.InCall);
    assert.equal(run(1, true, false, [EVENT[first], EVENT.bye]).states[2], ended);
  }
  for (const before of [[], ['invite-progress'], ['invite-success'], ['invite-success', 'refer']] as const) {
    const states = run(1, true, false, [...before.map((n) => EVENT[n]), EVENT.bye]).states;
    assert.equal(states[states.length - 1], STATE.Completed);
  }
});

test('a transfer returns to where it began', () => {
  fc.assert(
    fc.property(
      runs,
      fc.constantFrom('refer-refused', 'refer-ended'),
      ({ method, isRequest, bothTags, events }, end) => {
        const before = run(method, isRequest, bothTags, events);
        const at = before.states[before.states.length - 1] ?? 0;
        if (at === STATE.Transferring) return;
        const after = run(method, isRequest, bothTags, [...events, EVENT.refer, EVENT[end as 'refer-ended']]).states;
        assert.equal(after[after.length - 2], STATE.Transferring);
        assert.equal(after[after.length - 1], at);
      },
    ),
  );
});

test('no rule is dead: each one moves at least one state', () => {
  for (const rule of DIALOG_RULES) {
    const families = rule.family === 'any' ? FAMILIES.map((_, i) => i) : [FAMILIES.indexOf(rule.family)];
    const states = rule.from === 'any' ? DIALOG_STATES : rule.from;
    const moved = families.some((f) =>
      states.some((s) => nextState(f, EVENT[rule.event], STATE[s], STATE.InCall) !== STATE[s]),
    );
    assert.ok(moved, `${rule.family} ${rule.event}`);
  }
});
