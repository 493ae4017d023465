/**
 * What a row of the table of findings has: the words that `/v1` imposes, the weight, what proves it, and what a reader needs.
 */
import type { Diagnosis, SignalingDiagnosis } from '../contract/index.ts';
import type { FindingSeverity } from '../core/words.ts';
import type { DialogFacts } from './dialog-facts.ts';
import type { Audible } from './stream-quality.ts';

/** How the imposed interface calls a finding; absent where it has no word. */
type Imposed = {
  /** A member of `diagnosis` of a dialog. */
  readonly diagnosis?: Exclude<keyof Diagnosis, 'hints'>;
  /** A member of `signaling_diagnosis` of a dialog. */
  readonly signaling?: Exclude<keyof SignalingDiagnosis, 'hints'>;
  /** A kind of `/v1/report`. A finding without it is left out of that report. */
  readonly report?: string;
};

export type Has = (facts: DialogFacts, heard: readonly Audible[]) => boolean;

export type FindingRow = {
  /** A note is no fault of the call. */
  readonly severity: FindingSeverity | 'note';
  /** What its occurrences are counted in. */
  readonly unit: string;
  readonly v1?: Imposed;
  /** Since when tests hold it to healthy calls that look alike; absent where a counter proves it. */
  readonly healthySince?: string;
  /** What proves it in a call; absent where no single call does. */
  readonly has?: Has;
  /** What was seen. */
  readonly meaning: string;
  /** What usually causes it. */
  readonly causes: readonly string[];
  /** Where to look next. */
  readonly look: string;
  /** What mends it at the usual servers; absent where the row is about the capture. */
  readonly remedy?: string;
  /** What it rests on; absent where these packets show it. */
  readonly ground?: Ground;
  /** Names of findings that it explains: they are said under it. */
  readonly effects?: readonly string[];
};

/** Proved by a sentence that a judge said about the call. */
export function said(name: string): Has {
  return ({ media }) => media.hints.some(({ finding }) => finding === name);
}

/** Reports are RTCP, ICMP and Reason headers; silence is inferred. */
export type Ground = 'seen' | 'reported' | 'inferred';

/** Rows of findings that single calls prove. */
export type CallFindingRows = Readonly<Record<string, FindingRow & Required<Pick<FindingRow, 'has'>>>>;
