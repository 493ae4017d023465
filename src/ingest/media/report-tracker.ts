/**
 * Reports of phones to the calls that they are of: bodies of RFC 6035 in PUBLISH and NOTIFY, stat headers of a BYE and its 200,
 * and what agents send by HEP. A report that names no call here, or that cannot be read, is counted.
 */
import { asBuffer } from '../../core/byte-text.ts';
import { hashBytes, hashRange } from '../../core/hash.ts';
import { ipText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import type { ReportKind } from '../../core/words.ts';
import { parseAgentJson } from '../../protocols/reports/agent-json.ts';
import type { QualityReport } from '../../protocols/reports/quality-report.ts';
import { parseRtpStat, statHeaders } from '../../protocols/reports/rtp-stat.ts';
import { parseVqReport } from '../../protocols/reports/vq-rtcpxr.ts';
import { bodyParts, mediaTypeOf } from '../../protocols/sip/body.ts';
import { SCAN, type SipScan, scanSip } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import type { Packet } from '../../sources/packet.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { isOfOpener } from '../../store/dialogs/opener-side.ts';
import type { KeptReport, PhoneReports, ReportProof, ReportRefusal } from '../../store/media/phone-reports.ts';
import { REPORT_REFUSALS } from '../../store/media/phone-reports.ts';

const VQ_TYPE = 'application/vq-rtcpxr';
const OPENING_BRACE = 0x7b;
/** Characters of a Content-Type that is looked at. */
const TYPE_CHARS = 512;

export type ReportParts = {
  readonly reports: PhoneReports;
  readonly dialog: (callId: string) => Dialog | null;
  /** Whether the source of the packet is known in the call. */
  readonly isParty: (d: Dialog, c: Packet) => boolean;
  /** A call has one report more. */
  readonly onReport: (d: Dialog, one: KeptReport) => void;
};

export class ReportTracker {
  readonly #parts: ReportParts;
  /** Those that were kept, by kind; those of RTCP are counted as they come. */
  readonly kept: Record<ReportKind, number> = { session: 0, interval: 0, alert: 0, xr: 0, rtp_stat: 0, hep: 0 };
  readonly refused = new Map<ReportRefusal, number>(REPORT_REFUSALS.map((reason) => [reason, 0]));
  copies = 0;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** A message that scans, of this dialog. */
  onMessage(buf: Buffer, scan: SipScan, c: Packet, d: Dialog | null): void {
    if (scan.isRequest) {
      const { method } = scan;
      if (method === METHOD.PUBLISH || method === METHOD.NOTIFY) this.#onBody(buf, scan, c, d, null);
      else if (method === METHOD.BYE || (method === METHOD.INVITE && scan.toTagStart >= 0))
        this.#onStat(buf, scan, c, d);
    } else if (scan.cseqMethod === METHOD.BYE && scan.status >= 200 && scan.status < 300) this.#onStat(buf, scan, c, d);
  }

  /** What an agent reports: JSON, a report of a phone, or the message that brought one. `callId`: what its packet names. */
  onHep(bytes: Uint8Array, start: number, end: number, c: Packet, callId: string | null): void {
    const named = callId === null ? null : this.#parts.dialog(callId);
    if (bytes[start] === OPENING_BRACE) {
      this.#onJson(bytes, start, end, c, named);
      return;
    }
    const scan = scanSip(bytes, start, end);
    if (scan.code === SCAN.OK) this.#onBody(asBuffer(bytes), scan, c, named, 'agent');
    else this.#onVq(bytes, start, end, c, named, 'agent');
  }

  #onJson(bytes: Uint8Array, start: number, end: number, c: Packet, named: Dialog | null): void {
    const parsed = parseAgentJson(bytes.subarray(start, end));
    if (!parsed.ok) {
      this.#refuse(parsed.reason);
      return;
    }
    const digest = hashRange(bytes, start, end);
    for (const [i, report] of parsed.value.entries())
      this.#keep(this.#parts.dialog(report.callId) ?? named, c, {
        report,
        digest: digest + i,
        side: null,
        proof: 'agent',
      });
  }

  #onBody(buf: Buffer, scan: SipScan, c: Packet, d: Dialog | null, proof: ReportProof): void {
    const { contentTypeStart, contentTypeEnd, bodyStart, bodyEnd } = scan;
    if (bodyEnd <= bodyStart || contentTypeStart < 0) return;
    const type = decodeText(buf, contentTypeStart, Math.min(contentTypeEnd, contentTypeStart + TYPE_CHARS));
    const mediaType = mediaTypeOf(type);
    if (mediaType === VQ_TYPE) this.#onVq(buf, bodyStart, bodyEnd, c, d, proof);
    else if (mediaType.startsWith('multipart/'))
      for (const part of bodyParts(buf, bodyStart, bodyEnd, type))
        if (part.mediaType === VQ_TYPE) this.#onVq(buf, part.start, part.end, c, d, proof);
  }

  /** `carrier`: the dialog that brought it, which some phones mean where they name no call. */
  #onVq(buf: Uint8Array, start: number, end: number, c: Packet, carrier: Dialog | null, proof: ReportProof): void {
    const parsed = parseVqReport(buf, start, end);
    if (!parsed.ok) {
      this.#refuse(parsed.reason);
      return;
    }
    const report = parsed.value;
    const named =
      report.callId === '' ? carrier : (this.#parts.dialog(report.callId) ?? (proof === null ? null : carrier));
    this.#keep(named, c, { report, digest: hashRange(buf, start, end), side: named && sideOf(named, report), proof });
  }

  #onStat(buf: Buffer, scan: SipScan, c: Packet, d: Dialog | null): void {
    const headers = d === null ? [] : statHeaders(buf, scan);
    if (d === null || headers.length === 0) return;
    const parsed = parseRtpStat(headers);
    if (!parsed.ok) {
      this.#refuse(parsed.reason);
      return;
    }
    // The request comes from whose tag stands in From, the response from the other.
    const isOpener = isOfOpener(d, buf, scan) === scan.isRequest;
    const text = Buffer.from(headers.map(({ name, value }) => `${name}:${value}`).join('\n'));
    const digest = hashBytes(text, 0, text.length);
    this.#keep(d, c, { report: parsed.value, digest, side: isOpener ? 0 : 1, proof: null });
  }

  #keep(d: Dialog | null, c: Packet, one: Pick<KeptReport, 'report' | 'digest' | 'side' | 'proof'>): void {
    if (d === null) {
      this.#refuse('no_call');
      return;
    }
    const { reports, isParty, onReport } = this.#parts;
    const proof = one.proof ?? (isParty(d, c) ? 'address' : null);
    const from = ipText(c.addresses, c.srcOff, c.ipVersion);
    const kept: KeptReport = { ...one, proof, from, atUs: c.tsUs, copies: 0 };
    const fate = reports.add(d, kept);
    if (fate === 'copy') this.copies++;
    else if (fate !== 'kept') this.#refuse(fate);
    else {
      this.kept[one.report.kind]++;
      onReport(d, kept);
    }
  }

  #refuse(reason: ReportRefusal): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }
}

/** By the user that the report calls its own; null where both sides may be meant. */
function sideOf(d: Dialog, { user }: QualityReport): 0 | 1 | null {
  const name = /sips?:([^@;>\s]{1,128})@/i.exec(user)?.[1] ?? '';
  if (name === '' || d.from === d.to) return null;
  return name === d.from ? 0 : name === d.to ? 1 : null;
}
