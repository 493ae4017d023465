/** How values are written: texts of the wire made visible, times, lengths, numbers with their units. */
import { safeText } from '../../core/terminal-text.ts';

/** Longest text of the wire in a cell or label; the message itself shows all. */
const SHORT = 200;

/** Text of the wire on one line. What steers, or turns the direction of text, becomes a dot. */
export function shown(text: string): string {
  return safeText(text.length > SHORT ? `${text.slice(0, SHORT - 1)}\u2026` : text);
}

/** Lines of the wire: each is shown whole. */
export function shownLine(text: string): string {
  return safeText(text);
}

const pad = (n: number, width = 2): string => String(n).padStart(width, '0');

let isUtc = localStorage.getItem('calltap-zone') === 'utc';

export function usesUtc(): boolean {
  return isUtc;
}

/** Times are shown in UTC, or as this computer's clock. */
export function useUtc(is: boolean): void {
  isUtc = is;
  localStorage.setItem('calltap-zone', is ? 'utc' : 'local');
}

/** Hours to microseconds of an RFC 3339 time; what is behind milliseconds is read from the text. */
export function clock(at: string, digits: 0 | 3 | 6 = 3): string {
  const d = new Date(at);
  if (Number.isNaN(d.getTime())) return '';
  const [h, m, s] = isUtc
    ? [d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds()]
    : [d.getHours(), d.getMinutes(), d.getSeconds()];
  const fraction = (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(6, '0').slice(0, digits);
  return `${pad(h)}:${pad(m)}:${pad(s)}${digits === 0 ? '' : `.${fraction}`}`;
}

/** The day of a time. */
export function day(at: string): string {
  const d = new Date(at);
  if (Number.isNaN(d.getTime())) return '';
  return isUtc
    ? `${d.getUTCFullYear()}-${pad(d.getUTCMonth() + 1)}-${pad(d.getUTCDate())}`
    : `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

/** Day and time of day, to the second. */
export function moment(at: string): string {
  return `${day(at)} ${clock(at, 0)}`;
}

/** Seconds of the epoch, to the microsecond. */
export function secondsOf(at: string): number {
  const whole = Math.floor(Date.parse(at) / 1000);
  return whole + Number(`0.${/\.(\d+)/.exec(at)?.[1] ?? '0'}`);
}

/** `1:02:03`, `2:05` or `0.65 s`. */
export function span(sec: number): string {
  if (sec < 60) return `${sec < 10 ? sec.toFixed(2) : sec.toFixed(1)} s`;
  const whole = Math.round(sec);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** Milliseconds, as seconds where they are many. */
export function delay(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '';
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function fixed(n: number | undefined, digits: number): string {
  return n === undefined ? '' : n.toFixed(digits);
}

/** `1 call`, `2 calls`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/** What a state means at a glance: a sign, which does not need its colour. */
const SIGNS: Readonly<Record<string, readonly [sign: string, tone: string]>> = {
  Trying: ['\u2026', 'busy'],
  Ringing: ['\u2026', 'busy'],
  InCall: ['\u25b6', 'live'],
  Active: ['\u25b6', 'live'],
  Transferring: ['\u21aa', 'live'],
  Completed: ['\u2713', 'good'],
  Registered: ['\u2713', 'good'],
  up: ['\u2713', 'good'],
  down: ['\u2715', 'bad'],
  refusing: ['\u2298', 'bad'],
  Failed: ['\u2715', 'bad'],
  Canceled: ['\u2298', 'warn'],
  Redirected: ['\u21aa', 'warn'],
};

export function signOf(state: string): readonly [sign: string, tone: string] {
  return SIGNS[state] ?? ['\u00b7', 'plain'];
}
