/**
 * Finds where the wire and its HEP mirror tell different stories of one call: messages that only one of them carried, and
 * media descriptions that were changed on the way.
 *
 * It pairs copies by start line, Call-ID, CSeq and top Via branch, within two seconds, by count. It makes as many pairs as
 * there can be, and takes the pairing whose copies are closest in time. The order of arrival decides nothing. It compares an
 * encrypted hop only if a probe read it, because nobody saw what the wire carried there.
 */

import { counted } from '../../core/counted.ts';
import { METHOD_NAMES, ORIGINS, TRANSPORT } from '../../core/words.ts';
import { parseSdp } from '../../protocols/sdp/sdp.ts';
import { ByteSpan, findSdp } from '../../protocols/sip/body.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import { SAME_MESSAGE_US } from '../../store/dialogs/source-marks.ts';
import type { CallMessage } from '../call-messages.ts';
import { pairInTime } from './pair-in-time.ts';
import type { SignalingCall } from './signaling-call.ts';

type OneSided = { summary: string; index: number };

type SdpDiffers = { summary: string; mirror: string[]; wire: string[]; mirrorIndex: number; wireIndex: number };

export type SourceDisagreement = {
  agreed: number;
  mirrorOnly: OneSided[];
  wireOnly: OneSided[];
  sdpDiffers: SdpDiffers[];
  evidence: number[];
};

/**
 * Bytes of messages in which the wire and its mirror are compared, and of descriptions that differ.
 *
 * @cap option 20 MiB: with `--api`: messages of wire and mirror that are compared
 */
const COMPARED_BYTES = 8 * 1024 * 1024;
const COMPARED_SDP_BYTES = 256 * 1024;

/** Characters of a difference between two sources as it is shown. @cap */
const MAX_SUMMARY_CHARS = 160;

/** Bytes of a Via in which protocol and transport are looked for. @cap */
const MAX_VIA_HEAD = 64;

const MIRROR = ORIGINS.indexOf('hep');

/** One message as it is compared. */
type Copy = {
  readonly index: number;
  readonly tsUs: number;
  readonly summary: string;
  /** Not cut by the capture. */
  readonly isWhole: boolean;
  /** It went over TLS, or over a WebSocket inside it. */
  readonly isEncrypted: boolean;
  /** Bytes of the description; null when it has none. */
  readonly sdp: Buffer | null;
};

type Group = { wire: Copy[]; mirror: Copy[] };

/** What they agree on, too. Null unless the wire (or a probe, which reads what the wire had encrypted) and a HEP mirror both carried the call. */
export function compareSources(d: Dialog, messages: readonly CallMessage[]): SourceDisagreement | null {
  if (d.sources === null) return null;
  const compared = withinBudget(messages);
  const all = groups(compared);
  const budget = { sdpBytes: COMPARED_SDP_BYTES };
  const out: SourceDisagreement = { agreed: 0, mirrorOnly: [], wireOnly: [], sdpDiffers: [], evidence: [] };
  const isJudged = judged(d, messages, compared);
  const isReadByProbe = all.some(({ wire }) => wire.some((w) => w.isEncrypted));
  let hasWire = false;
  let hasMirror = false;
  for (const { wire, mirror } of all) {
    hasWire ||= wire.length > 0;
    hasMirror ||= mirror.length > 0;
    const partner = pairInTime(
      wire.map((w) => w.tsUs),
      mirror.map((m) => m.tsUs),
      SAME_MESSAGE_US,
    );
    const isPaired = new Set(partner);
    wire.forEach((w, i) => {
      const m = mirror[partner[i] ?? -1];
      if (m !== undefined) {
        out.agreed++;
        compareSdp(w, m, out.sdpDiffers, budget);
      } else if (isJudged(w)) out.wireOnly.push({ summary: w.summary, index: w.index });
    });
    mirror.forEach((m, i) => {
      if (!isPaired.has(i) && isJudged(m) && (isReadByProbe || !m.isEncrypted))
        out.mirrorOnly.push({ summary: m.summary, index: m.index });
    });
  }
  if (!hasWire || !hasMirror) return null;
  out.wireOnly.sort(byIndex);
  out.mirrorOnly.sort(byIndex);
  out.sdpDiffers.sort((a, b) => a.wireIndex - b.wireIndex);
  const seen = new Set([...out.wireOnly, ...out.mirrorOnly].map((m) => m.index));
  for (const s of out.sdpDiffers) seen.add(s.mirrorIndex).add(s.wireIndex);
  out.evidence = [...seen].sort((a, b) => a - b);
  return out;
}

/** What to look into. */
export function sourceDisagreementHint(f: SourceDisagreement): string {
  const parts: string[] = [];
  if (f.wireOnly.length > 0) parts.push(`${counted(f.wireOnly.length, 'message')} that the mirror never reported`);
  if (f.mirrorOnly.length > 0) parts.push(`${counted(f.mirrorOnly.length, 'message')} that the wire never carried`);
  if (f.sdpDiffers.length > 0) parts.push(`${counted(f.sdpDiffers.length, 'message')} with another media description`);
  return `The wire and its HEP mirror disagree: ${parts.join(', ')}; ${f.agreed} agreed.`;
}

export function findDisagreement({ d, messages }: SignalingCall): SourceDisagreement | null {
  const compared = compareSources(d, messages);
  return compared === null || compared.evidence.length === 0 ? null : compared;
}

function byIndex(a: OneSided, b: OneSided): number {
  return a.index - b.index;
}

/** The first messages, as many as hold what is looked at. */
function withinBudget(messages: readonly CallMessage[]): readonly CallMessage[] {
  let left = COMPARED_BYTES;
  const end = messages.findIndex((m) => {
    left -= m.byteLength;
    return left < 0;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

/** Messages of the two sources, by what makes two of them copies. The same packet seen twice stands once. */
function groups(messages: readonly CallMessage[]): readonly Group[] {
  const all = new Map<string, Group>();
  for (const m of messages) {
    const text = m.isDuplicate ? null : m.read();
    if (text === null) continue;
    const { bytes, scan } = text;
    const start = bytes.toString('latin1', scan.messageStart, scan.startLineEnd).trimEnd();
    const via =
      scan.branchStart >= 0
        ? bytes.toString('latin1', scan.branchStart, scan.branchEnd)
        : scan.viaStart < 0
          ? ''
          : bytes.toString('latin1', scan.viaStart, scan.viaEnd);
    const key = `${start}\n${scan.cseq} ${scan.cseqMethod}\n${via}`;
    const group = all.get(key) ?? { wire: [], mirror: [] };
    all.set(key, group);
    (m.origin === MIRROR ? group.mirror : group.wire).push({
      index: m.index,
      tsUs: m.tsUs,
      summary: summaryOf(bytes, scan, m),
      isWhole: !m.isSnapped,
      isEncrypted: isEncrypted(bytes, scan, m.transport),
      sdp: sdpOf(bytes, scan),
    });
  }
  for (const group of all.values()) {
    group.wire.sort(byTime);
    group.mirror.sort(byTime);
  }
  return [...all.values()];
}

const ENCRYPTED_VIA = /^SIP\s*\/\s*2\.0\s*\/\s*(?:TLS|WSS|DTLS)/i;

/** The top Via tells how the hop was sent (RFC 3261 section 18.1.1), to a mirror that says nothing of it too. */
function isEncrypted(bytes: Buffer, scan: SipScan, transport: number): boolean {
  if (transport === TRANSPORT.TLS || transport === TRANSPORT.WSS) return true;
  if (scan.viaStart < 0) return false;
  return ENCRYPTED_VIA.test(
    bytes.toString('latin1', scan.viaStart, Math.min(scan.viaEnd, scan.viaStart + MAX_VIA_HEAD)),
  );
}

function byTime(a: Copy, b: Copy): number {
  return a.tsUs - b.tsUs || a.index - b.index;
}

/** Copied: the log's bytes hold only until its next append. */
function sdpOf(bytes: Buffer, scan: SipScan): Buffer | null {
  const span = new ByteSpan();
  return findSdp(bytes, scan, span) ? Buffer.from(bytes.subarray(span.start, span.end)) : null;
}

/** `INVITE sip:bob@example.com (CSeq 1)`, `180 Ringing to INVITE (CSeq 1)`; without a password in its URI. */
function summaryOf(bytes: Buffer, scan: SipScan, m: CallMessage): string {
  const method =
    m.method === 0 && scan.cseqMethodStart >= 0
      ? decodeText(bytes, scan.cseqMethodStart, scan.cseqMethodEnd)
      : (METHOD_NAMES[m.method] ?? 'OTHER');
  const what = m.isRequest
    ? `${method} ${withoutSecrets(decodeText(bytes, scan.uriStart, scan.uriEnd))}`
    : `${`${m.status} ${decodeText(bytes, scan.reasonStart, scan.reasonEnd)}`.trimEnd()} to ${method}`;
  const short = what.length > MAX_SUMMARY_CHARS ? `${what.slice(0, MAX_SUMMARY_CHARS)}...` : what;
  return `${short} (CSeq ${m.cseq})`;
}

/** A description changed between the two, cut copies aside: those say nothing of what was sent. */
function compareSdp(w: Copy, m: Copy, out: SdpDiffers[], budget: { sdpBytes: number }): void {
  if (!w.isWhole || !m.isWhole || (w.sdp === null && m.sdp === null)) return;
  if (w.sdp !== null && m.sdp !== null && w.sdp.equals(m.sdp)) return;
  if (budget.sdpBytes < 0) return;
  budget.sdpBytes -= (w.sdp?.length ?? 0) + (m.sdp?.length ?? 0);
  const wire = mediaOf(w.sdp);
  const mirror = mediaOf(m.sdp);
  if (wire.join('\n') === mirror.join('\n')) return;
  out.push({ summary: w.summary, mirror, wire, mirrorIndex: m.index, wireIndex: w.index });
}

/** `<media> <addr>:<port>` of each m= line, in order. */
function mediaOf(sdp: Buffer | null): string[] {
  if (sdp === null) return [];
  const parsed = parseSdp(sdp, 0, sdp.length);
  if (!parsed.ok) return [];
  return parsed.value.media.map((line) => {
    const address = line.connection?.address ?? '';
    return `${line.type} ${address.includes(':') ? `[${address}]` : address}:${line.port}`;
  });
}

/**
 * Whether a message without its copy means anything. Where a cap cut what is `compared`, or its beginning was evicted,
 * the copy of a message near the cut may be what was left out.
 */
function judged(d: Dialog, all: readonly CallMessage[], compared: readonly CallMessage[]): (m: Copy) => boolean {
  const isCutBehind = compared.length < all.length || d.msgCount > d.keptCount;
  const isCutBefore = all.length < d.keptCount;
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = Number.NEGATIVE_INFINITY;
  for (const { tsUs } of compared) {
    firstUs = Math.min(firstUs, tsUs);
    lastUs = Math.max(lastUs, tsUs);
  }
  return ({ tsUs }) =>
    !(isCutBehind && tsUs >= lastUs - SAME_MESSAGE_US) && !(isCutBefore && tsUs <= firstUs + SAME_MESSAGE_US);
}
