/**
 * What a service answers to a question, held to the form of its row before anything reads it. All of it rejects with RemoteFailure.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Vcon } from '../../contract/index.ts';
import { safeText } from '../../core/terminal-text.ts';
import type { CallAudio } from '../../export/audio.ts';
import { PAGE_BEGIN } from '../../export/page/call-page.ts';
import type { Bounds } from '../../net/answer.ts';
import { RemoteFailure, saidText, tooLarge, wrongShape } from '../../net/failures.ts';
import type { CallCapture } from '../captures.ts';
import type { Container } from '../containers.ts';
import { REMOTE_FILE_BYTES } from '../limits.ts';
import type { Given, InDocument, Question } from '../question-row.ts';
import { addressOf } from '../question-row.ts';
import type { Requests } from './requests.ts';
import { readShape } from './shapes.ts';

/** Between two pieces of a capture. */
const PIECE_MS = 30_000;
/** Pieces of a capture that are under way. */
const PIECES_BYTES = 128 * 1024;
/** Characters of what was replaced in it. @cap */
const REPORT_CHARS = 1_000;

/** The answer to a question with these parameters; `asked` is what they were made of. */
export async function readAnswer<A extends readonly unknown[], T>(
  requests: Requests,
  { path, answer }: Pick<Question<A, T>, 'path' | 'answer'>,
  given: Given,
  asked: A,
  bounds: Bounds,
): Promise<T> {
  const address = addressOf(path, given);
  if (answer.kind === 'document') return readDocument(requests, address, answer, asked, bounds);
  // What each kind of answer is, the row says by its type.
  return (await READERS[answer.kind](requests, address, bounds)) as T;
}

const READERS = {
  lines: readLines,
  page: readPage,
  capture: readCapture,
  audio: readAudio,
  container: readContainer,
  events: noEvents,
};

async function readDocument<A, T>(
  requests: Requests,
  address: string,
  { schema, known, none }: InDocument<A, T>,
  asked: A,
  bounds: Bounds,
): Promise<T> {
  try {
    const { body } = await requests.read(address, bounds);
    const document = readShape(schema, body.toString('utf8'), bounds.values);
    const answer = known === undefined ? (document as T) : known(document, asked);
    if (answer === null) throw wrongShape();
    return answer;
  } catch (error) {
    if (none !== undefined && error instanceof RemoteFailure && error.kind === 'gone') return none;
    throw error;
  }
}

async function readLines(requests: Requests, address: string, bounds: Bounds): Promise<string[]> {
  const { answer, body } = await requests.read(address, bounds);
  if (answer.headers['content-type']?.startsWith('text/') !== true) throw wrongShape();
  return body.toString('utf8').replace(/\n$/, '').split('\n').map(safeText);
}

/** What does not begin as each page does could run something where it is opened. */
async function readPage(requests: Requests, address: string, bounds: Bounds): Promise<string> {
  const { answer, body } = await requests.read(address, bounds);
  const page = body.toString('utf8');
  if (answer.headers['content-type'] !== 'text/html; charset=utf-8' || !PAGE_BEGIN.test(page)) throw wrongShape();
  return page;
}

/** The capture comes while it is read; its head within the time of the bounds. */
async function readCapture(requests: Requests, address: string, { ms }: Bounds): Promise<CallCapture> {
  const answer = await requests.open(address, ms);
  const { headers } = answer;
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  const isCapture = headers['content-type'] === 'application/vnd.tcpdump.pcap' && Number.isInteger(bytes);
  if (!isCapture || bytes > REMOTE_FILE_BYTES) {
    answer.destroy();
    throw isCapture ? tooLarge(REMOTE_FILE_BYTES) : wrongShape();
  }
  const report = headers['x-service-capture-anonymized'];
  answer.setTimeout(PIECE_MS, () => answer.destroy(new RemoteFailure('late', 'the capture stopped on its way', '')));
  return {
    file: Readable.from(pieces(answer), { objectMode: false }),
    bytes,
    keeps: PIECES_BYTES,
    isRebuilt: headers['x-service-capture-rebuilt'] === 'true',
    lack: saidText(String(headers['x-service-capture-lacks'] ?? '')),
    ...(typeof report === 'string' ? { report: [safeText(report.slice(0, REPORT_CHARS))] } : {}),
  };
}

/** The WAV of a call, or of a span of it. */
async function readAudio(requests: Requests, address: string, bounds: Bounds): Promise<CallAudio> {
  const { answer, body } = await requests.read(address, bounds);
  if (answer.headers['content-type'] !== 'audio/wav') throw wrongShape();
  return { wav: body, isPartial: answer.headers['x-service-audio-partial'] === 'true' };
}

async function readContainer(requests: Requests, address: string, bounds: Bounds): Promise<Container> {
  const { body } = await requests.read(address, bounds);
  readShape(Vcon, body.toString('utf8'), bounds.values);
  return { text: Readable.from([body], { objectMode: false }), keeps: body.length };
}

/** Whoever follows them keeps a connection open (watching.ts). */
async function noEvents(): Promise<never> {
  throw wrongShape();
}

/** A stream that is cut off ends whoever reads it with the error. */
async function* pieces(answer: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const piece of answer) yield piece as Buffer;
}
