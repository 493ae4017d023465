/** The Reason header: why a request was sent, or why a response was given (RFC 3326). */

import { paramValue, parseParams } from './params.ts';
import { CUT } from './text.ts';
import { splitValues } from './values.ts';

export type Reason = {
  /** As written: `SIP`, `Q.850`. */
  readonly protocol: string;
  readonly code: number | null;
  readonly text: string | null;
};

/** Every reason of a header's value; what is none is left out. */
export function parseReasons(value: string): Reason[] {
  return splitValues(value).values.flatMap((one) => parseReason(one) ?? []);
}

/** `protocol *(SEMI reason-params)`. The RFC defines the parameters `cause` and `text`. */
function parseReason(value: string): Reason | null {
  const semicolon = value.indexOf(';');
  const protocol = (semicolon < 0 ? value : value.slice(0, semicolon)).trim();
  if (!/^[!#-'*+.0-9A-Z^-z|~-]{1,64}$/.test(protocol)) return null;
  const params = semicolon < 0 ? [] : parseParams(value, semicolon).params;
  const code = /^\d{1,9}$/.exec(paramValue(params, 'cause') ?? '')?.[0];
  const text = paramValue(params, 'text') ?? '';
  return { protocol, code: code === undefined ? null : Number(code), text: text === '' ? null : text };
}

/** Characters of its text that people read. @cap */
const MAX_TEXT_CHARS = 256;

/** As people read it: `Q.850 41 "Temporary failure"`. */
export function reasonText({ protocol, code, text }: Reason): string {
  const said = code === null ? protocol : `${protocol} ${code}`;
  if (text === null || text === '') return said;
  return `${said} "${text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) + CUT : text}"`;
}

/** Q.850: non-selected user clearing. */
const NOT_SELECTED = 26;

/** Another phone took the call. */
export function isElsewhere({ protocol, code, text }: Reason): boolean {
  if (/\belsewhere\b/i.test(text ?? '')) return true;
  if (protocol.toUpperCase() === 'Q.850') return code === NOT_SELECTED;
  return protocol.toUpperCase() === 'SIP' && code !== null && code >= 200 && code < 300;
}
