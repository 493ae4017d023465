/** Shipments as tests make them: with short times, and with their sum checked at the end. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { callRows } from '../../../../src/actions/ship/call-lines.ts';
import { readCall, writeCall } from '../../../../src/actions/ship/call-record.ts';
import type { CallShipperOptions } from '../../../../src/actions/ship/call-shipper.ts';
import { rowsLost, rowsMade, rowsStored } from '../../../../src/actions/ship/counters.ts';
import type { Shipper } from '../../../../src/actions/ship/key.ts';
import type { LineMaker } from '../../../../src/actions/ship/message-lines.ts';
import { messageLine } from '../../../../src/actions/ship/message-lines.ts';
import { RecordedMessage, writeMessage } from '../../../../src/actions/ship/message-record.ts';
import type { RowTable } from '../../../../src/actions/ship/row-lines.ts';
import type { ShipOptions } from '../../../../src/actions/ship/shipment.ts';
import { Shipment } from '../../../../src/actions/ship/shipment.ts';
import { RecordReader, RecordWriter, recordMemory } from '../../../../src/core/record.ts';
import { storePlace } from '../../../helpers/fake-store.ts';

export const BOOT = '0123456789abcdef';
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
    thread: { maker: { host: 'sbc1', boot: BOOT, hasBodies: false } },
    mayWrite: () => true,
    onTrouble: (reason) => said.push(reason),
    ...more,
    times: { segmentMs: 20, firstRetryMs: 5, lastRetryMs: 20, answerMs: ANSWER_MS, ...more.times },
  });
  shipment.open();
  t?.after(() => shipment.close());
  return { shipment, said };
}

/** Gives what the thread would make of each message to `take`, at once. */
export function messagesTo(maker: LineMaker, take: (line: string) => void): CallShipperOptions['addMessage'] {
  return (key, log, row, bytes) => {
    const memory = recordMemory(new ArrayBuffer(MIB));
    writeMessage(new RecordWriter(memory, 0, MIB), key, log, row, bytes);
    take(messageLine(new RecordedMessage(new RecordReader(memory, 0)), maker));
  };
}

/** The same of calls. */
export function callsTo(maker: Shipper, take: (table: RowTable, line: string) => void): CallShipperOptions['addCall'] {
  return (call) => {
    const memory = recordMemory(new ArrayBuffer(MIB));
    const writer = new RecordWriter(memory, 0, MIB);
    writeCall(writer, call);
    assert.ok(!writer.isFull);
    const reader = new RecordReader(memory, 0);
    const read = readCall(reader);
    assert.deepEqual([read, reader.at], [call, writer.at]);
    for (const { table, line } of callRows(read, maker)) take(table, line);
  };
}

/** What was made, or found, is stored, lost for a reason, or waits. */
export function assertBalanced({ counters, waitingRows }: Shipment): void {
  const came = rowsMade(counters) + counters.get('found');
  const went = rowsStored(counters) + rowsLost(counters);
  assert.equal(came, went + waitingRows, `${came} came, ${went} went, ${waitingRows} wait`);
}
