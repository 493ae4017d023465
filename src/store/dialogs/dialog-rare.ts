/**
 * What few dialogs have, beside the columns, and about what the engine takes for it.
 */

import type { HepClock } from '../../sources/hep/hep-clock.ts';
import type { ForkBranch } from './call-marks.ts';
import type { Challenge } from './challenge.ts';
import type { CallSources } from './source-marks.ts';
import type { TerminationCause } from './termination-cause.ts';

/** About what the engine takes for a text, for the objects of few dialogs, and for what these name. */
const TEXT_BYTES = 32;
export const RARE_BYTES = 128;
export const SOURCES_BYTES = 1024;
export const BRANCHES_BYTES = 512;

/** Bytes that a text kept takes; one of an ASCII character takes half of what is counted. */
export function bytesOf(text: string | null): number {
  return text === null || text === '' ? 0 : TEXT_BYTES + 2 * text.length;
}

export function causeBytes(cause: TerminationCause | null): number {
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
  cause: TerminationCause | null = null;
  sources: CallSources | null = null;
  branches: ForkBranch[] | null = null;
  challenge: Challenge | null = null;
  challengeCount = 0;
  ownContact = 0;
  referTo: string | null = null;
  sharesWith: D | null = null;
  clock: HepClock | null = null;
}
