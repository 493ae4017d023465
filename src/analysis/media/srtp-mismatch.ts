/**
 * Finds a call in which one side sends SRTP and the other plain RTP (RFC 3711 section 3.1), and tells by the descriptions in
 * force who does not do what was agreed (RFC 4568 section 5, RFC 8643).
 *
 * A packet of G.711 has one octet a sample: what it has beyond is the tag of SRTP. Where both sides have one, or none, they agree,
 * whatever the descriptions say. Other codecs are not judged: their packets have no length of their own.
 */
import { endpointKeyAddress, endpointKeyText, endpointText } from '../../core/ip.ts';
import type { Dialog } from '../../store/dialogs/dialog.ts';
import type { SdpEntry, SdpMediaLine } from '../../store/media/sdp-timeline.ts';
import type { CallMessage } from '../call-messages.ts';
import type { MediaFindings } from '../findings.ts';
import { agreedProfile, isSavp, type Profile, srtpTrailerBytes } from '../srtp-trailer.ts';
import type { MediaCase, MediaStream } from './check.ts';
import { senderSide } from './meant-silence.ts';

/** Two seconds of voice: a few packets may be on their way while keys are agreed on. */
const LEAST_PACKETS = 100;
const LEAST_TOGETHER_US = 2_000_000;
/** Keys pressed have payloads of four octets (RFC 4733 section 2.3); streams with more of other types are not judged. */
const KEY_OCTETS = 4;
const MOST_OTHER = 0.05;
/** Octets of the mean packet that are no whole number: not all packets are alike. */
const TOLERANCE = 0.05;
/** Octets of a tag where the descriptions do not tell: SHA1 with 80 and 32 bits, GCM (RFC 4568 section 6.2, RFC 7714). */
const TAGS: ReadonlySet<number> = new Set([10, 4, 16]);

/** Pairs of streams that are held against the descriptions. @cap */
const MAX_PAIRS = 4;
/** Descriptions of a call whose copies are compared. @cap */
const MAX_DESCRIPTIONS = 64;
/** Bytes of messages that are read for keys; of a call with more, nobody knows all keys. @cap */
const MAX_KEY_BYTES = 1_048_576;

const G711: ReadonlySet<string> = new Set(['PCMU', 'PCMA']);

export function checkSrtp(c: MediaCase, f: MediaFindings): void {
  const { d, audio } = c;
  if (audio.length < 2 || Number.isNaN(d.answerUs)) return;
  let left = MAX_PAIRS;
  for (const secured of audio) {
    const tag = octetsBeyond(secured);
    if (tag === null || tag === 0 || !(TAGS.has(tag) || srtpTrailerBytes(secured.stream) === tag)) continue;
    const plain = plainAnswer(c, secured);
    if (plain === null) continue;
    if (left-- === 0) return;
    const agreed = agreedFor(d, secured, plain);
    const changed = agreed === null ? changedKeys(d, secured) : null;
    if (agreed === null && changed === null) continue;
    if (agreed !== 'SRTP' && c.hasOtherKeys()) return;
    f.hints.push({ finding: 'srtp-mismatch', text: textOf(d, { secured, plain, tag, agreed, changed }) });
    return;
  }
}

/** Octets of each packet of G.711 beyond one a sample; null where that is not one number for all. */
function octetsBeyond({
  codec,
  segments,
  packets,
  payloadType,
  comfortNoisePackets,
  snapshot,
}: MediaStream): number | null {
  const { octets, tsStep } = snapshot;
  if (!G711.has(codec ?? '') || tsStep === 0 || packets < LEAST_PACKETS) return null;
  // Most streams.
  if (octets === packets * tsStep) return 0;
  if (segments.length > 1 || comfortNoisePackets > 0) return null;
  const others = snapshot.payloadTypes.reduce((n, p) => (p.payloadType === payloadType ? n : n + p.packets), 0);
  if (others > packets * MOST_OTHER) return null;
  const beyond = (octets - (packets - others) * tsStep - others * KEY_OCTETS) / packets;
  const whole = Math.round(beyond);
  return Math.abs(beyond - whole) < TOLERANCE ? whole : null;
}

/** What runs the other way meanwhile, all of it plain: between the same sockets, or the same hosts. */
function plainAnswer({ ways }: MediaCase, secured: MediaStream): MediaStream | null {
  const { srcKey, dstKey } = secured.stream;
  const back = ways.reverseOf(secured.stream);
  const exact = back.filter(({ stream }) => stream.srcKey === dstKey && stream.dstKey === srcKey);
  const meanwhile = (exact.length > 0 ? exact : back).filter(
    (s) => Math.min(s.lastUs, secured.lastUs) - Math.max(s.firstUs, secured.firstUs) >= LEAST_TOGETHER_US,
  );
  return meanwhile.every((s) => octetsBeyond(s) === 0) ? (meanwhile[0] ?? null) : null;
}

/** What both ends of the streams agreed on all the time; null where that changed, or is not known. */
function agreedFor(d: Dialog, secured: MediaStream, plain: MediaStream): Profile | null {
  const entries = (d.sdp ?? []).filter((e) => !e.isRefused);
  const [first, second] = [secured, plain].map(({ stream }) => agreedProfile(entries, stream));
  if (first === undefined || first === null || first !== second) return null;
  // A change of the profile takes a while to take effect.
  const sockets = new Set([secured.stream.srcKey, secured.stream.dstKey].map((key) => endpointKeyText(key)));
  const isSame = (e: SdpEntry, line: SdpMediaLine): boolean =>
    first === 'SRTP' ? isSavp(line) : !isSavp(line) && (e.isOffer || line.crypto === undefined);
  for (const e of entries) for (const line of e.media) if (isAt(line, sockets) && !isSame(e, line)) return null;
  return first;
}

/** A proxy passed a description on and took its keys out, or its profile, or put some in. */
type Changed = { readonly by: string; readonly side: 0 | 1; readonly hadKeys: boolean };

/** Of the two ends of a stream; null where what each end sent itself and a copy of it say the same, or it changed later. */
function changedKeys({ sdp }: Dialog, { stream }: MediaStream): Changed | null {
  const entries = sdp ?? [];
  if (entries.length > MAX_DESCRIPTIONS) return null;
  for (const key of [stream.srcKey, stream.dstKey]) {
    const [host, sockets] = [endpointKeyAddress(key), new Set([endpointKeyText(key)])];
    const said = entries.flatMap((e) => {
      const line = e.isRefused ? undefined : e.media.find((m) => isAt(m, sockets));
      return line === undefined ? [] : [{ e, hasKeys: isSavp(line) || line.crypto !== undefined }];
    });
    const own = said.filter(({ e }) => endpointKeyAddress(e.sender) === host);
    const [first] = own;
    if (first === undefined || own.some(({ hasKeys }) => hasKeys !== first.hasKeys)) continue;
    const copy = said.find(({ e, hasKeys }) => e.side === first.e.side && hasKeys !== first.hasKeys);
    if (copy === undefined) continue;
    const side = first.e.side === 0 ? 0 : 1;
    return { by: endpointKeyAddress(copy.e.sender), side, hadKeys: first.hasKeys };
  }
  return null;
}

function isAt({ address, port }: SdpMediaLine, sockets: ReadonlySet<string>): boolean {
  return address !== null && sockets.has(endpointText(address, port));
}

const OTHER_KEYS = /^a=(?:fingerprint|zrtp-hash|key-mgmt)\b/m;

/** A description names keys that a=crypto does not: DTLS-SRTP, ZRTP, MIKEY; or not all descriptions are kept. */
export function hasOtherKeys(messages: readonly CallMessage[]): boolean {
  let left = MAX_KEY_BYTES;
  return messages.some((m) => {
    left -= m.byteLength;
    return left < 0 || OTHER_KEYS.test(m.bytes.toString('latin1'));
  });
}

type Mismatch = {
  readonly secured: MediaStream;
  readonly plain: MediaStream;
  readonly tag: number;
  readonly agreed: Profile | null;
  readonly changed: Changed | null;
};

function textOf(d: Dialog, { secured, plain, tag, agreed, changed }: Mismatch): string {
  const [srtp, rtp] = [secured, plain].map((s) => who(d, s));
  const sent = (s: MediaStream): string =>
    `${s.packets} packets of ${s.codec} with ${Math.round(s.snapshot.octets / s.packets)} octets each`;
  const ground = 'This rests on lengths alone.';
  if (changed !== null)
    return `SRTP one way alone: ${srtp} sent ${sent(secured)}, ${tag} more than its samples, as SRTP has. ${rtp} sent plain RTP. ${changedText(changed)} ${ground}`;
  return agreed === 'RTP'
    ? `SRTP where plain RTP was agreed: ${srtp} sent ${sent(secured)}, ${tag} more than its samples, as SRTP has. ${rtp} sent plain RTP. ${ground}`
    : `Plain RTP where SRTP was agreed: ${rtp} sent ${sent(plain)}, without the ${tag} more that SRTP has. ${srtp} sent SRTP. ${ground}`;
}

function changedText({ by, side, hadKeys }: Changed): string {
  const whose = `${by} passed the description of the ${side === 0 ? 'caller' : 'callee'} on`;
  return hadKeys ? `${whose} without its keys.` : `${whose} with keys that it did not have.`;
}

/** The sender, with its role. */
function who(d: Dialog, { stream }: MediaStream): string {
  const side = senderSide(d, stream);
  const socket = endpointKeyText(stream.srcKey);
  return side === null ? socket : `${socket} (the ${side === 0 ? 'caller' : 'callee'})`;
}
