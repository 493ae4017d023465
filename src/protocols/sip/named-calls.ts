/**
 * Which other calls a message names by their Call-ID: Replaces (RFC 3891), X-Call-ID, X-CID, and headers of the operator's.
 * Also the name of a leg that is another's with an ending.
 */
import type { CallIdHeader } from '../../core/call-id-header.ts';
import { readCallIdHeader } from '../../core/call-id-header.ts';
import type { SipScan } from './scanner/scan.ts';
import { OTHER_CALL } from './seen-bits.ts';
import { decodeText } from './text.ts';

/** Identifiers kept of one dialog; what is beyond does not correlate. @cap identifiers_refused */
export const MAX_IDENTIFIERS = 32;

/** An identifier longer than this is known by what stands before. @cap */
export const MAX_IDENTIFIER_BYTES = 512;

/** How a call is named. */
export const NAMED = {
  /** By a text that both legs may carry, or that is the Call-ID of the other. */
  CALL: 0,
  /** By the same without parameters and brackets: only a Call-ID means anything. */
  PART: 1,
  /** As the call that this one takes the place of. */
  REPLACED: 2,
} as const;

type TakeName = (callId: Uint8Array, how: number) => void;
type Wanted = Pick<CallIdHeader, 'pick'> & { readonly name: Uint8Array; readonly isReplaces?: boolean };

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const GREATER = 0x3e;
const LETTER_CASE = 0x20;

const KNOWN: readonly Wanted[] = [
  { name: folded('X-Call-ID'), pick: null },
  { name: folded('X-CID'), pick: null },
  { name: folded('Replaces'), pick: null, isReplaces: true },
];

export class NamedCalls {
  readonly #own: readonly Wanted[];
  readonly #all: readonly Wanted[];
  #values = 0;
  #chars = 0;

  /** `headers`: values of --call-id-header. */
  constructor(headers: readonly string[]) {
    this.#own = headers.flatMap((text) => {
      const header = readCallIdHeader(text);
      return header.ok ? [{ name: folded(header.value.name), pick: header.value.pick }] : [];
    });
    this.#all = [...this.#own, ...KNOWN];
  }

  /** Whether a message may name a call: nearly none does. */
  isIn({ seen }: SipScan): boolean {
    return (seen & OTHER_CALL) !== 0 || this.#own.length > 0;
  }

  /** Hands over the names in the headers of a message, the first ones of many. */
  read(buf: Buffer, scan: SipScan, take: TakeName): void {
    const wanted = (scan.seen & OTHER_CALL) !== 0 ? this.#all : this.#own;
    this.#values = MAX_IDENTIFIERS;
    this.#chars = 2 * MAX_IDENTIFIER_BYTES;
    scan.forEachHeader((nameStart, nameEnd, start, end) => {
      for (const one of wanted)
        if (isName(buf, nameStart, nameEnd, one.name)) this.#readValues(buf, start, end, one, take);
    });
  }

  /** A header may have a list of names. */
  #readValues(buf: Buffer, start: number, end: number, { pick, isReplaces }: Wanted, take: TakeName): void {
    for (let from = start; from < end && this.#values > 0; ) {
      const to = isReplaces === true ? end : firstOf(buf, from, end, COMMA);
      const value = trimmed(buf, from, to);
      from = to + 1;
      if (value.length === 0) continue;
      this.#values--;
      if (isReplaces === true) take(beforeParameters(value), NAMED.REPLACED);
      else if (pick !== null) this.#pick(value, pick, take);
      else {
        take(value, NAMED.CALL);
        const part = withoutBrackets(beforeParameters(value));
        if (part.length > 0 && part.length < value.length) take(part, NAMED.PART);
      }
    }
  }

  /** A pattern is tried on so much of a message and no more. */
  #pick(value: Buffer, pick: (text: string) => string, take: TakeName): void {
    const text = decodeText(value, 0, Math.min(value.length, this.#chars));
    this.#chars -= text.length;
    const found = pick(text).trim();
    if (found !== '') take(Buffer.from(found), NAMED.CALL);
  }
}

const KNOWN_HEADERS = new WeakMap<readonly string[], NamedCalls>();

/** The same for the same list: its patterns are compiled once. */
export function namedCallsOf(headers: readonly string[]): NamedCalls {
  const known = KNOWN_HEADERS.get(headers) ?? new NamedCalls(headers);
  KNOWN_HEADERS.set(headers, known);
  return known;
}

/**
 * Where the Call-ID ends of which this one is the other leg's: `x_b2b-1` and `x_pbx-1` are legs of the call `x` (so writes the
 * Sipwise NGCP, and HOMER ties them). -1 where it has no such ending.
 */
export function endOfOtherLeg(buf: Uint8Array, start: number, end: number): number {
  let stop = end;
  for (let before = beforeEnding(buf, start, stop); before > start; before = beforeEnding(buf, start, stop))
    stop = before;
  return stop === end ? -1 : stop;
}

const ENDINGS: readonly Uint8Array[] = ['_b2b-', '_pbx-'].map((text) => Buffer.from(text));
const MOST_DIGITS = 4;

/** Where the last ending begins; -1 without one. */
function beforeEnding(buf: Uint8Array, start: number, end: number): number {
  let digits = end;
  while (digits > start && end - digits < MOST_DIGITS && isDigit(buf[digits - 1] ?? 0)) digits--;
  if (digits === end) return -1;
  for (const ending of ENDINGS) {
    const at = digits - ending.length;
    if (at > start && ending.every((byte, i) => buf[at + i] === byte)) return at;
  }
  return -1;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Letters of a name in one case; what else a name may have stays apart. */
function folded(name: string): Uint8Array {
  return Buffer.from(name).map((byte) => byte | LETTER_CASE);
}

function isName(buf: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (((buf[start + i] ?? 0) | LETTER_CASE) !== name[i]) return false;
  return true;
}

function firstOf(buf: Buffer, start: number, end: number, byte: number): number {
  const at = buf.indexOf(byte, start);
  return at < 0 || at > end ? end : at;
}

function trimmed(buf: Buffer, start: number, end: number): Buffer {
  let [from, to] = [start, end];
  while (from < to && (buf[from] ?? 0) <= 0x20) from++;
  while (to > from && (buf[to - 1] ?? 0) <= 0x20) to--;
  return buf.subarray(from, to);
}

function beforeParameters(value: Buffer): Buffer {
  return trimmed(value, 0, firstOf(value, 0, value.length, SEMICOLON));
}

function withoutBrackets(value: Buffer): Buffer {
  const isIn = value[0] === LESS && value.at(-1) === GREATER;
  return isIn ? trimmed(value, 1, value.length - 1) : value;
}
