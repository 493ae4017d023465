/**
 * Reads a filter: text into a tree of terms. What is wrong is said with its place, its reason and the nearest word.
 *
 *     any    = all *( ( "or" / "|" ) all )
 *     all    = part *( [ "and" / "&" ] part )
 *     part   = [ "-" / "!" / "not" ] ( "(" any ")" / term )
 *     term   = [ key operator ] value *( "," value )
 *     value  = [ "~" ] ( quoted / word )          a star at either end leaves it open
 *
 * Words are joined by "and". A quoted word is never negated, nor is what follows "--". Operators of other tools are read too
 * (foreign.ts), with blanks around them.
 */
import { nearest } from '../config/spelling.ts';
import { parseCidr } from '../core/cidr.ts';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import { BARE, looksLikeMore } from './bare.ts';
import type { Key } from './field-keys.ts';
import type { Filter, FilterError, Node, Operator, Parsed, Span, Term, Test, Value } from './filter.ts';
import type { WrittenOperator } from './foreign.ts';
import { foreignKey, operatorAt, termMeant, valueMeant } from './foreign.ts';
import type { KeyKind, Reading } from './key-kinds.ts';
import { HEADER_KEY, KEYS, keyNamed } from './keys.ts';

/** A filter: its bytes, how deep it is, and its expressions. @cap */
const MAX_FILTER_BYTES = 4_096;
const MAX_FILTER_DEPTH = 32;
const MAX_FILTER_EXPRESSIONS = 8;

const NAME = /[A-Za-z][\w.-]*/y;
const BLANKS = /\s*/y;
const WORD = /[^\s,()"]*/y;
/** What begins a URI and no key. */
const SCHEME = /^(urn|sips?|tel)$/i;
/** What joins parts, by the word that it is. */
const OR = /^(or(?=[\s()]|$)|\|\|?)/i;
const AND = /^(and(?=[\s()]|$)|&&?(?=\s|$))/i;
const NOT = /^(not(?=[\s()]|$)|!(?=[^\s!]))/i;
const UNIT = /^(ms|milliseconds?|s|secs?|seconds?|m|min|minutes?|h|hours?|%)(?=[\s)]|$)/i;

/** A bare word has no operator. */
const PLAIN: WrittenOperator = { written: '', operator: ':', isNegated: false, isExpression: false };

/** Thrown inside this file only: parseFilter() returns it. */
class Mistake extends Error {
  readonly at: FilterError;

  constructor(start: number, end: number, reason: string, meant: string | null = null) {
    super(reason);
    this.at = meant === null ? { start, end, reason } : { start, end, reason, meant };
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
      if (part === null && parts.length === 0 && !this.#isAt(OR)) return null;
      if (part === null) this.#fail(start, 'a word is missing beside "or"');
      parts.push(part);
      if (!this.#takeJoint(OR)) return joined('or', parts);
    }
  }

  #all(): Node | null {
    const parts: Node[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#takeDashes()) continue;
      if (this.#isEnd || this.#peek === ')' || this.#isAt(OR)) return parts.length === 0 ? null : joined('and', parts);
      const start = this.#at;
      const isJoined = this.#takeJoint(AND);
      if (isJoined && (parts.length === 0 || this.#isEnd || this.#peek === ')' || this.#isAt(OR)))
        this.#fail(start, 'a word is missing beside "and"');
      parts.push(this.#part());
    }
  }

  #part(): Node {
    const start = this.#at;
    const isDash = !this.#isLiteral && this.#peek === '-';
    if (isDash) this.#at++;
    const isNegated = isDash || (!this.#isLiteral && this.#takeJoint(NOT));
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

  #term(): Node {
    const start = this.#at;
    const named = this.#key();
    const [key, { operator, isNegated, isExpression }] = named ?? [null, PLAIN];
    if (named === null) this.#refuseLoneKey();
    const operatorEnd = this.#at;
    if (key !== null && !key.kind.isOrdered && operator !== ':' && operator !== '=')
      throw new Mistake(
        operatorEnd - operator.length,
        operatorEnd,
        `${key.key} is not ordered; write ${key.key}:VALUE`,
      );
    if (key !== null) this.#skipToValue(operator);
    const values: Value[] = [];
    const tests: Test[] = [];
    do {
      const value = this.#value(key?.key ?? null, isExpression);
      values.push(value);
      tests.push(this.#testOf(value, operator, key?.kind ?? BARE, key?.key ?? null));
    } while (this.#take(','));
    if (!this.#isEnd && !/[\s)|]/.test(this.#peek)) this.#fail(this.#at, 'a blank is missing after the quote');
    if (key?.kind.isOrdered === true) this.#refuseLoneUnit(key.key, operator);
    const { level } = key?.kind ?? BARE;
    const test = oneOf(tests);
    const term: Term = { kind: 'term', key: key?.key ?? null, operator, values, test, level, start, end: this.#at };
    return isNegated ? { kind: 'not', of: term } : term;
  }

  /** The key that stands there with its operator, which it goes behind; null for a bare word. */
  #key(): readonly [Key, WrittenOperator] | null {
    const start = this.#at;
    const written = this.#match(NAME);
    if (written === '') return null;
    const end = start + written.length;
    const key = keyNamed(written);
    const meant = key === null ? foreignKey(written) : null;
    const blanks = key === null && meant === null ? 0 : lengthOf(BLANKS, this.#text, end);
    const operator = operatorAt(this.#text, end + blanks);
    // "from :a" are two words.
    if (operator === null || (blanks > 0 && operator.written === ':')) return null;
    if (key !== null) {
      this.#at = end + blanks + operator.written.length;
      return [key, operator];
    }
    const word = this.#match(WORD);
    if (SCHEME.test(written) || parseCidr(word).ok) return null;
    // A host and its port.
    if (meant === null && written.includes('.') && /^:\d{1,5}$/.test(word.slice(written.length))) return null;
    throw unknownKey(written, meant, { start, end });
  }

  /** The name of a key beside another word is no search for the name. */
  #refuseLoneKey(): void {
    const start = this.#at;
    const word = this.#match(WORD);
    const key = this.#isLiteral ? null : (keyNamed(word)?.key ?? foreignKey(word));
    const end = start + word.length;
    const rest = /^[ \t]+([^\s()|&"]+([ \t]+[^\s()|&"]+){0,2})/.exec(this.#text.slice(end, end + 200))?.[1];
    if (key === null || rest === undefined || /^(or|and|not)\b|^[-!]|^[\w.-]+[:=<>]/i.test(rest)) return;
    const address = /^(host|net)$/.test(key) && parseCidr(rest.split(/\s/)[0] ?? '').ok;
    const meant = termMeant(address ? 'ip' : key, rest);
    throw new Mistake(start, end, `${word} is a key; write ${meant}, or "${word}" for the word`);
  }

  /** A blank may stand before a value, but not another term. */
  #skipToValue(operator: Operator): void {
    const at = this.#at;
    this.#skipBlanks();
    const name = this.#match(NAME);
    const isTerm = name !== '' && keyNamed(name) !== null && operatorAt(this.#text, this.#at + name.length) !== null;
    const isJoint = this.#isAt(OR) || this.#isAt(AND) || this.#isAt(NOT) || this.#peek === '(';
    if (this.#at > at && (isTerm || isJoint || (operator === ':' && this.#peek === '-'))) this.#at = at;
  }

  /** "5 min" are two words. */
  #refuseLoneUnit(key: string, operator: Operator): void {
    const after = lengthOf(BLANKS, this.#text, this.#at);
    const unit = UNIT.exec(this.#text.slice(this.#at + after, this.#at + after + 20))?.[0];
    if (unit === undefined || after === 0) return;
    const written = /[\d.]+$/.exec(this.#text.slice(0, this.#at))?.[0] ?? '';
    const short = unit.toLowerCase().startsWith('min') ? 'min' : unit.startsWith('mil') ? 'ms' : (unit[0] ?? '');
    this.#at += after;
    throw new Mistake(
      this.#at,
      this.#at + unit.length,
      `no blank stands before a unit; write ${key}${operator}${written}${/^ms$/i.test(unit) ? 'ms' : short}`,
    );
  }

  #testOf(v: Value, operator: Operator, kind: KeyKind, key: string | null): Test {
    if (v.isExpression && ++this.#expressions > MAX_FILTER_EXPRESSIONS)
      throw new Mistake(v.start, v.end, `there are more than ${MAX_FILTER_EXPRESSIONS} expressions`);
    const found = kind.read(v, operator, this.#reading);
    if (found.ok) return found.value;
    const of = key === null ? '' : `${key}: `;
    if (found.reason !== '') throw new Mistake(v.start, v.end, of + found.reason);
    const near = nearestWord(v.text.toLowerCase(), kind.words);
    const hint = near === null ? `write one of ${kind.words.join(' ')}` : `did you mean ${near}?`;
    throw new Mistake(v.start, v.end, `${of}there is no ${v.text === '' ? 'such word' : v.text}; ${hint}`, near);
  }

  #value(key: string | null, isMeantAsExpression: boolean): Value {
    const start = this.#at;
    const isExpression = this.#take('~') || isMeantAsExpression;
    const isOpenStart = !isExpression && this.#take('*');
    const isQuoted = this.#peek === '"';
    const found = isQuoted ? this.#quoted(isExpression) : ok(this.#word(isExpression));
    if (!found.ok) throw new Mistake(start, this.#text.length, found.reason);
    let text = found.value;
    let isOpenEnd = false;
    if (isQuoted && !isExpression) isOpenEnd = this.#take('*');
    else if (!isExpression && text.endsWith('*')) {
      isOpenEnd = true;
      text = text.slice(0, -1);
    }
    const meant = isQuoted || isExpression || this.#isLiteral ? null : valueMeant(key, found.value);
    if (meant !== null) throw new Mistake(start, this.#at, meant);
    if (text === '' && !isQuoted && !isOpenStart && !isOpenEnd)
      throw new Mistake(start, this.#at, key === null ? 'a value is missing' : `the value of ${key} is missing`);
    const isTextAlone = key === null && (isQuoted || this.#isLiteral) && looksLikeMore(text);
    return { text, isOpenStart, isOpenEnd, isExpression, isTextAlone, start, end: this.#at };
  }

  /** Up to a blank, a comma, a "|" of no expression, or a parenthesis that was not opened in it. */
  #word(isExpression: boolean): string {
    const start = this.#at;
    let open = 0;
    for (; !this.#isEnd; this.#at++) {
      const c = this.#peek;
      if (c === '"')
        this.#fail(this.#at, 'a quote stands inside a word; quote the whole value, and write \\" for a quote in it');
      if (/[\s,]/.test(c) || (c === '|' && !isExpression)) break;
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

  #isAt(joint: RegExp): boolean {
    return !this.#isEnd && joint.test(this.#text.slice(this.#at, this.#at + 4));
  }

  #takeJoint(joint: RegExp): boolean {
    const found = joint.exec(this.#text.slice(this.#at, this.#at + 4))?.[0];
    if (found === undefined) return false;
    this.#at += found.length;
    this.#skipBlanks();
    return true;
  }

  /** What fits there; it stays in front of it. */
  #match(expression: RegExp): string {
    return this.#text.slice(this.#at, this.#at + lengthOf(expression, this.#text, this.#at));
  }

  #fail(at: number, reason: string): never {
    throw new Mistake(at, Math.min(at + 1, this.#text.length), reason);
  }
}

function lengthOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0].length ?? 0;
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

/** `foreign`: what it means as other programs spell it; null where none has it. */
function unknownKey(written: string, foreign: string | null, { start, end }: Span): Mistake {
  const near = foreign ?? nearest(written.toLowerCase(), [...KEYS.map(({ key }) => key), HEADER_KEY.key]);
  const hint = near === null ? 'see --help filter for the keys, or quote the word' : `did you mean ${near}?`;
  // `header.NAME` wants the name of a header.
  return new Mistake(start, end, `there is no key ${written}; ${hint}`, near === HEADER_KEY.key ? null : near);
}

/** A word that is begun is near to what begins so. */
function nearestWord(small: string, words: readonly string[]): string | null {
  const lower = words.map((word) => word.toLowerCase());
  const begun = lower.map((word) => word.slice(0, small.length));
  const near = nearest(small, lower) ?? nearest(small, begun);
  return near === null ? null : (words.find((word) => word.toLowerCase().startsWith(near)) ?? null);
}
