/**
 * Alerts as lines of text: the fixed form that fail2ban filters read, and one for people and syslog.
 *
 *     2026-11-21T10:00:00.000Z calltap[4711]: SCANNER from=192.0.2.1 method=OPTIONS ua="friendly-scanner"
 *     2026-11-21T10:00:00.000Z calltap[4711]: REG_FLOOD from=2001:db8::1 net=2001:db8::/64 count=51
 *
 * `from=` is the last address that was seen, `net=` the network of IPv6 that is judged as one source. They stand before
 * anything a sender can write, and what a sender wrote is escaped: no line end, no quote and no control character of his
 * reaches a log.
 */

import { asCaptured, type ClockStep, NEVER_SET } from '../../store/clock-steps.ts';
import type { SecurityAlert } from '../alert.ts';

/** Characters of a quoted text in a security line. @cap */
const MAX_SECURITY_TEXT = 200;

/** Untrusted text in double quotes: printable ASCII stays, quotes and backslashes are escaped, the rest is \xHH or \u{H}. */
export function quoted(text: string): string {
  let out = '"';
  let n = 0;
  for (const character of text) {
    if (++n > MAX_SECURITY_TEXT) {
      out += '...';
      break;
    }
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === '\\') out += `\\${character}`;
    else if (code >= 0x20 && code < 0x7f) out += character;
    else out += code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  }
  return `${out}"`;
}

/** Who did it: the address, and of IPv6 the network that is judged. */
function whoText(alert: SecurityAlert): string {
  return alert.net === null ? `from=${alert.source}` : `from=${alert.source} net=${alert.net}`;
}

/** The line for fail2ban without its line end; null for an alert that bans nobody. `pid` is this process. */
export function fail2banLine(
  alert: SecurityAlert,
  pid: number,
  steps: readonly ClockStep[] = NEVER_SET,
): string | null {
  const head = `${new Date(asCaptured(steps, alert.atUs) / 1000).toISOString()} calltap[${pid}]:`;
  if (alert.kind === 'scanner') {
    return `${head} SCANNER ${whoText(alert)} method=${alert.method} ua=${quoted(alert.userAgent)}`;
  }
  return alert.kind === 'reg-flood' ? `${head} REG_FLOOD ${whoText(alert)} count=${alert.evidence.count}` : null;
}

const WORDS = { scanner: 'scanner', 'reg-flood': 'registration flood', fraud: 'fraud' } as const;

/** One line for people: who, what, and the evidence. */
export function alertText(alert: SecurityAlert): string {
  const { evidence } = alert;
  const counts = (map: ReadonlyMap<string | number, number>): string =>
    [...map].map(([name, n]) => `${name === 0 ? 'no answer' : name} x${n}`).join(', ');
  const parts = [`${WORDS[alert.kind]} ${whoText(alert)} behaviour=${alert.behaviour} count=${evidence.count}`];
  const seconds = (evidence.lastUs - evidence.firstUs) / 1e6;
  parts.push(`within ${seconds.toFixed(1)} s`);
  if (evidence.methods.size > 0) parts.push(`methods: ${counts(evidence.methods)}`);
  if (evidence.codes.size > 0) parts.push(`answers: ${counts(evidence.codes)}`);
  if (evidence.targets.length > 0) parts.push(`targets: ${evidence.targets.map(quoted).join(' ')}`);
  if (alert.userAgent !== '') parts.push(`ua=${quoted(alert.userAgent)}`);
  return parts.join('; ');
}
