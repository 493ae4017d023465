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
  const lastMs = new Date(Date.parse(minuteAt) + MINUTE_MS - 1).toISOString();
  return `${calls} since:${minuteAt} until:${lastMs.replace('Z', '999Z')}`;
}
