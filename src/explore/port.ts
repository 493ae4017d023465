/**
 * The one port of questions: whoever shows anything of calls asks here, and nothing else. A capture of this process, a running
 * service and a store of many hosts answer it. Nothing here writes.
 *
 * Whoever answers gives the answer or throws a refusal (explore/refusal.ts). What may take turns does so, so that a scan of many
 * dialogs holds no one up; `signal` says that nobody waits any more.
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
  CallTree,
  CaptureReport,
  Correlation,
  Dialog,
  DialogList,
  HiddenBy,
  LintResult,
  Persistence,
  RtpStream,
  Stats,
  StreamList,
} from '../contract/index.ts';
import type { AudioSpan, CallAudio } from '../export/audio.ts';
import type { SippPair } from '../export/sipp.ts';
import type { CallRow } from '../view/call-row.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import type { MetricsSnapshot } from '../view/metrics-snapshot.ts';
import type { Pulse } from '../view/pulse.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import type { Summary } from '../view/summary.ts';
import type { CallCapture } from './captures.ts';
import type { Changes } from './changes.ts';
import type { Container } from './containers.ts';
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

/** What anybody answers; some of it after a while. */
export interface Port {
  /** A page of calls; `cursor` is that of the page before, '' for the first. An unknown cursor begins anew. */
  page(question: CallsQuestion, limit: number, cursor: string, signal?: AbortSignal): Answer<AskCalls>;
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
  /** The capture of calls as pcapng. Rejects with ServiceError where the files have changed. */
  capture(callIds: readonly string[], signal?: AbortSignal): Promise<CallCapture>;
  /** Calls with a finding, by finding, the most frequent first. */
  findings(question: CallsQuestion, signal?: AbortSignal): Answer<AskFindings>;
  /** Calls that changed after a moment of an earlier answer; null for a first moment. */
  changes(since: number | null): Answer<Changes>;
  /** Whether trunks are up, what their calls came to, and how they sounded. */
  trunks(asked: AskTrunksQuery, signal?: AbortSignal): Answer<AskTrunks>;
  /** Who registers, from where, and who fails, by user and address. */
  registrations(question: CallsQuestion, signal?: AbortSignal): Answer<AskRegistrations>;
  /** The call that a selector means; without a question neither rows nor prefixes are taken (explore/selector.ts). */
  select(selector: string, question: CallsQuestion | null): Answer<Selected>;
  /** Attackers that were reported, the newest first. */
  security(): Answer<AskSecurity>;
  /** Newest first; may take turns, so that a scan of many dialogs does not hold the loop. */
  dialogs(filter: DialogFilter, signal?: AbortSignal): Answer<DialogList>;
  dialog(callId: string, signal?: AbortSignal): Answer<Dialog>;
  /** The dialog with the cause that the wire named for its end. */
  report(callId: string, signal?: AbortSignal): Answer<Dialog>;
  /** Legs tied to the dialog itself, at most `maxRows`. */
  correlated(callId: string, maxRows: number): Answer<Correlation>;
  /** All legs of the call, at most `maxRows`. */
  tree(callId: string, maxRows: number, signal?: AbortSignal): Answer<CallTree>;
  streams(filter: StreamFilter, signal?: AbortSignal): Answer<StreamList>;
  stream(ssrc: number): Answer<RtpStream>;
  lint(callId: string, signal?: AbortSignal): Answer<LintResult>;
  /** The WAV of the call, or of a span of it. */
  audio(callId: string, signal?: AbortSignal, span?: AudioSpan): Answer<CallAudio>;
  /** A container made now, as JSON text while it is read; the audio in it may take a while. */
  vcon(callId: string, signal?: AbortSignal): Answer<Container>;
  /** Across all dialogs and streams; takes turns. */
  captureReport(): Answer<CaptureReport>;
  stats(): Answer<Stats>;
  metrics(): MetricsSnapshot;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
  /** How a live capture does: cheap enough for every second. */
  pulse(): Answer<Pulse>;
}

/** A capture of this process has some of it at hand, and what a run prints and writes at its end. */
export interface Explorer extends Port {
  /** For who prints and ends, all at once: rows of the call table, and documents. */
  calls(question: CallsQuestion): Iterable<CallRow>;
  documents(question: CallsQuestion): Iterable<CallDocument>;
  /** What could hide the calls of a question that found none. */
  hiddenBy(question: CallsQuestion): HiddenBy[];
  select(selector: string, question: CallsQuestion | null): Selected;
  /**
   * Writes the frames of the calls of a question, with their media, to the file of -O: a second reading of the files. Null
   * where there are no files, or no -O. Throws ServiceError where a file cannot be read twice.
   */
  save(question: CallsQuestion, hasLegs: boolean): Promise<SavedCalls | null>;
  security(): AskSecurity;
  pulse(): Pulse;
  summary(): Summary;
}

/** What agents ask for. */
export type AgentPort = Pick<
  Port,
  | 'page'
  | 'call'
  | 'report'
  | 'legs'
  | 'messages'
  | 'ladder'
  | 'text'
  | 'correlated'
  | 'tree'
  | 'lint'
  | 'streams'
  | 'stream'
  | 'trunks'
  | 'select'
  | 'stats'
  | 'captureReport'
>;

/** What the terminal asks for. */
export type TerminalPort = Pick<
  Port,
  | 'page'
  | 'changes'
  | 'call'
  | 'head'
  | 'legs'
  | 'messages'
  | 'ladder'
  | 'text'
  | 'quality'
  | 'compare'
  | 'sipp'
  | 'capture'
  | 'audio'
  | 'findings'
  | 'registrations'
  | 'trunks'
  | 'security'
> & {
  /** The newest one known. */
  pulse(): Pulse;
  /** What keeps all answers away at this moment, for a person, '' where nothing does; left out where nothing can. */
  trouble?(): string;
};
