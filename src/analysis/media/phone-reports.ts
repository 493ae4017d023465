/**
 * What phones and agents reported of a call, and which of its streams each report is about: by the SSRC that it names, by the
 * socket that it hears at, or by the side that sent it. RTCP's own metrics (RFC 3611) lie at their stream.
 */
import { endpointKeyAddress, endpointKeyPort } from '../../core/ip.ts';
import { voipMetricsReport } from '../../protocols/reports/quality-report.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { KeptReport } from '../../store/media/phone-reports.ts';
import type { Stream } from '../../store/media/stream.ts';
import type { Stores } from '../../store/stores.ts';
import { senderSide } from './meant-silence.ts';

/** Reports by RTCP of one call that its answers have: one a stream, of the newest streams. @cap */
const MAX_XR_REPORTS = 16;

export type OfStream = { readonly stream: Stream };

/** Those that are kept, the oldest first, and the newest one by RTCP of each stream. */
export function reportsOf(d: Dialog, { reports }: Pick<Stores, 'reports'>, streams: readonly OfStream[]): KeptReport[] {
  const all = [...reports.of(d)];
  let left = MAX_XR_REPORTS;
  for (const { stream } of streams) {
    const one = left === 0 ? null : xrReport(d, stream);
    if (one === null) continue;
    left--;
    all.push(one);
  }
  return all;
}

/** What the receiver of the stream said of it by RTCP; null where it said nothing. */
export function xrReport(d: Dialog, stream: Stream): KeptReport | null {
  const voip = stream.rtcp?.voip ?? null;
  if (voip === null) return null;
  const sender = senderSide(d, stream);
  const from = endpointKeyAddress(voip.from);
  return {
    report: voipMetricsReport(voip.metrics),
    atUs: voip.atUs,
    from,
    side: sender === null ? null : sender === 0 ? 1 : 0,
    proof: from === endpointKeyAddress(stream.dstKey) ? 'address' : null,
    digest: 0,
    copies: voip.reports - 1,
  };
}

/** Streams that the reporter may have heard: with relays on the way there are several. */
export function heardBy<T extends OfStream>(d: Dialog, { report, side }: KeptReport, streams: readonly T[]): T[] {
  const { local, remote } = report;
  const ssrc = remote?.ssrc ?? null;
  const address = local?.address ?? '';
  const isHere = ({ stream: { dstKey } }: T): boolean =>
    endpointKeyAddress(dstKey) === address && (local?.port === 0 || local?.port === endpointKeyPort(dstKey));
  if (ssrc !== null) {
    const same = streams.filter(({ stream }) => stream.ssrc === ssrc);
    const here = same.filter(isHere);
    if (here.length > 0) return here;
    // There are programs that give both directions one SSRC.
    if (isOneDirection(d, same)) return same;
  }
  const here = address === '' ? [] : streams.filter(isHere);
  if (here.length > 0 || side === null) return here;
  return streams.filter(({ stream }) => senderSide(d, stream) === 1 - side);
}

/** Which side reports: as the report itself shows, else the side that the streams go to which it heard; null where nobody knows. */
export function reporterSide(d: Dialog, { side }: KeptReport, heard: readonly OfStream[]): 0 | 1 | null {
  const [first] = heard;
  if (side !== null || first === undefined) return side;
  const sender = senderSide(d, first.stream);
  return sender === null ? null : sender === 0 ? 1 : 0;
}

function isOneDirection(d: Dialog, streams: readonly OfStream[]): boolean {
  if (streams.length < 2) return streams.length === 1;
  const sides = new Set(streams.map(({ stream }) => senderSide(d, stream)));
  return sides.size === 1 && !sides.has(null);
}
