/**
 * The table of what the kept messages of a call say: what a key of the filter asks for, and what a store has as a column. Both read
 * it here, so that a key means one thing.
 *
 * Messages are read by the offsets of their scan: the full parse of one takes ten times as long.
 */
import { rawText } from '../core/byte-text.ts';
import { endpointKeyAddress } from '../core/ip.ts';
import { ORIGINS, TRANSPORTS } from '../core/words.ts';
import { HeaderFinder } from '../protocols/sip/header-finder.ts';
import { HEADER } from '../protocols/sip/header-name.ts';
import { uriTextOf } from '../protocols/sip/name-addr.ts';
import { decodeText } from '../protocols/sip/text.ts';
import type { SipUri } from '../protocols/sip/uri.ts';
import { parseUri } from '../protocols/sip/uri.ts';
import { MAX_VALUES, splitValues } from '../protocols/sip/values.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CallMessage } from './call-messages.ts';
import type { Evidence } from './evidence.ts';
import { finalOf } from './signaling/failure.ts';

export type SaidSource = { readonly e: Evidence; readonly d: Dialog; readonly messages: readonly CallMessage[] };

export type UriParts = Pick<SipUri, 'host' | 'userDecoded'>;

/** What a URI says: by its text as it was written, and its parts; null where it does not parse. */
type OfUri = (text: string, uri: UriParts | null) => readonly string[];

/** What is read of the texts of messages. */
export type TextRow = {
  /** What the record of the call has beside them. */
  readonly ofRecord?: (s: SaidSource) => readonly string[];
  readonly ofRequestUri?: OfUri;
  /** Ids of headers. */
  readonly headers: readonly number[];
  /** Of each URI in these headers; without it their values are taken whole. */
  readonly ofUri?: OfUri;
};

/** What is known of messages without their texts. */
export type SocketRow<T> = {
  readonly ofRecord?: (s: SaidSource) => readonly T[];
  readonly ofMessage?: (m: CallMessage) => readonly T[];
};

const itsText: OfUri = (text) => [text];
const itsHost: OfUri = (_, uri) => (uri === null || uri.host === '' ? [] : [uri.host]);
const itsUser: OfUri = (_, uri) => (uri === null ? [] : [uri.userDecoded ?? '']);
const itsTextAndUser: OfUri = (text, uri) => [text, uri?.userDecoded ?? ''];

export type SaidText = 'request_uris' | 'domains' | 'numbers' | 'asserted' | 'contacts' | 'user_agents' | 'reasons';

export const SAID_TEXTS: Readonly<Record<SaidText, TextRow>> = {
  request_uris: { headers: [], ofRequestUri: itsText },
  domains: { headers: [HEADER.FROM, HEADER.TO], ofRequestUri: itsHost, ofUri: itsHost },
  numbers: {
    ofRecord: ({ d }) => [d.fromUser, d.toUser],
    headers: [HEADER.P_ASSERTED_IDENTITY, HEADER.DIVERSION],
    ofRequestUri: itsUser,
    ofUri: itsUser,
  },
  asserted: { headers: [HEADER.P_ASSERTED_IDENTITY], ofUri: itsTextAndUser },
  contacts: { headers: [HEADER.CONTACT], ofUri: itsTextAndUser },
  user_agents: { headers: [HEADER.USER_AGENT, HEADER.SERVER] },
  reasons: {
    ofRecord: ({ e, d }) => [finalOf(d, e.stores.log)?.reason ?? ''],
    headers: [HEADER.REASON, HEADER.WARNING],
  },
};

/** `addresses` and `ports` are those of signaling, and `addresses` those of media too. */
export const SAID_SOCKETS = {
  addresses: {
    ofRecord: ({ d }) => d.claimedKeys.map(endpointKeyAddress),
    ofMessage: ({ src, dst }) => [src.host, dst.host],
  } as SocketRow<string>,
  ports: { ofMessage: ({ src, dst }) => [src.port, dst.port] } as SocketRow<number>,
  transports: { ofMessage: ({ transport }) => [TRANSPORTS[transport] ?? ''] } as SocketRow<string>,
  origins: { ofRecord: ({ d }) => ORIGINS.filter((_, i) => (d.originsSeen & (1 << i)) !== 0) } as SocketRow<string>,
};

const FINDERS = new Map(Object.values(SAID_TEXTS).map((row) => [row, new HeaderFinder(row.headers)]));

/** One text after another, and a message when it is asked for. A text may come again, and may be empty. */
export function* textsSaid(name: SaidText, s: SaidSource): Generator<string> {
  const row = SAID_TEXTS[name];
  const finder = FINDERS.get(row);
  if (row.ofRecord !== undefined) yield* row.ofRecord(s);
  for (const m of s.messages) {
    const read = m.read();
    if (read === null) continue;
    const { bytes, scan } = read;
    if (row.ofRequestUri !== undefined && scan.isRequest) {
      const text = rawText(bytes, scan.uriStart, scan.uriEnd);
      yield* row.ofRequestUri(text, readRequestUri(text));
    }
    const values: string[] = [];
    scan.forEachHeader((nameStart, nameEnd, start, end) => {
      if (finder?.idAt(bytes, nameStart, nameEnd) !== HEADER.OTHER) values.push(decodeText(bytes, start, end));
    });
    let left = MAX_VALUES;
    for (const value of values) {
      const uris = row.ofUri === undefined ? [] : urisIn(value, left);
      left -= uris.length;
      if (row.ofUri === undefined) yield value;
      else for (const text of uris) yield* row.ofUri(text, readUri(text));
    }
  }
}

/** The same of what is known without texts. */
export function* socketsSaid<T>({ ofRecord, ofMessage }: SocketRow<T>, s: SaidSource): Generator<T> {
  if (ofMessage !== undefined) for (const m of s.messages) yield* ofMessage(m);
  if (ofRecord !== undefined) yield* ofRecord(s);
}

/** At most so many URIs of a header that is a list of addresses. */
export function urisIn(value: string, max: number): readonly string[] {
  if (max <= 0) return [];
  // Nearly none has several.
  return value.includes(',') ? splitValues(value, max).values.map(uriTextOf) : [uriTextOf(value)];
}

export function readUri(text: string): SipUri | null {
  const uri = parseUri(text);
  return uri.ok ? uri.value : null;
}

/** Angle brackets that a sender put on are taken off. */
export function readRequestUri(text: string): SipUri | null {
  return readUri(text.replace(/^<|>$/g, ''));
}
