/**
 * The audio of one call: which kept packets belong to which direction, and why there is none where there is none.
 */
import { Worker } from 'node:worker_threads';
import { keysPressed } from '../analysis/dtmf.ts';
import { isDecodable } from '../codec/decoder.ts';
import type { SrtpKey } from '../codec/srtp.ts';
import { srtpKeysOf } from '../codec/srtp.ts';
import type { AudioStream } from '../codec/timeline.ts';
import { rawText } from '../core/byte-text.ts';
import { endpointKeyText } from '../core/ip.ts';
import { STATIC_PAYLOADS } from '../core/payload-types.ts';
import type { Dialog } from '../store/dialog.ts';
import { MARK } from '../store/dialog.ts';
import { NO_ROW } from '../store/message-log.ts';
import type { Stream } from '../store/stream.ts';
import type { AudioJob, AudioJobResult } from './audio-worker.ts';
import type { CaptureSession } from './capture-session.ts';
import { packageVersion } from './version.ts';

/** Samples of a file, all channels: about 70 minutes of stereo at 48 kHz, seven hours at 8 kHz. */
const MAX_SAMPLES = 400_000_000;
/** Keys of a dialog that are tried. */
const MAX_KEYS = 32;
/** Files made at a time; who comes later waits. */
const MAX_JOBS = 2;

export type CallAudio = { readonly wav: Uint8Array; readonly isPartial: boolean } | { readonly reason: string };

type Kept = {
  readonly stream: Stream;
  readonly audio: AudioStream;
  readonly codecs: string[];
  readonly hasLost: boolean;
};

let running = 0;
const waiting: (() => void)[] = [];

/** The WAV of a call, or the sentence that says why there is none. */
export async function callAudio(session: CaptureSession, d: Dialog): Promise<CallAudio> {
  const { payloads } = session;
  if (payloads === null) return { reason: 'No payload was kept: the server was started without --retain-audio.' };
  const streams = (d.streams ?? []).filter((s) => s.claim?.mediaType === 'audio');
  if (streams.length === 0) return { reason: 'No audio stream belongs to this dialog.' };
  const keys = (d.marks & MARK.SRTP) === 0 ? null : srtpKeys(session, d);
  const kept = streams.map((stream) => keep(session, stream, keys)).filter((k) => k.audio.packets.length > 0);
  if (kept.length === 0) return { reason: 'No payload is kept: the payload ring has been overwritten since.' };
  if (keys !== null && keys.length === 0)
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
  const comment =
    `Decoded from RTP kept by --retain-audio; ${directions.length === 2 ? 'left the caller, right the callee' : 'one direction'}; ` +
    `${[...new Set(good.flatMap((k) => k.codecs.filter(isDecodable)))].join(', ')}; silence where packets are missing` +
    `${parts.length === 0 ? '' : `; partial: ${parts.join(', ')}`}`;
  const result = await run({
    directions: directions.map((list) => list.map((k) => k.audio)),
    maxSamples: MAX_SAMPLES,
    software: `calltap ${packageVersion()}`,
    comment,
    // Of the hop that is heard: the other legs of a relay tell the same keys again.
    presses: keysPressed(
      d,
      directions.flat().map((k) => k.stream),
      session.ingest.keys,
      session.log,
    ),
  });
  if ('wav' in result) return { wav: result.wav, isPartial: parts.length > 0 };
  return {
    reason:
      result.failure === 'too-long'
        ? 'The call is longer than one file can hold.'
        : keys !== null
          ? 'The media is encrypted (SRTP), and no key that was seen in the signaling fits.'
          : `No packet of the dialog could be decoded (${[...new Set(good.flatMap((k) => k.codecs))].join(', ')}).`,
  };
}

/** SRTP keys that the messages of the dialog carry in the clear (RFC 4568). They stay in this process. */
function srtpKeys(session: CaptureSession, d: Dialog): SrtpKey[] {
  const keys: SrtpKey[] = [];
  const { log } = session;
  for (let row = d.headRow; row !== NO_ROW && log.has(row) && keys.length < MAX_KEYS; row = log.next(row)) {
    const bytes = log.bytes(row);
    for (const key of srtpKeysOf(rawText(bytes, 0, bytes.length)))
      if (!keys.some((k) => Buffer.compare(k.master, key.master) === 0)) keys.push(key);
  }
  return keys;
}

/** The packets of a stream, and the formats its descriptions name. */
function keep(session: CaptureSession, stream: Stream, keys: readonly SrtpKey[] | null): Kept {
  const { packets, hasLost } = session.payloads?.packets(stream.index, stream.generation) ?? {
    packets: [],
    hasLost: false,
  };
  const types = new Set(packets.map((p) => (p.bytes[1] ?? 0) & 127));
  const formats: AudioStream['formats'][number][] = [];
  const codecs: string[] = [];
  for (const payloadType of types) {
    const format = formatOfStream(stream, payloadType);
    if (format !== null && /^(telephone-event|CN)$/i.test(format.codec)) continue;
    codecs.push(format?.codec ?? `payload type ${payloadType}`);
    if (format !== null) formats.push(format);
  }
  return { stream, audio: { formats, packets, keys }, codecs, hasLost };
}

function formatOfStream(stream: Stream, payloadType: number): AudioStream['formats'][number] | null {
  const sets = [stream.claim?.codecs, ...(stream.dialog?.sdp ?? []).flatMap((e) => e.media.map((m) => m.codecs))];
  for (const set of sets) {
    const found = set?.formats.find((f) => f.payloadType === payloadType);
    if (found !== undefined) return { payloadType, codec: found.name, clockRate: found.clockRate, channels: 1 };
  }
  const known = STATIC_PAYLOADS.get(payloadType);
  if (known === undefined) return null;
  // L16 is 10 stereo, 11 mono (RFC 3551 section 6).
  return { payloadType, codec: known.name, clockRate: known.clockRate, channels: payloadType === 10 ? 2 : 1 };
}

/**
 * What the caller sent, and what the callee sent. A relay shows a call on two hops: the hop with most packets is taken,
 * with what ran the same way (further sources of a call) and what came back.
 */
function byDirection(d: Dialog, kept: readonly Kept[]): Kept[][] {
  const main = kept.reduce((best, k) => (k.audio.packets.length > best.audio.packets.length ? k : best));
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

/** Runs a job in a worker; rejects when the worker fails. */
async function run(job: AudioJob): Promise<AudioJobResult> {
  if (running >= MAX_JOBS) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await new Promise<AudioJobResult>((resolve, reject) => {
      const worker = new Worker(new URL('./audio-worker.js', import.meta.url), { workerData: job });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the audio worker ended without a result')));
    });
  } finally {
    running--;
    waiting.shift()?.();
  }
}
