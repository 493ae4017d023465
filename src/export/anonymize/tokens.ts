/**
 * Replaces what any text holds: IP and MAC addresses as the frames have them, numbers, and words. What stands between them stays,
 * and so does nothing else that is not in a vocabulary. A token is found by its own characters alone, so that a Call-ID, a tag or
 * a host has the same replacement in every header, escaped or not.
 */
import { ipText, parseIpv4, parseIpv6 } from '../../core/ip.ts';
import type { Addresses } from './addresses.ts';
import type { ReplacedCounts } from './counts.ts';
import type { Words } from './words.ts';
import { isWordChar } from './words.ts';

/** Tried where they may begin, and nowhere else. */
const IPV4 = /\d{1,3}(?:\.\d{1,3}){3}(?![A-Za-z0-9]|\.[A-Za-z0-9])/y;
const MAC = /[0-9A-F]{2}([:-])[0-9A-F]{2}(?:\1[0-9A-F]{2}){4}(?![A-Za-z0-9:-])/iy;
const IPV6 = /(?:[0-9A-F]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-F]{0,4})(?![A-Za-z0-9:])/iy;
/** What is nearly an address: none of its numbers stays. */
const DOTTED = /\d+(?:\.\d+){2,}/y;
const GROUPED = /[0-9A-F]{0,8}(?::[0-9A-F]{0,8}){3,}/iy;
/** A number with visual separators (RFC 3966 section 5.1.1). */
const SEPARATED = /\+\d{1,20}(?:[().-]{1,2}\d{1,20}){1,12}(?![A-Za-z0-9])/y;
const WORD = /(?:[A-Za-z0-9\x80-\xff]|%(?:3[0-9]|[46][1-9A-F]|[57][0-9A]|[89A-F][0-9A-F]))+/iy;
const ESCAPE = /%[0-9A-F]{2}/iy;
/** The other leg of a Call-ID; what SQL in a user is known by; parameters in an escaped header. */
const OTHER_LEG = /_(?:b2b|pbx)-\d{1,4}(?![A-Za-z0-9])/iy;
const SQL = /(?:'|%2[27])(?:\s|%20|\+){0,8}union(?![A-Za-z0-9])|union(?:\s|%20|\+){1,8}select(?![A-Za-z0-9])/iy;
const ESCAPED_PARAMETER = /%3B(?:(?:to-tag|from-tag|text)%3D|early-only|cause%3D\d{3}(?![0-9A-Za-z]))/iy;

/** Digits that are looked at for what follows them. @cap */
const LONGEST = 24;

/** What a character may begin. */
const IS_WORD = 1;
const IS_DIGIT = 2;
const IS_HEX = 4;
const IS_MARK = 8;
const CLASSES = Uint8Array.from({ length: 256 }, (_, c) => {
  const text = String.fromCharCode(c);
  const isWord = isWordChar(c) ? IS_WORD : 0;
  return (
    isWord |
    (/\d/.test(text) ? IS_DIGIT : 0) |
    (/[0-9a-f]/i.test(text) ? IS_HEX : 0) |
    (/[%+_':]/.test(text) ? IS_MARK : 0)
  );
});

/** A number that a person wrote. */
const WRITTEN_NUMBER = /^[ \t]*\+?[ \t]*\d[\d ()./-]*$/;
const MIN_WRITTEN_DIGITS = 7;
const MOST_WRITTEN_DIGITS = 20;

/** In front of a branch (RFC 3261 section 8.1.1.7). */
const COOKIE = /^z9hg4bk/i;
const COOKIE_CHARS = 7;
const PERCENT = 0x25;

/** What of the words in a text stays: those of a vocabulary, and numbers of so many digits. */
export type Stays = { readonly words: ReadonlySet<string>; readonly digits: number };

const NO_WORDS: ReadonlySet<string> = new Set();
export const NOTHING_STAYS: Stays = { words: NO_WORDS, digits: 0 };

export class Tokens {
  readonly #words: Words;
  readonly #addresses: Addresses;
  readonly #counts: ReplacedCounts;
  readonly #bytes = new Uint8Array(16);
  /** Behind what was looked at last. */
  #end = 0;

  constructor(words: Words, addresses: Addresses, counts: ReplacedCounts) {
    this.#words = words;
    this.#addresses = addresses;
    this.#counts = counts;
  }

  /** A text of any kind; an address may change its length. */
  text(text: string, stays = NOTHING_STAYS): string {
    return this.#replace(text, stays, true);
  }

  /** A text whose length must stay: addresses in it are numbers like others. */
  fixed(text: string): string {
    return this.#replace(text, NOTHING_STAYS, false);
  }

  /** A user or a name: a number is one whatever separates its digits. */
  user(text: string): string {
    if (!WRITTEN_NUMBER.test(text) || parseIpv4(text.trim()) >= 0) return this.text(text);
    return this.#separated(text) ?? this.text(text);
  }

  secret(text: string): string {
    this.#counts.secrets++;
    return this.#words.secret(text);
  }

  #replace(text: string, stays: Stays, hasAddresses: boolean): string {
    const hasSql = /union/i.test(text);
    let out = '';
    let kept = 0;
    let p = 0;
    while (p < text.length) {
      const c = CLASSES[text.charCodeAt(p)] ?? 0;
      if (c === 0) {
        p++;
        continue;
      }
      const other = this.#at(text, p, c, stays, hasAddresses, hasSql);
      const end = this.#end;
      if (other !== null) {
        out += text.slice(kept, p) + other;
        kept = end;
      }
      p = end;
    }
    return kept === 0 ? text : out + text.slice(kept);
  }

  /** What stands at `p` in another form, null where it stays; `#end` is behind it. */
  #at(text: string, p: number, c: number, stays: Stays, hasAddresses: boolean, hasSql: boolean): string | null {
    if (hasSql && this.#isAt(SQL, text, p)) return null;
    if (hasAddresses && (c & (IS_HEX | IS_MARK)) !== 0) {
      const address = this.#addressAt(text, p);
      if (address !== null) return address;
    }
    if ((c & IS_WORD) !== 0) return this.#wordAt(text, p, '', stays);
    switch (text[p]) {
      case '_':
        if (this.#isAt(OTHER_LEG, text, p)) return null;
        break;
      case '+':
        if ((CLASSES[text.charCodeAt(p + 1)] ?? 0) & IS_WORD) return this.#wordAt(text, p + 1, '+', stays);
        break;
      case '%':
        if (this.#isAt(ESCAPED_PARAMETER, text, p)) return null;
        if (this.#isAt(WORD, text, p)) return this.#wordAt(text, p, '', stays);
        if (text.startsWith('2B', p + 1) && this.#isAt(WORD, text, p + 3))
          return this.#wordAt(text, p + 3, '%2B', stays);
        if (this.#isAt(ESCAPE, text, p)) return null;
        break;
      default:
    }
    this.#end = p + 1;
    return null;
  }

  #isAt(pattern: RegExp, text: string, p: number): boolean {
    pattern.lastIndex = p;
    if (!pattern.test(text)) return false;
    this.#end = pattern.lastIndex;
    return true;
  }

  #wordAt(text: string, p: number, plus: string, stays: Stays): string {
    let end = p;
    while (((CLASSES[text.charCodeAt(end)] ?? 0) & IS_WORD) !== 0) end++;
    if (text[end] === '%' && this.#isAt(WORD, text, p)) end = this.#end;
    this.#end = end;
    return this.#word(text.slice(p, end), plus, stays);
  }

  /** An address begins after no character of another, but after any that is escaped. */
  #addressAt(text: string, p: number): string | null {
    const before = CLASSES[text.charCodeAt(p - 1)] ?? 0;
    const isOpen = ((before & IS_WORD) === 0 && text[p - 1] !== '.') || (p > 2 && text[p - 3] === '%');
    if (!isOpen) return null;
    let end = p;
    while (((CLASSES[text.charCodeAt(end)] ?? 0) & IS_HEX) !== 0 && end - p < LONGEST) end++;
    const next = text[end];
    if (next === '.') {
      if (this.#isAt(IPV4, text, p)) {
        const address = this.#ip4(text.slice(p, this.#end));
        if (address !== null) return address;
      }
      return this.#isAt(DOTTED, text, p) ? this.#nearly(text.slice(p, this.#end)) : null;
    }
    if (text[p] === '+') {
      if (!this.#isAt(SEPARATED, text, p)) return null;
      return this.#separated(text.slice(p, this.#end));
    }
    if (next !== ':' && next !== '-') return null;
    // A word and its colon may stand in front, and no other part of an address.
    const isPart = /[:-]/.test(text[p - 1] ?? '') && ((CLASSES[text.charCodeAt(p - 2)] ?? 0) & IS_HEX) !== 0;
    if (isPart || (text[p - 1] === ':' && text[p - 2] === ':')) return null;
    if (end - p === 2 && this.#isAt(MAC, text, p)) return this.#mac(text.slice(p, this.#end));
    if (next !== ':') return null;
    if (this.#isAt(IPV6, text, p)) {
      const address = this.#ip6(text.slice(p, this.#end));
      if (address !== null) return address;
    }
    return this.#isAt(GROUPED, text, p) ? this.#nearly(text.slice(p, this.#end)) : null;
  }

  #nearly(text: string): string {
    const end = this.#end;
    const other = this.fixed(text);
    this.#end = end;
    return other;
  }

  #word(word: string, plus: string, stays: Stays): string {
    const isNumber = /^[0-9]+$/.test(word);
    // What begins with a plus is dialled.
    const isKept = stays.words.has(word.toLowerCase());
    if (isNumber ? plus === '' && (isKept || word.length <= stays.digits) : isKept) return plus + word;
    if (isNumber) this.#counts.numbers++;
    else this.#counts.words++;
    if (word.includes('%')) return plus + this.#escaped(word, plus !== '');
    if (!COOKIE.test(word)) return plus + this.#words.word(word, plus !== '');
    const rest = word.slice(COOKIE_CHARS);
    return plus + word.slice(0, COOKIE_CHARS) + (rest === '' ? '' : this.#words.word(rest));
  }

  /** What is escaped is replaced as it is without escapes, and escaped again. */
  #escaped(word: string, isInternational: boolean): string {
    let plain = '';
    const escapes: boolean[] = [];
    for (let i = 0; i < word.length; i++) {
      const isEscape = word.charCodeAt(i) === PERCENT;
      plain += isEscape ? String.fromCharCode(Number.parseInt(word.slice(i + 1, i + 3), 16)) : word[i];
      escapes.push(isEscape);
      if (isEscape) i += 2;
    }
    const other = this.#words.word(plain, isInternational);
    const isLower = /%[0-9]?[a-f]/.test(word);
    return escapes
      .map((isEscape, i) => (isEscape ? escapeOf(other.charCodeAt(i), isLower) : (other[i] ?? '')))
      .join('');
  }

  #ip4(text: string): string | null {
    const address = parseIpv4(text);
    if (address < 0) return null;
    this.#counts.addresses++;
    const other = this.#addresses.ip4(address);
    return `${other >>> 24}.${(other >>> 16) & 255}.${(other >>> 8) & 255}.${other & 255}`;
  }

  #ip6(text: string): string | null {
    const bytes = parseIpv6(text);
    if (bytes === null) return null;
    this.#counts.addresses++;
    this.#addresses.replaceIp6(bytes, 0);
    const other = ipText(bytes, 0, 6);
    return /[A-F]/.test(text) ? other.toUpperCase() : other;
  }

  #mac(text: string): string {
    this.#counts.addresses++;
    const bytes = this.#bytes;
    text.split(/[:-]/).forEach((pair, i) => {
      bytes[i] = Number.parseInt(pair, 16);
    });
    this.#addresses.replaceMac(bytes, 0);
    const hex = Array.from(bytes.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join(text[2]);
    return /[A-F]/.test(text) ? hex.toUpperCase() : hex;
  }

  /** Null where it has too few digits to be one. */
  #separated(text: string): string | null {
    const digits = text.replace(/[^0-9]/g, '');
    if (digits.length < MIN_WRITTEN_DIGITS || digits.length > MOST_WRITTEN_DIGITS) return null;
    this.#counts.numbers++;
    const other = this.#words.word(digits, text.includes('+'));
    let at = 0;
    return text.replace(/[0-9]/g, () => other[at++] ?? '');
  }
}

function escapeOf(c: number, isLower: boolean): string {
  const hex = c.toString(16).padStart(2, '0');
  return `%${isLower ? hex : hex.toUpperCase()}`;
}
