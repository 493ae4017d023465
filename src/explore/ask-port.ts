/**
 * The rich questions of the port: what `/ask`, the command line and the terminal ask beside the documents of `/v1`.
 * Whoever answers gives the answer or throws a refusal (explore/refusal.ts); `signal` says that nobody waits any more.
 */
import type {
  AskCalls,
  AskCompare,
  AskFindings,
  AskHead,
  AskLadder,
  AskMessages,
  AskQuality,
  AskRegistrations,
  AskSecurity,
  AskTrunks,
  AskTrunksQuery,
  CallDocument,
  HiddenBy,
} from '../contract/index.ts';
import type { SippPair } from '../export/sipp.ts';
import type { CallRow } from '../view/call-row.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import type { CallCapture } from './captures.ts';
import type { Changes } from './changes.ts';
import type { CallsQuestion } from './question.ts';
import type { Answer } from './refusal.ts';
import type { Selected } from './selector.ts';

/** Call-IDs, the call itself not among them; and why some may be missing, in sentences. */
export type OtherLegs = { readonly callIds: readonly string[]; readonly notes: readonly string[] };

/** `text` and `markdown` are the report; `ladder` is the ladder alone, over all the calls. */
export type TextLayout = 'text' | 'markdown' | 'ladder';

/** What went to the file of -O; what of it could not. */
export type SavedCalls = {
  readonly calls: number;
  readonly frames: number;
  /** Fragments of media whose beginning no frame showed, and pairs of sockets beyond a cap. */
  readonly missedFragments: number;
  readonly skippedPairs: number;
};

export type AskPort = {
  /** For who prints and ends, all at once: rows of the call table, and documents. */
  calls(question: CallsQuestion): Iterable<CallRow>;
  documents(question: CallsQuestion): Iterable<CallDocument>;
  /** A page of calls; `cursor` is that of the page before, '' for the first. An unknown cursor begins anew. */
  page(question: CallsQuestion, limit: number, cursor: string, signal?: AbortSignal): Answer<AskCalls>;
  /** What could hide the calls of a question that found none. */
  hiddenBy(question: CallsQuestion): HiddenBy[];
  /** The call that a selector means; without a question neither rows nor prefixes are taken (explore/selector.ts). */
  select(selector: string, question: CallsQuestion | null): Selected;
  call(callId: string, signal?: AbortSignal): Answer<CallDocument>;
  /** Its list row, and what is wrong in sentences. */
  head(callId: string, signal?: AbortSignal): Answer<AskHead>;
  /** The other legs of a call, tied by identifiers. */
  legs(callId: string, signal?: AbortSignal): Answer<OtherLegs>;
  /**
   * The raw messages of calls, in one order of time; other Call-IDs than the first may be not here. `only`: those of this index alone,
   * which a capture here knows.
   */
  messages(callIds: readonly string[], showsSecrets: boolean, signal?: AbortSignal, only?: number): Answer<AskMessages>;
  /** Who sent what to whom, and the media. */
  ladder(callIds: readonly string[], signal?: AbortSignal): Answer<AskLadder>;
  compare(a: string, b: string, signal?: AbortSignal): Answer<AskCompare>;
  /** The streams of a call with their windows. */
  quality(callId: string, signal?: AbortSignal): Answer<AskQuality>;
  /** A pair of SIPp scenarios that replay the call. */
  sipp(callId: string, showsSecrets: boolean, signal?: AbortSignal): Answer<SippPair>;
  /** For people: lines. */
  text(
    callIds: readonly string[],
    layout: TextLayout,
    style: LadderStyle,
    signal?: AbortSignal,
  ): Answer<Iterable<string>>;
  /**
   * Writes the frames of the calls of a question, with their media, to the file of -O: a second reading of the files. Null
   * where there are no files, or no -O. Throws ServiceError where a file cannot be read twice.
   */
  save(question: CallsQuestion, hasLegs: boolean): Promise<SavedCalls | null>;
  /** The capture of calls as pcapng. Rejects with ServiceError where the files have changed. */
  capture(callIds: readonly string[], signal?: AbortSignal): Promise<CallCapture>;
  /** Calls with a finding, by finding, the most frequent first. */
  findings(question: CallsQuestion, signal?: AbortSignal): Answer<AskFindings>;
  /** Attackers that were reported, the newest first. */
  security(): AskSecurity;
  /** Calls that changed after a moment of an earlier answer; null for a first moment. */
  changes(since: number | null): Answer<Changes>;
  /** Whether trunks are up, what their calls came to, and how they sounded. */
  trunks(asked: AskTrunksQuery, signal?: AbortSignal): Answer<AskTrunks>;
  /** Who registers, from where, and who fails, by user and address. */
  registrations(question: CallsQuestion, signal?: AbortSignal): Answer<AskRegistrations>;
};
