/**
 * A process that ships numbered rows until it is killed, and says each 50 ms how far it is and how late its machine lets it be.
 *
 *     node ship-child.js FOLDER PORT BOOT FIRST_KEY
 *     <ms since 1970> <keys that were added> <ms>        one a line
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { SHIP_TABLES } from '../../src/actions/ship/counters.ts';
import { Shipment } from '../../src/actions/ship/shipment.ts';
import { rowText, storePlace } from '../helpers/fake-store.ts';

const [folder = '', port = '', boot = '', first = ''] = process.argv.slice(2);
const STEP_MS = 50;
const ROWS_A_STEP = 60;

const shipment = new Shipment({
  place: storePlace(`http://127.0.0.1:${port}`),
  ...{ user: null, password: null, ca: null, folder, boot },
  mostBytes: 1024 ** 3,
  mayWrite: () => true,
  onTrouble: () => undefined,
  times: { firstRetryMs: 50, lastRetryMs: 200, answerMs: 1_000 },
});
shipment.open();
shipment.start();

/** The longest that its timer came late, and that the disk took for a few bytes. */
let lateMs = 0;
let diskMs = 0;
const probe = await open(join(folder, 'probe'), 'w', 0o600);
async function askDisk(): Promise<void> {
  const before = performance.now();
  await probe.write('x');
  await probe.sync();
  diskMs = Math.max(diskMs, performance.now() - before);
}

let key = Number(first);
let last = performance.now();
let turns = 0;
setInterval(() => {
  const now = performance.now();
  lateMs = Math.max(lateMs, now - last - STEP_MS);
  last = now;
  for (const end = key + ROWS_A_STEP; key < end; key++)
    shipment.add(SHIP_TABLES[key % SHIP_TABLES.length] ?? 'calls', rowText(key, 1, 600));
  process.stdout.write(`${Date.now()} ${key - Number(first)} ${Math.ceil(lateMs + diskMs)}\n`);
  if (turns++ % 10 === 0) void askDisk();
}, STEP_MS);
