/**
 * The one port of questions: whoever shows anything of a capture asks here, and nothing else. Nothing here writes.
 *
 * What may take turns does so that a scan of many dialogs holds no one up; a refusal is thrown (explore/refusal.ts).
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
import type { Answer } from './refusal.ts';

/** Documents of `/v1`, and what a run prints at its end. */
export type Explorer = AskPort & {
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
  summary(): Summary;
  /** How a live capture does: cheap enough for every second. */
  pulse(): Pulse;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
};
