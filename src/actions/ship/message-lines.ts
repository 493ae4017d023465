/**
 * Rows of messages: what stands in a message without credentials, keys and passwords, and without its body unless that is asked
 * for (--ship-messages).
 */
import { harmlessJson } from '../../protocols/sip/harmless-json.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import { plainFacts, summaryOf } from '../../view/plain-message.ts';
import type { Shipper } from './key.ts';
import { hourText, lineHead } from './key.ts';
import type { RecordedMessage } from './message-record.ts';

/** What of messages is shipped. */
export type MessageParts = 'none' | 'headers' | 'full';

/** Whose they are, and whether their bodies are wanted. */
export type LineMaker = Shipper & { readonly hasBodies: boolean };

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
