/**
 * Keeps the fields that only few dialogs have, beside the columns, and estimates what memory the engine takes for them.
 */

import type { HepClock } from '../../sources/hep/hep-clock.ts';
import type { Challenge, ForkBranch } from './call-marks.ts';
import type { CallSources } from './source-marks.ts';
import type { TerminationCause } from './termination-cause.ts';

/** About what the engine takes for a text, for the objects of few dialogs, and for what these name. */
const TEXT_BYTES = 32;
export const RARE_BYTES = 128;
const SOURCES_BYTES = 1024;
const BRANCHES_BYTES = 512;
const CHALLENGE_BYTES = 80;

/** Bytes that a text kept takes; one of an ASCII character takes half of what is counted. */
export function bytesOf(text: string | null): number {
  return text === null || text === '' ? 0 : TEXT_BYTES + 2 * text.length;
}

function causeBytes(cause: TerminationCause | null): number {
  return cause === null
    ? 0
    : RARE_BYTES + bytesOf(cause.reason) + bytesOf(cause.hangupText) + bytesOf(cause.hangupCode);
}

/** `D`: the dialog it is beside. */
export class Rare<D> {
  methodText: string | null = null;
  /** The Call-ID when it is longer than the columns have room for. */
  callId: string | null = null;
  fromUser = '';
  toUser = '';
  /** The cause the wire named for its end; null while it named none. */
  cause: TerminationCause | null = null;
  /** What each source saw; null while one alone carried the call. */
  sources: CallSources | null = null;
  branches: ForkBranch[] | null = null;
  /** What its parties were asked credentials for last; null when they were not. */
  challenges: readonly Challenge[] | null = null;
  /** Hash of the contact that the last REGISTER was for; 0 for none. */
  ownContact = 0;
  referTo: string | null = null;
  /** A later dialog that named one of the same sockets while this one lasted: its streams may be this one's. */
  sharesWith: D | null = null;
  /** The clock of whose time all its times are: a replay, or a sender whose clock is off; null for ours. */
  clock: HepClock | null = null;
}

/** The facts of a dialog that has nothing rare. */
export const USUAL = new Rare<never>();

/** Those that change, and the bytes that a value of each takes. */
export type RareFact = Exclude<keyof Rare<never>, 'methodText' | 'callId' | 'fromUser' | 'toUser'>;
export const BYTES_OF: { readonly [Name in RareFact]: (value: Rare<unknown>[Name]) => number } = {
  cause: causeBytes,
  sources: (sources) => (sources === null ? 0 : SOURCES_BYTES),
  branches: (branches) => (branches === null ? 0 : BRANCHES_BYTES),
  challenges: (challenges) => CHALLENGE_BYTES * (challenges?.length ?? 0),
  ownContact: () => 0,
  referTo: bytesOf,
  sharesWith: () => 0,
  clock: () => 0,
};
