/**
 * A filter as a condition of SQL over rows of `calls`. What people wrote goes along as parameters.
 *
 * A question without a span looks at the newest hour. A whole Call-ID, user or number is found over all days too, by `ids`, the
 * newest ones; there the letters count as they were written, or all small or all capital.
 */
import type { Cidr } from '../../core/cidr.ts';
import { ipText } from '../../core/ip.ts';
import type { Names } from '../../core/names.ts';
import type { Result } from '../../core/result.ts';
import { addressExpression, readBare, SEPARATORS } from '../../query/bare.ts';
import type { Filter, Node, Operator, Term, Value } from '../../query/filter.ts';
import { readMoment } from '../../query/time.ts';
import type { NumberRange } from '../../query/value.ts';
import { placingOf, readChoice, readCode, readNetwork, readNumber, readText, readWhole } from '../../query/value.ts';
import { Cannot } from '../refusal.ts';
import type { Column, Texts } from '../stored/stored-keys.ts';
import { BARE_LOOKUP, BARE_TEXTS, storedKey } from '../stored/stored-keys.ts';
import { figureSql } from './field-sql.ts';
import { headerExpression, headerValues } from './header-sql.ts';
import { KEY } from './parts.ts';
import type { SqlParameters } from './sql.ts';
import { allOf, anyOf } from './sql.ts';

/** Rows of calls that a whole number, user or Call-ID of a filter finds over all days: the newest ones. @cap */
const HUB_FOUND = 100;

/** Addresses and networks that a part of a name may mean in one question. @cap */
const MAX_NAMED_ASKED = 200;

export type Asking = {
  /** Microseconds since the epoch, which relative times count from. */
  readonly nowUs: number;
  readonly isUtc: boolean;
  readonly names: Names;
};

export type FilterSql = {
  /** Over rows of `calls`. */
  readonly where: string;
  /** Nothing in the filter says when, nor names a call whole: the newest hour was looked at, beside what `ids` found. */
  readonly isNewestHour: boolean;
  /** Messages of calls, or streams, have to be read for it. */
  readonly isDear: boolean;
};

const HOUR_US = 3_600e6;

/** `fromUs`: of calls that began since then alone, besides what the filter says. */
export function filterSql(
  filter: Filter,
  asking: Asking,
  parameters: SqlParameters,
  fromUs: number | null = null,
): FilterSql {
  const terms = filter === null ? [] : filter.kind === 'and' ? filter.of : [filter];
  const isBound = (fits: (term: Term) => boolean): boolean => terms.some((term) => binds(term, fits));
  const isNewestHour = !isBound((term) => isTime(term) || (isLookup(term) && term.operator === '='));
  const isEverFound = isBound((term) => isTime(term) || isLookup(term));
  const spans = isEverFound ? [] : [newestHour(asking, parameters)];
  if (fromUs !== null) spans.push(since(fromUs, parameters));
  const times = [...spans.map(([hour]) => hour), ...terms.flatMap((term) => hours(term, asking, parameters))];
  const writer = new Writer(asking, parameters, times);
  const cheap = terms.filter((term) => !asksMessages(term)).map((term) => writer.node(term, []));
  cheap.push(...spans.map(([, created]) => created));
  const dear = terms.filter(asksMessages).map((term) => writer.node(term, cheap));
  return { where: allOf([...times, ...cheap, ...dear]), isNewestHour, isDear: dear.length > 0 };
}

export function newestHour({ nowUs }: Asking, parameters: SqlParameters): [hour: string, created: string] {
  return since(nowUs - HOUR_US, parameters);
}

/** Since then, on the key of the tables and to the microsecond. */
function since(us: number, parameters: SqlParameters): [hour: string, created: string] {
  const from = parameters.time(us);
  return [`hour >= toStartOfHour(${from})`, `created_at >= ${from}`];
}

/** Whether a term that fits holds for every call that passes. */
function binds(node: Node, fits: (term: Term) => boolean): boolean {
  switch (node.kind) {
    case 'term':
      return fits(node);
    case 'not':
      return false;
    case 'and':
      return node.of.some((part) => binds(part, fits));
    default:
      return node.of.every((part) => binds(part, fits));
  }
}

function isTime({ key }: Term): boolean {
  return key === 'since' || key === 'until';
}

/** `ids` finds its whole texts. */
function isLookup({ key, values }: Term): boolean {
  const row = storedKey(key);
  const isWhole = ({ isExpression, isOpenStart, isOpenEnd, text }: Value): boolean =>
    !isExpression && !isOpenStart && !isOpenEnd && text !== '';
  return (row?.kind === 'bare' || (row?.kind === 'text' && row.lookup !== undefined)) && values.every(isWhole);
}

/** What since: and until: of the whole filter say of the key of the table. */
function hours(node: Node, asking: Asking, parameters: SqlParameters): string[] {
  if (node.kind !== 'term' || (node.key !== 'since' && node.key !== 'until')) return [];
  const times = node.values.map((v) => momentUs(v, asking));
  if (node.key === 'since') return [`hour >= toStartOfHour(${parameters.time(Math.min(...times))})`];
  return [`hour <= ${parameters.time(Math.max(...times))}`];
}

function momentUs(v: Value, { nowUs, isUtc }: Asking): number {
  return known(readMoment(v, isUtc))(nowUs);
}

/** The parser has read the value before. */
function known<T>(read: Result<T, string>): T {
  if (!read.ok) throw new Error(`a value that was read before: ${read.reason}`);
  return read.value;
}

function asksMessages(node: Node): boolean {
  if (node.kind === 'not') return asksMessages(node.of);
  if (node.kind !== 'term') return node.of.some(asksMessages);
  const row = storedKey(node.key);
  return row === null || row.kind === 'message' || row.kind === 'ssrc';
}

type Test = (expression: string) => string;

class Writer {
  readonly #asking: Asking;
  readonly #parameters: SqlParameters;
  readonly #times: readonly string[];

  /** `times`: when the calls were, on the key of the tables. */
  constructor(asking: Asking, parameters: SqlParameters, times: readonly string[]) {
    this.#asking = asking;
    this.#parameters = parameters;
    this.#times = times;
  }

  /** `scope`: what else the calls in question are, so that nobody reads the messages of all others. */
  node(node: Node, scope: readonly string[]): string {
    switch (node.kind) {
      case 'term':
        return anyOf(node.values.map((v) => this.#term(node, v, scope)));
      case 'not':
        return `NOT ${this.node(node.of, scope)}`;
      case 'and':
        return allOf(node.of.map((part) => this.node(part, scope)));
      default:
        return anyOf(node.of.map((part) => this.node(part, scope)));
    }
  }

  #term(term: Term, v: Value, scope: readonly string[]): string {
    const row = storedKey(term.key);
    if (row === null) {
      const name = this.#parameters.add(headerExpression((term.key ?? '').slice('header.'.length)), 'String');
      return this.#inMessages(inArray(headerValues(name), this.#text(v, term.operator)), scope);
    }
    switch (row.kind) {
      case 'bare':
        return this.#bare(v, isLookup(term));
      case 'text': {
        const fits = this.#fits(row, this.#text(v, term.operator));
        return isLookup(term) ? this.#found(row.lookup ?? [], [v.text], fits) : fits;
      }
      case 'message':
        return this.#inMessages(this.#holds(v)('text'), scope);
      case 'choice': {
        const words = this.#parameters.add([...known(readChoice(v, row.words))], 'Array(String)');
        return this.#fits(row, (x) => `${x} IN ${words}`);
      }
      case 'address':
        return this.#fits(row, this.#address(v, term.operator));
      case 'code':
        return `(${row.column} != 0 AND ${this.#range(known(readCode(v, term.operator)), row.column)})`;
      case 'number':
        return `ifNull(${this.#range(known(readNumber(v, term.operator, row.units)), figureSql(row.field))}, 0)`;
      case 'port':
        return `has(ports, ${this.#parameters.add(known(readWhole(v, 0xffff)), 'UInt32')})`;
      case 'ssrc': {
        const ssrc = this.#parameters.add(known(readWhole(v, 0xffff_ffff)), 'UInt32');
        return `(host, boot, number) IN (SELECT host, boot, number FROM streams WHERE ssrc = ${ssrc} AND number > 0)`;
      }
      case 'since':
      case 'until':
        return `created_at ${row.kind === 'since' ? '>=' : '<='} ${this.#parameters.time(momentUs(v, this.#asking))}`;
      default:
        throw new Cannot('too-wide', `A hub cannot filter by ${term.key}:; ${row.why}.`);
    }
  }

  /** Whole texts: by `ids` whenever it was, and what fits in the newest hour. */
  #found(lookup: readonly string[], whole: readonly string[], fits: string): string {
    const texts = [...new Set(whole.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]))];
    const wanted = this.#parameters.add(texts, 'Array(String)');
    const kinds = this.#parameters.add([...lookup], 'Array(String)');
    const digests = texts.map((text) => `substring(SHA256(${this.#parameters.add(text, 'String')}), 1, 16)`);
    const when = allOf(this.#times);
    const ids = `SELECT ${KEY} FROM ids WHERE id IN (${digests.join(', ')}) AND has(${wanted}, text) AND has(${kinds}, kind) AND ${when}
      GROUP BY ${KEY} ORDER BY hour DESC LIMIT ${HUB_FOUND}`;
    const [ofHour] = newestHour(this.#asking, this.#parameters);
    return `((${KEY}) IN (${ids}) OR (${ofHour} AND ${fits}))`;
  }

  /** As query/bare.ts finds it in memory. */
  #bare(v: Value, isWhole: boolean): string {
    const { text, digits, code, net } = readBare(v);
    const fits: string[] = [];
    if (text !== null) {
      const test = net === null ? this.#text(text, ':') : this.#byExpression(addressExpression(v.text, net));
      fits.push(this.#fits(BARE_TEXTS, test), inArray('arrayMap(p -> toString(p), ports)', test));
      if (net === null) fits.push(...this.#named(text, ':').map((within) => inArray('addresses', within)));
    }
    if (net !== null) fits.push(inArray('addresses', this.#within(net)));
    if (code !== null) fits.push(`code = ${this.#parameters.add(code, 'UInt32')}`);
    if (digits !== null) {
      const wanted = this.#parameters.add(digits, 'String');
      const has: Test = (x) => `position(${withoutSeparators(x)}, ${wanted}) > 0`;
      fits.push(has('from_user'), has('to_user'), inArray('numbers', has));
    }
    const whole = digits === null ? [v.text] : [v.text, digits, `+${digits}`, `00${digits}`];
    return isWhole ? this.#found(BARE_LOOKUP, whole, anyOf(fits)) : anyOf(fits);
  }

  #fits({ columns = [], arrays = [] }: Texts, test: Test): string {
    return anyOf([...columns.map((one) => test(columnSql(one))), ...arrays.map((array) => inArray(array, test))]);
  }

  #inMessages(test: string, scope: readonly string[]): string {
    const ofCalls =
      scope.length === 0 ? [] : [`(${KEY}) IN (SELECT ${KEY} FROM calls WHERE ${allOf([...this.#times, ...scope])})`];
    return `(${KEY}) IN (SELECT ${KEY} FROM messages WHERE ${allOf([...this.#times, ...ofCalls, test])})`;
  }

  #byExpression(expression: string): Test {
    const parameter = this.#parameters.add(expression, 'String');
    return (x) => `match(${x}, ${parameter})`;
  }

  #holds(v: Value): Test {
    return this.#text(v.isExpression ? v : { ...v, isOpenStart: true, isOpenEnd: true }, ':');
  }

  #text(v: Value, operator: Operator): Test {
    known(readText(v, operator));
    if (v.isExpression) return this.#byExpression(`(?i-s:${v.text})`);
    const small = v.text.toLowerCase();
    const wanted = this.#parameters.add(small, 'String');
    // Twice as fast where no other letters are wanted.
    const lower = /^[\0-\x7f]*$/.test(small) ? 'lower' : 'lowerUTF8';
    switch (placingOf(v, operator)) {
      case 'holds':
        return (x) => `position(${lower}(${x}), ${wanted}) > 0`;
      case 'ends':
        return (x) => `endsWith(${lower}(${x}), ${wanted})`;
      case 'begins':
        return (x) => `startsWith(${lower}(${x}), ${wanted})`;
      default:
        return (x) => `${lower}(${x}) = ${wanted}`;
    }
  }

  #address(v: Value, operator: Operator): Test {
    const net = known(readNetwork(v));
    if (net !== null) return this.#within(net);
    const text = this.#text(v, operator);
    const named = this.#named(v, operator);
    return (x) => anyOf([text(x), ...named.map((test) => test(x))]);
  }

  /** Of the addresses and networks that have such a name. */
  #named(v: Value, operator: Operator): Test[] {
    const networks = this.#asking.names.networks(known(readText(v, operator)));
    if (networks.length > MAX_NAMED_ASKED)
      throw new Cannot('too-wide', `${networks.length} addresses have such a name; write more of the name.`);
    return networks.map((one) => this.#within(one));
  }

  #within({ version, bits, address }: Cidr): Test {
    const last = Uint8Array.from(address, (byte, i) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * i))));
    const first = Uint8Array.from(address, (byte, i) => byte & ~(0xff >> Math.min(8, Math.max(0, bits - 8 * i))));
    const [low, high] = [first, last].map((end) => this.#parameters.add(ipText(end, 0, version), 'String'));
    if (version === 4)
      return (x) =>
        `ifNull(IPv4StringToNumOrNull(${x}) BETWEEN IPv4StringToNum(${low}) AND IPv4StringToNum(${high}), 0)`;
    return (x) =>
      `ifNull(position(${x}, ':') > 0 AND IPv6StringToNumOrNull(${x}) BETWEEN IPv6StringToNum(${low}) AND IPv6StringToNum(${high}), 0)`;
  }

  #range({ low, high, isLowIn, isHighIn }: NumberRange, x: string): string {
    const ends: string[] = [];
    if (Number.isFinite(low)) ends.push(`${x} ${isLowIn ? '>=' : '>'} ${this.#parameters.add(low, 'Float64')}`);
    if (Number.isFinite(high)) ends.push(`${x} ${isHighIn ? '<=' : '<'} ${this.#parameters.add(high, 'Float64')}`);
    return allOf(ends);
  }
}

function columnSql(column: Column): string {
  return typeof column === 'string' ? column : `if(${column.of} = '', ${column.orElse}, ${column.of})`;
}

/** A number without what people write between its digits. */
function withoutSeparators(x: string): string {
  return [...SEPARATORS].reduce((text, one) => `replaceAll(${text}, '${one}', '')`, x);
}

function inArray(array: string, test: Test): string {
  return `arrayExists(x -> ${test('x')}, ${array})`;
}
