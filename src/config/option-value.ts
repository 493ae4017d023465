/** Reads the text of one option value by its declared type; a bad value gives the reason and what to write instead. */

import { isIP } from 'node:net';
import { readCallIdHeader } from '../core/call-id-header.ts';
import type { ErrorCode, ErrorParams, ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import { endpointText } from '../core/ip.ts';

/** Bytes and seconds after which `--split` may start the next file. @cap */
const MAX_SPLIT_BYTES = 1024 ** 5;
const MAX_SPLIT_SECS = 366 * 86_400;

/** Seconds of `--for`: a timer of Node takes no more. @cap */
const MAX_RUN_SECS = 24 * 86_400;

export type PortRange = { readonly from: number; readonly to: number };

/** Where a listener binds; `host` is an IP address or a name, without brackets. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** When a written file is followed by the next: at `bytes`, after `seconds`; 0 is never. Or a file for each call. */
export type Split = { readonly bytes: number; readonly seconds: number; readonly isByCall: boolean };

/** What of a split is kept: so many files, or those of so many seconds. The other one is 0. */
export type Keep = { readonly files: number; readonly keptSeconds: number };

/** A HEP collector: a server's address, and how it is spoken to. */
export type CollectorAddress = ListenAddress & { readonly transport: 'udp' | 'tcp' | 'tls' };

export type OptionType =
  | { readonly kind: 'string' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'int'; readonly min: number; readonly max: number }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'size'; readonly min: number; readonly max: number }
  | { readonly kind: 'split' }
  /** Files from `min` to `max`, or a time. */
  | { readonly kind: 'keep'; readonly min: number; readonly max: number }
  /** In seconds. */
  | { readonly kind: 'time' }
  | { readonly kind: 'portrange' }
  | { readonly kind: 'address' }
  | { readonly kind: 'collector' }
  | { readonly kind: 'regexp' }
  /** Name of a SIP header (RFC 3261 §25.1: a token). */
  | { readonly kind: 'call-id-header' }
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
  readonly keep: Keep;
  readonly time: number;
  readonly portrange: readonly PortRange[];
  readonly address: ListenAddress;
  readonly collector: CollectorAddress;
};

/** What a value of this type is once it is read; all other kinds are texts. */
export type ValueOf<T extends OptionType> = T extends { readonly kind: 'choice'; readonly values: readonly (infer V)[] }
  ? V
  : T['kind'] extends keyof ByKind
    ? ByKind[T['kind']]
    : string;

export type OptionValue =
  | (string | boolean | number)
  | (readonly PortRange[] | ListenAddress | CollectorAddress | Split | Keep);

/** The error of a value, with the option that it was given to. */
type Wrong = <C extends ErrorCode>(code: C, params: Omit<ErrorParams<C>, 'option'>) => ServiceError;

/** A value as an error line may show it: one line, no control bytes, at most 60 characters. */
export function quoted(text: string): string {
  return `"${oneLine(text.length > 60 ? `${text.slice(0, 57)}...` : text)}"`;
}

/** The text without anything that could end the line or move the cursor. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** The value that `text` means for an option of this type. Throws ServiceError, which names the option as it was written. */
export function parseOptionValue(type: OptionType, text: string, option: string): OptionValue {
  // With the option they are complete.
  const wrong: Wrong = (code, params) => failure(code, { ...params, option } as ErrorParams<typeof code>);
  switch (type.kind) {
    case 'string':
    case 'regexp':
      if (text === '') throw wrong('VALUE_EMPTY', {});
      return text;
    case 'bool':
      return parseBool(text, wrong);
    case 'int':
      return parseNumber(text, /^[0-9]{1,15}$/, 'a whole number', type, wrong);
    case 'number':
      return parseNumber(text, /^[0-9]{1,15}(\.[0-9]{1,9})?$/, 'a number', type, wrong);
    case 'size':
      return parseSize(text, type, wrong);
    case 'split':
      return parseSplit(text, wrong);
    case 'keep':
      return parseKeep(text, type, wrong);
    case 'time':
      return parseTime(text, wrong);
    case 'portrange':
      return parsePortRanges(text, wrong);
    case 'address':
      return parseAddress(text, wrong);
    case 'collector':
      return parseCollector(text, wrong);
    case 'choice':
      if (type.values.includes(text)) return text;
      throw wrong('CHOICE_INVALID', { value: quoted(text), choices: type.values.join(', ') });
    case 'call-id-header':
      return parseCallIdHeader(text, wrong);
    case 'token-id':
      if (/^[!-~]{1,128}$/.test(text) && !text.startsWith('#')) return text;
      throw wrong('TOKEN_ID_INVALID', { value: quoted(text) });
    case 'secret':
      return parseSecret(type.form, text, wrong);
  }
}

/** Says what is wrong with a secret without showing any of it. */
function parseSecret(form: 'bearer' | 'text' | 'user-pass', text: string, wrong: Wrong): string {
  if (text === '') throw wrong('VALUE_EMPTY', {});
  if (form === 'bearer' && !isApiKey(text)) throw wrong('API_KEY_INVALID', {});
  if (form === 'user-pass' && !isUserPass(text)) throw wrong('USER_PASSWORD_INVALID', {});
  return text;
}

/** What fits into an Authorization header. */
export function isApiKey(text: string): boolean {
  return /^[!-~]{1,4096}$/.test(text);
}

/** RFC 7617 §2: the user holds no colon, and neither part control characters. */
export function isUserPass(text: string): boolean {
  return /^[^:\p{Cc}]+:\P{Cc}+$/u.test(text);
}

function parseCallIdHeader(text: string, wrong: Wrong): string {
  const found = readCallIdHeader(text);
  if (found.ok) return text;
  if (found.reason === '') throw wrong('HEADER_NAME_INVALID', { value: quoted(text) });
  throw wrong('HEADER_PATTERN_INVALID', { reason: found.reason });
}

function parseBool(text: string, wrong: Wrong): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;
  throw wrong('BOOL_INVALID', { value: quoted(text) });
}

type Range = { readonly min: number; readonly max: number };

function parseNumber(text: string, form: RegExp, what: string, { min, max }: Range, wrong: Wrong): number {
  const value = Number(text);
  const cause = !form.test(text) ? 'form' : value < min || value > max ? 'range' : null;
  if (cause !== null) throw wrong('NUMBER_INVALID', { value: quoted(text), cause, what, min, max });
  return value;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes, or NaN for what is no size. */
function sizeOf(text: string): number {
  const match = /^([0-9]{1,12})([kKmMgG]?)i?[bB]?$/.exec(text);
  return match === null ? Number.NaN : Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
}

function parseSize(text: string, { min, max }: Range, wrong: Wrong): number {
  const value = sizeOf(text);
  const cause = Number.isNaN(value) ? 'form' : value < min || value > max ? 'range' : null;
  if (cause !== null) throw wrong('SIZE_INVALID', { value: quoted(text), cause, min, max });
  return value;
}

const TIME_UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600, d: 86_400 };
const MIN_SPLIT_BYTES = 64 * 1024;

/** Seconds, or NaN for what is no time. */
function secondsOf(text: string): number {
  const [, digits = '', unit = ''] = /^([0-9]{1,9})(s|min|h|d)$/.exec(text) ?? [];
  return digits === '' ? Number.NaN : Number(digits) * (TIME_UNITS[unit] ?? 0);
}

/** A number without a unit is seconds, as sleep and timeout take it, and m is minutes. */
function parseTime(text: string, wrong: Wrong): number {
  const value = secondsOf(
    text
      .trim()
      .replace(/^([0-9]+)$/, '$1s')
      .replace(/m$/, 'min'),
  );
  const cause = Number.isNaN(value) ? 'form' : value < 1 || value > MAX_RUN_SECS ? 'range' : null;
  if (cause !== null) throw wrong('TIME_INVALID', { value: quoted(text), cause });
  return value;
}

function parseKeep(text: string, range: Range, wrong: Wrong): Keep {
  const seconds = secondsOf(text.trim());
  if (seconds >= 1 && seconds <= MAX_SPLIT_SECS) return { files: 0, keptSeconds: seconds };
  if (!Number.isNaN(seconds)) throw wrong('SPLIT_INVALID', { value: quoted(text), cause: 'range' });
  const what = 'a time such as 24h, or a whole number of files';
  return { files: parseNumber(text, /^[0-9]{1,15}$/, what, range, wrong), keptSeconds: 0 };
}

/** The word call; or a size, a time, or both with a comma between them: whichever is reached first. */
function parseSplit(text: string, wrong: Wrong): Split {
  if (text.trim() === 'call') return { bytes: 0, seconds: 0, isByCall: true };
  let bytes = 0;
  let seconds = 0;
  for (const part of text.split(',')) {
    const value = secondsOf(part.trim());
    if (!Number.isNaN(value)) {
      if (seconds !== 0 || value < 1 || value > MAX_SPLIT_SECS)
        throw wrong('SPLIT_INVALID', { value: quoted(part), cause: 'range' });
      seconds = value;
      continue;
    }
    const size = sizeOf(part.trim());
    if (!(size >= MIN_SPLIT_BYTES && size <= MAX_SPLIT_BYTES) || bytes !== 0)
      throw wrong('SPLIT_INVALID', { value: quoted(part), cause: 'form' });
    bytes = size;
  }
  return { bytes, seconds, isByCall: false };
}

/** How many files of the split stay. */
export function keptFiles({ files, keptSeconds }: Keep, split: Split): number {
  return files > 0 || split.seconds === 0 ? files : Math.floor(keptSeconds / split.seconds);
}

/** Ranges sorted and joined, so that what is printed and matched has one form. */
function parsePortRanges(text: string, wrong: Wrong): readonly PortRange[] {
  const bad = (part: string, cause: 'form' | 'range' | 'order'): ServiceError =>
    wrong('PORTS_INVALID', { value: quoted(part.trim()), cause });
  const ranges: PortRange[] = [];
  for (const part of text.split(',')) {
    const match = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(part.trim());
    if (match === null) throw bad(part, 'form');
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (from < 1 || to > 65535 || from > 65535) throw bad(part, 'range');
    if (from > to) throw bad(part, 'order');
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
  return joined;
}

/** `host:port`, `[v6]:port`, `:port` or `port`; a listener without a host binds loopback. */
function parseAddress(text: string, wrong: Wrong): ListenAddress {
  const bad = (part: string, cause: 'form' | 'port' | 'v6' | 'host'): ServiceError =>
    wrong('ADDRESS_INVALID', { value: quoted(part), cause });
  if (/^https:\/\//i.test(text)) throw wrong('ADDRESS_OF_TLS', {});
  const bare = text.replace(/^http:\/\//i, '').replace(/\/$/, '');
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]*)):)?([0-9]{1,5})$/.exec(bare);
  if (match === null) throw bad(text, 'form');
  const port = Number(match[3]);
  if (port > 65535) throw bad(`${port}`, 'port');
  if (match[1] !== undefined) {
    if (isIP(match[1]) !== 6) throw bad(match[1], 'v6');
    return { host: match[1], port };
  }
  const host = match[2] === undefined || match[2] === '' ? '127.0.0.1' : match[2];
  const looksNumeric = /^[0-9.]+$/.test(host);
  const isName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host);
  if (looksNumeric ? isIP(host) !== 4 : !isName) throw bad(host, 'host');
  return { host, port };
}

/** An address after `udp://`, `tcp://` or `tls://`; the slashes may be missing, and without any of them it is UDP. */
function parseCollector(text: string, wrong: Wrong): CollectorAddress {
  const [prefix, transport = 'udp'] = /^(udp|tcp|tls):(?:\/\/)?(?=.*:|\[|\d+$)/.exec(text) ?? ['', 'udp'];
  const { host, port } = parseAddress(text.slice(prefix.length), wrong);
  return { transport: transport as CollectorAddress['transport'], host, port };
}

/** The text that gives back this value; what `--print-config` writes. */
export function optionValueText(value: OptionValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if ('keptSeconds' in value) return value.files > 0 ? `${value.files}` : `${value.keptSeconds}s`;
  if ('bytes' in value) {
    if (value.isByCall) return 'call';
    return [value.bytes > 0 ? `${value.bytes}` : '', value.seconds > 0 ? `${value.seconds}s` : '']
      .filter(Boolean)
      .join(',');
  }
  if ('host' in value) {
    const prefix = 'transport' in value && value.transport !== 'udp' ? `${value.transport}://` : '';
    return `${prefix}${endpointText(value.host, value.port)}`;
  }
  return value.map((range) => (range.from === range.to ? `${range.from}` : `${range.from}-${range.to}`)).join(',');
}
