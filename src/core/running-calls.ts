/** Lets the clock of calls that talk run in a list, between two times at which it is read. */
import type { Call } from './call-fields.ts';

/** The rows after so many seconds more; null where no clock runs. A hub shows a call as its agent shipped it last. */
export function ticked(rows: readonly Call[], sec: number): Call[] | null {
  if (!(sec > 0) || !rows.some(runs)) return null;
  return rows.map((row) => (runs(row) ? { ...row, duration_sec: row.duration_sec + sec } : row));
}

export function runs({ state, method, host }: Call): boolean {
  return host === undefined && (state === 'InCall' || (state === 'Transferring' && method === 'INVITE'));
}
