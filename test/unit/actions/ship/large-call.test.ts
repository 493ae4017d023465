/** Calls as large as a sender can make them are told of in steps: the capture goes on between two of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { CallShipper } from '../../../../src/actions/ship/call-shipper.ts';
import { Turns } from '../../../../src/core/turns.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { largeDialog } from '../../../helpers/large-dialog.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';
import { callShipper } from './lab.ts';

const MESSAGES = 400;

type Row = { readonly message: number; readonly text: string };

type Kit = { readonly shipper: CallShipper; readonly d: Dialog; readonly rows: Row[]; readonly calls: string[] };

/** The call was seen, and its rows are due. Each look at the clock takes a millisecond, so that a slice has two steps. */
async function kit(t: TestContext): Promise<Kit> {
  const path = join(temporaryFolder(t), 'large.pcap');
  writeFileSync(path, largeDialog(MESSAGES, 2_000).pcap());
  const session = openSession(['-I', path, '--json']);
  t.after(() => session.close());
  await session.read([path], () => undefined);
  const d = session.dialogs.get('large') ?? assert.fail('no call');
  assert.equal(d.keptCount, MESSAGES);
  const [rows, calls]: [Row[], string[]] = [[], []];
  let nowMs = 0;
  const take = (table: string, row: object): void => {
    if (table === 'messages') rows.push(row as Row);
    if (table === 'calls') calls.push(JSON.stringify(row));
  };
  const shipper = callShipper(() => session.evidence, take, { turns: new Turns(() => ++nowMs) });
  const sec = Math.ceil(session.evidence.capture.nowUs / 1e6);
  shipper.onTick(sec * 1e6);
  await shipper.settled();
  shipper.onMessage(Buffer.alloc(0), 0, 0, {} as never, {} as never, d);
  shipper.onTick((sec + 2) * 1e6);
  return { shipper, d, rows, calls };
}

const all = Array.from({ length: MESSAGES }, (_, i) => i);

test('a large call takes many turns, and has all its rows once', async (t) => {
  const { shipper, rows, calls } = await kit(t);
  let turns = 0;
  let isSettled = false;
  const settled = shipper.settled().then(() => {
    isSettled = true;
  });
  for (; !isSettled; turns++) await new Promise(setImmediate);
  await settled;
  assert.ok(turns > MESSAGES / 4, `${turns} turns`);
  assert.deepEqual(
    rows.map(({ message }) => message),
    all,
  );
  assert.ok(rows.every(({ text }) => text.endsWith('\r\n\r\n')));
  assert.equal(calls.length, 1);
});

test('a large call that leaves the memory between two steps is told of whole', async (t) => {
  const { shipper, d, rows, calls } = await kit(t);
  while (rows.length === 0) await new Promise(setImmediate);
  assert.ok(rows.length < MESSAGES);
  assert.equal(calls.length, 0);
  shipper.onDialogGone(d);
  await shipper.settled();
  assert.deepEqual(
    [...new Set(rows.map(({ message }) => message))].sort((a, b) => a - b),
    all,
  );
  assert.equal(calls.length, 1);
  assert.equal(shipper.counters.get('calls_skipped'), 0);
});
