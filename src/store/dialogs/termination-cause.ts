/**
 * The cause that the wire names for the end of a call: a Reason header (RFC 3326, in responses RFC 6432), or the pair
 * of headers Asterisk sends. Kept as it was written, with the frame it stood in; read when somebody asks.
 */

import * as METHOD from '../../core/methods.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { keptText } from '../../protocols/sip/text.ts';
import type { FramePointer } from './call-marks.ts';

/** Bytes kept of Refer-To, of Reason and of what else names a cause. @cap dialog_texts_cut */
export const MAX_VALUE_BYTES = 512;

export type TerminationCause = {
  /** Value of the Reason header, or '' where only the others stand. */
  readonly reason: string;
  /** X-Asterisk-HangupCause and X-Asterisk-HangupCauseCode. */
  readonly hangupText: string;
  readonly hangupCode: string;
  readonly rank: number;
  readonly frame: FramePointer | null;
};

const BYE_RANK = 4;

/** Whether a BYE named a cause: nobody needs to read one that did not. */
export function hasByeCause({ cause }: { readonly cause: TerminationCause | null }): boolean {
  return cause?.rank === BYE_RANK;
}

/**
 * How much a message that names a cause says about the end; 0 nothing. What ends a call decides: BYE, then CANCEL, then
 * the final failure. A provisional response with a cause (RFC 6432) is the last to be asked.
 */
export function terminationRank(scan: SipScan): number {
  if (scan.isRequest) return scan.method === METHOD.BYE ? BYE_RANK : scan.method === METHOD.CANCEL ? 3 : 0;
  if (scan.status >= 300) return scan.cseqMethod === METHOD.INVITE ? 2 : 1;
  return scan.status > 100 && scan.status < 200 ? 1 : 0;
}

/** One of the texts that terminationCause() takes is longer than is kept. */
export function isCauseCut(scan: SipScan): boolean {
  const { causeStart, causeEnd, hangupTextStart, hangupTextEnd, hangupCodeStart, hangupCodeEnd } = scan;
  return (
    Math.max(causeEnd - causeStart, hangupTextEnd - hangupTextStart, hangupCodeEnd - hangupCodeStart) > MAX_VALUE_BYTES
  );
}

/** The cause a message names, of that rank. */
export function terminationCause(
  buf: Buffer,
  scan: SipScan,
  rank: number,
  frame: FramePointer | null,
): TerminationCause {
  const text = (start: number, end: number): string => keptText(buf, start, end, MAX_VALUE_BYTES);
  return {
    reason: text(scan.causeStart, scan.causeEnd),
    hangupText: text(scan.hangupTextStart, scan.hangupTextEnd),
    hangupCode: text(scan.hangupCodeStart, scan.hangupCodeEnd),
    rank,
    frame,
  };
}
