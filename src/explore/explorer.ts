/**
 * The one port of questions: whoever shows anything of a capture asks here, and nothing else. Nothing here writes.
 *
 * What may take turns does so that a scan of many dialogs holds no one up; it answers null when too many are made.
 */

import type { Readable } from 'node:stream';
import type {
  AskCompare,
  AskLadder,
  AskMessages,
  CallDocument,
  CallTree,
  CaptureReport,
  Correlation,
  Dialog,
  DialogList,
  LintResult,
  Persistence,
  RtpStream,
  Stats,
  StreamList,
} from '../contract/index.ts';
import type { CallAudio } from '../export/audio.ts';
import type { CallRow } from '../view/call-row.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { MetricsSnapshot } from '../view/metrics-snapshot.ts';
import type { ReportInput } from '../view/report-input.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import type { Summary } from '../view/summary.ts';
import type { CallsQuestion } from './question.ts';
import type { Selected } from './selector.ts';

/** True when nobody waits for the answer any more. */
export type IsGone = () => boolean;

/** Null when there is no dialog or stream of that name. */
export type Found<T> = { readonly document: T | null };

/** What takes turns may be refused: null when too many are made. */
type InTurns<T> = Promise<T | null> | T;

export type Explorer = {
  /** Newest first; may take turns, so that a scan of many dialogs does not hold the loop. Null when too many are made. */
  dialogs(filter: DialogFilter, isGone?: IsGone): InTurns<DialogList>;
  dialog(callId: string, isGone?: IsGone): InTurns<Found<Dialog>>;
  /** The dialog with the cause that the wire named for its end. */
  report(callId: string, isGone?: IsGone): InTurns<Found<Dialog>>;
  /** Legs tied to the dialog itself, at most `maxRows`. */
  correlated(callId: string, maxRows: number): Correlation | null;
  /** All legs of the call, at most `maxRows`. */
  tree(callId: string, maxRows: number, isGone?: IsGone): InTurns<Found<CallTree>>;
  streams(filter: StreamFilter, isGone?: IsGone): InTurns<StreamList>;
  stream(ssrc: number): InTurns<Found<RtpStream>>;
  lint(callId: string, isGone?: IsGone): InTurns<Found<LintResult>>;
  /** The WAV of the call, or why it cannot be made. */
  audio(callId: string, isGone?: IsGone): InTurns<Found<CallAudio>>;
  /** A container made now, as JSON text while it is read; the audio in it may take a while. */
  vcon(callId: string, isGone?: IsGone): InTurns<Found<Readable>>;
  /** Across all dialogs and streams; takes turns. */
  captureReport(): Promise<CaptureReport> | CaptureReport;
  stats(): Promise<Stats> | Stats;
  metrics(): MetricsSnapshot;
  /** For who prints and ends, all at once: rows of the call table, and documents. */
  calls(question: CallsQuestion): Iterable<CallRow>;
  documents(question: CallsQuestion): Iterable<CallDocument>;
  /** Null when there is no such dialog. */
  callReport(callId: string): ReportInput | null;
  /** The call that a selector means; without a question neither rows nor prefixes are taken (explore/selector.ts). */
  select(selector: string, question: CallsQuestion | null): Selected;
  /** Call-IDs of the other legs of a call, tied by identifiers; the call itself is not among them. */
  legs(callId: string, isGone?: IsGone): InTurns<Found<readonly string[]>>;
  /** The raw messages of calls, in one order of time; Call-IDs that are not here are left out. */
  messages(callIds: readonly string[], showsSecrets: boolean, isGone?: IsGone): InTurns<Found<AskMessages>>;
  /** Who sent what to whom, and the media. */
  ladder(callIds: readonly string[], isGone?: IsGone): InTurns<Found<AskLadder>>;
  compare(a: string, b: string, isGone?: IsGone): InTurns<Found<AskCompare>>;
  summary(): Summary;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
};
