/**
 * Rows of messages: what stands in a message without credentials, keys and passwords, and without its body unless that is asked
 * for (--ship-messages). A thread makes them of records in one piece of memory, and writes the lines into another. The thread
 * that captures sends both, and gets both back.
 */
import { asBuffer } from '../../core/byte-text.ts';
import { SHIP_SLAB_BYTES } from '../../core/item-limits.ts';
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

/** Two pieces of memory, to read and to write, and which bytes to read. */
export type MessageJob = {
  readonly records: ArrayBuffer;
  readonly lines: ArrayBuffer;
  readonly from: number;
  readonly upTo: number;
};
/** The same pieces. So many bytes of lines were made; records from `from` on did not fit any more. */
export type MessageJobResult = {
  readonly records: ArrayBuffer;
  readonly lines: ArrayBuffer;
  readonly from: number;
  readonly bytes: number;
  readonly rows: number;
  /** Rows that do not fit at all. */
  readonly tooLong: number;
};

/** Makes lines until a slab is full, and at least one. */
export function makeLines(maker: LineMaker, { records, lines, from: first, upTo }: MessageJob): MessageJobResult {
  const read = recordMemory(records);
  const written = asBuffer(new Uint8Array(lines));
  let [from, bytes, rows, tooLong] = [first, 0, 0, 0];
  while (from < upTo) {
    const m = new RecordedMessage(read, from);
    const line = messageLine(m, maker);
    const length = Buffer.byteLength(line) + 1;
    if (bytes > 0 && bytes + length > SHIP_SLAB_BYTES) break;
    from += recordBytes(m.bytes.length);
    if (length > written.length) {
      tooLong++;
      continue;
    }
    written.write(line, bytes);
    bytes += length;
    written[bytes - 1] = LINE_END;
    rows++;
  }
  return { records, lines, from, bytes, rows, tooLong };
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
