/** Shipments as tests make them: with short times, and with their sum checked at the end. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { CallShipperOptions } from '../../../../src/actions/ship/call-shipper.ts';
import { CallShipper } from '../../../../src/actions/ship/call-shipper.ts';
import { rowsLost, rowsMade, rowsStored } from '../../../../src/actions/ship/counters.ts';
import type { StoreRows } from '../../../../src/actions/ship/part-lines.ts';
import type { ShipOptions } from '../../../../src/actions/ship/shipment.ts';
import { Shipment } from '../../../../src/actions/ship/shipment.ts';
import { Turns } from '../../../../src/core/turns.ts';
import { storePlace } from '../../../helpers/fake-store.ts';

export const BOOT = '0123456789abcdef';
export const SHIPPER = { host: 'sbc1', boot: BOOT };
const MIB = 1024 * 1024;
/** A store that does not answer is left after so long: a machine that does other things is late. */
const ANSWER_MS = 60_000;

export type Lab = { readonly shipment: Shipment; readonly said: (string | null)[] };

/** Opened, not started. `port` is that of the store. */
export function shipmentTo(t: TestContext | null, port: number, folder: string, more: Partial<ShipOptions> = {}): Lab {
  const said: (string | null)[] = [];
  const shipment = new Shipment({
    place: storePlace(`http://127.0.0.1:${port}`),
    ...{ user: null, password: null, ca: null },
    ...{ folder, mostBytes: 64 * MIB, boot: BOOT },
    mayWrite: () => true,
    onTrouble: (reason) => said.push(reason),
    ...more,
    times: { segmentMs: 20, firstRetryMs: 5, lastRetryMs: 20, answerMs: ANSWER_MS, ...more.times },
  });
  shipment.open();
  t?.after(() => shipment.close());
  return { shipment, said };
}

/** Tells of the calls of a capture; `take` gets each row as an object, at once. */
export function callShipper(
  evidence: CallShipperOptions['evidence'],
  take: (table: string, row: object) => void,
  { parts = 'headers', ...more }: Partial<CallShipperOptions> & Partial<Pick<StoreRows, 'parts'>> = {},
): CallShipper {
  let version = 0;
  return new CallShipper({
    evidence,
    shipper: SHIPPER,
    nextVersion: () => ++version,
    store: {
      ...{ parts, sendsUprobe: false },
      add: (table, line) => take(table, JSON.parse(line) as object),
    },
    room: () => Promise.resolve(),
    history: null,
    turns: new Turns(() => performance.now()),
    ...more,
  });
}

/** What was made, or found, is stored, lost for a reason, or waits. */
export function assertBalanced({ counters, waitingRows }: Shipment): void {
  const came = rowsMade(counters) + counters.get('found');
  const went = rowsStored(counters) + rowsLost(counters);
  assert.equal(came, went + waitingRows, `${came} came, ${went} went, ${waitingRows} wait`);
}
