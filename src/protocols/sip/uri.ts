/**
 * URIs of SIP messages (RFC 3261 19.1, RFC 3966 for tel, RFC 5118 for IPv6). Unknown schemes keep their text.
 *
 *     sip:user:password@host:port;uri-parameters?headers
 */

import { parseIpv6 } from '../../core/ip.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { type Param, parseParams } from './params.ts';
import { parseDigits, percentDecode } from './text.ts';
import { MAX_VALUES } from './values.ts';

export type UriReason = 'no_scheme' | 'empty' | 'bad_host' | 'bad_port' | 'blank_in_uri';

export interface UriHeader {
  readonly name: string;
  readonly value: string;
}

export interface SipUri {
  /** The URI as written. */
  readonly text: string;
  /** Lower-case scheme. */
  readonly scheme: string;
  /** As written, escapes kept; null without one. For tel: the number. */
  readonly user: string | null;
  /** For display: escapes undone but for control characters. */
  readonly userDecoded: string | null;
  readonly password: string | null;
  /** Lower-case name or address, IPv6 without brackets; '' for schemes without a host. */
  readonly host: string;
  readonly isIpv6: boolean;
  readonly port: number | null;
  readonly params: readonly Param[];
  readonly headers: readonly UriHeader[];
}

/** Host and port of a `sent-by` or URI, IPv6 in brackets. */
export interface HostPort {
  readonly host: string;
  readonly isIpv6: boolean;
  readonly port: number | null;
}

/** Reads `host [":" port]`; blanks around the colon are allowed, as Via has them (RFC 4475 3.1.1.1). */
export function parseHostPort(text: string): Result<HostPort, 'bad_host' | 'bad_port'> {
  let host = text.trim();
  let portText: string | null = null;
  const isIpv6 = host.startsWith('[');
  if (isIpv6) {
    const close = host.indexOf(']');
    if (close < 0) return fail('bad_host');
    const rest = host.slice(close + 1).trim();
    host = host.slice(1, close);
    if (rest !== '' && !rest.startsWith(':')) return fail('bad_host');
    if (rest !== '') portText = rest.slice(1).trim();
    // An old grammar produced three colons; receivers take them as two (RFC 5118 4.10).
    host = host.replace(':::', '::');
    if (parseIpv6(host) === null) return fail('bad_host');
  } else {
    const colon = host.indexOf(':');
    if (colon >= 0) {
      portText = host.slice(colon + 1).trim();
      host = host.slice(0, colon).trimEnd();
      // A second colon is an IPv6 address without its brackets (RFC 5118 4.2).
      if (portText.includes(':')) return fail('bad_host');
    }
    if (!HOST_NAME.test(host)) return fail('bad_host');
  }
  let port: number | null = null;
  if (portText !== null) {
    port = parseDigits(portText, 65_535);
    if (port < 0) return fail('bad_port');
  }
  return ok({ host: host.toLowerCase(), isIpv6, port });
}

/** Letters, digits, `-`, `.`; `_` is outside the grammar and all over the field. */
const HOST_NAME = /^[\w.-]{1,255}$/;
const SCHEME = /^[a-z][a-z\d+.-]{0,63}(?=:)/i;

/** Reads a URI without < >. */
export function parseUri(text: string): Result<SipUri, UriReason> {
  if (text === '') return fail('empty');
  const scheme = SCHEME.exec(text)?.[0].toLowerCase();
  if (scheme === undefined) return fail('no_scheme');
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) <= 0x20) return fail('blank_in_uri');
  const rest = text.slice(scheme.length + 1);
  if (scheme === 'sip' || scheme === 'sips') return parseSipUri(text, scheme, rest);
  if (scheme !== 'tel') return ok(hostless(text, scheme, null, []));
  const semicolon = rest.indexOf(';');
  const number = semicolon < 0 ? rest : rest.slice(0, semicolon);
  if (number === '') return fail('empty');
  const params = semicolon < 0 ? [] : parseParams(rest, semicolon).params;
  return ok(hostless(text, scheme, number, params));
}

function hostless(text: string, scheme: string, user: string | null, params: SipUri['params']): SipUri {
  const userDecoded = user === null ? null : percentDecode(user);
  return { text, scheme, user, userDecoded, password: null, host: '', isIpv6: false, port: null, params, headers: [] };
}

function parseSipUri(text: string, scheme: string, rest: string): Result<SipUri, UriReason> {
  // No part after the user may hold an @, so the last one ends the user; `;` and `?` in front of it are its own.
  const at = rest.lastIndexOf('@');
  let user: string | null = null;
  let password: string | null = null;
  if (at >= 0) {
    user = rest.slice(0, at);
    const colon = user.indexOf(':');
    if (colon >= 0) {
      password = user.slice(colon + 1);
      user = user.slice(0, colon);
    }
    if (user === '') return fail('empty');
  }
  let tail = rest.slice(at + 1);
  let headers: UriHeader[] = [];
  const question = tail.indexOf('?');
  if (question >= 0) {
    headers = parseUriHeaders(tail.slice(question + 1));
    tail = tail.slice(0, question);
  }
  const semicolon = tail.indexOf(';');
  const hostPort = parseHostPort(semicolon < 0 ? tail : tail.slice(0, semicolon));
  if (!hostPort.ok) return fail(hostPort.reason);
  const params = semicolon < 0 ? [] : parseParams(tail, semicolon).params;
  const userDecoded = user === null ? null : percentDecode(user);
  return ok({ text, scheme, user, userDecoded, password, ...hostPort.value, params, headers });
}

/** `name=value&name=value` after the question mark, escapes kept. */
function parseUriHeaders(text: string): UriHeader[] {
  const headers: UriHeader[] = [];
  for (const piece of text.split('&', MAX_VALUES)) {
    const equals = piece.indexOf('=');
    if (equals < 0) headers.push({ name: piece, value: '' });
    else headers.push({ name: piece.slice(0, equals), value: piece.slice(equals + 1) });
  }
  return headers;
}
