/**
 * Puts the vCon of one dialog together: who took part, the messages without their secrets, and what the capture missed.
 */

import { createHash } from 'node:crypto';
import type { CallMessage } from '../analysis/call-messages.ts';
import { messagesOf } from '../analysis/call-messages.ts';
import { capturedText } from '../analysis/captured-at.ts';
import { dialogFactsSteps } from '../analysis/dialog-facts.ts';
import { rawText } from '../core/byte-text.ts';
import { spanSec } from '../core/rounded.ts';
import type { Steps } from '../core/turns.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import type { NameAddr } from '../protocols/sip/name-addr.ts';
import { parseNameAddr } from '../protocols/sip/name-addr.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { decodeText } from '../protocols/sip/text.ts';
import { splitValues } from '../protocols/sip/values.ts';
import { asCaptured, type ClockStep } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { isOfOpener } from '../store/dialogs/opener-side.ts';
import { toDiagnosis } from '../view/diagnosis.ts';
import type { Figures } from '../view/figures.ts';
import { toSignalingDiagnosis } from '../view/signaling.ts';
import { captureName } from '../view/stats.ts';
import type { VconInput, VconMessage, VconSide } from './vcon-document.ts';
import { completeness, vconText } from './vcon-document.ts';

/** Bytes of a WAV that a container takes in; a longer one is refused, never cut. */
export const VCON_AUDIO_BYTES = 5 * 1024 * 1024;

/** The decoded call, why it cannot be decoded, or how long it would be; null when no payload is kept. */
export type VconAudio =
  | { readonly wav: Uint8Array }
  | { readonly reason: string }
  | { readonly tooLargeBytes: number }
  | null;

/** The container as JSON in pieces; the dialog is not looked at any more, its messages while they are there. */
export type VconText = Generator<string, void, void>;

/** A step a message. */
export function* dialogVcon(f: Figures, d: Dialog, nowMs: number, audio: VconAudio): Steps<VconText> {
  const { stores, capture } = f.evidence;
  const { clockSteps } = capture;
  const facts = yield* dialogFactsSteps(f.evidence, d);
  const failure = facts.signaling?.finalFailure?.code ?? (d.finalCode >= 400 ? d.finalCode : null);
  const { sent, caller, callee } = yield* readSides(d, messagesOf(d, stores.log));
  const wav = audio !== null && 'wav' in audio && audio.wav.length <= VCON_AUDIO_BYTES ? audio.wav : null;
  const seen = { messages: d.msgCount, hasEncrypted: stores.streams.ownedBy(d).some((stream) => stream.isEncrypted) };
  const input: Omit<VconInput, 'completeness'> = {
    callId: d.callId,
    uuid: dialogUuid(d, captureName(f) ?? ''),
    nowMs,
    startUs: asCaptured(clockSteps, d.createdUs),
    durationSec: spanSec(d.createdUs, d.updatedUs),
    caller,
    callee,
    failureCode: failure,
    finalCode: d.finalCode === 0 ? failure : d.finalCode,
    diagnosis: toDiagnosis(facts.media, facts.relay, facts.stunMismatch),
    signaling: facts.signaling === null ? null : toSignalingDiagnosis(facts.signaling),
    audio: wav === null ? refusalOf(audio) : 'inline',
  };
  let kept = sent.length;
  const known = (): VconInput => ({ ...input, completeness: completeness(f, { ...seen, kept }) });
  return vconText(
    known,
    failure === null ? wav : null,
    vconMessages(sent, clockSteps, () => kept--),
  );
}

function refusalOf(audio: VconAudio): { readonly refusal: string } | null {
  if (audio === null) return null;
  if ('reason' in audio) return { refusal: `No audio: ${audio.reason}` };
  const bytes = 'wav' in audio ? audio.wav.length : audio.tooLargeBytes;
  const size = (bytes / 1048576).toFixed(1);
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

/** A message, and which side sent it. */
type Sent = { readonly message: CallMessage; readonly isByCaller: boolean };

type Sides = { caller: VconSide; callee: VconSide; sent: Sent[] };

const UNKNOWN: VconSide = { uri: null, contact: null, userAgent: null, displayName: null };

function* readSides(d: Dialog, messages: readonly CallMessage[]): Steps<Sides> {
  const out: Sides = { caller: UNKNOWN, callee: UNKNOWN, sent: [] };
  for (const message of messages) {
    yield;
    if (!message.isKept) continue;
    const text = message.read();
    // Requests of the opening side and responses to the other's carry its tag in From.
    const isOpeners = text !== null && isOfOpener(d, text.bytes, text.scan);
    const isByCaller = isOpeners === (text === null || text.scan.isRequest);
    out.sent.push({ message, isByCaller });
    if (text === null) continue;
    const { bytes, scan } = text;
    const from = { start: scan.fromStart, end: scan.fromEnd };
    const to = { start: scan.toStart, end: scan.toEnd };
    out.caller = sideOf(out.caller, bytes, isOpeners ? from : to, isByCaller ? scan : null);
    out.callee = sideOf(out.callee, bytes, isOpeners ? to : from, isByCaller ? null : scan);
  }
  return out;
}

/** Adds what the message says about a side; what an earlier one said stays. `own` is the message when the side sent it. */
function sideOf(
  known: VconSide,
  bytes: Uint8Array,
  at: { readonly start: number; readonly end: number },
  own: SipScan | null,
): VconSide {
  let { uri, displayName, contact, userAgent } = known;
  if (uri === null || displayName === null) {
    const address = addressAt(bytes, at.start, at.end);
    uri ??= address === null ? null : withoutSecrets(address.uriText);
    displayName ??= address?.displayName ?? null;
  }
  if (own !== null) {
    if (contact === null) {
      const address = addressAt(bytes, own.contactStart, own.contactEnd);
      contact = address === null ? null : withoutSecrets(address.uriText);
    }
    userAgent ??= decodeText(bytes, own.userAgentStart, own.userAgentEnd) || null;
  }
  return { uri, displayName, contact, userAgent };
}

/** The first address of a value or list; null where none can be read. */
function addressAt(bytes: Uint8Array, start: number, end: number): NameAddr | null {
  const [value] = splitValues(decodeText(bytes, start, end), 1).values;
  const address = value === undefined ? null : parseNameAddr(value);
  return address?.ok === true ? address.value : null;
}

/** `onGone` gets each that was evicted before its turn came. */
function* vconMessages(sent: readonly Sent[], steps: readonly ClockStep[], onGone: () => void): Generator<VconMessage> {
  for (const { message: m, isByCaller } of sent) {
    if (!m.isKept) {
      onGone();
      continue;
    }
    const { bytes } = m;
    const facts = {
      index: m.index,
      at: capturedText(m.tsUs, steps),
      src: m.srcText,
      dst: m.dstText,
      transport: TRANSPORTS[m.transport] ?? '',
      origin: ORIGINS[m.origin] ?? '',
      direction: isByCaller ? 'caller_to_callee' : 'callee_to_caller',
    };
    yield { facts, text: withoutSecrets(rawText(bytes, 0, bytes.length)) };
  }
}
