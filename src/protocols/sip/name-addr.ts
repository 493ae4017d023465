/**
 * Values of From, To, Contact, Route and their like (RFC 3261 20.10, 25.1), repaired where RFC 4475 shows senders
 * getting them wrong; every repair is named.
 *
 *     [ display-name ] "<" addr-spec ">" *( ";" param )  |  addr-spec *( ";" param )  |  "*"
 */

import { fail, ok, type Result } from '../../core/result.ts';
import { unquote } from './address.ts';
import { findUnquoted, type Param, paramValue, parseParams } from './params.ts';
import { parseDigits } from './text.ts';
import { parseUri, type SipUri } from './uri.ts';

export type NameAddrReason = 'empty' | 'no_uri';

export type NameAddrFault =
  | 'open_quote'
  | 'open_angle'
  | 'blank_in_angle'
  | 'bad_display_name'
  | 'needs_angle'
  | 'junk_behind_angle'
  | 'empty_parameter'
  | 'bad_uri';

export interface NameAddr {
  /** Quotes and escapes undone; null when none was written. */
  readonly displayName: string | null;
  /** The addr-spec as written, without < >; `*` for the wildcard. */
  readonly uriText: string;
  /** Null for the wildcard and when the text is no URI. */
  readonly uri: SipUri | null;
  /** Header parameters; those inside < > belong to the URI. */
  readonly params: readonly Param[];
  readonly isWildcard: boolean;
  readonly faults: readonly NameAddrFault[];
}

/** Reads one unfolded value. */
export function parseNameAddr(text: string): Result<NameAddr, NameAddrReason> {
  const value = text.trim();
  if (value === '') return fail('empty');
  if (value === '*') {
    return ok({ displayName: null, uriText: '*', uri: null, params: [], isWildcard: true, faults: [] });
  }
  const faults: NameAddrFault[] = [];
  const { at: angle, isOpen } = findUnquoted(value, 0, '<');
  const semicolon = findUnquoted(value, 0, ';').at;
  if (isOpen && angle < value.length) faults.push('open_quote');
  // A `<` after the first `;` is inside a parameter.
  if (angle < value.length && angle < semicolon) return ok(bracketed(value, angle, faults));
  const uriText = value.slice(0, semicolon).trimEnd();
  if (uriText === '') return fail('no_uri');
  // Without < > a comma, a question mark or a semicolon would end the address (RFC 3261 20.10).
  if (uriText.includes('?') || uriText.includes(',')) faults.push('needs_angle');
  return ok(finish(null, uriText, value, semicolon, faults));
}

/** The addr-spec of one unfolded value as parseNameAddr() finds it, without reading it; '' where it has none. */
export function uriTextOf(text: string): string {
  const value = text.trim();
  const isPlain = !value.includes('"');
  const angle = isPlain ? value.indexOf('<') : findUnquoted(value, 0, '<').at;
  const semicolon = isPlain ? value.indexOf(';') : findUnquoted(value, 0, ';').at;
  const end = semicolon < 0 ? value.length : semicolon;
  if (angle < 0 || angle >= end) return value.slice(0, end).trimEnd();
  const close = value.indexOf('>', angle);
  return value.slice(angle + 1, close < 0 ? value.length : close).trim();
}

function bracketed(value: string, angle: number, faults: NameAddrFault[]): NameAddr {
  let close = value.indexOf('>', angle);
  if (close < 0) {
    faults.push('open_angle');
    close = value.length;
  }
  const inside = value.slice(angle + 1, close);
  const uriText = inside.trim();
  if (uriText !== inside) faults.push('blank_in_angle');
  const written = value.slice(0, angle).trim();
  if (!isDisplayName(written)) faults.push('bad_display_name');
  let semicolon = value.indexOf(';', close);
  if (semicolon < 0) semicolon = value.length;
  if (value.slice(close + 1, semicolon).trim() !== '') faults.push('junk_behind_angle');
  return finish(written === '' ? null : unquote(written), uriText, value, semicolon, faults);
}

function finish(
  displayName: string | null,
  uriText: string,
  value: string,
  semicolon: number,
  faults: NameAddrFault[],
): NameAddr {
  const list = parseParams(value, semicolon);
  if (list.hasEmpty) faults.push('empty_parameter');
  if (list.hasOpenQuote && !faults.includes('open_quote')) faults.push('open_quote');
  const uri = parseUri(uriText);
  if (!uri.ok) faults.push('bad_uri');
  return { displayName, uriText, uri: uri.ok ? uri.value : null, params: list.params, isWildcard: false, faults };
}

/** Tokens and blanks (RFC 3261 25.1), and whatever is not ASCII. */
const TOKENS = /^[\w.!%*+`'~\t \P{ASCII}-]*$/u;

/** Empty, one quoted string, or tokens with blanks between them; UTF-8 without quotes is let pass. */
function isDisplayName(text: string): boolean {
  if (text.startsWith('"')) return findUnquoted(text, 0, '\0').isOpen || text.endsWith('"');
  return TOKENS.test(text);
}

/** The `tag` of a From or To value: null when absent. */
export function tagOf(address: NameAddr): string | null {
  return paramValue(address.params, 'tag') ?? null;
}

/** The `expires` parameter of one value in seconds, -1 when absent or no number; 2^31-1 at most. */
export function expiresOf(text: string): number {
  const address = parseNameAddr(text);
  const value = address.ok ? paramValue(address.value.params, 'expires') : null;
  return Math.min(parseDigits(value ?? '', Number.POSITIVE_INFINITY), 0x7fffffff);
}
