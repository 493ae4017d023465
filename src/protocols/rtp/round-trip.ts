/**
 * Round trip from RTCP: the endpoint's own figure (RFC 3611 section 4.7.3), or the echo of a sender report
 * (RFC 3550 section 6.4.1).
 *
 * A - LSR - DLSR needs the time the report left its sender. A tap only knows when the report passed, so
 * what it measures is the way from the tap to the receiver and back: a lower bound unless the tap is at
 * the sender. LSR 0 means the receiver has had no report: no round trip, not zero.
 */

/** Sender reports remembered a stream: an LSR names one of the last few. @cap */
const MAX_SENDER_REPORTS = 8;

export type RoundTripSource = 'xr_voip_metrics' | 'sender_report_echo';
export type RoundTrip = { readonly ms: number; readonly source: RoundTripSource };

/** A longer way round is a stale echo, not a network. */
const LONGEST_MS = 60_000;
/** DLSR and LSR count 1/65536 s. */
const UNITS_A_SECOND = 65_536;

/** The sender reports of one stream as they passed the tap. */
export class SenderReportHistory {
  readonly #middle = new Uint32Array(MAX_SENDER_REPORTS);
  readonly #atUs = new Float64Array(MAX_SENDER_REPORTS);
  #count = 0;

  /** `ntpMiddle` is what a receiver will repeat as LSR. */
  add(ntpMiddle: number, atUs: number): void {
    const i = this.#count++ % MAX_SENDER_REPORTS;
    this.#middle[i] = ntpMiddle;
    this.#atUs[i] = atUs;
  }

  /** When the report with this NTP time passed; null when it is not remembered. The newest wins. */
  seenUs(ntpMiddle: number): number | null {
    for (let back = 1; back <= Math.min(this.#count, MAX_SENDER_REPORTS); back++) {
      const i = (this.#count - back) % MAX_SENDER_REPORTS;
      if (this.#middle[i] === ntpMiddle >>> 0) return this.#atUs[i] ?? null;
    }
    return null;
  }
}

/** Round trip by the echo of a sender report; null without one. */
export function echoRoundTrip(
  history: SenderReportHistory,
  lastSr: number,
  delaySinceLastSr: number,
  atUs: number,
): RoundTrip | null {
  if (lastSr === 0) return null;
  const sentUs = history.seenUs(lastSr);
  if (sentUs === null) return null;
  const ms = (atUs - sentUs) / 1000 - (delaySinceLastSr * 1000) / UNITS_A_SECOND;
  return ms >= 0 && ms <= LONGEST_MS ? { ms, source: 'sender_report_echo' } : null;
}

/** Round trip by an endpoint's VoIP metrics; 0 means it does not know (RFC 3611 section 4.7.3). */
export function reportedRoundTrip(roundTripMs: number): RoundTrip | null {
  return roundTripMs > 0 && roundTripMs < 0xffff ? { ms: roundTripMs, source: 'xr_voip_metrics' } : null;
}

/** The better of what is known and what came: an endpoint's own figure beats an echo, else the newer wins. */
export function betterRoundTrip(known: RoundTrip | null, came: RoundTrip | null): RoundTrip | null {
  if (came === null) return known;
  return known?.source === 'xr_voip_metrics' && came.source === 'sender_report_echo' ? known : came;
}
