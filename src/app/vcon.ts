/**
 * Puts the vCon of one dialog together: who took part, the messages without their secrets, and what the capture missed.
 */
import { createHash } from 'node:crypto';
import type { Vcon } from '../contract/index.ts';
import { rawText } from '../core/byte-text.ts';
import { endpointText, ipText } from '../core/ip.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HEADER } from '../sip/header-name.ts';
import type { SipMessage } from '../sip/message.ts';
import { parseSip } from '../sip/message.ts';
import type { NameAddr } from '../sip/name-addr.ts';
import { paramValue } from '../sip/params.ts';
import { withoutSecrets } from '../sip/redaction.ts';
import type { Dialog } from '../store/dialog.ts';
import { NO_ROW, ROW } from '../store/message-log.ts';
import { toDiagnosis } from '../view/diagnosis.ts';
import { toSignalingDiagnosis } from '../view/signaling.ts';
import { spanSec } from '../view/timestamp.ts';
import type { VconCompleteness, VconInput, VconMessage, VconSide } from '../view/vcon.ts';
import { toVcon } from '../view/vcon.ts';
import type { CaptureSession } from './capture-session.ts';
import { dialogFacts } from './documents.ts';
import { captureName, toStats } from './stats.ts';
import { packageVersion } from './version.ts';

const PRODUCT = 'calltap';

/** Bytes of a WAV that a container takes in; a longer one is refused, never cut. */
export const VCON_AUDIO_BYTES = 5 * 1024 * 1024;

/** `audio` is the decoded call, or why there is none; null when no payload is kept. */
export function dialogVcon(
  session: CaptureSession,
  d: Dialog,
  nowMs: number,
  audio: { readonly wav: Uint8Array } | { readonly reason: string } | null,
): Vcon {
  const facts = dialogFacts(session, d);
  const failure = facts.signaling?.finalFailure?.code ?? (d.finalCode >= 400 ? d.finalCode : null);
  const { messages, caller, callee } = readMessages(session, d);
  return toVcon({
    callId: d.callId,
    uuid: dialogUuid(d, captureName(session) ?? ''),
    nowMs,
    startUs: d.createdUs,
    durationSec: spanSec(d.createdUs, d.updatedUs),
    caller,
    callee,
    failureCode: failure,
    finalCode: d.finalCode === 0 ? failure : d.finalCode,
    messages,
    completeness: completeness(session, d, messages.length),
    diagnosis: toDiagnosis(facts.media, facts.relay, facts.stunMismatch),
    signaling: facts.signaling === null ? null : toSignalingDiagnosis(facts.signaling),
    audio: inlineAudio(audio),
    product: PRODUCT,
  });
}

function inlineAudio(audio: { readonly wav: Uint8Array } | { readonly reason: string } | null): VconInput['audio'] {
  if (audio === null) return null;
  if ('reason' in audio) return { refusal: `No audio: ${audio.reason}` };
  if (audio.wav.length <= VCON_AUDIO_BYTES) return audio;
  const size = (audio.wav.length / 1048576).toFixed(1);
  return {
    refusal: `The audio has ${size} MiB, more than the 5 MiB a container takes in; it is not cut. Ask the audio route.`,
  };
}

/** UUID version 8 (RFC 9562 section 5.8): the dialog's first millisecond, and hashes of Call-ID and capture. */
function dialogUuid(d: Dialog, capture: string): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, Math.floor(d.createdUs / 1000)) % 2 ** 48, 0, 6);
  createHash('sha256').update(d.callIdKey, 'latin1').update('\0').update(capture).digest().copy(bytes, 6, 0, 10);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

type Sides = { caller: VconSide; callee: VconSide; messages: VconMessage[] };

const UNKNOWN: VconSide = { uri: null, contact: null, userAgent: null, displayName: null };

function readMessages(session: CaptureSession, d: Dialog): Sides {
  const { log } = session;
  const out: Sides = { caller: UNKNOWN, callee: UNKNOWN, messages: [] };
  let callerTag: string | null = null;
  let index = 0;
  for (let row = d.headRow; row !== NO_ROW && log.has(row); row = log.next(row), index++) {
    const bytes = log.bytes(row);
    const parsed = parseSip(bytes, 0, bytes.length);
    const sip = parsed.ok ? parsed.value : null;
    const from = sip?.from ?? null;
    const tag = paramValue(from?.params ?? [], 'tag') ?? '';
    callerTag ??= tag;
    // Requests of the opening side and responses to the other's carry its tag in From.
    const isByCaller = (tag === callerTag) === (sip?.isRequest ?? true);
    if (sip !== null) {
      const isOpeners = tag === callerTag;
      out.caller = sideOf(out.caller, isOpeners ? from : sip.to, sip, isByCaller);
      out.callee = sideOf(out.callee, isOpeners ? sip.to : from, sip, !isByCaller);
    }
    const ends = log.endpoints(row);
    const version = (log.flags(row) & ROW.IPV6) !== 0 ? 6 : 4;
    out.messages.push({
      index,
      atUs: log.tsUs(row),
      src: endpointText(ipText(ends.bytes, ends.srcOff, version), ends.srcPort),
      dst: endpointText(ipText(ends.bytes, ends.dstOff, version), ends.dstPort),
      transport: TRANSPORTS[log.transport(row)] ?? '',
      origin: ORIGINS[log.origin(row)] ?? '',
      isByCaller,
      text: withoutSecrets(rawText(bytes, 0, bytes.length)),
    });
  }
  return out;
}

/** Adds what the message tells about a side; what an earlier one told stays. */
function sideOf(known: VconSide, address: NameAddr | null, sip: SipMessage, isSender: boolean): VconSide {
  const agent = sip.value(HEADER.USER_AGENT) || sip.value(HEADER.SERVER);
  const own = isSender ? { contact: sip.contacts[0]?.uriText ?? null, agent: agent === '' ? null : agent } : null;
  return {
    uri: known.uri ?? (address === null ? null : withoutSecrets(address.uriText)),
    displayName: known.displayName ?? address?.displayName ?? null,
    contact: known.contact ?? (typeof own?.contact === 'string' ? withoutSecrets(own.contact) : null),
    userAgent: known.userAgent ?? own?.agent ?? null,
  };
}

function completeness(session: CaptureSession, d: Dialog, kept: number): VconCompleteness {
  const s = toStats(session);
  const blind: string[] = [];
  if (d.msgCount > kept) blind.push(`${d.msgCount - kept} messages of this dialog were not kept`);
  const missed =
    s.capture_quality.kernel_dropped_packets +
    s.capture_quality.interface_dropped_packets +
    s.capture_quality.queue_dropped_packets;
  if (missed > 0) blind.push(`${missed} packets were dropped before they were read`);
  if (s.caveats.encrypted_sip_flows > 0)
    blind.push(`${s.caveats.encrypted_sip_flows} encrypted SIP connections could not be read`);
  if ((d.streams ?? []).some((stream) => stream.isEncrypted)) blind.push('encrypted media was measured by its headers');
  if (s.unanalysed_sip_messages > 0) blind.push('SIP on ports that are not analysed (--portrange)');
  if (s.unanalysed_websocket_messages > 0)
    blind.push('SIP over WebSocket on ports that are not analysed (--ws-portrange)');
  return {
    note: 'Passive capture: what the tap did not see is not in here. Unsigned, no consent record, no validated identity.',
    node: session.node,
    serviceVersion: packageVersion(),
    framesRead: session.source.counter('frames'),
    undecodableFrames: s.capture_quality.undecodable_frames,
    discardedByPortGate: s.unanalysed_sip_messages,
    discardedByWebSocketGate: s.unanalysed_websocket_messages,
    messagesEvicted: s.caveats.messages_evicted,
    dialogsRefused: s.caveats.dialogs_refused,
    dialogsRotated: s.caveats.dialogs_evicted,
    blindSpots: blind,
  };
}
