/** Reports of phones and agents in the documents of a call, each beside what was measured of the same packets. */
import type { CallStream } from '../analysis/call.ts';
import { callStreams } from '../analysis/call.ts';
import { capturedText } from '../analysis/captured-at.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { heardBy, reporterSide, reportsOf } from '../analysis/media/phone-reports.ts';
import { worstOf } from '../analysis/media/reported-worst.ts';
import type { PhoneReport, ReportedFigures, ReportedWorst } from '../contract/index.ts';
import { endpointKeyText } from '../core/ip.ts';
import { rounded } from '../core/rounded.ts';
import { timestampText } from '../core/timestamp.ts';
import type { HeardFigures, ReportedEnd } from '../protocols/reports/quality-report.ts';
import { hasFigures } from '../protocols/reports/quality-report.ts';
import type { ClockStep } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { KeptReport } from '../store/media/phone-reports.ts';
import { milliseconds, mosValue, percent, ssrcText } from './stream-document.ts';

/** Streams that a report names as those that it may be about. @cap */
const MEASURED_STREAMS = 4;
const DIGITS = 4;

export type ReportFacts = { phone_reports?: PhoneReport[]; reported?: ReportedWorst };

/** Nothing where nobody reported anything. */
export function reportFacts(e: Evidence, d: Dialog, streams: readonly CallStream[]): ReportFacts {
  const all = reportsOf(d, e.stores, streams);
  if (all.length === 0) return {};
  const { mos, lossPct, jitterMs, roundTripMs } = worstOf(all);
  const reported: ReportedWorst = {};
  if (mos !== null) reported.mos = mos;
  if (lossPct !== null) reported.loss_pct = lossPct;
  if (jitterMs !== null) reported.jitter_ms = jitterMs;
  if (roundTripMs !== null) reported.round_trip_ms = roundTripMs;
  return { phone_reports: all.map((one) => toPhoneReport(d, one, streams, e.capture.clockSteps)), reported };
}

/** The same for who has not read the streams. */
export function callReports(e: Evidence, d: Dialog): ReportFacts {
  const { streams, reports } = e.stores;
  const owned = streams.ownedBy(d);
  if (reports.of(d).length === 0 && owned.every(({ rtcp }) => (rtcp?.voip ?? null) === null)) return {};
  return reportFacts(e, d, callStreams(d, e.capture.quality));
}

function toPhoneReport(
  d: Dialog,
  one: KeptReport,
  streams: readonly CallStream[],
  steps: readonly ClockStep[],
): PhoneReport {
  const { report, proof, copies } = one;
  const heard = heardBy(d, one, streams);
  const side = reporterSide(d, one, heard);
  const out: PhoneReport = { kind: report.kind, at: capturedText(one.atUs, steps), from: one.from };
  if (proof !== null) out.verified_by = proof;
  if (side !== null) out.side = side === 0 ? 'caller' : 'callee';
  if (hasFigures(report.heard)) out.heard = toFigures(report.heard);
  if (hasFigures(report.sent)) out.sent = toFigures(report.sent);
  const measured = heard.slice(0, MEASURED_STREAMS).map(toMeasured);
  if (measured.length > 0) out.measured = measured;
  if (report.codec !== '') out.codec = report.codec;
  if (report.user !== '') out.user = report.user;
  if (report.mac !== '') out.mac = report.mac;
  if (report.local !== null) out.local = toSocket(report.local);
  if (report.remote !== null) out.remote = toSocket(report.remote);
  // The clock of the phone wrote these.
  if (!Number.isNaN(report.startUs)) out.starts = timestampText(report.startUs);
  if (!Number.isNaN(report.stopUs)) out.stops = timestampText(report.stopUs);
  if (report.alert !== '') out.alert = report.alert;
  if (copies > 0) out.copies = copies;
  if (report.own.length > 0) out.vendor = report.own.map(([name, value]) => ({ name, value }));
  return out;
}

/** The names are those of the figures, as the wire writes names. */
function toFigures(figures: HeardFigures): ReportedFigures {
  const named = Object.entries(figures).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    rounded(value, DIGITS),
  ]);
  return Object.fromEntries(named);
}

function toMeasured({ stream, quality: q }: CallStream): NonNullable<PhoneReport['measured']>[number] {
  return {
    ssrc: ssrcText(stream.ssrc),
    src: endpointKeyText(stream.srcKey),
    dst: endpointKeyText(stream.dstKey),
    loss_pct: percent(q.lossPct),
    jitter_ms: milliseconds(q.jitterMs),
    ...(q.mos === null ? {} : { mos: mosValue(q.mos) }),
  };
}

function toSocket({ address, port, ssrc }: ReportedEnd): NonNullable<PhoneReport['local']> {
  return {
    ...(address === '' ? {} : { address }),
    ...(port === 0 ? {} : { port }),
    ...(ssrc === null ? {} : { ssrc: ssrcText(ssrc) }),
  };
}
