/**
 * Reads the JSON in which programs beside a server report the quality of RTP by HEP (types 34, 35 and 38): of one stream a
 * report, as RTP agents send them, or of both sides of a call at once, as exporters of session border controllers do.
 */
import { fail, ok, type Result } from '../../core/result.ts';
import type { FigureName, HeardFigures, QualityReport, ReportedEnd } from './quality-report.ts';
import { completed, endOf, hasFigures, numberIn, reportOf, reportText, setFigure } from './quality-report.ts';
import type { ReportFailure } from './vq-rtcpxr.ts';
import { MAX_REPORT_BYTES } from './vq-rtcpxr.ts';

type Fields = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8');

/** The first name that the report has counts. */
const OF_STREAM: readonly (readonly [FigureName, ...string[]])[] = [
  ['packets', 'TOTAL_PK'],
  ['lost', 'PACKET_LOSS'],
  ['jitterMs', 'MEAN_JITTER', 'JITTER'],
  ['jitterMaxMs', 'MAX_JITTER'],
  ['mosLq', 'MEAN_MOS', 'MOS'],
  ['rLq', 'MEAN_RFACTOR', 'RFACTOR'],
];

/** Of one side of a call; the names begin with the side. */
const OF_SIDE: readonly (readonly [FigureName, string])[] = [
  ['packets', 'RTP_PK'],
  ['lost', 'RTP_PK_LOSS'],
  ['jitterMs', 'RTP_AVG_JITTER'],
  ['jitterMaxMs', 'RTP_MAX_JITTER'],
  ['mosLq', 'MOS'],
  ['rLq', 'RVAL'],
  ['oneWayDelayMs', 'RTCP_AVG_LAT'],
];
const SIDES = [
  ['INC', 'CALLER'],
  ['OUT', 'CALLEE'],
] as const;

/** At least one report. */
export function parseAgentJson(bytes: Uint8Array): Result<QualityReport[], ReportFailure | 'bad_json'> {
  if (bytes.length > MAX_REPORT_BYTES) return fail('too_long');
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(bytes));
  } catch {
    return fail('bad_json');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return fail('bad_json');
  const fields: Fields = { ...parsed };
  const isOfSides = SIDES.some(([side]) => `${side}_RTP_PK` in fields || `${side}_MOS` in fields);
  const reports = isOfSides ? SIDES.flatMap(([side, who]) => ofSide(fields, side, who)) : ofStream(fields);
  return reports.length === 0 ? fail('no_figures') : ok(reports);
}

/** The destination hears. */
function ofStream(fields: Fields): QualityReport[] {
  const heard: HeardFigures = {};
  for (const [figure, ...names] of OF_STREAM) {
    const name = names.find((one) => fields[one] !== undefined && fields[one] !== null);
    if (name !== undefined) setFigure(heard, figure, scaled(figure, numberOf(fields, name)));
  }
  if (!hasFigures(completed(heard))) return [];
  const ssrc = ssrcOf(textOf(fields, 'SSRC'));
  return [
    reportOf({
      kind: 'hep',
      // The others say HANGUP, FINAL, or nothing.
      isPart: textOf(fields, 'TYPE').toUpperCase() === 'PERIODIC',
      callId: textOf(fields, 'RTP_SIP_CALL_ID') || textOf(fields, 'CORRELATION_ID'),
      heard,
      codec: reportText(textOf(fields, 'CODEC_NAME')),
      user: reportText(textOf(fields, 'REPORT_NAME')),
      local: socketOf(fields, 'DST', null),
      remote: socketOf(fields, 'SRC', ssrc),
    }),
  ];
}

function ofSide(fields: Fields, side: string, who: string): QualityReport[] {
  const heard: HeardFigures = {};
  for (const [figure, name] of OF_SIDE) setFigure(heard, figure, scaled(figure, numberOf(fields, `${side}_${name}`)));
  if (!hasFigures(completed(heard))) return [];
  return [
    reportOf({
      kind: 'hep',
      callId: textOf(fields, `${side}_ID`),
      heard,
      user: reportText(textOf(fields, 'NAME')),
      local: socketOf(fields, `${who}_DST`, null),
      remote: socketOf(fields, `${who}_SRC`, null),
    }),
  ];
}

/** Some write a MOS of 4.1 as 410, and a factor of 85 as 8500. */
function scaled(figure: FigureName, value: number): number {
  const most = figure === 'mosLq' ? 5 : figure === 'rLq' ? 120 : Number.POSITIVE_INFINITY;
  return value > most ? value / 100 : value;
}

function socketOf(fields: Fields, end: string, ssrc: number | null): ReportedEnd | null {
  return endOf(textOf(fields, `${end}_IP`), numberOf(fields, `${end}_PORT`), ssrc);
}

function ssrcOf(text: string): number | null {
  return /^0x[0-9a-f]{1,8}$/i.test(text) ? Number(text) : null;
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** As a number or in digits; NaN for all else. */
function numberOf(fields: Fields, name: string): number {
  const value = fields[name];
  return typeof value === 'number' ? value : typeof value === 'string' ? numberIn(value) : Number.NaN;
}
