/** What all rows of a call are known by. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { timestampText } from '../../core/timestamp.ts';

/** Whose rows they are: the host, and the run of the agent on it. */
export type Shipper = { readonly host: string; readonly boot: string };

/** This run, which began at a time, under a name or that of the host. Boots sort by time, and no two are alike. */
export function shipperOf(name: string | null, startedMs: number): Shipper {
  const boot = `${startedMs.toString(16).padStart(12, '0')}${randomBytes(4).toString('hex')}`;
  return { host: name ?? hostname(), boot };
}

/**
 * Begins the lines of rows with this key. `hour`: as the store reads it. `number` counts dialogs of the boot from 1; `version`
 * grows with each row of the boot, and the greatest one holds.
 */
export function lineHead({ host, boot }: Shipper, hour: string, number: number, version: number): string {
  return `{"host":${JSON.stringify(host)},"boot":"${boot}","hour":"${hour}","number":${number},"version":${version},`;
}

/** The same, by a time in the hour. */
export function lineHeads(shipper: Shipper, number: number, version: number): (us: number) => string {
  return (us) => lineHead(shipper, hourText(us), number, version);
}

const HOUR_US = 3_600e6;
/** Seconds that ClickHouse's DateTime can hold: 1970 to 2106. */
const LAST_US = 4_294_967_295e6;

/** The hour that was asked for last, and its text: calls of one hour come together, and share it. */
let lastHour = Number.NaN;
let lastText = '';

/** When the hour of a time begins. */
export function hourOf(us: number): number {
  return Math.floor(us / HOUR_US) * HOUR_US;
}

/** The hour of a time, as the store reads it. */
export function hourText(us: number): string {
  const hour = hourOf(us);
  if (hour === lastHour) return lastText;
  lastHour = hour;
  lastText = dateTimeText(hour);
  return lastText;
}

/** A time as the store's DateTime, which has no parts of a second; what it cannot hold is the nearest that it can. */
export function dateTimeText(us: number): string {
  return `${microsText(us).slice(0, 19)}Z`;
}

/** The same with microseconds, as the store's DateTime64; the epoch where it is NaN. */
export function microsText(us: number): string {
  return timestampText(Math.min(Math.max(us, 0), LAST_US) || 0);
}

/** What a column without a sign takes: anything else refuses all that is sent with it. */
export function whole(n: number): number {
  return Math.max(0, Math.round(n)) || 0;
}

const DAY_US = 86_400e6;
/** Of live captures: whoever forges times would make a part of the store for each day that he names. */
const OLDEST_US = 400 * DAY_US;
const NEWEST_US = 2 * DAY_US;

/** Whether a time may be shipped now; always where `nowUs` is NaN, as in files. */
export function isInTime(us: number, nowUs: number): boolean {
  return !(us < nowUs - OLDEST_US || us > nowUs + NEWEST_US);
}
