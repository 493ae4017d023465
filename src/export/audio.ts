/**
 * The audio of one call: which kept packets belong to which direction, and why a call has none.
 */

import { Worker } from 'node:worker_threads';
import { messagesOf } from '../analysis/call-messages.ts';
import { keysPressed } from '../analysis/dtmf.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { agreedProfile } from '../analysis/srtp-trailer.ts';
import { rawText } from '../core/byte-text.ts';
import { faults } from '../core/faults.ts';
import { endpointKeyText } from '../core/ip.ts';
import { packageVersion } from '../core/package.ts';
import { Places } from '../core/places.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { isDecodable } from '../protocols/codec/decoder.ts';
import { memoryOf, withinSpan } from '../protocols/codec/packet-list.ts';
import type { SrtpKey } from '../protocols/codec/srtp.ts';
import { srtpKeysOf } from '../protocols/codec/srtp.ts';
import type { AudioStream } from '../protocols/codec/timeline.ts';
import { MARK } from '../store/dialogs/call-marks.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { whileLive } from '../store/dialogs/live-dialogs.ts';
import { streamFormat } from '../store/media/codec-format.ts';
import type { Stream } from '../store/media/stream.ts';
import type { Stores } from '../store/stores.ts';
import type { AudioJob, AudioJobResult } from './audio-worker.ts';

/**
 * Bytes of a WAV file, all channels: two hours of one direction at 8 kHz, one of both. A longer call is refused.
 *
 * @cap option 512 MiB, document_requests_refused: with `--retain-audio`: WAV files being made
 */
export const AUDIO_FILE_BYTES = 128 * 1024 * 1024;

/** WAV files made at a time. @cap with AUDIO_FILE_BYTES */
const MAX_AUDIO_JOBS = 2;

/** Requests that wait for one; one more is answered with 503. @cap */
const MAX_AUDIO_WAITING = 32;

/** SRTP keys of a dialog that are tried on its audio. @cap */
const AUDIO_KEYS = 32;

const SAMPLE_BYTES = 2;

/** `sealed`: what could not be decrypted, and why; absent where all was. */
export type CallAudio = { readonly wav: Uint8Array; readonly isPartial: boolean; readonly sealed?: string };

/** `tooLargeBytes`: what the file would take. */
export type NoAudio = { readonly reason: string; readonly tooLargeBytes?: number };

/** A part of a call, in seconds after its first kept packet. */
export type AudioSpan = { readonly fromSec: number; readonly toSec: number };

export type AudioOptions = { readonly maxBytes?: number; readonly span?: AudioSpan | null };

type Payloads = NonNullable<Stores['payloads']>;

type Kept = {
  readonly stream: Stream;
  audio: AudioStream;
  readonly codecs: string[];
  readonly hasLost: boolean;
};

const places = new Places(MAX_AUDIO_JOBS, MAX_AUDIO_WAITING);
/** How often it is looked whether somebody still waits for a file. */
const GONE_MS = 250;

/**
 * The WAV of a call, of at most `maxBytes`, or the sentence that says why it cannot be made; null when too many wait for
 * theirs, or nobody for this one any more.
 */
export function callAudio(
  e: Evidence,
  d: Dialog,
  turns: Turns,
  isGone: () => boolean,
  { maxBytes = AUDIO_FILE_BYTES, span = null }: AudioOptions = {},
): Promise<{ readonly document: CallAudio | NoAudio } | null> {
  return places.run(isGone, async () => {
    const found = await turns
      .slice('answer')
      .finish(whileLive(e.stores.dialogs, d, prepare(e, d, maxBytes, span)), isGone);
    if (found === null) return null;
    const prepared = found.document;
    if (prepared === null) return { document: { reason: 'The dialog was evicted meanwhile.' } };
    if ('reason' in prepared) return { document: prepared };
    const result = await run(prepared.job, isGone);
    return result === null ? null : { document: prepared.answer(result) };
  });
}

type Prepared =
  | { readonly job: AudioJob; readonly answer: (result: AudioJobResult) => CallAudio | NoAudio }
  | { readonly reason: string };

/** What the worker is given. A step for so many packets, and one a message that is read. */
function* prepare(e: Evidence, d: Dialog, maxBytes: number, span: AudioSpan | null): Steps<Prepared> {
  const { payloads } = e.stores;
  if (payloads === null) return { reason: 'No payload was kept: calltap was started without --retain-audio.' };
  const streams = e.stores.streams.ownedBy(d).filter((s) => s.claim?.mediaType === 'audio');
  if (streams.length === 0) return { reason: 'No audio stream belongs to this dialog.' };
  const keys = (d.marks & MARK.SRTP) === 0 ? null : yield* srtpKeys(e.stores, d);
  const kept: Kept[] = [];
  const entries = (d.sdp ?? []).filter((e) => !e.isRefused);
  for (const stream of streams) {
    // One leg may have keys and another none.
    const isPlain = keys !== null && agreedProfile(entries, stream) === 'RTP';
    const k = yield* keep(payloads, stream, isPlain ? null : keys);
    if (k.audio.packets.ends.length > 0) kept.push(k);
  }
  if (span !== null && kept.length > 0) {
    cutTo(kept, span);
    if (kept.length === 0) return { reason: 'No packet of the call lies in this span.' };
  }
  if (kept.length === 0) return { reason: 'No payload is kept: the payload ring has been overwritten since.' };
  if (keys !== null && keys.length === 0 && kept.every((k) => k.audio.keys !== null))
    return { reason: 'The media is encrypted (SRTP), and no key of it was seen in the signaling.' };
  const heard = kept.filter((k) => k.codecs.length > 0);
  if (heard.length === 0) return { reason: 'Only key presses or comfort noise were kept of this dialog, no audio.' };
  const good = heard.filter((k) => k.codecs.some(isDecodable));
  const undecodable = [...new Set(kept.flatMap((k) => k.codecs.filter((c) => !isDecodable(c))))];
  if (good.length === 0)
    return { reason: `The dialog has only codecs that cannot be decoded: ${undecodable.join(', ')}.` };
  const directions = byDirection(d, good);
  const parts: string[] = [];
  if (kept.some((k) => k.hasLost)) parts.push('wrapped payload ring');
  if (good.length < heard.length) parts.push(`undecodable stream (${undecodable.join(', ')})`);
  if (directions.length < 2) parts.push('direction never seen');
  const codecs = [...new Set(good.flatMap((k) => k.codecs))];
  const comment =
    `Decoded from RTP kept by --retain-audio; ${directions.length === 2 ? 'left the caller, right the callee' : 'one direction'}; ` +
    `${codecs.filter(isDecodable).join(', ')}; silence where packets are missing` +
    `${parts.length === 0 ? '' : `; partial: ${parts.join(', ')}`}`;
  const job: AudioJob = {
    directions: directions.map((list) => list.map((k) => k.audio)),
    senders: directions.flatMap((list) => list.slice(0, 1).map(({ stream }) => endpointKeyText(stream.srcKey))),
    maxSamples: Math.floor(maxBytes / SAMPLE_BYTES),
    software: `calltap ${packageVersion()}`,
    comment,
    // Of the hop that is heard: the other legs of a relay tell the same keys again.
    presses: yield* keysPressed(
      d,
      directions.flat().map((k) => k.stream),
      e.stores.keys,
      e.stores.log,
    ),
  };
  return {
    job,
    answer: (result) => answerOf(result, { isPartial: parts.length > 0, isSecured: keys !== null, codecs }),
  };
}

function answerOf(
  result: AudioJobResult,
  about: { readonly isPartial: boolean; readonly isSecured: boolean; readonly codecs: readonly string[] },
): CallAudio | NoAudio {
  if ('wav' in result) {
    const { wav, sealed } = result;
    return sealed === '' ? { wav, isPartial: about.isPartial } : { wav, isPartial: true, sealed };
  }
  if (result.failure === 'too-long')
    return { reason: 'The call is longer than one file can hold.', tooLargeBytes: result.samples * SAMPLE_BYTES };
  return {
    reason: about.isSecured
      ? 'The media is encrypted (SRTP), and no key that was seen in the signaling fits.'
      : `No packet of the dialog could be decoded (${about.codecs.join(', ')}).`,
  };
}

/** SRTP keys that the messages of the dialog carry in the clear (RFC 4568). They stay in this process. */
function* srtpKeys({ log }: Stores, d: Dialog): Steps<SrtpKey[]> {
  const keys: SrtpKey[] = [];
  for (const m of messagesOf(d, log)) {
    yield;
    if (keys.length >= AUDIO_KEYS) break;
    const { bytes } = m;
    for (const key of srtpKeysOf(rawText(bytes, 0, bytes.length), AUDIO_KEYS))
      if (!keys.some((k) => Buffer.compare(k.master, key.master) === 0)) keys.push(key);
  }
  return keys;
}

/** The packets of a stream, and the formats its descriptions name. */
function* keep(payloads: Payloads, stream: Stream, keys: readonly SrtpKey[] | null): Steps<Kept> {
  const { packets, hasLost } = yield* payloads.packets(stream.index, stream.generation);
  const types = new Set<number>();
  let start = 0;
  for (const end of packets.ends) {
    types.add((packets.bytes[start + 1] ?? 0) & 127);
    start = end;
  }
  const formats: AudioStream['formats'][number][] = [];
  const codecs: string[] = [];
  for (const payloadType of types) {
    yield;
    const format = streamFormat(stream, payloadType);
    if (format !== null && /^(telephone-event|CN)$/i.test(format.name)) continue;
    codecs.push(format?.name ?? `payload type ${payloadType}`);
    // L16 is 10 stereo, 11 mono (RFC 3551 section 6).
    const channels = payloadType === 10 ? 2 : 1;
    if (format !== null) formats.push({ payloadType, codec: format.name, clockRate: format.clockRate, channels });
  }
  return { stream, audio: { formats, packets, keys }, codecs, hasLost };
}

/** The span alone; streams without a packet in it go. */
function cutTo(kept: Kept[], { fromSec, toSec }: AudioSpan): void {
  let firstUs = Number.POSITIVE_INFINITY;
  for (const { audio } of kept) firstUs = Math.min(firstUs, audio.packets.tsUs[0] ?? firstUs);
  for (const k of kept)
    k.audio = { ...k.audio, packets: withinSpan(k.audio.packets, firstUs + fromSec * 1e6, firstUs + toSec * 1e6) };
  kept.splice(0, kept.length, ...kept.filter((k) => k.audio.packets.ends.length > 0));
}

/**
 * What the caller sent, and what the callee sent. A relay shows a call on two hops: the hop with most packets is taken,
 * with what ran the same way (further sources of a call) and what came back.
 */
function byDirection(d: Dialog, kept: readonly Kept[]): Kept[][] {
  const main = kept.reduce((best, k) => (k.audio.packets.ends.length > best.audio.packets.ends.length ? k : best));
  const { srcKey, dstKey } = main.stream;
  const host = (key: Stream['srcKey']): string => endpointKeyText(key).replace(/:\d+$/, '');
  const isSame = (k: Kept): boolean => k.stream.srcKey === srcKey && k.stream.dstKey === dstKey;
  const isBack = (k: Kept): boolean => k.stream.srcKey === dstKey && k.stream.dstKey === srcKey;
  const there = kept.filter(isSame);
  let back = kept.filter(isBack);
  // Without symmetric ports: the same two hosts the other way.
  if (back.length === 0)
    back = kept.filter(
      (k) => !isSame(k) && host(k.stream.srcKey) === host(dstKey) && host(k.stream.dstKey) === host(srcKey),
    );
  const named = (side: number): Set<string> =>
    new Set((d.sdp ?? []).filter((e) => e.side === side).flatMap((e) => (e.address === null ? [] : [e.address])));
  const [byCaller, byCallee] = [named(0), named(1)];
  const from = host(srcKey).replace(/^\[|\]$/g, '');
  const isCallees = byCallee.has(from) && !byCaller.has(from);
  const list = isCallees ? [back, there] : [there, back];
  return list.filter((l) => l.length > 0);
}

/** Runs a job in a worker; null when nobody waits for it any more. Rejects when the worker fails. */
async function run(job: AudioJob, isGone: () => boolean): Promise<AudioJobResult | null> {
  const transferList = job.directions.flat().flatMap(({ packets }) => memoryOf(packets));
  const worker = new Worker(new URL('./audio-worker.js', import.meta.url), { workerData: job, transferList });
  let watch: NodeJS.Timeout | undefined;
  try {
    return await new Promise<AudioJobResult | null>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the audio worker ended without a result')));
      watch = faults.every(GONE_MS, 'tick', () => {
        if (isGone()) resolve(null);
      });
    });
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
