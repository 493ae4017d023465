/**
 * What a word without a key means: a part of a number with or without `+`, `00` and separators, a code, an address or network, or
 * a part of whatever the row of a call shows of users, hosts, addresses, names, its method, state and Call-ID.
 */
import { LEVEL } from '../analysis/call-field-readers.ts';
import { SAID_SOCKETS, socketsSaid, textsSaid } from '../analysis/call-said.ts';
import { finalCodeOf } from '../analysis/signaling/failure.ts';
import type { Cidr } from '../core/cidr.ts';
import { parseCidr } from '../core/cidr.ts';
import { endpointText } from '../core/ip.ts';
import type { Result } from '../core/result.ts';
import { ok } from '../core/result.ts';
import { DIALOG_STATES } from '../core/words.ts';
import type { Test, Value } from './filter.ts';
import type { KeyKind } from './key-kinds.ts';
import { any } from './key-kinds.ts';
import { literalOf } from './literal.ts';
import type { Subject } from './subject.ts';
import type { TextTest } from './value.ts';
import { FIRST_BYTES, isIn, readText } from './value.ts';

export type BareWord = {
  /** Any text with it passes; null for a network, which no text is. */
  readonly text: Value | null;
  /** Digits that a number has, without `+`, `00` and separators. */
  readonly digits: string | null;
  readonly code: number | null;
  readonly net: Cidr | null;
};

const NUMBER = /^\+?\d[\d-]*$/;
const CODE = /^[1-6]\d\d$/;
/** What people write between the digits of a number (RFC 3966 section 5.1.1). */
export const SEPARATORS = '-.() ';
const SEPARATOR = /[-.() ]/g;

/** Whether it is a number, a code or an address too, if it is not quoted. */
export function looksLikeMore(text: string): boolean {
  return NUMBER.test(text) || parseCidr(text).ok;
}

/** A quoted word is a text and nothing else; so is one with a star or an expression. */
export function readBare(v: Value): BareWord {
  const isText = v.isTextAlone || v.isExpression || v.isOpenStart || v.isOpenEnd;
  const text = v.isExpression || v.isOpenEnd ? v : { ...v, isOpenStart: true, isOpenEnd: true };
  if (isText) return { text, digits: null, code: null, net: null };
  const net = FIRST_BYTES.test(v.text) ? null : parseCidr(v.text);
  if (net?.ok === true) return { text: v.text.includes('/') ? null : v, digits: null, code: null, net: net.value };
  const digits = NUMBER.test(v.text) ? v.text.replace(SEPARATOR, '').replace(/^(\+|00)(?=\d)/, '') : null;
  return { text, digits, code: CODE.test(v.text) ? Number(v.text) : null, net: null };
}

/** An address within a text: no digit or dot, of IPv6 no colon, makes it a longer one. As RE2, for a store. */
export function addressExpression(address: string, { version }: Cidr): string {
  const more = version === 4 ? '[0-9.]' : '[0-9a-f:.]';
  return `(?i)(^|[^${more.slice(1)})${address.replaceAll('.', '\\.')}([^${more.slice(1)}|$)`;
}

function holdsAddress(address: string, { version }: Cidr): TextTest {
  const wanted = address.toLowerCase();
  const more = version === 4 ? /^[0-9.]/ : /^[0-9a-f:.]/;
  return (text) => {
    const all = text.toLowerCase();
    for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1))
      if (!more.test(all[at - 1] ?? '') && !more.test(all[at + wanted.length] ?? '')) return true;
    return false;
  };
}

function holdsDigits(digits: string): TextTest {
  return (text) => text.includes(digits) || text.replace(SEPARATOR, '').includes(digits);
}

/** What the record of a call shows. */
function* recordTexts({ d }: Subject): Generator<string> {
  yield* [d.callId, d.from, d.to, d.fromUser, d.toUser, d.fromDisplay ?? '', d.toDisplay ?? ''];
  yield* [d.methodText, DIALOG_STATES[d.state] ?? ''];
}

/** What its messages show without being read. */
function* socketTexts(s: Subject): Generator<string> {
  const { way, asking } = s;
  for (const host of socketsSaid(SAID_SOCKETS.addresses, s)) {
    yield host;
    const name = asking.nameOf(host);
    if (name !== null) yield name;
    const trunk = asking.e.trunkAt(host);
    if (trunk !== null) yield trunk;
  }
  for (const port of socketsSaid(SAID_SOCKETS.ports, s)) yield String(port);
  yield* socketsSaid(SAID_SOCKETS.transports, s);
  if (way !== null) for (const { host, port } of [way.src, way.dst]) yield endpointText(host, port);
}

/** Where else in the texts of messages a word may stand. */
export const OTHER_TEXTS = ['domains', 'user_agents', 'request_uris'] as const;

/** What such a word is compared with: any text, a number, a code, an address. */
export type BareTests = Omit<BareWord, 'text'> & { readonly fits: TextTest; readonly isNumber: TextTest };

export function readBareTests(v: Value): Result<BareTests, string> {
  const { text, ...word } = readBare(v);
  const { digits, net } = word;
  const isNumber = digits === null ? () => false : holdsDigits(digits);
  if (net !== null) return ok({ ...word, isNumber, fits: text === null ? () => false : holdsAddress(v.text, net) });
  const fits = readText(text ?? v, ':');
  return fits.ok ? ok({ ...word, isNumber, fits: fits.value }) : fits;
}

function testOf({ digits, code, net, fits, isNumber }: BareTests, v: Value): Test {
  const literal = literalOf({ text: digits ?? v.text, isExpression: v.isExpression }, digits !== null);
  return (s) => {
    const { d, asking } = s;
    if (any(recordTexts(s), fits) || isNumber(d.fromUser) || isNumber(d.toUser)) return true;
    if (code !== null && finalCodeOf(d, asking.e.stores.log) === code) return true;
    if (!s.has(LEVEL.SOCKETS)) return null;
    if (net !== null && any(socketsSaid(SAID_SOCKETS.addresses, s), (host) => isIn(host, net))) return true;
    if (any(socketTexts(s), fits)) return true;
    if (!s.has(LEVEL.TEXTS)) return null;
    if (literal !== null && !s.mayHold(literal)) return false;
    if (any(textsSaid('numbers', s), (number) => fits(number) || isNumber(number))) return true;
    return OTHER_TEXTS.some((name) => any(textsSaid(name, s), fits));
  };
}

export const BARE: KeyKind = {
  values: 'word',
  words: [],
  isOrdered: false,
  level: LEVEL.TEXTS,
  read(v): Result<Test, string> {
    const tests = readBareTests(v);
    return tests.ok ? ok(testOf(tests.value, v)) : tests;
  },
};
