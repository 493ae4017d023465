/**
 * Replaces words, numbers and secrets by others of the same length and shape: digits stay digits, letters stay letters of the
 * same case, hexadecimal stays hexadecimal. The same word has the same replacement wherever it stands, whatever it is there:
 * so users, domains, Call-IDs, tags and branches stay what ties messages together.
 */
import { countryCodeDigits } from './country-codes.ts';
import { MOST_PLACES, Permutation } from './permutation.ts';
import { BLOCK, Blocks, Stream } from './prf.ts';
import { Recent } from './recent.ts';
import { KEPT_WORDS } from './vocabulary.ts';

/** Replacements that are remembered, twice. @cap */
const REMEMBERED = 65_536;
/** Longer words are replaced without being remembered. @cap */
const REMEMBERED_CHARS = 256;

/** Texts of a shape that has so many, in bits, never get the same replacement by chance. */
const WIDE_BITS = 60;
/** Shorter words of hexadecimal digits are words. */
const MIN_HEX = 8;
/** Words this long, of digits and letters of both cases, are random. */
const MIN_RANDOM = 20;
/** What is longer is no number that anybody dials. */
const MOST_DIGITS = 20;
/** Two numbers are one where so many digits from the end are the same; the last ones of them count up and down. */
const TAIL = 7;
const COUNTED = 2;
const LAST_KEPT = 3;
/** Digits of a number of which some may be kept. */
const MIN_KEPT_NUMBER = 7;

/** An identifier that says that it is not known. */
const NULL_ID = /^0{8,}$/;

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const HEX_DIGITS = '0123456789abcdef';

export type NumberKeeps = { readonly keepsCountry: boolean; readonly keepsLast: boolean };

export class Words {
  readonly #keeps: NumberKeeps;
  readonly #words: Permutation;
  readonly #tails: Permutation;
  readonly #digits: Blocks;
  readonly #wide: Stream;
  readonly #secrets: Stream;
  readonly #known = new Recent<string>(REMEMBERED);

  constructor(key: Uint8Array, keeps: NumberKeeps) {
    this.#keeps = keeps;
    this.#words = new Permutation(new Blocks(key, 'word'));
    this.#tails = new Permutation(new Blocks(key, 'number'));
    this.#digits = new Blocks(key, 'digit');
    this.#wide = new Stream(key, 'long word');
    this.#secrets = new Stream(key, 'secret');
  }

  /** Of letters, digits and bytes above 127, each a character. `isInternational`: a plus stands in front. */
  word(text: string, isInternational = false): string {
    const key = isInternational ? `+${text}` : text;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const replacement = this.#replace(text, isInternational);
    if (key.length <= REMEMBERED_CHARS) this.#known.set(key, replacement);
    return replacement;
  }

  /** A key, a digest, a nonce: nothing of its shape stays but its length, its alphabet and what stands between. */
  secret(text: string): string {
    const drawn = this.#secrets.of(text, text.length);
    const isDigits = /^[0-9\W_]*$/.test(text);
    const isHex = /^(?:[0-9a-f\W_]*|[0-9A-F\W_]*)$/.test(text);
    let alphabet = LETTERS_AND_DIGITS;
    if (isDigits) alphabet = HEX_DIGITS.slice(0, 10);
    else if (isHex) alphabet = /[A-F]/.test(text) ? HEX_DIGITS.toUpperCase() : HEX_DIGITS;
    let out = '';
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      out += isWordChar(c) || c === PLUS || c === SLASH ? alphabet.charAt((drawn[i] ?? 0) % alphabet.length) : text[i];
    }
    return out;
  }

  #replace(text: string, isInternational: boolean): string {
    const folded = text.toLowerCase();
    if (KEPT_WORDS.has(folded) || NULL_ID.test(text)) return text;
    if (/^[0-9]+$/.test(text))
      return text.length > MOST_DIGITS ? this.#word(text) : this.#number(text, isInternational);
    return this.#word(text);
  }

  #word(text: string): string {
    const isHex = isHexShape(text);
    const { values, radices, bits } = placesOf(text, isHex);
    if (bits >= WIDE_BITS || values.length > MOST_PLACES) return this.#long(text, isHex, radices);
    for (;;) {
      this.#words.apply(values, radices);
      const out = written(text, values);
      // What is kept, or has another shape, is the replacement of nothing of this shape: the next one is.
      if (!KEPT_WORDS.has(out.toLowerCase()) && isHexShape(out) === isHex) return out;
    }
  }

  /** A digest, or random text, shows nothing of itself: which of its characters are digits would tell what it is made of. */
  #long(text: string, isHex: boolean, radices: readonly number[]): string {
    const drawn = this.#wide.of(foldAscii(text), text.length);
    if (isHex) return drawnFrom(/[A-F]/.test(text) ? HEX_DIGITS.toUpperCase() : HEX_DIGITS, drawn, text.length);
    if (isRandomShape(text)) return drawnFrom(LETTERS_AND_DIGITS, drawn, text.length);
    return written(
      text,
      radices.map((radix, i) => (drawn[i] ?? 0) % radix),
    );
  }

  #number(text: string, isInternational: boolean): string {
    let out = text;
    // Kept are emergency numbers, which are short.
    do out = this.#otherNumber(out, isInternational);
    while (KEPT_WORDS.has(out));
    return out;
  }

  #otherNumber(text: string, isInternational: boolean): string {
    const count = text.length;
    const mayKeep = count >= MIN_KEPT_NUMBER;
    const last = mayKeep && this.#keeps.keepsLast ? LAST_KEPT : Math.min(COUNTED, count);
    const from = Math.max(0, count - TAIL);
    const front = [...text.slice(from, count - last)].map(Number);
    const shift = this.#digit(text.slice(from, count - last), 0);
    this.#tails.apply(
      front,
      front.map(() => 10),
    );
    const tail = front.join('') + (last === LAST_KEPT ? text.slice(-last) : shifted(text.slice(-last), shift));
    if (from === 0) return tail;
    const head = this.#head(text, from);
    const kept = this.#keptHead(text, isInternational, from);
    return text.slice(0, kept) + head.slice(kept) + tail;
  }

  /** Each digit before the tail is shifted by what follows it, so that numbers with one end keep one end. */
  #head(text: string, count: number): string {
    const blocks = Buffer.alloc(BLOCK * count);
    for (let i = 0; i < count; i++) writeDigits(blocks, BLOCK * i, text.slice(i + 1), 1);
    const drawn = this.#digits.of(blocks);
    let out = '';
    for (let i = 0; i < count; i++) out += (Number(text[i]) + (drawn[BLOCK * i] ?? 0)) % 10;
    return out;
  }

  /** Digits in front that stay: the prefix of calls abroad, and the country code where that is asked for. */
  #keptHead(text: string, isInternational: boolean, most: number): number {
    const prefix = isInternational ? 0 : (/^(?:00|011)/.exec(text)?.[0].length ?? 0);
    const isAbroad = isInternational || prefix > 0;
    const country = isAbroad && this.#keeps.keepsCountry ? countryCodeDigits(text.slice(prefix)) : 0;
    return Math.min(prefix + country, most);
  }

  /** Below 256. */
  #digit(text: string, purpose: number): number {
    const block = Buffer.alloc(BLOCK);
    writeDigits(block, 0, text, purpose);
    return this.#digits.of(block)[0] ?? 0;
  }
}

const PLUS = 0x2b;
const SLASH = 0x2f;
/** Of UTF-8: bytes that continue a character, those that begin one, and those whose next byte has not all values. */
const CONTINUES = 0x80;
const BEGINS = 0xc0;
const NARROW: ReadonlySet<number> = new Set([0xe0, 0xed, 0xf0, 0xf4]);

export function isWordChar(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c >= 0x80;
}

/** Hexadecimal digits, in whichever case: both letters and digits. */
function isHexShape(text: string): boolean {
  return text.length >= MIN_HEX && /^[0-9a-f]+$/i.test(text) && /[0-9]/.test(text) && /[a-f]/i.test(text);
}

/** As base64 and random identifiers look, and no name. */
function isRandomShape(text: string): boolean {
  return (
    text.length >= MIN_RANDOM &&
    /^[A-Za-z0-9]+$/.test(text) &&
    /\d/.test(text) &&
    /[a-z]/.test(text) &&
    /[A-Z]/.test(text)
  );
}

function drawnFrom(alphabet: string, drawn: Uint8Array, length: number): string {
  let out = '';
  for (let i = 0; i < length; i++) out += alphabet.charAt((drawn[i] ?? 0) % alphabet.length);
  return out;
}

type Places = { readonly values: number[]; readonly radices: number[]; readonly bits: number };

/** What of a word is replaced. */
function placesOf(text: string, isHex: boolean): Places {
  const values: number[] = [];
  const radices: number[] = [];
  let bits = 0;
  for (let i = 0; i < text.length; i++) {
    const radix = radixAt(text, i, isHex);
    if (radix === 0) continue;
    values.push(text.charCodeAt(i) - firstOf(text.charCodeAt(i)));
    radices.push(radix);
    bits += Math.log2(radix);
  }
  return { values, radices, bits };
}

/** How many characters may stand at `i`; 0 for one that stays. */
function radixAt(text: string, i: number, isHex: boolean): number {
  const c = text.charCodeAt(i);
  if (c < 0x3a) return 10;
  if (c < CONTINUES) return isHex ? 6 : 26;
  return c >= BEGINS || NARROW.has(text.charCodeAt(i - 1)) ? 0 : 64;
}

/** Of the characters that may stand for `c`. */
function firstOf(c: number): number {
  if (c < 0x3a) return 0x30;
  if (c < 0x5b) return 0x41;
  return c < CONTINUES ? 0x61 : CONTINUES;
}

function written(text: string, values: readonly number[]): string {
  let out = '';
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    out += radixAt(text, i, false) === 0 ? text[i] : String.fromCharCode(firstOf(c) + (values[at++] ?? 0));
  }
  return out;
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Counts on from a number of one or two digits; never to itself. */
function shifted(text: string, by: number): string {
  const all = 10 ** text.length;
  return String((Number(text) + 1 + (by % (all - 1))) % all).padStart(text.length, '0');
}

/** Two digits a byte, how many there are, and what for. */
function writeDigits(block: Buffer, at: number, text: string, purpose: number): void {
  block[at + BLOCK - 2] = text.length;
  block[at + BLOCK - 1] = purpose;
  for (let i = 0; i < text.length; i++) {
    const to = at + (i >> 1);
    block[to] = (block[to] ?? 0) * 16 + text.charCodeAt(i) - 0x30;
  }
}
