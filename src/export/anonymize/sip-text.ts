/** Replaces a whole SIP message: start line, headers, body, and the length that its body has then. */
import { SCAN, scanSip } from '../../protocols/sip/scanner/scan.ts';
import type { BodyText } from './body-text.ts';
import { filler, NO_TYPE, typeWith } from './body-text.ts';
import type { Headers } from './headers.ts';

/** Null for what is no SIP. */
export function replaceSip(message: Buffer, headers: Headers, bodies: BodyText): Buffer | null {
  const scan = scanSip(message, 0, message.length);
  if (scan.code !== SCAN.OK) return null;
  const { bodyStart, bodyEnd } = scan;
  const headEnd = bodyStart < 0 ? message.length : bodyStart;
  const end = Math.max(headEnd, bodyEnd);
  const head = message.toString('latin1', 0, headEnd);
  let type = NO_TYPE;
  // The headers are read twice: the body's type and its new length may stand in any order.
  headers.each(head, (header) => {
    type = typeWith(type, header);
  });
  const body = bodies.replace(message.toString('latin1', headEnd, end), type);
  const grown = body.length - (end - headEnd);
  const newHead = headers.replace(head, true, ({ name, value }) =>
    name === 'content-length' && grown !== 0 ? lengthened(value, grown) : null,
  );
  const rest = filler(message.toString('latin1', end));
  return Buffer.from(newHead + body + rest, 'latin1');
}

/** Null where the value is no number, and is replaced as text is. */
function lengthened(value: string, by: number): string | null {
  const [, before = '', digits = '', after = ''] = /^(\s*)(\d{1,9})(\s*)$/.exec(value) ?? [];
  return digits === '' ? null : before + String(Math.max(0, Number(digits) + by)) + after;
}
