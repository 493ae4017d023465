/**
 * The one port of questions: whoever shows anything of a capture asks here, and nothing else. Nothing here writes.
 *
 * What may take turns does so that a scan of many dialogs holds no one up; it answers null when too many are made.
 */

import type {
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
import type { AudioSpan, CallAudio } from '../export/audio.ts';
import type { DialogFilter } from '../view/dialog-query.ts';
import type { MetricsSnapshot } from '../view/metrics-snapshot.ts';
import type { Pulse } from '../view/pulse.ts';
import type { StreamFilter } from '../view/stream-query.ts';
import type { Summary } from '../view/summary.ts';
import type { AskPort } from './ask-port.ts';
import type { Container } from './containers.ts';
import type { Found, InTurns, IsGone } from './found.ts';

/** Documents of `/v1`, and what a run prints at its end. */
export type Explorer = AskPort & {
  /** Newest first; may take turns, so that a scan of many dialogs does not hold the loop. Null when too many are made. */
  dialogs(filter: DialogFilter, isGone?: IsGone): InTurns<DialogList>;
  dialog(callId: string, isGone?: IsGone): InTurns<Found<Dialog>>;
  /** The dialog with the cause that the wire named for its end. */
  report(callId: string, isGone?: IsGone): InTurns<Found<Dialog>>;
  /** Legs tied to the dialog itself, at most `maxRows`. */
  correlated(callId: string, maxRows: number): InTurns<Found<Correlation>>;
  /** All legs of the call, at most `maxRows`. */
  tree(callId: string, maxRows: number, isGone?: IsGone): InTurns<Found<CallTree>>;
  streams(filter: StreamFilter, isGone?: IsGone): InTurns<StreamList>;
  stream(ssrc: number): InTurns<Found<RtpStream>>;
  lint(callId: string, isGone?: IsGone): InTurns<Found<LintResult>>;
  /** The WAV of the call, or of a span of it, or why it cannot be made. */
  audio(callId: string, isGone?: IsGone, span?: AudioSpan): InTurns<Found<CallAudio>>;
  /** A container made now, as JSON text while it is read; the audio in it may take a while. */
  vcon(callId: string, isGone?: IsGone): InTurns<Found<Container>>;
  /** Across all dialogs and streams; takes turns. */
  captureReport(): Promise<CaptureReport> | CaptureReport;
  stats(): Promise<Stats> | Stats;
  metrics(): MetricsSnapshot;
  summary(): Summary;
  /** How a live capture does: cheap enough for every second. */
  pulse(): Pulse;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
};
