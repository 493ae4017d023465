/**
 * What the values of a term mean, by the kind of their key: texts with stars, expressions, networks, codes, numbers with
 * units, times. Each reader returns a predicate, or why the value cannot be read.
 */
import type { Cidr } from '../core/cidr.ts';
import { hasPrefix, parseCidr } from '../core/cidr.ts';
import { parseIpv4, parseIpv6 } from '../core/ip.ts';
import { compilePattern } from '../core/pattern.ts';
import type { Result } from '../core/result.ts';
import { fail, ok } from '../core/result.ts';
import type { Operator, Value } from './filter.ts';

/** Characters of an expression of a filter. @cap */
const MAX_EXPRESSION_CHARS = 256;

/** An expression takes time linear in the text; its program is bounded too. */
const EXPRESSION = { maxProgram: 2_000, maxRepeats: 1_000, ignoresCase: true };

export type TextTest = (text: string) => boolean;
type Read<T> = Result<T, string>;

/** Where in a text a value stands: `key:abc` begins it, `key=abc` is all of it, a star before it leaves its place open. */
export type Placing = 'whole' | 'begins' | 'ends' | 'holds';

export function placingOf({ text, isOpenStart, isOpenEnd }: Value, operator: Operator): Placing {
  if (isOpenStart) return operator === '=' && !isOpenEnd ? 'ends' : 'holds';
  if (isOpenEnd) return 'begins';
  return operator === '=' || text === '' ? 'whole' : 'begins';
}

/** Whether a text has this value, without case, where `placing` says. */
function textTest(value: string, placing: Placing): TextTest {
  const wanted = value.toLowerCase();
  switch (placing) {
    case 'holds':
      return (text) => text.toLowerCase().includes(wanted);
    case 'ends':
      return (text) => text.toLowerCase().endsWith(wanted);
    case 'begins':
      return (text) => text.toLowerCase().startsWith(wanted);
    default:
      // Most texts differ in length: those make no second text.
      return (text) => text.length === wanted.length && text.toLowerCase() === wanted;
  }
}

/** Whether a text has this value, without case. An expression is found anywhere. */
export function readText(v: Value, operator: Operator): Read<TextTest> {
  if (!v.isExpression) return ok(textTest(v.text, placingOf(v, operator)));
  if (v.text.length > MAX_EXPRESSION_CHARS)
    return fail(`the expression is longer than ${MAX_EXPRESSION_CHARS} characters`);
  const compiled = compilePattern(v.text, EXPRESSION);
  return compiled.ok ? compiled : fail(`the expression ${compiled.reason}`);
}

/** Whether a text holds this value anywhere, without case. */
export function readPart(v: Value): Read<TextTest> {
  return v.isExpression ? readText(v, ':') : ok(textTest(v.text, 'holds'));
}

/**
 * Which of a closed set of words it means; stars and `_` for `-` are understood. A word that is none of them means those that it
 * begins.
 */
export function readChoice(v: Value, words: readonly string[]): Read<ReadonlySet<string>> {
  const spelled = v.isExpression ? v : { ...v, text: v.text.replaceAll('_', '-') };
  for (const operator of ['=', ':'] as const) {
    const fits = readText(spelled, operator);
    if (!fits.ok) return fits;
    const chosen = new Set(words.filter((word) => fits.value(word.replaceAll('_', '-'))));
    if (chosen.size > 0) return ok(chosen);
  }
  return fail('');
}

const LIKE_ADDRESS = /^[0-9a-f:]*[.:/][0-9a-f.:/]*$/i;

/** The first bytes of an IPv4 address, as in `192.0.2`. */
export const FIRST_BYTES = /^(\d{1,3}\.){1,3}$|^\d{1,3}(\.\d{1,3}){1,2}$/;

/** The network that it names; null where it is a text, which an address or its name may fit. */
export function readNetwork(v: Value): Read<Cidr | null> {
  const isText = v.isExpression || v.isOpenStart || v.isOpenEnd || FIRST_BYTES.test(v.text);
  const net = isText ? null : parseCidr(v.text);
  if (net?.ok === true) return ok(net.value);
  if (net !== null && LIKE_ADDRESS.test(v.text)) return fail(`it is ${net.reason}; write 192.0.2.1 or 192.0.2.0/24`);
  return ok(null);
}

/** Whether an address lies in this network, or has this name. */
export function readAddress(v: Value, operator: Operator): Read<(address: string, name: string | null) => boolean> {
  const net = readNetwork(v);
  if (!net.ok) return net;
  const { value } = net;
  if (value !== null) return ok((address) => isIn(address, value));
  const text = readText(v, operator);
  if (!text.ok) return text;
  return ok((address, name) => text.value(address) || (name !== null && text.value(name)));
}

const address = new Uint8Array(16);

/** Whether an address lies in a network; false for a text that is none. */
export function isIn(text: string, net: Cidr): boolean {
  const four = parseIpv4(text);
  if (four >= 0) {
    if (net.version !== 4) return false;
    for (let i = 0; i < 4; i++) address[i] = four >>> (24 - 8 * i);
    return hasPrefix(address, net);
  }
  const six = net.version === 6 ? parseIpv6(text) : null;
  return six !== null && hasPrefix(six, net);
}

/** From one number to another, each of which may be left out of it. */
export type NumberRange = {
  readonly low: number;
  readonly high: number;
  readonly isLowIn: boolean;
  readonly isHighIn: boolean;
};

export function isInRange({ low, high, isLowIn, isHighIn }: NumberRange, n: number): boolean {
  return (isLowIn ? n >= low : n > low) && (isHighIn ? n <= high : n < high);
}

/** Codes: `486`, `5xx`, `400..499`, and `>=400`. */
export function readCode(v: Value, operator: Operator): Read<NumberRange> {
  const what = 'write a code such as 486, 5xx or 400..499';
  if (v.isExpression || v.isOpenStart || v.isOpenEnd) return fail(`it is not a code; ${what}`);
  const group = /^([1-6])xx$/i.exec(v.text);
  if (group !== null && isEqual(operator)) {
    const low = 100 * Number(group[1]);
    return ok({ low, high: low + 100, isLowIn: true, isHighIn: false });
  }
  if (!/^[1-6]\d\d(\.\.[1-6]\d\d)?$/.test(v.text)) return fail(`it is not a code; ${what}`);
  return readNumber(v, operator, {});
}

/** Factor of each unit; '' is what a number without one is in. */
export type Units = Readonly<Record<string, number>>;
export const IN_MS: Units = { '': 1, ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };
export const IN_SEC: Units = { '': 1, ms: 0.001, s: 1, m: 60, min: 60, h: 3_600 };
export const IN_PERCENT: Units = { '': 1, '%': 1 };

const NUMBER = /^(\d{1,15}(?:\.(\d{1,9}))?)([a-z%]*)$/i;

type Amount = { readonly n: number /** What is written with these digits. */; readonly written: NumberRange };

function readAmount(text: string, units: Units): Amount | null {
  const [, digits, fraction = '', unit = ''] = NUMBER.exec(text) ?? [];
  const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : unit === '' ? 1 : undefined;
  if (digits === undefined || factor === undefined) return null;
  return { n: Number(digits) * factor, written: writtenAs(digits, fraction.length, factor) };
}

/** All numbers that toFixed(), which columns use, writes with these digits: of its ends the one that it rounds to them. */
function writtenAs(digits: string, places: number, factor: number): NumberRange {
  const shown = Number(digits).toFixed(places);
  const last = Number(digits.replace('.', ''));
  const [low, high] = [-1, 1].map((half) => (factor * (2 * last + half)) / (2 * 10 ** places)) as [number, number];
  const isShown = (n: number): boolean => (n / factor).toFixed(places) === shown;
  return { low, high, isLowIn: isShown(low), isHighIn: isShown(high) };
}

function isEqual(operator: Operator): boolean {
  return operator === ':' || operator === '=';
}

/** Numbers: `3.6`, `30ms`, `1m..5m`; equality is that of the digits written. */
export function readNumber(v: Value, operator: Operator, units: Units): Read<NumberRange> {
  const names = Object.keys(units).filter((unit) => unit !== '');
  const what = names.length === 0 ? 'write a number' : `write a number with one of ${names.join(' ')}, or without`;
  const parts = v.isExpression || v.isOpenStart || v.isOpenEnd ? [] : v.text.split('..');
  const [low, high] = parts.map((part) => readAmount(part, units));
  if (low === undefined || low === null || high === null || parts.length > 2)
    return fail(`it is not a number; ${what}`);
  if (high !== undefined) {
    if (!isEqual(operator)) return fail(`a range takes ":", not "${operator}"`);
    if (high.n < low.n) return fail('the range runs backwards');
    return ok({ low: low.n, high: high.n, isLowIn: true, isHighIn: true });
  }
  const { n } = low;
  const [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  switch (operator) {
    case '<':
    case '<=':
      return ok({ low: least, high: n, isLowIn: true, isHighIn: operator === '<=' });
    case '>':
    case '>=':
      return ok({ low: n, high: most, isLowIn: operator === '>=', isHighIn: true });
    default:
      return ok(low.written);
  }
}

/** A whole number, also in hexadecimal (`0x1f`). */
export function readWhole(v: Value, max: number): Read<number> {
  const isPlain = !v.isExpression && !v.isOpenStart && !v.isOpenEnd && /^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(v.text);
  const wanted = isPlain ? Number(v.text) : Number.NaN;
  return wanted <= max ? ok(wanted) : fail(`write a whole number up to ${max}`);
}
