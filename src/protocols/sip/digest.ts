/**
 * The protection spaces that a message names: what a challenge asks credentials for, and what credentials are for
 * (RFC 3261 section 22, RFC 7616 sections 3.3 and 3.4).
 */
import type { SipScan } from './scanner/scan.ts';

/** Challenges of one message that are read, and of one dialog that are remembered; the oldest realm goes first. @cap */
export const MAX_CHALLENGES = 8;

/** One challenge, or the credentials for one. */
export type ProtectionSpace = {
  readonly realm: string;
  readonly nonce: string;
  /** `stale=true`: the nonce was too old, the password was right. */
  readonly isStale: boolean;
};

/** Each header of the kind, with the lines it continues on. */
const CREDENTIALS = /^(?:proxy-)?authorization[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/gim;
const CHALLENGES = /^(?:www|proxy)-authenticate[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/gim;
const PARAMETERS = /(?<![\w-])(realm|nonce|stale)[ \t]*=[ \t]*(?:"([^"]*)"?|([^\s,]*))/gi;

/** Those of a scanned message, `MAX_CHALLENGES` at most: credentials of a request, challenges of a response. */
export function protectionSpaces(buf: Buffer, scan: SipScan): ProtectionSpace[] {
  const start = scan.headersStart;
  const end = scan.bodyStart > start ? scan.bodyStart : scan.messageEnd;
  if (start < 0 || end <= start) return [];
  const out: ProtectionSpace[] = [];
  const headers = buf.toString('latin1', start, end);
  for (const [, text = ''] of headers.matchAll(scan.isRequest ? CREDENTIALS : CHALLENGES)) {
    readSpaces(text, out);
    if (out.length >= MAX_CHALLENGES) return out.slice(0, MAX_CHALLENGES);
  }
  return out;
}

/** One header may hold several challenges: a name that comes again belongs to the next one. */
function readSpaces(text: string, out: ProtectionSpace[]): void {
  let named = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(PARAMETERS)) {
    const key = name.toLowerCase();
    if (named.has(key)) {
      add(named, out);
      if (out.length >= MAX_CHALLENGES) return;
      named = new Map();
    }
    named.set(key, quoted ?? plain ?? '');
  }
  add(named, out);
}

/** Schemes without a nonce are proved by nothing that a message shows. */
function add(named: ReadonlyMap<string, string>, out: ProtectionSpace[]): void {
  const realm = named.get('realm');
  const nonce = named.get('nonce');
  if (realm === undefined || nonce === undefined) return;
  out.push({ realm, nonce, isStale: named.get('stale')?.toLowerCase() === 'true' });
}
