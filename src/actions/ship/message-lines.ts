/**
 * Rows of messages: what stands in a message without credentials, keys and passwords, and without its body unless that is asked
 * for (--ship-messages). A thread makes them of records in one piece of memory, and writes the lines into another. Both are
 * shared with the thread that captures.
 */
import { SHIP_LINE_BYTES, SHIP_SLAB_BYTES } from '../../core/item-limits.ts';
import { harmlessJson } from '../../protocols/sip/harmless-json.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import { plainFacts, summaryOf } from '../../view/plain-message.ts';
import type { Shipper } from './key.ts';
import { hourText, lineHead } from './key.ts';
import { LINE_END } from './lines.ts';
import { RecordedMessage, recordBytes, recordMemory } from './message-record.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

/** Whose they are, and whether their bodies are wanted. */
export type LineMaker = Shipper & { readonly hasBodies: boolean };

export type MessageMemory = {
  readonly maker: LineMaker;
  readonly records: readonly SharedArrayBuffer[];
  readonly lines: readonly SharedArrayBuffer[];
};
/** Numbers of the pieces to read and to write, and which bytes to read. */
export type MessageJob = {
  readonly records: number;
  readonly lines: number;
  readonly from: number;
  readonly upTo: number;
};
/** So many bytes of lines were made; records from `from` on did not fit any more. */
export type MessageJobResult = {
  readonly from: number;
  readonly bytes: number;
  readonly rows: number;
  /** Rows that do not fit at all. */
  readonly tooLong: number;
};

/** The thread's own copies of both: in memory that is shared each access takes twice as long. */
const ownRecords = recordMemory(new ArrayBuffer(SHIP_SLAB_BYTES));
const ownLines = Buffer.alloc(SHIP_LINE_BYTES);

/** Makes lines until a slab is full, and at least one. */
export function makeLines(memory: MessageMemory, job: MessageJob): MessageJobResult {
  const records = new Uint8Array(memory.records[job.records] ?? none(), 0, job.upTo);
  const lines = new Uint8Array(memory.lines[job.lines] ?? none());
  ownRecords.bytes.set(records);
  let [from, bytes, rows, tooLong] = [job.from, 0, 0, 0];
  while (from < job.upTo) {
    const m = new RecordedMessage(ownRecords, from);
    const line = messageLine(m, memory.maker);
    const length = Buffer.byteLength(line) + 1;
    if (bytes > 0 && bytes + length > SHIP_SLAB_BYTES) break;
    from += recordBytes(m.bytes.length);
    if (length > lines.length) {
      tooLong++;
      continue;
    }
    ownLines.write(line, bytes);
    bytes += length;
    ownLines[bytes - 1] = LINE_END;
    rows++;
  }
  lines.set(ownLines.subarray(0, bytes));
  return { from, bytes, rows, tooLong };
}

function none(): never {
  throw new RangeError('no such piece of memory');
}

/** The row of the message, without line end. */
export function messageLine(m: RecordedMessage, { host, boot, hasBodies }: LineMaker): string {
  const { hourUs, number, version, message } = m.key;
  const said = harmless(m.bytes, hasBodies) ?? redacted(m.bytes, hasBodies);
  const { at, src, dst, transport, origin, summary, notes } = plainFacts(m, said.summary);
  const head = lineHead({ host, boot, number, version }, hourText(hourUs));
  const told = `"summary":${JSON.stringify(summary)},"notes":${notes.length === 0 ? '[]' : JSON.stringify(notes)},"text":${said.json}`;
  // Times, sockets and our own words hold nothing that JSON would write otherwise.
  return `${head}"message":${message},"at":"${at}","src":"${src}","dst":"${dst}","transport":"${transport}","origin":"${origin}",${told}}`;
}

type Said = { readonly summary: string; readonly json: string };

/** Null where care is needed, or the first line has something to escape. */
function harmless(bytes: Buffer, hasBody: boolean): Said | null {
  const json = harmlessJson(bytes, hasBody);
  const end = json?.indexOf('\\') ?? -1;
  if (json === null || !(json.startsWith('\\r\\n', end) || json.startsWith('\\n', end))) return null;
  return { summary: summaryOf(json.slice(0, end)), json: `"${json}"` };
}

function redacted(bytes: Buffer, hasBody: boolean): Said {
  const text = withoutSecrets(bytes.toString('utf8', 0, hasBody ? bytes.length : headersEnd(bytes)));
  return { summary: summaryOf(text), json: JSON.stringify(text) };
}

const LF = 0x0a;
const CR = 0x0d;

/** Behind the empty line (RFC 3261 section 7); of a message without one, its length. */
function headersEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return bytes.length;
}
