/**
 * Registrations that were refused, or bound for so short a time that a phone does not come back for it. A registrar may
 * grant less than it is asked for (RFC 3261 section 10.3): that alone is no failure.
 */

import * as METHOD from '../../core/methods.ts';
import type { AskedBinding } from '../../protocols/sip/binding.ts';
import { askedBinding, grantedSec } from '../../protocols/sip/binding.ts';
import type { CallMessage } from '../call-messages.ts';
import type { SignalingCall } from './signaling-call.ts';

export type RegistrationFailure = {
  kind: 'rejected' | 'shortened_expiry';
  code: number;
  requestedExpirySec: number | null;
  grantedExpirySec: number | null;
  /** How long the binding had ended when the phone came back; null where that is not the fault. */
  lateSec: number | null;
  evidence: number[];
};

/** Grants of a registration that are read, the newest first. @cap */
const MAX_GRANTS = 16;

/** Under half of what was asked, and this at most: a phone that refreshes in the middle is asked to come every 30 s. */
const SHORT_SEC = 60;
/** 64*T1: so long a refresh is sent again that got lost before the capture point. */
const LATE_SEC = 32;

/** A REGISTER that was refused, or a grant that does not hold the phone; a removal (0 asked) is never a failure. */
export function findRegistrationFailure({ d, messages }: SignalingCall): RegistrationFailure | null {
  if (d.family !== 1) return null;
  const registers = messages.filter((m) => !m.isCopy && m.method === METHOD.REGISTER);
  const last = registers.findLast((m) => !m.isRequest && m.status >= 200 && !m.isChallenge);
  if (last === undefined) return null;
  const requested = d.requestedExpirySec >= 0 ? d.requestedExpirySec : null;
  if (last.status >= 400)
    return {
      kind: 'rejected',
      code: last.status,
      requestedExpirySec: requested,
      grantedExpirySec: null,
      lateSec: null,
      evidence: [last.index],
    };
  const granted = d.grantedExpirySec;
  // Nearly every registrar grants what it is asked for, and nearly every phone comes in time: no text is read.
  if (last.status >= 300 || requested === null || requested === 0 || granted >= requested) return null;
  return isShort(granted, requested) || newestGapSec(registers) > granted + LATE_SEC ? findShortened(registers) : null;
}

function isShort(granted: number, asked: number): boolean {
  return granted < asked / 2 && granted <= SHORT_SEC;
}

/** From a 2xx to the next REGISTER; 0 where none came. */
function newestGapSec(registers: readonly CallMessage[]): number {
  let next: CallMessage | null = null;
  for (let i = registers.length - 1; i >= 0; i--) {
    const m = registers[i];
    if (m === undefined || m.isRetransmission) continue;
    if (m.isRequest) next = m;
    else if (next !== null && m.status >= 200 && m.status < 300) return (next.tsUs - m.tsUs) / 1e6;
  }
  return 0;
}

export function registrationHint(f: RegistrationFailure): string {
  if (f.kind === 'rejected') return `The registrar rejected the registration with ${f.code}.`;
  const short = `The registrar granted ${f.grantedExpirySec} s although ${f.requestedExpirySec} s were asked for`;
  return f.lateSec === null ? `${short}.` : `${short}, and the phone came back ${f.lateSec.toFixed(0)} s too late.`;
}

function findShortened(registers: readonly CallMessage[]): RegistrationFailure | null {
  let late: LateGrant | null = null;
  let isNewest = true;
  for (const grant of newestGrants(registers)) {
    if (isNewest && isShort(grant.sec, grant.askedSec)) return shortened(grant, null);
    isNewest = false;
    const lateSec = latenessOf(grant);
    if (lateSec === null) continue;
    // A phone that heeds what is granted was away when it came late another time.
    if (lateSec <= LATE_SEC) return null;
    if (grant.sec + lateSec <= grant.askedSec + LATE_SEC) late ??= { grant, lateSec };
  }
  return late === null ? null : shortened(late.grant, late.lateSec);
}

type LateGrant = { readonly grant: Grant; readonly lateSec: number };

function shortened({ answer, next, askedSec, sec }: Grant, lateSec: number | null): RegistrationFailure {
  return {
    kind: 'shortened_expiry',
    code: answer.status,
    requestedExpirySec: askedSec,
    grantedExpirySec: sec,
    lateSec,
    evidence: lateSec === null || next === null ? [answer.index] : [answer.index, next.index],
  };
}

/** A 2xx that binds a contact, and the REGISTER that came next. */
type Grant = {
  readonly answer: CallMessage;
  readonly askedSec: number;
  readonly sec: number;
  readonly next: CallMessage | null;
};

/** Text is read of each that is asked for. */
function* newestGrants(registers: readonly CallMessage[]): Generator<Grant> {
  let next: CallMessage | null = null;
  let left = MAX_GRANTS;
  for (const [i, m] of [...registers.entries()].reverse()) {
    if (m.isRetransmission) continue;
    if (m.isRequest) next = m;
    if (m.isRequest || m.status < 200 || m.status >= 300) continue;
    if (left-- === 0) return;
    const asked = bindingOf(requestOf(registers, i));
    const found = m.read();
    if (asked === null || asked.sec <= 0 || found === null) continue;
    const sec = grantedSec(asked, found.bytes, 0, found.bytes.length, found.scan);
    yield { answer: m, askedSec: asked.sec, sec, next };
  }
}

/** The request that the answer at `at` answers; null where the one before it is another. */
function requestOf(registers: readonly CallMessage[], at: number): CallMessage | null {
  for (let i = at - 1; i >= 0; i--) {
    const m = registers[i];
    if (m?.isRequest === true) return m.cseq === registers[at]?.cseq ? m : null;
  }
  return null;
}

function bindingOf(request: CallMessage | null): AskedBinding | null {
  const found = request?.read() ?? null;
  return found === null ? null : askedBinding(found.bytes, found.scan);
}

/**
 * How long after the end of a shortened binding the phone came back. Its numbers prove that it sent nothing in between
 * (section 10.2): no capture has to have seen that. A phone that does not come back, and a removal, prove nothing.
 */
function latenessOf({ answer, next, sec, askedSec }: Grant): number | null {
  if (sec >= askedSec || next === null || next.cseq !== answer.cseq + 1 || next.origin !== answer.origin) return null;
  const again = bindingOf(next);
  return again === null || again.sec === 0 ? null : (next.tsUs - answer.tsUs) / 1e6 - sec;
}
