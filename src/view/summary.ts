/**
 * The figures that a run ends with: beside the statistics, what was read and written in all.
 */
import type { Stats } from '../contract/index.ts';
import type { DialogStateName } from '../core/words.ts';
import { DIALOG_STATES } from '../core/words.ts';
import { clockLines } from './clock-step-text.ts';
import type { Figures, Written } from './figures.ts';
import { probeLine } from './probe-status.ts';
import { toStats } from './stats.ts';

export type Summary = {
  readonly frames: number;
  readonly sipMessages: number;
  /** Frames that other sources or interfaces saw too. */
  readonly copies: number;
  /** Dialogs in each state. */
  readonly states: readonly (readonly [DialogStateName, number])[];
  readonly rtp: { readonly packets: number; readonly lost: number };
  /** What the TLS probes saw, as a line; null without them. */
  readonly probes: string | null;
  readonly written: Written | null;
  /** Lines that say when the clock of the host was set. */
  readonly clock: readonly string[];
  readonly stats: Stats;
};

export function toSummary(f: Figures): Summary {
  const { dialogs, streams } = f.evidence.stores;
  return {
    frames: f.source.counter('frames'),
    sipMessages: f.ingest.tracker.counts.messages,
    copies: f.source.counter('copied_frames'),
    states: DIALOG_STATES.map((name, i) => [name, dialogs.inState[i] ?? 0] as const),
    rtp: streams.totals(),
    probes: probeLine(f),
    written: f.saving.written,
    clock: clockLines(f.evidence.capture.clockSteps),
    stats: toStats(f),
  };
}
