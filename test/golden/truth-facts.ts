/** A capture as facts, one a line, said the same way of what tshark found and of what calltap found. */

import { streamQuality } from '../../src/analysis/stream-quality.ts';
import { ServiceError } from '../../src/core/errors.ts';
import { endpointKeyText } from '../../src/core/ip.ts';
import * as METHOD from '../../src/core/methods.ts';
import { METHOD_NAMES } from '../../src/core/words.ts';
import type { FileEnd } from '../../src/sources/file/file-source.ts';
import { ssrcText } from '../../src/view/stream-document.ts';
import type { OpenSession } from '../helpers/open-session.ts';
import { openSession } from '../helpers/open-session.ts';
import type { TruthCapture, TruthStream } from './truth-file.ts';

/** Field to value. A field that only one side has reads 'absent' on the other. */
export type Facts = Map<string, string>;

export type Difference = {
  readonly file: string;
  readonly field: string;
  readonly ours: string;
  readonly theirs: string;
};

/** Mean jitter of a stream that lost and repeated nothing, in both accounts. */
export type JitterPair = { readonly stream: string; readonly oursMs: number; readonly theirsMs: number };

export type Comparison = { readonly differences: readonly Difference[]; readonly jitter: readonly JitterPair[] };

export const ABSENT = 'absent';
const REFUSED = 'refused';
const JITTER_TOLERANCE_MS = 0.1;

/** What calltap made of a file: the facts, and the jitter of its clean streams. */
export type Found = { readonly facts: Facts; readonly cleanJitterMs: ReadonlyMap<string, number> };

/** How a run ended; `refused` is the error of a file that gave nothing. */
export type RunEnd = FileEnd | { readonly end: 'refused'; readonly error: ServiceError };

/** Reads one file to its end as the command line would. The caller closes the session. */
export async function readTo(
  path: string,
  options: readonly string[],
): Promise<{ readonly session: OpenSession; readonly end: RunEnd }> {
  const session = openSession(['-I', path, ...options]);
  let end: RunEnd | undefined;
  try {
    await session.read([path], (_path, how) => {
      end = how;
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    end = { end: 'refused', error };
  }
  if (end === undefined) throw new Error(`${path}: the run did not say how it ended`);
  return { session, end };
}

function streamField(s: TruthStream): string {
  const at = (address: string, port: number): string => `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return `rtp ${at(s.src, s.sport)} > ${at(s.dst, s.dport)} ${s.ssrc}`;
}

/** Two streams of one key are two calls on one port: both are told, first one first. */
function addStream(facts: Facts, field: string, packets: number, lost: number): void {
  const before = facts.get(field);
  const value = `${packets} packets, ${lost} lost`;
  facts.set(field, before === undefined ? value : `${before}; ${value}`);
}

export function truthFacts(truth: TruthCapture): Facts {
  const facts: Facts = new Map([
    ['frames', String(truth.packets)],
    ['sip messages', String(truth.sip.messages)],
  ]);
  let others = 0;
  for (const [method, count] of Object.entries(truth.sip.requests_by_method ?? {})) {
    if (METHOD_NAMES.includes(method)) facts.set(`requests ${method}`, String(count));
    else others += count;
  }
  if (others > 0) facts.set('requests of other methods', String(others));
  for (const [code, count] of Object.entries(truth.sip.responses_by_code ?? {})) {
    facts.set(`responses ${code}`, String(count));
  }
  facts.set('call-ids', String(truth.sip.call_ids?.count ?? 0));
  for (const id of truth.sip.call_ids?.list ?? []) facts.set(`call-id ${id}`, 'present');
  for (const s of truth.rtp_heuristic) addStream(facts, streamField(s), s.packets, s.lost);
  return facts;
}

export async function foundFacts(path: string): Promise<Found> {
  const { session, end } = await readTo(path, ['--portrange', '1-65535', '--ws-portrange', '1-65535']);
  try {
    if (end.end === 'refused') {
      const nothing: Facts = new Map([
        ['frames', REFUSED],
        ['sip messages', '0'],
        ['call-ids', '0'],
      ]);
      return { facts: nothing, cleanJitterMs: new Map() };
    }
    return sessionFacts(session, end.frames);
  } finally {
    session.close();
  }
}

function sessionFacts(session: OpenSession, frames: number): Found {
  const { counts } = session.ingest.tracker;
  const facts: Facts = new Map([
    ['frames', String(frames)],
    ['sip messages', String(counts.messages)],
  ]);
  counts.requestsByMethod.forEach((count, id) => {
    if (count === 0) return;
    facts.set(id === METHOD.OTHER ? 'requests of other methods' : `requests ${METHOD_NAMES[id]}`, String(count));
  });
  counts.byStatus.forEach((count, code) => {
    if (count > 0) facts.set(`responses ${code}`, String(count));
  });
  facts.set('call-ids', String(session.dialogs.size));
  for (const d of session.dialogs.oldestFirst()) {
    // The store keeps the bytes of a Call-ID; tshark shows them as UTF-8.
    facts.set(`call-id ${Buffer.from(d.callId, 'latin1').toString('utf8')}`, 'present');
  }
  const cleanJitterMs = new Map<string, number>();
  for (const s of [...session.streams.fromNewest()].reverse()) {
    const q = streamQuality(s, session.evidence.capture.quality);
    if (q === null) throw new Error('a stream without counters');
    const field = `rtp ${endpointKeyText(s.srcKey)} > ${endpointKeyText(s.dstKey)} ${ssrcText(s.ssrc)}`;
    const { packets, lost, duplicates } = q.snapshot;
    if (lost === 0 && duplicates === 0 && !facts.has(field)) cleanJitterMs.set(field, q.jitterMs);
    else cleanJitterMs.delete(field);
    addStream(facts, field, packets, lost);
  }
  return { facts, cleanJitterMs };
}

/** Every field on which the two accounts differ, in the order of tshark's. */
export function compare(truth: TruthCapture, found: Found): Comparison {
  const { file } = truth;
  const theirs = truthFacts(truth);
  const differences: Difference[] = [];
  for (const field of new Set([...theirs.keys(), ...found.facts.keys()])) {
    const our = found.facts.get(field) ?? ABSENT;
    const their = theirs.get(field) ?? ABSENT;
    // Nothing to read is the same answer whether it is said by refusing the file or by an empty result.
    if (our === their || (our === REFUSED && their === '0')) continue;
    // Where tshark's list was too long to keep, only the number is compared.
    if (truth.sip.call_ids?.list === null && field.startsWith('call-id ')) continue;
    differences.push({ file, field, ours: our, theirs: their });
  }
  const jitter: JitterPair[] = [];
  for (const s of truth.rtp_heuristic) {
    const stream = streamField(s);
    const oursMs = found.cleanJitterMs.get(stream);
    if (oursMs === undefined || s.lost !== 0 || found.facts.get(stream) !== theirs.get(stream)) continue;
    jitter.push({ stream, oursMs, theirsMs: s.mean_jitter_ms });
    if (Math.abs(oursMs - s.mean_jitter_ms) <= JITTER_TOLERANCE_MS) continue;
    const field = `mean jitter of ${stream}`;
    differences.push({ file, field, ours: `${oursMs.toFixed(2)} ms`, theirs: `${s.mean_jitter_ms.toFixed(2)} ms` });
  }
  return { differences, jitter };
}
