/** How each field of a call (core/call-fields.ts) is read of a dialog, and how much must be loaded for that. */

import type { Call, CallSummary, NamedField, TimingSummary } from '../core/call-fields.ts';
import { WORST_FIGURE } from '../core/call-fields.ts';
import { NOT_KNOWN } from '../core/call-text.ts';
import { endpointText } from '../core/ip.ts';
import { spanSec } from '../core/rounded.ts';
import { DIALOG_STATES, ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { callTiming, lastedSec, postDialDelayMs } from '../store/dialogs/call-timing.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';
import { worstJitterMs, worstLossPct, worstMos } from './call-figures.ts';
import type { CallMessage, Socket } from './call-messages.ts';
import type { CallSource } from './call-source.ts';
import { capturedText, framePointerText } from './captured-at.ts';
import { causeText } from './explanation.ts';
import { findingNames, found, rowsOf } from './finding-names.ts';
import { CALL_FINDINGS } from './finding-table.ts';
import { whoHungUp } from './hangup.ts';
import { lacksNoDirection } from './media/both-ways.ts';
import { finalCodeOf, finalOf } from './signaling/failure.ts';
import { codecsOf } from './stream-quality.ts';

/**
 * What a field needs, the cheapest first: the record, counters of streams, their scores, sockets of messages, all figures of
 * streams, texts of messages, other legs, findings.
 */
export const LEVEL = {
  RECORD: 0,
  COUNTERS: 1,
  SCORES: 2,
  SOCKETS: 3,
  STREAMS: 4,
  TEXTS: 5,
  LEGS: 6,
  FACTS: 7,
} as const;

/** The record of a dialog, and the capture that it is in. */
export type RecordSource = { readonly d: Dialog; readonly capture: CapturedIn };

/** Undefined where nothing is known. */
type Readers<T, S> = { readonly [F in keyof T]-?: readonly [level: number, read: (source: S) => T[F] | undefined] };

const { RECORD, COUNTERS, SCORES, SOCKETS, STREAMS, TEXTS, FACTS } = LEVEL;

const known = (text: string): string | undefined => (text === '' ? undefined : text);
const socketText = (socket: Socket | undefined): string | undefined => socket && endpointText(socket.host, socket.port);
const nameOf = ({ e }: CallSource, socket: Socket | undefined): string | undefined =>
  socket && (e.rules.names.of(socket.host) ?? undefined);

export const TIMING_READERS = {
  pdd_ms: [RECORD, ({ d }) => postDialDelayMs(d)],
  setup_ms: [RECORD, ({ d }) => callTiming(d).setupMs],
  retransmits: [RECORD, ({ d }) => d.retransmits],
  duration_ms: [RECORD, ({ d }) => callTiming(d).durationMs],
} as const satisfies Readers<TimingSummary, RecordSource>;

/** A list row of `/v1` is read of the record alone. */
export const SUMMARY_READERS = {
  call_id: [RECORD, ({ d }) => d.callId],
  state: [RECORD, ({ d }) => DIALOG_STATES[d.state] ?? 'Trying'],
  method: [RECORD, ({ d }) => d.methodText],
  msg_count: [RECORD, ({ d }) => d.msgCount],
  duration_sec: [RECORD, ({ d }) => spanSec(d.createdUs, d.updatedUs)],
  created_at: [RECORD, ({ d, capture }) => capturedText(d.createdUs, capture.clockSteps)],
  updated_at: [RECORD, ({ d, capture }) => capturedText(d.updatedUs, capture.clockSteps)],
  timing: [RECORD, timingOf],
  from_user: [RECORD, ({ d }) => known(d.fromUser)],
  to_user: [RECORD, ({ d }) => known(d.toUser)],
  final_status_code: [RECORD, ({ d }) => (d.finalCode === 0 ? undefined : d.finalCode)],
  final_status_reason: [RECORD, ({ d }) => (d.finalCode === 0 ? undefined : d.finalReason)],
  frame: [RECORD, ({ d, capture }) => (d.frame === null ? undefined : framePointerText(d.frame, capture.sources))],
  input_origin: [RECORD, ({ d }) => ORIGINS[d.origin]],
  // Known to a hub alone.
  host: [RECORD, () => undefined],
} as const satisfies Readers<CallSummary, RecordSource>;

export const CALL_READERS = {
  ...SUMMARY_READERS,
  // The clock of a call that talks runs: in lists, not in the documents of `/v1`.
  duration_sec: [RECORD, ({ e, d }) => lastedSec(d, e.capture.nowOf(d))],
  kept_in: [RECORD, () => undefined],
  from_host: [RECORD, ({ d }) => (d.fromUser === '' ? known(d.from) : undefined)],
  to_host: [RECORD, ({ d }) => (d.toUser === '' ? known(d.to) : undefined)],
  code: [RECORD, ({ d, e }) => finalCodeOf(d, e.stores.log) ?? undefined],
  reason: [TEXTS, ({ d, e }) => known(finalOf(d, e.stores.log)?.reason ?? '')],
  ended_by: [TEXTS, ({ d, messages }) => whoHungUp(d, messages)?.side],
  src: [SOCKETS, ({ way }) => socketText(way?.src)],
  dst: [SOCKETS, ({ way }) => socketText(way?.dst)],
  src_name: [SOCKETS, (s) => nameOf(s, s.way?.src)],
  dst_name: [SOCKETS, (s) => nameOf(s, s.way?.dst)],
  transport: [SOCKETS, ({ way }) => TRANSPORTS[way?.opening.transport ?? -1]],
  user_agent: [TEXTS, ({ way }) => known(userAgentOf(way?.opening))],
  codecs: [STREAMS, codecsOfCall],
  mos_worst: [SCORES, ({ e, d }) => worstMos(e, d) ?? undefined],
  loss_pct_max: [COUNTERS, ({ e, d }) => worstLossPct(e, d) ?? undefined],
  jitter_ms_max: [SCORES, ({ e, d }) => worstJitterMs(e, d) ?? undefined],
  reported_mos: [COUNTERS, ({ reported }) => reported.mos ?? undefined],
  reported_loss_pct: [COUNTERS, ({ reported }) => reported.lossPct ?? undefined],
  reported_jitter_ms: [COUNTERS, ({ reported }) => reported.jitterMs ?? undefined],
  reported_rtt_ms: [COUNTERS, ({ reported }) => reported.roundTripMs ?? undefined],
  not_known: [STREAMS, (s) => (s.streams.some(({ quality }) => quality.ownLost > 0) ? NOT_KNOWN : undefined)],
  cause: [FACTS, ({ facts }) => causeText(facts)],
  findings: [FACTS, ({ facts }) => findingNames(facts)],
} as const satisfies Readers<Call, CallSource>;

/** Of any field by its name. */
export const FIELD_READERS = { ...CALL_READERS, ...TIMING_READERS };

/** What a list is sorted by, and a filter compares: the figure, or what a finding makes of it. */
export type FigureReader = {
  /** What the figure needs of this call. */
  readonly levelOf: (source: Pick<CallSource, 'e' | 'd'>) => number;
  readonly read: (source: CallSource) => number | null;
};

/** The figure is null where nothing is known. */
export function figureReaderOf({ name, worst }: NamedField): FigureReader {
  const [level, read] = FIELD_READERS[name];
  // Who asks for the figure of a text gets none.
  const figure = (s: CallSource): number | null => {
    const value: unknown = read(s);
    return typeof value === 'number' ? value : null;
  };
  if (worst === undefined) return { levelOf: () => level, read: figure };
  const rows = rowsOf(CALL_FINDINGS).filter(([finding]) => finding in worst);
  return {
    levelOf: ({ e, d }) => (lacksNoDirection(e, d) ? level : FACTS),
    read: (s) => (!lacksNoDirection(s.e, s.d) && found(s.facts, rows).length > 0 ? WORST_FIGURE : figure(s)),
  };
}

function timingOf(source: RecordSource): TimingSummary {
  const { pdd_ms, setup_ms, retransmits, duration_ms } = TIMING_READERS;
  return {
    pdd_ms: pdd_ms[1](source),
    setup_ms: setup_ms[1](source),
    retransmits: retransmits[1](source),
    duration_ms: duration_ms[1](source),
  };
}

function userAgentOf(opening: CallMessage | undefined): string {
  return opening?.isRequest === true ? (opening.parse()?.value(HEADER.USER_AGENT) ?? '') : '';
}

function codecsOfCall({ streams }: CallSource): string[] | undefined {
  const names: string[] = [];
  for (const { stream, quality } of streams)
    for (const name of codecsOf(stream, quality)) if (!names.includes(name)) names.push(name);
  return names.length === 0 ? undefined : names;
}
