/** Replaces a whole SIP message: start line, headers, body, and the length that its body has then. */
import { SCAN, scanSip } from '../../protocols/sip/scanner/scan.ts';
import type { BodyText } from './body-text.ts';
import { filler } from './body-text.ts';
import type { Headers } from './headers.ts';

/** Null for what is no SIP. */
export function replaceSip(message: Buffer, headers: Headers, bodies: BodyText): Buffer | null {
  const scan = scanSip(message, 0, message.length);
  if (scan.code !== SCAN.OK) return null;
  const { bodyStart, bodyEnd } = scan;
  const headEnd = bodyStart < 0 ? message.length : bodyStart;
  const end = Math.max(headEnd, bodyEnd);
  const head = headers.replace(message.toString('latin1', 0, headEnd), true);
  const body = bodies.replace(message.toString('latin1', headEnd, end), head.type);
  const grown = body.length - (end - headEnd);
  if (grown !== 0)
    for (const { at, line } of head.lengths) head.lines[at] = lengthened(line, grown) ?? head.lines[at] ?? '';
  const rest = filler(message.toString('latin1', end));
  return Buffer.from(head.lines.join('') + body + rest, 'latin1');
}

/** Null where the value is no number. */
function lengthened(line: string, by: number): string | null {
  const [, before = '', digits = '', after = ''] = /^([^:]*:\s*)(\d{1,9})(\s*)$/.exec(line) ?? [];
  return digits === '' ? null : before + String(Math.max(0, Number(digits) + by)) + after;
}
