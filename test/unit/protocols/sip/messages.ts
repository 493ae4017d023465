/** Messages for the SIP tests, and readers of scanned offsets. */

import { SCAN, type SipScan, scanSip } from '../../../../src/protocols/sip/scanner/scan.ts';

/** Bytes of a message written as lines; a last argument of body text is added after the empty line. */
export function message(lines: readonly string[], body = ''): Buffer {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'utf8');
}

export const INVITE_LINES: readonly string[] = [
  'INVITE sip:bob@biloxi.example.com SIP/2.0',
  'Via: SIP/2.0/UDP pc33.atlanta.example.com:5060;branch=z9hG4bK776asdhds;rport',
  'Max-Forwards: 70',
  'From: "Alice" <sip:alice@atlanta.example.com>;tag=1928301774',
  'To: Bob <sip:bob@biloxi.example.com>',
  'Call-ID: a84b4c76e66710@pc33.atlanta.example.com',
  'CSeq: 314159 INVITE',
  'Contact: <sip:alice@pc33.atlanta.example.com>',
  'User-Agent: softphone/1.0',
  'Content-Type: application/sdp',
  'Content-Length: 4',
];

export const INVITE: Buffer = message(INVITE_LINES, 'v=0\n');

/** `lines` with the header called `name` replaced, or left out when `value` is null. */
export function withHeader(lines: readonly string[], name: string, value: string | null): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (!line.startsWith(`${name}:`)) kept.push(line);
    else if (value !== null) kept.push(`${name}: ${value}`);
  }
  return kept;
}

/** Scans a datagram and expects it to be SIP. */
export function scanned(bytes: Uint8Array): SipScan {
  const scan = scanSip(bytes, 0, bytes.length);
  if (scan.code !== SCAN.OK) throw new Error(`not scanned: ${scan.reason}`);
  return scan;
}

export function slice(bytes: Uint8Array, start: number, end: number): string | null {
  return start < 0 ? null : Buffer.from(bytes.subarray(start, end)).toString('utf8');
}
