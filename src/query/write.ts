/** Writes parts of filters that a program makes; it needs nothing, so that a browser has it too. */

/** What may stand in a term without quotes. */
const IN_TERM = /^(?:[^\s,()"*~|'/%<>=][^\s,()"*|%]*|[\d.]+%)$/;
const MINUTE_MS = 60_000;

/** A value of a term that is to be taken as it is. */
export function valueText(text: string): string {
  return IN_TERM.test(text) ? text : quoted(text);
}

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The calls of a trunk; where it is given, those that began in the minute from `minuteAt` (RFC 3339) on. */
export function trunkFilter(trunk: string, minuteAt?: string): string {
  const calls = `trunk=${valueText(trunk)}`;
  if (minuteAt === undefined) return calls;
  return `${calls} ${begunBetween(minuteAt, new Date(Date.parse(minuteAt) + MINUTE_MS).toISOString())}`;
}

/** What began from one time (RFC 3339) on and before another: `until` takes in its own microsecond. */
export function begunBetween(from: string, to: string): string {
  const micros = Number(/\.\d{3}(\d{3})Z$/.exec(to)?.[1] ?? 0);
  const last = new Date(Date.parse(to) - (micros === 0 ? 1 : 0)).toISOString();
  return `since:${from} until:${last.replace('Z', `${String(micros === 0 ? 999 : micros - 1).padStart(3, '0')}Z`)}`;
}
