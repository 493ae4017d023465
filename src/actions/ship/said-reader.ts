/**
 * Collects what the kept messages of a call say (call-said.ts) for the columns of a store: each text once, without passwords.
 *
 * The messages of a call have the same From, To, Contact and User-Agent again and again: only a value that is new is taken apart.
 */

import type { CallMessage } from '../../analysis/call-messages.ts';
import type { SaidSource, SaidText, UriParts } from '../../analysis/call-said.ts';
import { readRequestUri, readUri, SAID_SOCKETS, SAID_TEXTS, urisIn } from '../../analysis/call-said.ts';
import { rawText } from '../../core/byte-text.ts';
import { hashBytes, mixHashes } from '../../core/hash.ts';
import type { Steps } from '../../core/turns.ts';
import { HeaderFinder } from '../../protocols/sip/header-finder.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import type { SipScan } from '../../protocols/sip/scanner/scan.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import { MAX_VALUES } from '../../protocols/sip/values.ts';

/** Texts of one kind that a call ships: who varies a header in each of its messages fills no more of a store. @cap */
const SAID_TEXTS_MAX = 32;

/** Characters of such a text. @cap */
const SAID_CHARS_MAX = 256;

/** Values of a call's headers that are known again; others are taken apart each time they come. @cap */
const SAID_VALUES_KNOWN = 128;

/** Each text once, the first ones of many. */
export type Said = { readonly [Name in SaidText | 'addresses' | 'transports' | 'origins']: readonly string[] } & {
  readonly ports: readonly number[];
};

/** All of it, by name. */
export const SAID_COLUMNS: readonly (keyof Said)[] = [
  ...['request_uris', 'domains', 'numbers', 'asserted', 'contacts', 'user_agents', 'reasons'],
  ...['addresses', 'ports', 'transports', 'origins'],
] as const;

/** The same while it is collected. */
type Collected<T> = { readonly [Name in keyof T]: T[Name] extends readonly (infer One)[] ? One[] : never };
type Texts = Pick<Said, SaidText>;
type Sockets = Omit<Said, SaidText>;

/** What the call says, a step a message: `reader` has read earlier ones. */
export function* saidSteps(s: SaidSource, reader = new SaidReader()): Steps<Said> {
  for (const m of s.messages) {
    reader.meet(m);
    const read = m.read();
    if (read !== null) reader.read(read.bytes, read.scan);
    yield;
  }
  return reader.saidBy(s);
}

// Those are its keys.
const TEXT_NAMES = Object.keys(SAID_TEXTS) as SaidText[];
const REQUEST_ROWS = TEXT_NAMES.flatMap((name) => {
  const { ofRequestUri } = SAID_TEXTS[name];
  return ofRequestUri === undefined ? [] : [{ name, ofRequestUri }];
});

type HeaderRow = { readonly name: SaidText; readonly ofUri: (typeof SAID_TEXTS)[SaidText]['ofUri'] };
/** By the id of a header. Either all have URIs, or all are whole values. */
const ROWS_OF: (readonly HeaderRow[] | undefined)[] = [];
for (const name of TEXT_NAMES) {
  const { headers, ofUri } = SAID_TEXTS[name];
  for (const id of headers) ROWS_OF[id] = [...(ROWS_OF[id] ?? []), { name, ofUri }];
}
const FINDER = new HeaderFinder(TEXT_NAMES.flatMap((name) => SAID_TEXTS[name].headers));

/**
 * A URI and an address as nearly all are written: ASCII without escapes, a password, a fold or a comma. Text, user and host take a
 * fifth of the time so. Of others the rest of the file takes care, with the same result (test/property/said.test.ts).
 */
const PLAIN_URI = /^(sips?:([\w.!*+~-]+)@([\w.-]{1,255})(?::[1-5]?\d{1,4})?(?:;[\w=.;~+-]*)?)$/i;
const PLAIN_ADDRESS = new RegExp(
  `^(?:"[\\w .+-]*"|[\\w.+-]*) *<${PLAIN_URI.source.slice(1, -1)}>(?:;[\\w=.;~+-]*)?$`,
  'i',
);
/** As a parameter of a URI it is a secret. */
const AUTHORIZATION = /auth/i;
/** What has none of these hides no secret. */
const OF_SECRETS = /[@:=]/;

export class SaidReader {
  readonly #texts: Collected<Texts> = {
    request_uris: [],
    domains: [],
    numbers: [],
    asserted: [],
    contacts: [],
    user_agents: [],
    reasons: [],
  };
  readonly #sockets: Collected<Sockets> = { addresses: [], ports: [], transports: [], origins: [] };
  /** Hashes of values that were taken apart. */
  readonly #known: number[] = [];
  /** Of all texts. */
  #chars = 0;
  /** Addresses that may still be taken apart of this message. */
  #left = 0;

  /** So many characters are collected. */
  get chars(): number {
    return this.#chars;
  }

  /** Between whom it went. */
  meet(m: CallMessage): void {
    const { addresses, ports, transports } = this.#sockets;
    for (const one of SAID_SOCKETS.addresses.ofMessage?.(m) ?? []) add(addresses, one);
    for (const one of SAID_SOCKETS.ports.ofMessage?.(m) ?? []) add(ports, one);
    for (const one of SAID_SOCKETS.transports.ofMessage?.(m) ?? []) add(transports, one);
  }

  /** Reads the texts of the message that was scanned in `bytes`; false where it has more addresses than so many, which are left. */
  read(bytes: Buffer, scan: SipScan, addresses = MAX_VALUES): boolean {
    this.#left = addresses;
    if (scan.isRequest) {
      const { uriStart, uriEnd } = scan;
      if (!this.#isKnown(HEADER.OTHER, bytes, uriStart, uriEnd)) this.#addRequestUri(bytes, uriStart, uriEnd);
    }
    scan.forEachHeader((nameStart, nameEnd, start, end) => {
      const id = FINDER.idAt(bytes, nameStart, nameEnd);
      if (id === HEADER.OTHER || this.#left <= 0 || this.#isKnown(id, bytes, start, end)) return;
      this.#addHeader(ROWS_OF[id] ?? [], bytes, start, end);
      // Some of it may be left: another message that has it is read again.
      if (this.#left <= 0) this.#known.pop();
    });
    return this.#left > 0;
  }

  /** What was read, and what the record of the call has beside it. */
  saidBy(s: SaidSource): Said {
    const { addresses, ports, transports, origins } = this.#sockets;
    for (const one of SAID_SOCKETS.addresses.ofRecord?.(s) ?? []) add(addresses, one);
    for (const one of SAID_SOCKETS.origins.ofRecord?.(s) ?? []) add(origins, one);
    const all = (name: SaidText): readonly string[] => this.#withRecord(name, s);
    return {
      request_uris: all('request_uris'),
      domains: all('domains'),
      numbers: all('numbers'),
      asserted: all('asserted'),
      contacts: all('contacts'),
      user_agents: all('user_agents'),
      reasons: all('reasons'),
      addresses,
      ports,
      transports,
      origins,
    };
  }

  /** The record comes first: it changes, and messages leave it room. */
  #withRecord(name: SaidText, s: SaidSource): readonly string[] {
    const { ofRecord } = SAID_TEXTS[name];
    if (ofRecord === undefined) return this.#texts[name];
    const all: string[] = [];
    for (const text of ofRecord(s)) add(all, cut(hidden(text)));
    for (const text of this.#texts[name]) add(all, text);
    return all;
  }

  #addTexts(name: SaidText, texts: readonly string[]): void {
    const found = this.#texts[name];
    for (const text of texts) {
      const one = cut(text);
      if (add(found, one)) this.#chars += one.length;
    }
  }

  // Texts that are kept are cut from a text of their own: a slice of all headers would keep these.
  #addRequestUri(bytes: Buffer, start: number, end: number): void {
    const { text, uri } =
      plainUri(PLAIN_URI, bytes.toString('latin1', start, end)) ?? requestUri(hidden(rawText(bytes, start, end)));
    for (const { name, ofRequestUri } of REQUEST_ROWS) this.#addTexts(name, ofRequestUri(text, uri));
  }

  #addHeader(rows: readonly HeaderRow[], bytes: Buffer, start: number, end: number): void {
    if (rows.every(({ name }) => this.#texts[name].length >= SAID_TEXTS_MAX)) return;
    const hasUris = rows[0]?.ofUri !== undefined;
    const plain = hasUris ? plainUri(PLAIN_ADDRESS, bytes.toString('latin1', start, end)) : null;
    const value = plain === null ? hidden(decodeText(bytes, start, end)) : '';
    const read = plain === null && hasUris ? urisIn(value, this.#left).map(withParts) : [];
    const uris = plain === null ? read : [plain];
    this.#left -= Math.max(1, uris.length);
    for (const { name, ofUri } of rows)
      if (ofUri === undefined) this.#addTexts(name, [value]);
      else for (const { text, uri } of uris) this.#addTexts(name, ofUri(text, uri));
  }

  /** Notes the value where it is new. Who does not know the key of the hash cannot aim at a value that is taken for another. */
  #isKnown(id: number, bytes: Buffer, start: number, end: number): boolean {
    const hash = mixHashes(hashBytes(bytes, start, end), id);
    if (this.#known.includes(hash)) return true;
    if (this.#known.length < SAID_VALUES_KNOWN) this.#known.push(hash);
    return false;
  }
}

type Uri = { readonly text: string; readonly uri: UriParts | null };

/** Null where it is written otherwise. */
function plainUri(expression: RegExp, raw: string): Uri | null {
  const found = expression.exec(raw);
  if (found === null || AUTHORIZATION.test(raw)) return null;
  const [, text = '', userDecoded = '', host = ''] = found;
  return { text, uri: { userDecoded, host: host.toLowerCase() } };
}

function withParts(text: string): Uri {
  return { text, uri: readUri(text) };
}

function requestUri(text: string): Uri {
  return { text, uri: readRequestUri(text) };
}

/** The text without its secrets. */
function hidden(text: string): string {
  return OF_SECRETS.test(text) ? withoutSecrets(text) : text;
}

function cut(text: string): string {
  return text.length > SAID_CHARS_MAX ? text.slice(0, SAID_CHARS_MAX) : text;
}

/** Where it is new, and there is room. */
function add<T>(found: T[], one: T): boolean {
  if (one === '' || found.length >= SAID_TEXTS_MAX || found.includes(one)) return false;
  found.push(one);
  return true;
}
