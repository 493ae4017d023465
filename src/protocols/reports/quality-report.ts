/**
 * What an endpoint, or an agent beside it, says of a call's media: one shape for all forms in which it comes, and the ranges that a
 * figure must lie in. A figure that cannot be is left out, as is one that the sender marks as unknown.
 */

import type { ReportKind } from '../../core/words.ts';
import type { VoipMetrics } from '../rtp/rtcp-xr.ts';

/** Of what the texts of a report say, that many characters are kept of each; of their own fields that many, and so long. @cap */
const MAX_REPORT_TEXT = 128;
export const MAX_OWN_FIELDS = 8;

/** What a receiver says of one stream; what it does not say is absent. */
export type HeardFigures = {
  lossPct?: number;
  /** Of packets that came too late for its jitter buffer. */
  discardPct?: number;
  jitterMs?: number;
  jitterMaxMs?: number;
  roundTripMs?: number;
  oneWayDelayMs?: number;
  endSystemDelayMs?: number;
  mosLq?: number;
  mosCq?: number;
  rLq?: number;
  rCq?: number;
  packets?: number;
  lost?: number;
  discarded?: number;
  burstLossPct?: number;
  burstMs?: number;
  gapLossPct?: number;
  gapMs?: number;
  signalDbm?: number;
  noiseDbm?: number;
  echoReturnLossDb?: number;
  bufferMs?: number;
  bufferMaxMs?: number;
};
export type FigureName = keyof HeardFigures;

/** A socket that a report names; port 0 and no SSRC where it names none. */
export type ReportedEnd = { readonly address: string; readonly port: number; readonly ssrc: number | null };

export type QualityReport = {
  readonly kind: ReportKind;
  /** It tells of some time of the call, and others of the rest. */
  readonly isPart: boolean;
  /** The call that it is of; '' where its carrier says it. */
  readonly callId: string;
  /** Who hears, and from whom. */
  readonly local: ReportedEnd | null;
  readonly remote: ReportedEnd | null;
  /** Whose it is, as the report calls it; '' without a name. */
  readonly user: string;
  readonly mac: string;
  /** What `local` hears, and what the other side told it of what it sends itself. */
  readonly heard: HeardFigures;
  readonly sent: HeardFigures;
  readonly codec: string;
  /** The times that it covers, in microseconds; NaN where it names none. */
  readonly startUs: number;
  readonly stopUs: number;
  /** Of an alert: which figure, and how bad. */
  readonly alert: string;
  /** Fields of its vendor, as they are. */
  readonly own: readonly (readonly [name: string, value: string])[];
};

const NO_REPORT: QualityReport = {
  kind: 'session',
  isPart: false,
  callId: '',
  local: null,
  remote: null,
  user: '',
  mac: '',
  heard: {},
  sent: {},
  codec: '',
  startUs: Number.NaN,
  stopUs: Number.NaN,
  alert: '',
  own: [],
};

export function reportOf(told: Partial<QualityReport> & Pick<QualityReport, 'kind'>): QualityReport {
  return { ...NO_REPORT, ...told };
}

/** Lowest and highest value, and the one that means unknown. */
const PERCENT = [0, 100, Number.NaN] as const;
const MOS = [1, 5, Number.NaN] as const;
/** RFC 3611 section 4.7.5: 127 is unavailable. */
const R_FACTOR = [0, 120, 127] as const;
const TIME = [0, 60_000, 0xffff] as const;
/** 0 is "not known" of what takes time (RFC 3611 section 4.7.3). */
const DELAY = [0, 60_000, 0] as const;
const COUNT = [0, 0xffff_ffff, Number.NaN] as const;
const LEVEL = [-127, 126, 127] as const;

const RANGES: Readonly<Record<FigureName, readonly [least: number, most: number, unknown: number]>> = {
  lossPct: PERCENT,
  discardPct: PERCENT,
  jitterMs: TIME,
  jitterMaxMs: TIME,
  roundTripMs: DELAY,
  oneWayDelayMs: DELAY,
  endSystemDelayMs: DELAY,
  mosLq: MOS,
  mosCq: MOS,
  rLq: R_FACTOR,
  rCq: R_FACTOR,
  packets: COUNT,
  lost: COUNT,
  discarded: COUNT,
  burstLossPct: PERCENT,
  burstMs: TIME,
  gapLossPct: PERCENT,
  gapMs: [0, 0xffff, Number.NaN],
  signalDbm: LEVEL,
  noiseDbm: LEVEL,
  echoReturnLossDb: [0, 126, 127],
  bufferMs: TIME,
  bufferMaxMs: TIME,
};

/** Sets the figure where it can be. */
export function setFigure(figures: HeardFigures, name: FigureName, value: number): void {
  const [least, most, unknown] = RANGES[name];
  if (value >= least && value <= most && value !== unknown) figures[name] = value;
}

/** Plain digits with or without a point; NaN for all else. */
export function numberIn(text: string): number {
  return /^[-+]?\d{1,12}(?:\.\d{1,12})?$/.test(text) ? Number(text) : Number.NaN;
}

/** The share that its counts make, where it says none. */
export function completed(figures: HeardFigures): HeardFigures {
  const { packets, lost, discarded } = figures;
  if (packets === undefined || packets === 0) return figures;
  if (lost !== undefined) figures.lossPct ??= percentOf(lost, packets + lost);
  if (discarded !== undefined) figures.discardPct ??= percentOf(discarded, packets + (lost ?? 0));
  return figures;
}

/** A sender that counts what it sent: what was lost is part of it. */
export function completedOfSent(figures: HeardFigures): HeardFigures {
  const { packets, lost } = figures;
  if (packets !== undefined && packets > 0 && lost !== undefined) figures.lossPct ??= percentOf(lost, packets);
  return figures;
}

function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, (part / whole) * 100);
}

export function hasFigures(figures: HeardFigures): boolean {
  return Object.keys(figures).length > 0;
}

/** A text of a report as it is kept. */
export function reportText(text: string): string {
  return text.length <= MAX_REPORT_TEXT ? text : text.slice(0, MAX_REPORT_TEXT);
}

/** Pairs read of one line or header; a report has some twenty. @cap */
const MAX_PAIRS = 64;

/** `NAME=value` between separators, names in capitals. A value in quotes may hold separators. Linear in the text. */
export function* pairsIn(text: string, separators: string): Generator<readonly [name: string, value: string]> {
  let at = 0;
  for (let n = 0; at < text.length && n < MAX_PAIRS; n++) {
    while (at < text.length && separators.includes(text.charAt(at))) at++;
    const start = at;
    let equals = -1;
    while (at < text.length && !separators.includes(text.charAt(at))) {
      if (equals < 0 && text.charAt(at) === '=') {
        equals = at;
        const close = text.charAt(at + 1) === '"' ? text.indexOf('"', at + 2) : -1;
        if (close > 0) at = close;
      }
      at++;
    }
    if (equals > start)
      yield [
        text.slice(start, equals).trim().toUpperCase(),
        text
          .slice(equals + 1, at)
          .trim()
          .replace(/^"|"$/g, ''),
      ];
  }
}

/** A host or address and a port, as reports write them. */
export function endOf(address: string, port: number, ssrc: number | null = null): ReportedEnd | null {
  const host = reportText(address.replace(/^\[|\]$/g, ''));
  if (host === '' && ssrc === null) return null;
  return { address: host, port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0, ssrc };
}

/** Of the VoIP metrics of RTCP XR (RFC 3611 section 4.7): rates are of 256. */
export function voipMetricsReport(m: VoipMetrics): QualityReport {
  const heard: HeardFigures = {};
  const percent = (rate: number): number => (rate / 256) * 100;
  setFigure(heard, 'lossPct', percent(m.lossRate));
  setFigure(heard, 'discardPct', percent(m.discardRate));
  setFigure(heard, 'burstLossPct', percent(m.burstDensity));
  setFigure(heard, 'gapLossPct', percent(m.gapDensity));
  setFigure(heard, 'burstMs', m.burstDurationMs);
  setFigure(heard, 'gapMs', m.gapDurationMs);
  setFigure(heard, 'roundTripMs', m.roundTripMs);
  setFigure(heard, 'endSystemDelayMs', m.endSystemDelayMs);
  setFigure(heard, 'rCq', m.rFactor ?? Number.NaN);
  setFigure(heard, 'mosLq', m.mosLq ?? Number.NaN);
  setFigure(heard, 'mosCq', m.mosCq ?? Number.NaN);
  setFigure(heard, 'bufferMs', m.jitterBufferMs);
  setFigure(heard, 'bufferMaxMs', m.jitterBufferMaxMs);
  return reportOf({ kind: 'xr', heard, remote: { address: '', port: 0, ssrc: m.ssrc } });
}
