/** The rows of a minute of many trunks are made in slices: the loop is not held for all of them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Shipping } from '../../../../src/actions/ship/shipping.ts';
import { MAX_TRUNK_ROWS } from '../../../../src/watch/trunks/trunk-store.ts';
import { openSession } from '../../../helpers/open-session.ts';
import { freePort, untilHolds } from '../../../helpers/patience.ts';
import { temporaryFolder } from '../../../helpers/read-capture.ts';

const MINUTE = 29_000_000;
const PATIENT_MS = 60_000;

function minutesMade(shipping: Shipping): number {
  const family = Shipping.families(shipping).find(({ name }) => name === 'calltap_ship_made_total');
  return Number(family?.samples.find(({ labels: [table] }) => table === 'minute')?.value ?? assert.fail());
}

test('a minute of as many trunks as there may be is not told of in one turn', async (t) => {
  const spool = join(temporaryFolder(t), 'ship');
  const place = `http://127.0.0.1:${await freePort()}/calltap`;
  const session = openSession(['-I', 'fixtures/demo/demo.pcap', '--ship', place, '--ship-spool', spool]);
  t.after(() => session.close());
  const shipping = session.outputs.shipping ?? assert.fail('no --ship');
  const trunks = session.figures.trunks?.store ?? assert.fail('no trunks');
  for (let i = trunks.size; i < MAX_TRUNK_ROWS - 2; i++)
    trunks.row(`10.0.${i >> 8}.${i & 255}`, 'out', false).spans.add(MINUTE, (f) => {
      for (let ms = 20; ms < 20_000; ms *= 1.1) f.notePdd(ms);
    });
  shipping.open();
  t.after(() => shipping.close());
  await untilHolds(() => minutesMade(shipping) > 0);
  const atOnce = minutesMade(shipping);
  assert.ok(atOnce > 0 && atOnce < MAX_TRUNK_ROWS / 2, `${atOnce} rows in the first turn`);
  await shipping.finish(PATIENT_MS);
  assert.equal(minutesMade(shipping), MAX_TRUNK_ROWS - 2);
});
