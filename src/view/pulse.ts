/**
 * How a live capture does, in the few numbers of a status line: cheap enough to be read every second.
 */
import type { AskPulse } from '../contract/index.ts';
import { timestampText } from '../core/timestamp.ts';
import { DIALOG_STATES } from '../core/words.ts';
import { asCaptured } from '../store/clock-steps.ts';
import type { Figures } from './figures.ts';
import { lossCounters } from './losses.ts';

/** Calls that are being set up, or talk. */
const ACTIVE = (['Trying', 'Ringing', 'InCall', 'Transferring'] as const).map((name) => DIALOG_STATES.indexOf(name));

export type Pulse = {
  readonly calls: number;
  readonly active: number;
  readonly packets: number;
  readonly sipMessages: number;
  readonly dropped: number;
  /** SIP messages on ports that are not analysed. */
  readonly outside: number;
  readonly isDegraded: boolean;
  /** How much of the files was read, 0 to 1; null of a live source. */
  readonly progress: number | null;
  /** How far the capture has come, in microseconds since the epoch; -Infinity before its first packet. */
  readonly nowUs: number;
};

export function toPulse(f: Figures): Pulse {
  const { dialogs } = f.evidence.stores;
  const lost = lossCounters(f);
  const { source } = f;
  return {
    calls: dialogs.size,
    active: ACTIVE.reduce((sum, state) => sum + (dialogs.inState[state] ?? 0), 0),
    packets: source.counter('frames'),
    sipMessages: f.ingest.tracker.counts.messages,
    dropped: lost.kernel_dropped_packets + lost.interface_dropped_packets + lost.queue_dropped_packets,
    outside: source.counter('sip_outside_gate') + f.ingest.decode.excludedSip,
    isDegraded: Object.values(lost).some((n) => n > 0),
    progress: f.file?.progress() ?? null,
    nowUs: asCaptured(f.evidence.capture.clockSteps, f.evidence.capture.nowUs),
  };
}

export function toAskPulse(p: Pulse): AskPulse {
  const { calls, active, packets, dropped, outside } = p;
  return {
    schema_version: 1,
    calls,
    active,
    packets,
    sip_messages: p.sipMessages,
    dropped,
    outside,
    is_degraded: p.isDegraded,
    ...(p.progress === null ? {} : { progress: p.progress }),
    ...(Number.isFinite(p.nowUs) ? { capture_time: timestampText(p.nowUs) } : {}),
  };
}
