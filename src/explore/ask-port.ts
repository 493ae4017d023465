/**
 * The rich questions of the port: what `/ask`, the command line and the terminal ask beside the documents of `/v1`.
 * Whoever answers keeps to what stands here: an unknown call is a document of null, null alone is "too many are made".
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
import type { Found, InTurns, IsGone } from './found.ts';
import type { CallsQuestion } from './question.ts';
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
  page(question: CallsQuestion, limit: number, cursor: string, isGone?: IsGone): InTurns<AskCalls>;
  /** What could hide the calls of a question that found none. */
  hiddenBy(question: CallsQuestion): HiddenBy[];
  /** The call that a selector means; without a question neither rows nor prefixes are taken (explore/selector.ts). */
  select(selector: string, question: CallsQuestion | null): Selected;
  call(callId: string, isGone?: IsGone): InTurns<Found<CallDocument>>;
  /** Its list row, and what is wrong in sentences. */
  head(callId: string, isGone?: IsGone): InTurns<Found<AskHead>>;
  /** The other legs of a call, tied by identifiers. */
  legs(callId: string, isGone?: IsGone): InTurns<Found<OtherLegs>>;
  /**
   * The raw messages of calls, in one order of time; Call-IDs that are not here are left out. `only`: those of this index alone,
   * which a capture here knows.
   */
  messages(
    callIds: readonly string[],
    showsSecrets: boolean,
    isGone?: IsGone,
    only?: number,
  ): InTurns<Found<AskMessages>>;
  /** Who sent what to whom, and the media. */
  ladder(callIds: readonly string[], isGone?: IsGone): InTurns<Found<AskLadder>>;
  compare(a: string, b: string, isGone?: IsGone): InTurns<Found<AskCompare>>;
  /** The streams of a call with their windows. */
  quality(callId: string, isGone?: IsGone): InTurns<Found<AskQuality>>;
  /** A pair of SIPp scenarios that replay the call, or why there is none. */
  sipp(callId: string, showsSecrets: boolean, isGone?: IsGone): InTurns<Found<SippPair | { readonly reason: string }>>;
  /** For people: lines. */
  text(
    callIds: readonly string[],
    layout: TextLayout,
    style: LadderStyle,
    isGone?: IsGone,
  ): InTurns<Found<Iterable<string>>>;
  /**
   * Writes the frames of the calls of a question, with their media, to the file of -O: a second reading of the files. Null
   * where there are no files, or no -O. Throws ServiceError where a file cannot be read twice.
   */
  save(question: CallsQuestion, hasLegs: boolean): Promise<SavedCalls | null>;
  /** The capture of calls as pcapng, or why there is none. Rejects with ServiceError where the files have changed. */
  capture(callIds: readonly string[], isGone?: IsGone): Promise<Found<CallCapture> | null>;
  /** Calls with a finding, by finding, the most frequent first. */
  findings(question: CallsQuestion, isGone?: IsGone): InTurns<AskFindings>;
  /** Attackers that were reported, the newest first. */
  security(): AskSecurity;
  /** Calls that changed after a moment of an earlier answer; null for a first moment. */
  changes(since: number | null): InTurns<Changes>;
  /** Whether trunks are up, what their calls came to, and how they sounded. */
  trunks(asked: AskTrunksQuery, isGone?: IsGone): InTurns<AskTrunks>;
  /** Who registers, from where, and who fails, by user and address. */
  registrations(question: CallsQuestion, isGone?: IsGone): InTurns<AskRegistrations>;
};
