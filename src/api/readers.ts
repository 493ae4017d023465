/** What the API reads: the whole of its view of the stores. Nothing here writes to them. */

import type {
  CallTree,
  CaptureReport,
  Correlation,
  Dialog,
  DialogList,
  DialogState,
  LintResult,
  Persistence,
  RtpStream,
  Stats,
  StreamList,
  Vcon,
} from '../contract/index.ts';
import type { MetricsSnapshot } from '../metrics/snapshot.ts';

/** `limit` is already clamped to the row cap; `offset` may lie beyond the end. */
export type Page = { readonly limit: number; readonly offset: number };

/** True when nobody waits for the answer any more. */
export type IsGone = () => boolean;

export type DialogFilter = Page & {
  readonly state?: DialogState;
  /** True when the client's pattern is found in the From user; takes time linear in its length. */
  readonly matchesFrom?: (user: string) => boolean;
};

export type StreamFilter = Page & {
  readonly orphaned?: boolean;
  readonly mosBelow?: number;
};

export type CallAudio = { readonly wav: Uint8Array; readonly isPartial: boolean } | { readonly reason: string };

/** Null when there is no stream with the SSRC. */
export type FoundStream = { readonly stream: RtpStream | null };

export type ApiReaders = {
  /** Newest first; may take turns, so that a scan of many dialogs does not hold the loop. Null when too many are made. */
  dialogs(filter: DialogFilter, isGone?: IsGone): Promise<DialogList | null> | DialogList;
  dialog(callId: string): Dialog | null;
  /** The dialog with the cause that the wire named for its end. */
  report(callId: string): Dialog | null;
  /** Legs tied to the dialog itself, at most `maxRows`. */
  correlated(callId: string, maxRows: number): Correlation | null;
  /** All legs of the call, at most `maxRows`. */
  tree(callId: string, maxRows: number): CallTree | null;
  streams(filter: StreamFilter, isGone?: IsGone): Promise<StreamList | null> | StreamList;
  /** Null when too many are looked for. */
  stream(ssrc: number): Promise<FoundStream | null> | FoundStream;
  lint(callId: string): LintResult | null;
  /** The WAV of the call, or why there is none. */
  audio(callId: string): Promise<CallAudio | null>;
  /** A container made now; the audio in it may take a while. */
  vcon(callId: string): Promise<Vcon | null> | Vcon | null;
  /** Across all dialogs and streams; takes turns. */
  captureReport(): Promise<CaptureReport> | CaptureReport;
  stats(): Promise<Stats> | Stats;
  metrics(): MetricsSnapshot;
  persistence(): Persistence;
  /** The state that holds afterwards: the network may only narrow what the command line allows. */
  setPersistence(isEnabled: boolean): Persistence;
};
