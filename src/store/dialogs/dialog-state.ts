/**
 * The dialog state machine as one table: total, deterministic, causal (design: dialogs).
 *
 * A rule names family, event, the states it starts from and where it leads. What no rule names
 * changes nothing. RFC 3261 (INVITE, BYE, CANCEL, REGISTER), RFC 3515 (REFER), RFC 6665 (SUBSCRIBE).
 */

import * as METHOD from '../../core/methods.ts';
import type { DialogStateName } from '../../core/words.ts';
import { DIALOG_STATES } from '../../core/words.ts';

/** Families by the method that opened the dialog. */
export const FAMILIES = ['invite', 'register', 'subscribe', 'other'] as const;
export type Family = (typeof FAMILIES)[number];

/** What a message means to a state machine. A response belongs to the transaction its CSeq names. */
export const DIALOG_EVENTS = [
  'none',
  'invite-progress', // 180, 181, 182, 183 to INVITE
  'invite-success',
  'invite-redirect',
  'invite-cancelled', // 487
  'invite-failure', // other 4xx-6xx, not a challenge
  'invite-again', // a new INVITE with a higher CSeq, outside an established dialog
  'cancel',
  'bye',
  'refer',
  'refer-accepted', // 2xx to REFER: the transfer runs on
  'refer-refused',
  'refer-ended', // NOTIFY, Event refer, Subscription-State terminated
  'challenge', // 401, 407 to anything, but one that refuses credentials: that is a failure
  'challenge-unanswered', // nobody gave credentials for 64*T1
  'register-success',
  'register-removed', // 2xx to a REGISTER that removed every contact
  'subscribe-success',
  'subscribe-removed', // 2xx to a SUBSCRIBE with Expires 0
  'notify-active',
  'notify-terminated',
  'expired', // granted time passed in capture time
  'success', // 2xx to any other method
  'redirect',
  'failure',
] as const;
export type DialogEvent = (typeof DIALOG_EVENTS)[number];

/** Where a rule leads: a state, or back to the state before the transfer. */
type Target = DialogStateName | 'before-transfer';
type Rule = {
  readonly family: Family | 'any';
  readonly event: DialogEvent;
  readonly from: readonly DialogStateName[] | 'any';
  readonly to: Target;
};

const SETUP = ['Trying', 'Ringing'] as const;

/** The table. Earlier rules win. */
export const DIALOG_RULES: readonly Rule[] = [
  // REFER moves any dialog; while it runs, only its end, its refusal or a BYE matter.
  { family: 'any', event: 'refer', from: 'any', to: 'Transferring' },
  { family: 'any', event: 'refer-refused', from: ['Transferring'], to: 'before-transfer' },
  { family: 'any', event: 'refer-ended', from: ['Transferring'], to: 'before-transfer' },
  { family: 'any', event: 'challenge-unanswered', from: ['Transferring'], to: 'before-transfer' },
  { family: 'any', event: 'challenge-unanswered', from: [...SETUP, 'Pending'], to: 'Failed' },

  { family: 'invite', event: 'invite-progress', from: ['Trying'], to: 'Ringing' },
  // A 2xx beats a CANCEL, and a fork's 2xx beats another branch's failure.
  { family: 'invite', event: 'invite-success', from: [...SETUP, 'Canceled', 'Failed', 'Redirected'], to: 'InCall' },
  { family: 'invite', event: 'invite-cancelled', from: SETUP, to: 'Canceled' },
  { family: 'invite', event: 'cancel', from: SETUP, to: 'Canceled' },
  { family: 'invite', event: 'invite-redirect', from: SETUP, to: 'Redirected' },
  { family: 'invite', event: 'invite-failure', from: SETUP, to: 'Failed' },
  { family: 'invite', event: 'invite-again', from: ['Failed', 'Redirected'], to: 'Trying' },
  { family: 'invite', event: 'bye', from: [...SETUP, 'InCall', 'Transferring'], to: 'Completed' },

  { family: 'register', event: 'register-success', from: 'any', to: 'Registered' },
  { family: 'register', event: 'register-removed', from: 'any', to: 'Terminated' },
  { family: 'register', event: 'expired', from: ['Registered'], to: 'Expired' },
  { family: 'register', event: 'redirect', from: 'any', to: 'Redirected' },
  { family: 'register', event: 'failure', from: 'any', to: 'Failed' },

  { family: 'subscribe', event: 'subscribe-success', from: ['Pending', 'Expired'], to: 'Active' },
  { family: 'subscribe', event: 'notify-active', from: ['Pending', 'Expired'], to: 'Active' },
  { family: 'subscribe', event: 'subscribe-removed', from: 'any', to: 'Terminated' },
  { family: 'subscribe', event: 'notify-terminated', from: 'any', to: 'Terminated' },
  { family: 'subscribe', event: 'expired', from: ['Active', 'Pending'], to: 'Expired' },
  { family: 'subscribe', event: 'redirect', from: ['Pending'], to: 'Redirected' },
  { family: 'subscribe', event: 'failure', from: ['Pending'], to: 'Failed' },
  { family: 'subscribe', event: 'failure', from: ['Active'], to: 'Terminated' },

  { family: 'other', event: 'success', from: 'any', to: 'Completed' },
  { family: 'other', event: 'redirect', from: 'any', to: 'Redirected' },
  { family: 'other', event: 'failure', from: 'any', to: 'Failed' },
];

const STAY = 255;
const BEFORE_TRANSFER = 254;
const STATES = DIALOG_STATES.length;
const EVENTS = DIALOG_EVENTS.length;

/** The rules as a dense lookup: [family][event][state] -> state number, STAY or BEFORE_TRANSFER. */
const NEXT: Uint8Array = (() => {
  const next = new Uint8Array(FAMILIES.length * EVENTS * STATES).fill(STAY);
  for (const rule of [...DIALOG_RULES].reverse()) {
    const to = rule.to === 'before-transfer' ? BEFORE_TRANSFER : DIALOG_STATES.indexOf(rule.to);
    FAMILIES.forEach((family, f) => {
      if (rule.family !== 'any' && rule.family !== family) return;
      DIALOG_STATES.forEach((state, s) => {
        if (rule.from !== 'any' && !rule.from.includes(state)) return;
        next[(f * EVENTS + DIALOG_EVENTS.indexOf(rule.event)) * STATES + s] = to;
      });
    });
  }
  return next;
})();

/** Event numbers by name, so that hot code compares integers. */
export const EVENT: { readonly [K in DialogEvent]: number } = Object.fromEntries(
  DIALOG_EVENTS.map((name, i) => [name, i]),
  // The literal keys are those of the list above; fromEntries widens them to string.
) as { [K in DialogEvent]: number };

/** State numbers by name. */
export const STATE: { readonly [K in DialogStateName]: number } = Object.fromEntries(
  DIALOG_STATES.map((name, i) => [name, i]),
  // As above.
) as { [K in DialogStateName]: number };

/**
 * The state after an event. `beforeTransfer` is the state that the running transfer left.
 * Returns `state` itself when nothing changes.
 */
export function nextState(family: number, event: number, state: number, beforeTransfer: number): number {
  const to = NEXT[(family * EVENTS + event) * STATES + state] ?? STAY;
  if (to === STAY) return state;
  return to === BEFORE_TRANSFER ? beforeTransfer : to;
}

/** Family number of a dialog that METHOD id `method` opened. */
export function familyOf(method: number): number {
  switch (method) {
    case METHOD.INVITE:
    case METHOD.ACK:
    case METHOD.BYE:
    case METHOD.CANCEL:
    case METHOD.PRACK:
    case METHOD.UPDATE:
    case METHOD.INFO:
      return 0;
    case METHOD.REGISTER:
      return 1;
    case METHOD.SUBSCRIBE:
    case METHOD.NOTIFY:
      return 2;
    default:
      return 3;
  }
}

/** State a dialog is born in, before its first message's own event applies. */
export function initialState(method: number, isRequest: boolean, hasBothTags: boolean): number {
  if (method === METHOD.BYE) return STATE.Completed;
  if (familyOf(method) === 2) return STATE.Pending;
  if (isRequest && hasBothTags && (method === METHOD.ACK || method === METHOD.INVITE)) return STATE.InCall;
  return STATE.Trying;
}

/** States of what continues: calls, registrations and subscriptions. */
export function isLasting(state: number): boolean {
  return state === STATE.InCall || state === STATE.Transferring || state === STATE.Registered || state === STATE.Active;
}

/** States in which a dialog's media descriptions no longer claim new streams. */
export function isEnded(state: number): boolean {
  return state === STATE.Completed || state === STATE.Failed || state === STATE.Canceled || state === STATE.Redirected;
}
