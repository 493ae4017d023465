/**
 * Reads a filter: text into a tree of terms. What is wrong is said with its place, its reason and the nearest word.
 *
 *     any    = all *( "or" all )
 *     all    = part *( [ "and" ] part )
 *     part   = [ "-" / "not" ] ( "(" any ")" / term )
 *     term   = [ key operator ] value *( "," value )
 *     value  = [ "~" ] ( quoted / word )          a star at either end leaves it open
 *
 * Words are joined by "and". A quoted word is never negated, nor is what follows "--".
 */
import { nearest } from '../config/spelling.ts';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import type { Filter, FilterError, Node, Operator, Parsed, Term, Test, Value } from './filter.ts';
import { OPERATORS } from './filter.ts';
import type { KeyKind, Reading } from './key-kinds.ts';
import { BARE, HEADER_KEY, KEYS, keyNamed } from './keys.ts';

/** A filter: its bytes, how deep it is, and its expressions. @cap */
const MAX_FILTER_BYTES = 4_096;
const MAX_FILTER_DEPTH = 32;
const MAX_FILTER_EXPRESSIONS = 8;

const KEY = /[A-Za-z][\w.-]*(?=<=|>=|[:=<>])/y;
const BLANKS = /\s*/y;

/** Thrown inside this file only: parseFilter() returns it. */
class Mistake extends Error {
  readonly at: FilterError;

  constructor(start: number, end: number, reason: string) {
    super(reason);
    this.at = { start, end, reason };
  }
}

/** The filter, or the first mistake. A text of blanks lets everything pass. */
export function parseFilter(text: string, reading: Reading): Parsed {
  if (Buffer.byteLength(text) > MAX_FILTER_BYTES)
    return {
      ok: false,
      error: { start: 0, end: text.length, reason: `the filter is longer than ${MAX_FILTER_BYTES} bytes` },
    };
  try {
    return { ok: true, filter: new Parser(text, reading).filter() };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, error: error.at };
    throw error;
  }
}

class Parser {
  readonly #text: string;
  readonly #reading: Reading;
  #at = 0;
  #depth = 0;
  #expressions = 0;
  /** "--" was read: nothing is negated any more. */
  #isLiteral = false;

  constructor(text: string, reading: Reading) {
    this.#text = text;
    this.#reading = reading;
  }

  filter(): Filter {
    this.#skipBlanks();
    if (this.#isEnd) return null;
    const node = this.#any();
    if (node === null) this.#fail(this.#at, 'nothing follows');
    if (!this.#isEnd) this.#fail(this.#at, 'there is no "(" before this ")"');
    return node;
  }

  /** Null where nothing stands. */
  #any(): Node | null {
    const parts: Node[] = [];
    for (;;) {
      const start = this.#at;
      const part = this.#all();
      if (part === null && parts.length === 0 && !this.#isWord('or')) return null;
      if (part === null) this.#fail(start, 'a word is missing beside "or"');
      parts.push(part);
      if (!this.#takeWord('or')) return joined('or', parts);
    }
  }

  #all(): Node | null {
    const parts: Node[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#takeDashes()) continue;
      if (this.#isEnd || this.#peek === ')' || this.#isWord('or'))
        return parts.length === 0 ? null : joined('and', parts);
      const start = this.#at;
      const isJoined = this.#takeWord('and');
      if (isJoined && (parts.length === 0 || this.#isEnd || this.#peek === ')' || this.#isWord('or')))
        this.#fail(start, 'a word is missing beside "and"');
      parts.push(this.#part());
    }
  }

  #part(): Node {
    const start = this.#at;
    const isDash = !this.#isLiteral && this.#peek === '-';
    if (isDash) this.#at++;
    const isNegated = isDash || this.#takeWord('not');
    if (isNegated && (this.#isEnd || /[\s)]/.test(this.#peek))) this.#fail(start, 'a word is missing after it');
    if (isNegated && this.#peek === '-') this.#fail(start, 'it is negated twice');
    const of = this.#peek === '(' ? this.#group() : this.#term();
    return isNegated ? { kind: 'not', of } : of;
  }

  #group(): Node {
    const open = this.#at++;
    if (++this.#depth > MAX_FILTER_DEPTH) this.#fail(open, `parentheses are deeper than ${MAX_FILTER_DEPTH}`);
    const inner = this.#any();
    if (this.#peek !== ')') this.#fail(open, 'this "(" is not closed');
    if (inner === null) throw new Mistake(open, this.#at + 1, 'the parentheses are empty');
    this.#at++;
    this.#depth--;
    return inner;
  }

  #term(): Term {
    const start = this.#at;
    KEY.lastIndex = start;
    const found = KEY.exec(this.#text)?.[0];
    // A URN is a word with colons.
    const written = found?.toLowerCase() === 'urn' ? undefined : found;
    const key = written === undefined ? null : keyNamed(written);
    if (written !== undefined && key === null) throw new Mistake(start, start + written.length, unknownKey(written));
    this.#at += written?.length ?? 0;
    const operatorAt = this.#at;
    const operator: Operator = written === undefined ? ':' : this.#operator();
    if (key !== null && !key.kind.isOrdered && operator !== ':' && operator !== '=')
      throw new Mistake(operatorAt, this.#at, `${key.key} is not ordered; write ${key.key}:VALUE`);
    const values: Value[] = [];
    const tests: Test[] = [];
    do {
      const value = this.#value(written ?? null);
      values.push(value);
      tests.push(this.#testOf(value, operator, key?.kind ?? BARE, key?.key ?? null));
    } while (this.#take(','));
    if (!this.#isEnd && !/[\s)]/.test(this.#peek)) this.#fail(this.#at, 'a blank is missing after the quote');
    const { level } = key?.kind ?? BARE;
    return { kind: 'term', key: key?.key ?? null, operator, values, test: oneOf(tests), level, start, end: this.#at };
  }

  #testOf(v: Value, operator: Operator, kind: KeyKind, key: string | null): Test {
    if (v.isExpression && ++this.#expressions > MAX_FILTER_EXPRESSIONS)
      throw new Mistake(v.start, v.end, `there are more than ${MAX_FILTER_EXPRESSIONS} expressions`);
    const found = kind.read(v, operator, this.#reading);
    if (found.ok) return found.value;
    const why = found.reason === '' ? unknownWord(v.text, kind.words) : found.reason;
    throw new Mistake(v.start, v.end, key === null ? why : `${key}: ${why}`);
  }

  #operator(): Operator {
    const operator = OPERATORS.find((o) => this.#text.startsWith(o, this.#at)) ?? ':';
    this.#at += operator.length;
    return operator;
  }

  #value(key: string | null): Value {
    const start = this.#at;
    const isExpression = this.#take('~');
    const isOpenStart = !isExpression && this.#take('*');
    const isQuoted = this.#peek === '"';
    const found = isQuoted ? this.#quoted(isExpression) : ok(this.#word());
    if (!found.ok) throw new Mistake(start, this.#text.length, found.reason);
    let text = found.value;
    let isOpenEnd = false;
    if (isQuoted && !isExpression) isOpenEnd = this.#take('*');
    else if (!isExpression && text.endsWith('*')) {
      isOpenEnd = true;
      text = text.slice(0, -1);
    }
    if (text === '' && !isQuoted && !isOpenStart && !isOpenEnd)
      throw new Mistake(start, this.#at, key === null ? 'a value is missing' : `the value of ${key} is missing`);
    return { text, isOpenStart, isOpenEnd, isExpression, start, end: this.#at };
  }

  /** Up to a blank, a comma, or a parenthesis that was not opened in it. */
  #word(): string {
    const start = this.#at;
    let open = 0;
    for (; !this.#isEnd; this.#at++) {
      const c = this.#peek;
      if (c === '"')
        this.#fail(this.#at, 'a quote stands inside a word; quote the whole value, and write \\" for a quote in it');
      if (/[\s,]/.test(c)) break;
      if (c === '(') open++;
      if (c === ')' && open-- === 0) break;
    }
    return this.#text.slice(start, this.#at);
  }

  /** In an expression only `\"` is an escape: all other backslashes belong to it. */
  #quoted(isExpression: boolean): Result<string, string> {
    let text = '';
    for (this.#at++; !this.#isEnd; this.#at++) {
      const c = this.#peek;
      if (c === '"') {
        this.#at++;
        return ok(text);
      }
      if (c !== '\\') text += c;
      else {
        const next = this.#text[++this.#at] ?? '';
        text += isExpression && next !== '"' ? `\\${next}` : next;
      }
    }
    return fail('the quote is not closed');
  }

  get #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  get #isEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #skipBlanks(): void {
    BLANKS.lastIndex = this.#at;
    this.#at += BLANKS.exec(this.#text)?.[0].length ?? 0;
  }

  #take(c: string): boolean {
    const isThere = this.#peek === c;
    if (isThere) this.#at++;
    return isThere;
  }

  /** "--" as a word of its own. */
  #takeDashes(): boolean {
    if (
      this.#isLiteral ||
      !this.#text.startsWith('--', this.#at) ||
      !/^(\s|$)/.test(this.#text.slice(this.#at + 2, this.#at + 3))
    )
      return false;
    this.#isLiteral = true;
    this.#at += 2;
    return true;
  }

  #isWord(word: string): boolean {
    const end = this.#at + word.length;
    return this.#text.slice(this.#at, end).toLowerCase() === word && /^[\s()]?$/.test(this.#text.slice(end, end + 1));
  }

  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#at += word.length;
    this.#skipBlanks();
    return true;
  }

  #fail(at: number, reason: string): never {
    throw new Mistake(at, Math.min(at + 1, this.#text.length), reason);
  }
}

function joined(kind: 'and' | 'or', parts: readonly Node[]): Node {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind, of: parts };
}

function oneOf(tests: readonly Test[]): Test {
  const [first] = tests;
  if (tests.length === 1 && first !== undefined) return first;
  return (s) => {
    let isOpen = false;
    for (const test of tests) {
      const passed = test(s);
      if (passed === true) return true;
      isOpen ||= passed === null;
    }
    return isOpen ? null : false;
  };
}

function unknownKey(written: string): string {
  const near = nearest(written.toLowerCase(), [...KEYS.map(({ key }) => key), HEADER_KEY.key]);
  const hint = near === null ? 'see --help filter for the keys, or quote the word' : `did you mean ${near}?`;
  return `there is no key ${written}; ${hint}`;
}

function unknownWord(text: string, words: readonly string[]): string {
  const near = nearest(
    text.toLowerCase(),
    words.map((word) => word.toLowerCase()),
  );
  const meant = words.find((word) => word.toLowerCase() === near);
  return `there is no ${text === '' ? 'such word' : text}; ${meant === undefined ? `write one of ${words.join(' ')}` : `did you mean ${meant}?`}`;
}
