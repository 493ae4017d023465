/** What is counted of the rows that an agent ships, by table and by what became of them. */
import { Counters } from '../../core/counters.ts';

/** In the order in which they are dropped where there is no room. */
export const SHIP_TABLES = ['messages', 'ids', 'streams', 'minute', 'calls', 'agents'] as const;
export type ShipTable = (typeof SHIP_TABLES)[number];

/** Rows that the store does not have. Each row is counted once. */
export const SHIP_LOSSES = [
  /** The persistence gate was closed. */
  'gate_closed',
  /** Too much waited for the disk. */
  'memory_full',
  /** Longer than a segment. */
  'too_long',
  /** Dropped from the spool, when it was full. */
  'spool_full',
  /** The disk refused them, or lost them. */
  'spool_errors',
  /** The store refused the insert; the segment is kept aside. */
  'refused',
  /** Came after the end. */
  'unsent_at_end',
] as const;

/** Rows. */
const BY_TABLE = SHIP_TABLES.flatMap((table) => [`made_${table}`, `stored_${table}`] as const);

export const SHIP_COUNTERS = [
  ...BY_TABLE,
  /** Rows in segments that earlier runs left. */
  'found',
  ...SHIP_LOSSES,
  /** Segments that got to the disk, and from there to the store. */
  'segments_written',
  'segments_sent',
  /** Inserts that will be tried again. */
  'retries',
] as const;
export type ShipLoss = (typeof SHIP_LOSSES)[number];
export type ShipCounter = (typeof SHIP_COUNTERS)[number];
export type ShipCounters = Counters<ShipCounter>;

export function shipCounters(): ShipCounters {
  return new Counters<ShipCounter>(SHIP_COUNTERS);
}

/** Rows of all tables that were made in this run. */
export function rowsMade(counters: ShipCounters): number {
  return SHIP_TABLES.reduce((sum, table) => sum + counters.get(`made_${table}`), 0);
}

/** Rows of all tables that the store says it has, those of earlier runs included. */
export function rowsStored(counters: ShipCounters): number {
  return SHIP_TABLES.reduce((sum, table) => sum + counters.get(`stored_${table}`), 0);
}

/** Rows that the store does not have, for all reasons. */
export function rowsLost(counters: ShipCounters): number {
  return SHIP_LOSSES.reduce((sum, reason) => sum + counters.get(reason), 0);
}
