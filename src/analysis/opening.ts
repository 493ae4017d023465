/**
 * Reads once what the message that opened a call says of it: who wrote it, and by which texts the store finds the call.
 *
 * These texts are its Call-ID, the users of From, To, the Request-URI, P-Asserted-Identity (RFC 3325) and Diversion (RFC
 * 5806), and what ties it to other legs.
 */

import { HEADER, headerIdOf } from '../protocols/sip/header-name.ts';
import { parseNameAddr } from '../protocols/sip/name-addr.ts';
import { MAX_IDENTIFIER_BYTES } from '../protocols/sip/named-calls.ts';
import type { SipScan } from '../protocols/sip/scanner/scan.ts';
import { decodeText, keptText, percentDecode } from '../protocols/sip/text.ts';
import { parseUri } from '../protocols/sip/uri.ts';
import { splitValues } from '../protocols/sip/values.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CallMessage } from './call-messages.ts';
import { tiesOf } from './ties.ts';

/**
 * Of a User-Agent, which is remembered of each call that was told of: what a longer one begins with.
 *
 * @cap option 36 MiB: with `--ship`: calltap remembers what it shipped of each dialog (231 bytes), and the User-Agent of its
 * first message
 */
const SHIP_USER_AGENT_BYTES = 128;

export type CallIdentifier = {
  readonly kind:
    | 'call_id'
    | 'correlation'
    | 'from'
    | 'to'
    | 'from_host'
    | 'to_host'
    | 'request'
    | 'asserted'
    | 'diversion'
    | 'refer';
  readonly text: string;
};

export type Opening = {
  readonly userAgent: string;
  readonly identifiers: readonly CallIdentifier[];
};

export const NO_OPENING: Opening = { userAgent: '', identifiers: [] };

/** More of one call nobody needs to find it by. */
const MOST = 16;

/**
 * Reads the message: that which opened the call (call-way.ts). `callIdHeaders`: further headers that carry the Call-ID of another
 * leg.
 */
export function openingOf(callIdHeaders: readonly string[], d: Dialog, m: CallMessage | undefined): Opening {
  const known: CallIdentifier[] = [
    { kind: 'call_id', text: d.callId },
    { kind: 'from', text: d.fromUser },
    { kind: 'to', text: d.toUser },
    { kind: 'from_host', text: d.fromUser === '' ? cut(d.from) : '' },
    { kind: 'to_host', text: d.toUser === '' ? cut(d.to) : '' },
  ];
  let userAgent = '';
  const read = m?.read() ?? null;
  if (read !== null) {
    const { bytes, scan } = read;
    if (scan.isRequest) {
      known.push({ kind: 'request', text: userOf(decodeText(bytes, scan.uriStart, scan.uriEnd)) });
      userAgent = userAgentOf(bytes, scan);
    }
    if (hasOtherUsers(bytes.toString('latin1', scan.startLineEnd, scan.bodyStart)))
      scan.forEachHeader((nameStart, nameEnd, start, end) => {
        const kind = OTHER_USERS.get(headerIdOf(bytes.toString('latin1', nameStart, nameEnd)));
        if (kind !== undefined) for (const text of usersOf(decodeText(bytes, start, end))) known.push({ kind, text });
      });
    for (const text of tiesOf(callIdHeaders, m)) known.push({ kind: 'correlation', text });
  }
  return { userAgent, identifiers: unlike(known) };
}

/** What wrote the request that was scanned. */
export function userAgentOf(bytes: Buffer, scan: SipScan): string {
  return keptText(bytes, scan.userAgentStart, scan.userAgentEnd, SHIP_USER_AGENT_BYTES);
}

/** Who else calls or is called: headers, and what their users are kept as. */
const OTHER_USERS: ReadonlyMap<number, CallIdentifier['kind']> = new Map([
  [HEADER.P_ASSERTED_IDENTITY, 'asserted'],
  [HEADER.DIVERSION, 'diversion'],
]);
const OTHER_USERS_SAID = /\n(?:p-asserted-identity|diversion)[ \t]*:/i;

function hasOtherUsers(headers: string): boolean {
  return OTHER_USERS_SAID.test(headers);
}

function usersOf(value: string): string[] {
  return splitValues(value).values.flatMap((text) => {
    const address = parseNameAddr(text);
    return address.ok ? [cut(address.value.uri?.userDecoded ?? '')] : [];
  });
}

/** Whom a REFER sends the other side to, and the call that it is to replace (RFC 3891). */
export function referIdentifiers(referTo: string): CallIdentifier[] {
  const address = parseNameAddr(referTo);
  const uri = address.ok ? address.value.uri : null;
  if (uri === null) return [];
  const replaces = uri.headers.find(({ name }) => name.toLowerCase() === 'replaces')?.value ?? '';
  const callId = percentDecode(replaces.split(';', 1)[0] ?? '').trim();
  return unlike([
    { kind: 'refer', text: cut(uri.userDecoded ?? '') },
    { kind: 'correlation', text: cut(callId) },
  ]);
}

const isSaid = ({ text }: CallIdentifier): boolean => text !== '';

function userOf(text: string): string {
  const uri = parseUri(text);
  return uri.ok ? cut(uri.value.userDecoded ?? '') : '';
}

function cut(text: string): string {
  return text.slice(0, MAX_IDENTIFIER_BYTES);
}

function unlike(all: readonly CallIdentifier[]): CallIdentifier[] {
  const found: CallIdentifier[] = [];
  for (const one of all) {
    if (!isSaid(one) || found.some(({ kind, text }) => kind === one.kind && text === one.text)) continue;
    found.push(one);
    if (found.length === MOST) break;
  }
  return found;
}
