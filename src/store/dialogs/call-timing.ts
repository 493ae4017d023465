/**
 * Marks when things happened in a call as its messages arrive, and derives durations from the marks.
 *
 * The marks start at the INVITE that was finally answered: after a challenge, the authenticated one. The first occurrence by
 * capture time wins, because records may be read out of order and a capture may begin after the INVITE. Retransmissions and
 * re-INVITEs never get here. Names follow RFC 6076.
 */
import { spanSec } from '../../core/rounded.ts';
import type { CallMarks } from './call-marks.ts';
import { MARK } from './call-marks.ts';
import type { Dialog } from './dialog.ts';
import { STATE } from './dialog-state.ts';

/** Forks of a call that are kept apart. @cap */
export const MAX_FORK_BRANCHES = 32;

/** Durations in whole milliseconds, rounded half up; null when an end is missing. */
export type CallTiming = {
  pddMs: number | null;
  setupMs: number | null;
  ringMs: number | null;
  tryingDelayMs: number | null;
  teardownMs: number | null;
  durationMs: number | null;
};

/** The same marks by a clock that is ahead by so much of the one they were made by. */
export function shiftMarks(m: CallMarks, byUs: number): void {
  m.inviteUs += byUs;
  m.tryingUs += byUs;
  m.progressUs += byUs;
  m.finalUs += byUs;
  m.answerUs += byUs;
  m.byeUs += byUs;
  m.byeFinalUs += byUs;
  for (const branch of m.branches ?? []) branch.firstProgressUs += byUs;
}

/** An INVITE that is not inside an established dialog: the newest CSeq is the anchor. */
export function markInvite(d: CallMarks, cseq: number, tsUs: number): void {
  if (cseq === d.inviteCseq) d.inviteUs = earlier(d.inviteUs, tsUs);
  else if (Number.isNaN(d.answerUs) && cseq > d.inviteCseq) restart(d, cseq, tsUs);
}

function restart(d: CallMarks, cseq: number, inviteUs: number): void {
  d.inviteCseq = cseq;
  d.inviteUs = inviteUs;
  d.tryingUs = Number.NaN;
  d.progressUs = Number.NaN;
  d.progressTagHash = 0;
  d.branches = null;
  d.finalUs = Number.NaN;
}

/** The first one may be unknown. */
function earlier(knownUs: number, tsUs: number): number {
  return knownUs <= tsUs ? knownUs : tsUs;
}

/** Whether a response is the anchor's. One whose INVITE was not read, or not yet, makes an anchor of its own. */
function isOfAnchor(d: CallMarks, cseq: number): boolean {
  if (cseq <= d.inviteCseq) return cseq === d.inviteCseq;
  if (!Number.isNaN(d.answerUs) || (d.marks & MARK.REINVITED) !== 0) return false;
  restart(d, cseq, Number.NaN);
  return true;
}

/** A provisional response to the anchor INVITE; `tagHash` names its early dialog. */
export function markProvisional(d: CallMarks, cseq: number, status: number, tagHash: number, tsUs: number): void {
  if (!isOfAnchor(d, cseq) || tsUs > d.answerUs) return;
  if (status === 100) d.tryingUs = earlier(d.tryingUs, tsUs);
  if (status < 180 || status > 189) return;
  if (Number.isNaN(d.progressUs)) {
    d.progressUs = tsUs;
    d.progressTagHash = tagHash;
  } else if (tagHash === d.progressTagHash || tagHash === 0) d.progressUs = earlier(d.progressUs, tsUs);
  else markBranch(d, tagHash, tsUs);
}

/** One more dialog of a forked INVITE (RFC 3261 section 12.1); `progressUs` is NaN where it did not ring. */
function markBranch(d: CallMarks, tagHash: number, progressUs: number): void {
  const branches = d.branches ?? [];
  if (branches.length >= MAX_FORK_BRANCHES || branches.some((b) => b.tagHash === tagHash)) return;
  branches.push({ tagHash, firstProgressUs: progressUs });
  d.branches = branches;
  d.marks |= MARK.FORKED;
}

/** A final response to an INVITE that is no challenge. */
export function markFinal(d: CallMarks, cseq: number, status: number, tagHash: number, tsUs: number): void {
  if (!isOfAnchor(d, cseq)) return;
  if (!Number.isNaN(d.answerUs)) {
    if (status >= 300 || tagHash === 0 || tagHash === d.answerTagHash) return;
    d.marks |= MARK.FORKED;
    if (tagHash !== d.progressTagHash) markBranch(d, tagHash, Number.NaN);
    return;
  }
  if (status < 300) {
    d.answerUs = tsUs;
    d.answerTagHash = tagHash;
    d.finalUs = tsUs;
  } else if (Number.isNaN(d.finalUs)) d.finalUs = tsUs;
}

/**
 * Whether a request within the dialog of `tagHash`, the called side's, is about a fork that rang or answered beside the
 * one that was answered first: its caller ends that one, and the call continues (RFC 3261 section 13.2.2.4).
 */
export function isOtherFork(d: CallMarks, tagHash: number): boolean {
  if (Number.isNaN(d.answerUs) || d.answerTagHash === 0 || tagHash === d.answerTagHash) return false;
  return tagHash === d.progressTagHash || (d.branches?.some((b) => b.tagHash === tagHash) ?? false);
}

export function markBye(d: CallMarks, cseq: number, tsUs: number): void {
  if (!Number.isNaN(d.byeUs)) return;
  d.byeUs = tsUs;
  if (cseq !== d.byeCseq) d.byeFinalUs = Number.NaN;
  d.byeCseq = cseq;
}

/** Its BYE may be read after it. */
export function markByeFinal(d: CallMarks, cseq: number, tsUs: number): void {
  if (Number.isNaN(d.byeUs)) d.byeCseq = cseq;
  else if (cseq !== d.byeCseq) return;
  if (Number.isNaN(d.byeFinalUs)) d.byeFinalUs = tsUs;
}

/** First 18x of the branch that was answered; of any branch while none was. NaN without one. */
function ringingSinceUs(d: CallMarks): number {
  if (d.branches === null || d.progressTagHash === d.answerTagHash) return d.progressUs;
  if (Number.isNaN(d.answerUs)) return d.branches.reduce((us, b) => earlier(us, b.firstProgressUs), d.progressUs);
  return d.branches.find((b) => b.tagHash === d.answerTagHash)?.firstProgressUs ?? d.progressUs;
}

function spanMs(fromUs: number, toUs: number): number | null {
  const ms = Math.floor((toUs - fromUs) / 1000 + 0.5);
  return Number.isNaN(ms) || ms < 0 ? null : ms;
}

function pddOf(d: CallMarks): number | null {
  const ringUs = ringingSinceUs(d);
  return spanMs(d.inviteUs, Number.isNaN(ringUs) ? d.finalUs : ringUs);
}

/** The post-dial delay of callTiming() alone: it is asked for at each change of a call that has none yet. */
export function postDialDelayMs(d: Dialog): number | null {
  return d.sources === null ? pddOf(d) : callTiming(d).pddMs;
}

function timingOf(d: CallMarks): CallTiming {
  const ringUs = ringingSinceUs(d);
  const answered = !Number.isNaN(d.answerUs);
  return {
    pddMs: pddOf(d),
    setupMs: spanMs(d.inviteUs, d.answerUs),
    // Behind an INVITE that was not captured another 18x may have come before.
    ringMs: answered && !Number.isNaN(d.inviteUs) ? spanMs(ringUs, d.answerUs) : null,
    tryingDelayMs: spanMs(d.inviteUs, d.tryingUs),
    teardownMs: spanMs(d.byeUs, d.byeFinalUs),
    durationMs: spanMs(d.answerUs, d.byeUs),
  };
}

/**
 * The call's durations as they stand. Where several sources carried it, each is the best source's that saw both its ends;
 * only what no source saw whole is made of two clocks.
 */
export function callTiming(d: Dialog): CallTiming {
  if (d.sources === null) return timingOf(d);
  const out: CallTiming = { ...NO_TIMING };
  for (const m of [...d.sources.better(), d]) {
    const t = timingOf(m);
    out.pddMs ??= t.pddMs;
    out.setupMs ??= t.setupMs;
    out.ringMs ??= t.ringMs;
    out.tryingDelayMs ??= t.tryingDelayMs;
    out.teardownMs ??= t.teardownMs;
    out.durationMs ??= t.durationMs;
  }
  return out;
}

/**
 * How long a call has lasted: a call that talks since its answer, by the clock at `nowUs`; any other from its first message to its
 * last one.
 */
export function lastedSec(d: Dialog, nowUs: number): number {
  const isTalking = d.state === STATE.InCall || (d.state === STATE.Transferring && d.family === 0);
  if (!isTalking) return spanSec(d.createdUs, d.updatedUs);
  // A call that began before the capture has no answer in it.
  const sinceUs = Number.isNaN(d.answerUs) ? d.createdUs : d.answerUs;
  return spanSec(sinceUs, nowUs >= d.updatedUs ? nowUs : d.updatedUs);
}

const NO_TIMING: CallTiming = {
  pddMs: null,
  setupMs: null,
  ringMs: null,
  tryingDelayMs: null,
  teardownMs: null,
  durationMs: null,
};
