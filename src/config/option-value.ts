/** Reads the text of one option value by its declared type; a bad value gives the reason and what to write instead. */

import { isIP } from 'node:net';
import type { ErrorCode, ErrorParams, ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import { endpointText } from '../core/ip.ts';
import { MAX_SPLIT_BYTES, MAX_SPLIT_SECS } from '../core/item-limits.ts';

export type PortRange = { readonly from: number; readonly to: number };

/** Where a listener binds; `host` is an IP address or a name, without brackets. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** When a written file is followed by the next: at `bytes`, after `seconds`; 0 is never. */
export type Split = { readonly bytes: number; readonly seconds: number };

export type OptionType =
  | { readonly kind: 'string' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'int'; readonly min: number; readonly max: number }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'size'; readonly min: number; readonly max: number }
  | { readonly kind: 'split' }
  | { readonly kind: 'portrange' }
  | { readonly kind: 'address' }
  | { readonly kind: 'regexp' }
  /** Name of a SIP header (RFC 3261 §25.1: a token). */
  | { readonly kind: 'header-name' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  /** Id of a token: what a line of the revocation file can name. */
  | { readonly kind: 'token-id' }
  /** Never repeated in an error line nor by --print-config. */
  | { readonly kind: 'secret'; readonly form: 'bearer' | 'text' | 'user-pass' };

type ByKind = {
  readonly bool: boolean;
  readonly int: number;
  readonly number: number;
  readonly size: number;
  readonly split: Split;
  readonly portrange: readonly PortRange[];
  readonly address: ListenAddress;
};

/** What a value of this type is once it is read; all other kinds are texts. */
export type ValueOf<T extends OptionType> = T extends { readonly kind: 'choice'; readonly values: readonly (infer V)[] }
  ? V
  : T['kind'] extends keyof ByKind
    ? ByKind[T['kind']]
    : string;

export type OptionValue = string | boolean | number | readonly PortRange[] | ListenAddress | Split;

export type ValueResult = { readonly ok: true; readonly value: OptionValue } | Bad;

/** What is wrong with the value of whatever option it was given to. */
type Bad = { readonly ok: false; readonly about: (option: string) => ServiceError };

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** A value as an error line may show it: one line, no control bytes, at most 60 characters. */
export function quoted(text: string): string {
  return `"${oneLine(text.length > 60 ? `${text.slice(0, 57)}...` : text)}"`;
}

/** The text without anything that could end the line or move the cursor. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** The value that `text` means for an option of this type. */
export function parseOptionValue(type: OptionType, text: string): ValueResult {
  switch (type.kind) {
    case 'string':
    case 'regexp':
      return text === '' ? bad('VALUE_EMPTY', {}) : { ok: true, value: text };
    case 'bool':
      return parseBool(text);
    case 'int':
      return parseNumber(text, /^[0-9]{1,15}$/, 'a whole number', type.min, type.max);
    case 'number':
      return parseNumber(text, /^[0-9]{1,15}(\.[0-9]{1,9})?$/, 'a number', type.min, type.max);
    case 'size':
      return parseSize(text, type.min, type.max);
    case 'split':
      return parseSplit(text);
    case 'portrange':
      return parsePortRanges(text);
    case 'address':
      return parseAddress(text);
    case 'choice':
      if (type.values.includes(text)) return { ok: true, value: text };
      return bad('CHOICE_INVALID', { value: quoted(text), choices: type.values.join(', ') });
    case 'header-name':
      if (/^[\w.!%*+`'~-]+$/.test(text)) return { ok: true, value: text };
      return bad('HEADER_NAME_INVALID', { value: quoted(text) });
    case 'token-id':
      if (/^[!-~]{1,128}$/.test(text) && !text.startsWith('#')) return { ok: true, value: text };
      return bad('TOKEN_ID_INVALID', { value: quoted(text) });
    case 'secret':
      return parseSecret(type.form, text);
  }
}

/** Says what is wrong with a secret without showing any of it. */
function parseSecret(form: 'bearer' | 'text' | 'user-pass', text: string): ValueResult {
  if (text === '') return bad('VALUE_EMPTY', {});
  if (form === 'bearer' && !/^[!-~]{1,4096}$/.test(text)) {
    return bad('API_KEY_INVALID', {});
  }
  if (form === 'user-pass' && !isUserPass(text)) {
    return bad('USER_PASSWORD_INVALID', {});
  }
  return { ok: true, value: text };
}

/** RFC 7617 §2: the user holds no colon, and neither part control characters. */
export function isUserPass(text: string): boolean {
  return /^[^:\p{Cc}]+:\P{Cc}+$/u.test(text);
}

function bad<C extends ErrorCode>(code: C, params: Omit<ErrorParams<C>, 'option'>): Bad {
  // With the option they are complete.
  return { ok: false, about: (option) => failure(code, { ...params, option } as ErrorParams<C>) };
}

function parseBool(text: string): ValueResult {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return { ok: true, value: true };
  if (['0', 'false', 'no', 'off'].includes(word)) return { ok: true, value: false };
  return bad('BOOL_INVALID', { value: quoted(text) });
}

function parseNumber(text: string, form: RegExp, what: string, min: number, max: number): ValueResult {
  const value = Number(text);
  const cause = !form.test(text) ? 'form' : value < min || value > max ? 'range' : null;
  return cause === null ? { ok: true, value } : bad('NUMBER_INVALID', { value: quoted(text), cause, what, min, max });
}

function parseSize(text: string, min: number, max: number): ValueResult {
  const wrong = (cause: 'form' | 'range'): Bad => bad('SIZE_INVALID', { value: quoted(text), cause, min, max });
  const match = /^([0-9]{1,12})([kKmMgG]?)i?[bB]?$/.exec(text);
  if (match === null) return wrong('form');
  const value = Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
  return value < min || value > max ? wrong('range') : { ok: true, value };
}

const TIME_UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };
const MIN_SPLIT_BYTES = 64 * 1024;

/** A size, a time, or both with a comma between them: whichever is reached first. */
function parseSplit(text: string): ValueResult {
  let bytes = 0;
  let seconds = 0;
  for (const part of text.split(',')) {
    const time = /^([0-9]{1,9})(s|min|h|d)$/.exec(part.trim());
    if (time !== null) {
      const value = Number(time[1]) * (TIME_UNITS[time[2] ?? ''] ?? 0);
      if (seconds !== 0 || value < 1 || value > MAX_SPLIT_SECS)
        return bad('SPLIT_INVALID', { value: quoted(part), cause: 'range' });
      seconds = value;
      continue;
    }
    const size = parseSize(part.trim(), MIN_SPLIT_BYTES, MAX_SPLIT_BYTES);
    if (!size.ok || typeof size.value !== 'number' || bytes !== 0) {
      return bad('SPLIT_INVALID', { value: quoted(part), cause: 'form' });
    }
    bytes = size.value;
  }
  return { ok: true, value: { bytes, seconds } };
}

/** Ranges sorted and joined, so that what is printed and matched has one form. */
function parsePortRanges(text: string): ValueResult {
  const wrong = (part: string, cause: 'form' | 'range' | 'order'): Bad =>
    bad('PORTS_INVALID', { value: quoted(part.trim()), cause });
  const ranges: PortRange[] = [];
  for (const part of text.split(',')) {
    const match = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(part.trim());
    if (match === null) return wrong(part, 'form');
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (from < 1 || to > 65535 || from > 65535) return wrong(part, 'range');
    if (from > to) return wrong(part, 'order');
    ranges.push({ from, to });
  }
  ranges.sort((a, b) => a.from - b.from || a.to - b.to);
  const joined: PortRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && range.from <= last.to + 1) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else joined.push(range);
  }
  return { ok: true, value: joined };
}

/** `host:port`, `[v6]:port`, `:port` or `port`; a listener without a host binds loopback. */
function parseAddress(text: string): ValueResult {
  const wrong = (part: string, cause: 'form' | 'port' | 'v6' | 'host'): Bad =>
    bad('ADDRESS_INVALID', { value: quoted(part), cause });
  if (/^https:\/\//i.test(text)) {
    return bad('ADDRESS_OF_TLS', {});
  }
  const bare = text.replace(/^http:\/\//i, '').replace(/\/$/, '');
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]*)):)?([0-9]{1,5})$/.exec(bare);
  if (match === null) return wrong(text, 'form');
  const port = Number(match[3]);
  if (port > 65535) return wrong(`${port}`, 'port');
  if (match[1] !== undefined) {
    if (isIP(match[1]) !== 6) return wrong(match[1], 'v6');
    return { ok: true, value: { host: match[1], port } };
  }
  const host = match[2] === undefined || match[2] === '' ? '127.0.0.1' : match[2];
  const looksNumeric = /^[0-9.]+$/.test(host);
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host);
  if (looksNumeric ? isIP(host) !== 4 : !isName) return wrong(host, 'host');
  return { ok: true, value: { host, port } };
}

/** The text that gives back this value; what `--print-config` writes. */
export function optionValueText(value: OptionValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if ('bytes' in value) {
    return [value.bytes > 0 ? `${value.bytes}` : '', value.seconds > 0 ? `${value.seconds}s` : '']
      .filter(Boolean)
      .join(',');
  }
  if ('host' in value) return endpointText(value.host, value.port);
  return value.map((range) => (range.from === range.to ? `${range.from}` : `${range.from}-${range.to}`)).join(',');
}
