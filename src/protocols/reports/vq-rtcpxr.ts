/**
 * Reads the reports of RFC 6035 (`application/vq-rtcpxr`): what a phone publishes at the end of a call, from time to time, or when
 * it sounds bad.
 *
 *     VQSessionReport: CallTerm
 *     CallID: 12345@atlanta.example.com
 *     LocalMetrics:
 *     PacketLoss: NLR=5.0 JDR=2.0
 *     RemoteMetrics:
 *     …
 *
 * Phones write the lines in any order, with or without a blank after the colon, fold them, and leave most of them out.
 */
import { rawText } from '../../core/byte-text.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import type { ReportKind } from '../../core/words.ts';
import type { FigureName, HeardFigures, QualityReport, ReportedEnd } from './quality-report.ts';
import {
  endOf,
  hasFigures,
  MAX_OWN_FIELDS,
  numberIn,
  pairsIn,
  reportOf,
  reportText,
  setFigure,
} from './quality-report.ts';

/** Bytes and lines of a report of RFC 6035: usual ones have 1,000 and 25. A longer one is refused. @cap phone_reports_too_long */
export const MAX_REPORT_BYTES = 16_384;
const MAX_REPORT_LINES = 256;

/** Nothing in it can be read as a report: no line that names one, or no figure that can be. */
export type ReportFailure = 'too_long' | 'no_report' | 'no_figures';

const KINDS: Readonly<Record<string, ReportKind>> = {
  vqsessionreport: 'session',
  vqintervalreport: 'interval',
  vqalertreport: 'alert',
};

/** RFC 6035 section 4.6.2; each parameter has one name, in whichever line it stands. */
const FIGURES: Readonly<Record<string, FigureName>> = {
  NLR: 'lossPct',
  JDR: 'discardPct',
  BLD: 'burstLossPct',
  BD: 'burstMs',
  GLD: 'gapLossPct',
  GD: 'gapMs',
  RTD: 'roundTripMs',
  ESD: 'endSystemDelayMs',
  OWD: 'oneWayDelayMs',
  SOWD: 'oneWayDelayMs',
  IAJ: 'jitterMs',
  MAJ: 'jitterMaxMs',
  SL: 'signalDbm',
  NL: 'noiseDbm',
  RERL: 'echoReturnLossDb',
  RLQ: 'rLq',
  RCQ: 'rCq',
  MOSLQ: 'mosLq',
  MOSCQ: 'mosCq',
  JBN: 'bufferMs',
  JBM: 'bufferMaxMs',
};

type Told = { -readonly [K in keyof QualityReport]?: QualityReport[K] };

/** What the lines before have made of it. */
type Reading = {
  readonly told: Told;
  kind: ReportKind | null;
  /** Those of the section that the lines belong to. */
  figures: HeardFigures;
  readonly heard: HeardFigures;
  readonly sent: HeardFigures;
  readonly own: [string, string][];
  dialogId: string;
};

/** The report at buf[start..end). */
export function parseVqReport(buf: Uint8Array, start: number, end: number): Result<QualityReport, ReportFailure> {
  if (end - start > MAX_REPORT_BYTES) return fail('too_long');
  const heard: HeardFigures = {};
  const r: Reading = { told: {}, kind: null, figures: heard, heard, sent: {}, own: [], dialogId: '' };
  for (const line of linesOf(rawText(buf, start, end))) readLine(line, r);
  if (r.kind === null) return fail('no_report');
  if (!hasFigures(r.heard) && !hasFigures(r.sent)) return fail('no_figures');
  const callId = r.told.callId ?? r.dialogId.split(';', 1)[0]?.trim() ?? '';
  const { kind, heard: told, sent, own } = r;
  return ok(reportOf({ ...r.told, kind, isPart: kind !== 'session', callId, heard: told, sent, own }));
}

/** Folds are undone. Some senders break a line without a blank: what has no name of its own belongs to the line before. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const raw of text.split(/\r\n|\n|\r/, MAX_REPORT_LINES)) {
    if (raw.trim() === '') continue;
    const isRest = /^[ \t]/.test(raw) || !/^[A-Za-z][\w-]{0,63}[ \t]{0,8}(?::|$)/.test(raw);
    if (isRest && lines.length > 0 && !/^callid=/i.test(raw)) lines[lines.length - 1] += ` ${raw.trim()}`;
    else lines.push(raw);
  }
  return lines;
}

function readLine(line: string, r: Reading): void {
  // A large gateway writes an equals sign there.
  const colon = /^callid=/i.test(line) ? line.indexOf('=') : line.indexOf(':');
  const name = (colon < 0 ? line : line.slice(0, colon)).trim().toLowerCase();
  const value = colon < 0 ? '' : line.slice(colon + 1).trim();
  const kind = KINDS[name];
  if (kind !== undefined) {
    r.kind ??= kind;
    if (kind === 'alert') r.told.alert = alertIn(value);
    return;
  }
  switch (name) {
    case 'localmetrics':
      r.figures = r.heard;
      // Lines without a name that follow.
      readPairs(value, r);
      return;
    case 'remotemetrics':
      r.figures = r.sent;
      readPairs(value, r);
      return;
    case 'callid':
      r.told.callId = value;
      return;
    case 'dialogid':
      r.dialogId = value;
      return;
    case 'localid':
    case 'fromid':
      r.told.user = reportText(value);
      return;
    case 'localmac':
      r.told.mac = reportText(value);
      return;
    case 'localaddr':
      r.told.local = endIn(value);
      return;
    case 'remoteaddr':
      r.told.remote = endIn(value);
      return;
    default:
      if (name.startsWith('x-')) {
        if (r.own.length < MAX_OWN_FIELDS) r.own.push([reportText(name), reportText(value)]);
      } else readPairs(value, r);
  }
}

function readPairs(text: string, { figures, told, heard }: Reading): void {
  for (const [name, value] of pairsIn(text, ' \t;')) {
    const figure = FIGURES[name];
    if (figure !== undefined) setFigure(figures, figure, numberIn(value));
    else if (name === 'PD' && figures === heard) told.codec = reportText(value);
    else if (name === 'START') told.startUs = timeIn(value);
    else if (name === 'STOP') told.stopUs = timeIn(value);
  }
}

/** RFC 3339. */
function timeIn(text: string): number {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(text) ? Date.parse(text.slice(0, 40)) * 1000 : Number.NaN;
}

function endIn(text: string): ReportedEnd | null {
  let [address, port] = ['', 0];
  let ssrc: number | null = null;
  for (const [name, value] of pairsIn(text, ' \t;')) {
    if (name === 'IP') address = value;
    else if (name === 'PORT') port = numberIn(value);
    else if (name === 'SSRC') ssrc = ssrcIn(value);
  }
  return endOf(address, port, ssrc);
}

/** Hexadecimal, also without 0x where letters tell, or decimal with the sign that some writers give it; 0 is none. */
function ssrcIn(text: string): number | null {
  const isHex = /^(?:0x[0-9a-f]{1,8}|(?=\d{0,7}[a-f])[0-9a-f]{1,8})$/i.test(text);
  const number = isHex ? Number.parseInt(text.replace(/^0x/i, ''), 16) : numberIn(text);
  return Number.isInteger(number) && Math.abs(number) <= 0xffff_ffff && number !== 0 ? number >>> 0 : null;
}

/** `Type=NLR Severity=Critical Dir=local` as words. */
function alertIn(text: string): string {
  const words = [...pairsIn(text, ' \t;')].filter(([name]) => name === 'TYPE' || name === 'SEVERITY');
  return reportText(words.map(([, value]) => value).join(' ')) || 'alert';
}
