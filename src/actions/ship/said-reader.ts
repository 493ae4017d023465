/**
 * Collects what the kept messages of a call say (call-said.ts) for the columns of a store: each text once, without passwords.
 *
 * The messages of a call have the same From, To, Contact and User-Agent again and again: only a value that is new is taken apart.
 */

import type { CallMessage } from '../../analysis/call-messages.ts';
import type { SaidSource, SaidText, UriParts } from '../../analysis/call-said.ts';
import { readRequestUri, readUri, SAID_SOCKETS, SAID_TEXTS, urisIn } from '../../analysis/call-said.ts';
import { rawText } from '../../core/byte-text.ts';
import type { Steps } from '../../core/turns.ts';
import { HeaderFinder } from '../../protocols/sip/header-finder.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import { decodeText } from '../../protocols/sip/text.ts';
import { MAX_VALUES } from '../../protocols/sip/values.ts';

/** Texts of one kind that a call ships: who varies a header in each of its messages fills no more of a store. @cap */
const SAID_TEXTS_MAX = 32;

/** Characters of such a text. @cap */
const SAID_CHARS_MAX = 256;

/** Values of one header of a call that are known again; others are taken apart each time they come. @cap */
const SAID_VALUES_KNOWN = 64;

/** Each text once, the first ones of many. */
export type Said = { readonly [Name in SaidText | 'addresses' | 'transports' | 'origins']: readonly string[] } & {
  readonly ports: readonly number[];
};

/** What the call says by now, a step a message. `earlier`: what messages before those of the source said, which is added to. */
export function* saidSteps(s: SaidSource, earlier: Collected | null = null): Steps<Collected> {
  const reader = new SaidReader(earlier ?? nothingSaid());
  for (const name of TEXT_NAMES) reader.addTexts(name, (SAID_TEXTS[name].ofRecord?.(s) ?? []).map(hidden));
  for (const m of s.messages) {
    reader.read(m);
    yield;
  }
  const { said } = reader;
  for (const one of SAID_SOCKETS.addresses.ofRecord?.(s) ?? []) add(said.addresses, one);
  for (const one of SAID_SOCKETS.origins.ofRecord?.(s) ?? []) add(said.origins, one);
  return said;
}

/** So many characters of texts. */
export function charsOf({ ports: _ports, ...texts }: Said): number {
  let chars = 0;
  for (const all of Object.values(texts)) for (const text of all) chars += text.length;
  return chars;
}

/** The same while it is collected. */
export type Collected = { readonly [Name in keyof Said]: Said[Name][number][] };

function nothingSaid(): Collected {
  return {
    ...{ request_uris: [], domains: [], numbers: [], asserted: [], contacts: [], user_agents: [], reasons: [] },
    ...{ addresses: [], ports: [], transports: [], origins: [] },
  };
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

class SaidReader {
  readonly said: Collected;
  /** Values of headers as bytes, a character each, by the id of the header; those of OTHER are Request-URIs. */
  readonly #known: (string[] | undefined)[] = [];
  /** Addresses that may still be taken apart of this message. */
  #left = 0;

  constructor(said: Collected) {
    this.said = said;
  }

  read(m: CallMessage): void {
    const { said } = this;
    for (const one of SAID_SOCKETS.addresses.ofMessage?.(m) ?? []) add(said.addresses, one);
    for (const one of SAID_SOCKETS.ports.ofMessage?.(m) ?? []) add(said.ports, one);
    for (const one of SAID_SOCKETS.transports.ofMessage?.(m) ?? []) add(said.transports, one);
    const read = m.read();
    if (read === null) return;
    const { bytes, scan } = read;
    this.#left = MAX_VALUES;
    // One text of all headers takes less time than one of each value.
    const head = bytes.toString('latin1', 0, scan.bodyStart);
    if (scan.isRequest) {
      const { uriStart, uriEnd } = scan;
      if (!this.#isKnown(HEADER.OTHER, head.slice(uriStart, uriEnd))) this.#addRequestUri(bytes, uriStart, uriEnd);
    }
    scan.forEachHeader((nameStart, nameEnd, start, end) => {
      const id = FINDER.idAt(bytes, nameStart, nameEnd);
      if (id === HEADER.OTHER) return;
      if (!this.#isKnown(id, head.slice(start, end))) this.#addHeader(ROWS_OF[id] ?? [], bytes, start, end);
    });
  }

  addTexts(name: SaidText, texts: readonly string[]): void {
    const found = this.said[name];
    for (const text of texts) add(found, text.length > SAID_CHARS_MAX ? text.slice(0, SAID_CHARS_MAX) : text);
  }

  // Texts that are kept are cut from a text of their own: a slice of all headers would keep these.
  #addRequestUri(bytes: Buffer, start: number, end: number): void {
    const { text, uri } =
      plainUri(PLAIN_URI, bytes.toString('latin1', start, end)) ?? requestUri(hidden(rawText(bytes, start, end)));
    for (const { name, ofRequestUri } of REQUEST_ROWS) this.addTexts(name, ofRequestUri(text, uri));
  }

  #addHeader(rows: readonly HeaderRow[], bytes: Buffer, start: number, end: number): void {
    if (this.#left <= 0 || rows.every(({ name }) => this.said[name].length >= SAID_TEXTS_MAX)) return;
    const hasUris = rows[0]?.ofUri !== undefined;
    const plain = hasUris ? plainUri(PLAIN_ADDRESS, bytes.toString('latin1', start, end)) : null;
    const value = plain === null ? hidden(decodeText(bytes, start, end)) : '';
    const read = plain === null && hasUris ? urisIn(value, this.#left).map(withParts) : [];
    const uris = plain === null ? read : [plain];
    this.#left -= Math.max(1, uris.length);
    for (const { name, ofUri } of rows)
      if (ofUri === undefined) this.addTexts(name, [value]);
      else for (const { text, uri } of uris) this.addTexts(name, ofUri(text, uri));
  }

  /** Notes the value where it is new. */
  #isKnown(id: number, value: string): boolean {
    this.#known[id] ??= [];
    const known = this.#known[id];
    if (known.includes(value)) return true;
    if (known.length < SAID_VALUES_KNOWN) known.push(value);
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

/** Where it is new, and there is room. */
function add<T>(found: T[], one: T): void {
  if (one !== '' && found.length < SAID_TEXTS_MAX && !found.includes(one)) found.push(one);
}
