/** What is counted of the indexes beside the files of -O. */

/** Calls that have no row, and rows without their document, by reason. */
export const HISTORY_LOSSES = [
  /** The persistence gate was closed. */
  'gate_closed',
  /** Too much waited for the disk. */
  'waiting_full',
  /** The disk refused them, or the thread that writes them ended. */
  'disk_errors',
  /** Beyond 8 % of the bytes that were captured. */
  'over_share',
  /** Rows without their document, for which that leaves no room. */
  'documents_over_share',
] as const;
export type HistoryLoss = (typeof HISTORY_LOSSES)[number];

export const HISTORY_EVENTS = ['rows', 'documents', 'files', 'recovered'] as const;
export type HistoryEvent = (typeof HISTORY_EVENTS)[number];

export type HistoryCounts = Record<HistoryLoss | HistoryEvent | 'bytes', number>;

export function noCounts(): HistoryCounts {
  return {
    ...{ gate_closed: 0, waiting_full: 0, disk_errors: 0, over_share: 0, documents_over_share: 0 },
    ...{ rows: 0, documents: 0, files: 0, recovered: 0, bytes: 0 },
  };
}
