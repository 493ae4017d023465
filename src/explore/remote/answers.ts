/**
 * What a service answers about calls, whole and held to its form before anything reads it, and the paths to ask at. All of it
 * rejects with RemoteFailure.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { Named } from '../../contract/index.ts';
import { REMOTE_FILE_BYTES } from '../../core/item-limits.ts';
import type { AudioSpan, CallAudio } from '../../export/audio.ts';
import type { Bounds } from '../../net/answer.ts';
import { RemoteFailure, saidText, tooLarge, wrongShape } from '../../net/failures.ts';
import type { CallCapture } from '../captures.ts';
import type { Requests } from './requests.ts';
import { readShape } from './shapes.ts';

/** Between two pieces of a capture. */
const PIECE_MS = 30_000;
/** Pieces of a capture that are under way. */
const PIECES_BYTES = 128 * 1024;

export async function readDocument<T extends TSchema>(
  requests: Requests,
  path: string,
  shape: Named<T>,
  bounds: Bounds,
): Promise<Static<T>> {
  const { body } = await requests.read(path, bounds);
  return readShape(shape, body.toString('utf8'), bounds.values);
}

/** The capture comes while it is read; its head within so many milliseconds. */
export async function readCapture(requests: Requests, path: string, ms: number): Promise<CallCapture> {
  const answer = await requests.open(path, ms);
  const { headers } = answer;
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  const isCapture = headers['content-type'] === 'application/vnd.tcpdump.pcap' && Number.isInteger(bytes);
  if (!isCapture || bytes > REMOTE_FILE_BYTES) {
    answer.destroy();
    throw isCapture ? tooLarge(REMOTE_FILE_BYTES) : wrongShape();
  }
  answer.setTimeout(PIECE_MS, () => answer.destroy(new RemoteFailure('late', 'the capture stopped on its way', '')));
  return {
    file: Readable.from(pieces(answer), { objectMode: false }),
    bytes,
    keeps: PIECES_BYTES,
    isRebuilt: headers['x-service-capture-rebuilt'] === 'true',
    lack: saidText(String(headers['x-service-capture-lacks'] ?? '')),
  };
}

/** The WAV of a call, or of a span of it. */
export async function readAudio(
  requests: Requests,
  callId: string,
  span: AudioSpan | undefined,
  bounds: Bounds,
): Promise<CallAudio> {
  const part = span === undefined ? {} : { from: span.fromSec, to: finite(span.toSec) };
  const { answer, body } = await requests.read(callPath([callId], 'audio', part), bounds);
  if (answer.headers['content-type'] !== 'audio/wav') throw wrongShape();
  return { wav: body, isPartial: answer.headers['x-service-audio-partial'] === 'true' };
}

/** A stream that is cut off ends whoever reads it with the error. */
async function* pieces(answer: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const piece of answer) yield piece as Buffer;
}

type Parts = Readonly<Record<string, string | number | null>>;

/** Empty parts are left out. */
export function query(parts: Parts): string {
  const given = Object.entries(parts).filter(([, value]) => value !== null && value !== '');
  return new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString();
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** A Call-ID is its own selector, but for an empty one. */
export function selectorOf(callId: string): string {
  return callId === '' ? 'id:' : callId;
}

/** The route of a call, or of a part of it; with more than one call that of the first with its legs. */
export function callPath(callIds: readonly string[], part = '', parts: Parts = {}): string {
  const [first = '', ...legs] = callIds;
  const asked = query({ ...(legs.length > 0 ? { legs: 'true' } : {}), ...parts });
  const route = `/ask/calls/${encodeURIComponent(selectorOf(first))}${part === '' ? '' : `/${part}`}`;
  return asked === '' ? route : `${route}?${asked}`;
}
