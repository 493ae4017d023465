/** Small readings of a message that several rules share. */

import { HEADER } from '../../protocols/sip/header-name.ts';
import { paramValue } from '../../protocols/sip/params.ts';
import { withoutSecrets } from '../../protocols/sip/redaction.ts';
import type { LintMessage } from './rule.ts';

export function isNoted(m: LintMessage, note: number): boolean {
  return (m.sip.notes & note) !== 0;
}

/** No header of that id. */
export function lacks(m: LintMessage, id: number): boolean {
  return m.sip.header(id) === undefined;
}

/** Start of a value, as a finding shows it. */
export function shown(text: string): string {
  const said = withoutSecrets(text);
  return said.length > 120 ? `${said.slice(0, 117)}...` : said;
}

/** The refresher of a Session-Expires value (RFC 4028 section 4), or null. */
export function refresherOf(m: LintMessage): string | null {
  return /;\s*refresher\s*=\s*(\w+)/i.exec(m.sip.value(HEADER.SESSION_EXPIRES))?.[1]?.toLowerCase() ?? null;
}

/** Parameter of the top Via, null when absent or without a value. */
export function viaParam(m: LintMessage, name: string): string | null {
  return paramValue(m.topVia?.params ?? [], name) ?? null;
}

/** A response to that method with that status. */
export function isResponse(m: LintMessage, method: string, from: number, to = from): boolean {
  return !m.isRequest && m.method === method && m.status >= from && m.status <= to;
}
