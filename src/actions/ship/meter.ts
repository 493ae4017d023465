/** The counters of a shipment as losses of the statistics and as metrics. */
import type { MetricFamily } from '../../view/metrics-snapshot.ts';
import { counterFamily, numberFamily } from '../../view/metrics-snapshot.ts';
import { SHIP_LOSSES, SHIP_TABLES } from './counters.ts';
import type { Shipment } from './shipment.ts';

/** Rows that the store does not have, by reason. */
export function shipLosses(shipment: Shipment): (readonly [string, number])[] {
  return SHIP_LOSSES.map((reason) => [reason, shipment.counters.get(reason)] as const);
}

/** Zero where the option is not given: a dashboard needs no exceptions. */
export function shipFamilies(shipment: Shipment | null): MetricFamily[] {
  const counters = shipment?.counters;
  const rows = (what: 'made' | 'stored') =>
    SHIP_TABLES.map((table) => [table, counters?.get(`${what}_${table}`) ?? 0] as const);
  const of = (names: readonly ('found' | 'segments_written' | 'segments_sent' | 'retries')[]) =>
    names.map((name) => [name, counters?.get(name) ?? 0] as const);
  const gauge = (name: string, help: string, value: number): MetricFamily => numberFamily('gauge', name, help, value);
  return [
    counterFamily('calltap_ship_made_total', 'Rows made for the store, by table.', 'table', rows('made')),
    counterFamily('calltap_ship_stored_total', 'Rows that the store has, by table.', 'table', rows('stored')),
    counterFamily(
      'calltap_ship_lost_total',
      'Rows that did not get to the store, by reason.',
      'reason',
      SHIP_LOSSES.map((reason) => [reason, counters?.get(reason) ?? 0] as const),
    ),
    counterFamily(
      'calltap_ship_total',
      'Rows found of earlier runs, segments written and sent, inserts that are tried again.',
      'event',
      of(['found', 'segments_written', 'segments_sent', 'retries']),
    ),
    gauge('calltap_ship_waiting_bytes', 'Bytes of rows that wait in memory.', shipment?.waitingBytes ?? 0),
    gauge('calltap_ship_spool_bytes', 'Bytes of the disk that the spool takes.', shipment?.spoolBytes ?? 0),
    gauge('calltap_ship_oldest_seconds', 'Age of the oldest rows on the disk.', (shipment?.oldestMs ?? 0) / 1_000),
  ];
}
