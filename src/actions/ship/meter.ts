/** The counters of a shipment as losses of the statistics and as metrics. */
import type { MetricFamily } from '../../view/metrics/family.ts';
import { countsOf, numberOf } from '../../view/metrics/family.ts';
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
  return [
    countsOf('calltap_ship_made_total', rows('made')),
    countsOf('calltap_ship_stored_total', rows('stored')),
    countsOf(
      'calltap_ship_lost_total',
      SHIP_LOSSES.map((reason) => [reason, counters?.get(reason) ?? 0] as const),
    ),
    countsOf('calltap_ship_total', of(['found', 'segments_written', 'segments_sent', 'retries'])),
    numberOf('calltap_ship_waiting_bytes', shipment?.waitingBytes ?? 0),
    numberOf('calltap_ship_spool_bytes', shipment?.spoolBytes ?? 0),
    numberOf('calltap_ship_oldest_seconds', (shipment?.oldestMs ?? 0) / 1_000),
  ];
}
