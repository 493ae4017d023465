/**
 * One Via value (RFC 3261 20.42, RFC 3581 for rport, RFC 5118 4.5 for IPv6 in `received`).
 *
 *     SIP "/" 2.0 "/" transport LWS host [ ":" port ] *( ";" param )
 */

import { parseIpv4, parseIpv6 } from '../../core/ip.ts';
import { fail, ok, type Result } from '../../core/result.ts';
import { type Param, paramValue, parseParams } from './params.ts';
import { parseDigits } from './text.ts';
import { type HostPort, parseHostPort } from './uri.ts';

export type ViaReason = 'bad_protocol' | 'no_sent_by' | 'bad_host' | 'bad_port';

/** `token` (RFC 3261 25.1). */
const TOKEN = /^[\w.!%*+`'~-]+$/;

/** Branches made as RFC 3261 17.2.3 wants them start with this. */
export const MAGIC_COOKIE = 'z9hG4bK';

export interface Via extends HostPort {
  /** `SIP/2.0`, blanks removed. */
  readonly protocol: string;
  /** Upper case. */
  readonly transport: string;
  readonly branch: string | null;
  /** Address without brackets. */
  readonly received: string | null;
  /** The response port; 0 when asked for without a value yet, null when absent. */
  readonly rport: number | null;
  readonly params: readonly Param[];
  readonly hasEmptyParam: boolean;
}

/** Reads one unfolded value. */
export function parseVia(text: string): Result<Via, ViaReason> {
  const value = text.trim();
  const first = value.indexOf('/');
  const second = first < 0 ? -1 : value.indexOf('/', first + 1);
  if (second < 0) return fail('bad_protocol');
  const name = value.slice(0, first).trim();
  const version = value.slice(first + 1, second).trim();
  if (!TOKEN.test(name) || !TOKEN.test(version)) return fail('bad_protocol');
  let p = second + 1;
  while (p < value.length && value.charCodeAt(p) <= 0x20) p++;
  const transportStart = p;
  while (p < value.length && value.charCodeAt(p) > 0x20 && value.charAt(p) !== ';') p++;
  const transport = value.slice(transportStart, p);
  if (!TOKEN.test(transport)) return fail('bad_protocol');
  let semicolon = value.indexOf(';', p);
  if (semicolon < 0) semicolon = value.length;
  const sentBy = value.slice(p, semicolon).trim();
  if (sentBy === '') return fail('no_sent_by');
  const hostPort = parseHostPort(sentBy);
  if (!hostPort.ok) return fail(hostPort.reason);
  const list = parseParams(value, semicolon);
  return ok({
    protocol: `${name}/${version}`,
    transport: transport.toUpperCase(),
    ...hostPort.value,
    branch: paramValue(list.params, 'branch') ?? null,
    received: receivedOf(list.params),
    rport: rportOf(list.params),
    params: list.params,
    hasEmptyParam: list.hasEmpty,
  });
}

/** The grammar has IPv6 here without brackets, some senders put them on; receivers take both. */
function receivedOf(params: readonly Param[]): string | null {
  const text = paramValue(params, 'received') ?? null;
  if (text === null) return null;
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return parseIpv4(bare) >= 0 || parseIpv6(bare) !== null ? bare : null;
}

function rportOf(params: readonly Param[]): number | null {
  const text = paramValue(params, 'rport');
  if (text === undefined) return null;
  if (text === null || text === '') return 0;
  const port = parseDigits(text, 65_535);
  return port < 0 ? null : port;
}
