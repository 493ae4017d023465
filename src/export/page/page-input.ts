/** What the page of a call is made of: the documents that other questions answer with, and what limits them. */
import type { AskHead, AskLadder, AskMessages, AskStream, CallDocument } from '../../contract/index.ts';
import type { ReportInput } from '../../view/report-input.ts';

export type PageInput = {
  /** The call that was asked for. */
  readonly document: CallDocument;
  readonly head: AskHead;
  /** The same as in its report. */
  readonly report: ReportInput;
  /** Over all calls that were asked for, the named one first. */
  readonly ladder: AskLadder;
  /** Without their secrets. */
  readonly messages: AskMessages;
  /** The streams of each call, in the order of the ladder's `call_ids`. */
  readonly streams: readonly (readonly AskStream[])[];
  /** Why legs may be missing, and what the capture lost, in sentences. */
  readonly limits: readonly string[];
  readonly madeUs: number;
  readonly isUtc: boolean;
};

/** Characters of one fact or sentence of a page, and of one place of its tables. @cap */
export const PAGE_FACT_CHARS = 512;
export const PAGE_CELL_CHARS = 160;
