// A lab of many hosts on this machine: three proxies on three hosts, an agent beside each, a store, and a hub that answers for
// all. Calls go on until Ctrl-C, which removes everything. It needs root, kamailio, sipp, nft, and chdb (npm run store).
//
//   npm run hub-lab [-- HOST:PORT]     where the hub answers, 127.0.0.1:8090 without
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const from = (path) => import(pathToFileURL(join(root, 'dist/test', path)).href);
const { missing } = await from('live/lab.js');
const { skipWithoutStore, startMigratedStore } = await from('helpers/store.js');
const { HubLab } = await from('store/hub-lab.js');
const { AT, LOSSY_OFFICE, PROXIES } = await from('store/proxy-chain.js');

const why = missing('kamailio', 'sipp', 'nft') || skipWithoutStore();
if (why) {
  say(`hub-lab: ${why}`);
  process.exit(1);
}

const closers = [];
let isOver = false;
const owner = { after: (close) => closers.push(close) };
// What was opened last is closed first.
async function close() {
  for (const each of closers.toReversed()) await each();
}

const NUMBERS = ['442079460001', '442079460002', '442079460003', '442079460486', '442079460503', '442079460900'];
const ended = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
});

async function run() {
  const store = await startMigratedStore(owner);
  const lab = new HubLab(owner, store);
  const watch = (what, { ended: end, output }) =>
    end.then((code) => isOver || say(`hub-lab: ${what} ended (exit ${code}): ${output().slice(-500)}`));
  watch('the hub', await lab.start(process.argv[2] ?? '127.0.0.1:8090'));
  const goOn = (...args) => watch('a phone', lab.chain.goOn(...args));
  goOn('caller', NUMBERS, 6_000, AT.office);
  goOn('caller', ['442079460011'], 10_000, LOSSY_OFFICE);
  goOn('register', ['2001', '2002'], 20_000, AT.office);
  goOn('options', ['ping'], 10_000, AT.office);
  say(`hub-lab: console   ${lab.hubUrl}/console/`);
  say(`hub-lab: terminal  calltap --connect ${lab.hubUrl}`);
  say(`hub-lab: store     ${store.url}`);
  for (const host of PROXIES) say(`hub-lab: ${host}      ${lab.agentUrl(host)}`);
  say('hub-lab: runs until Ctrl-C');
  await ended;
}

try {
  await Promise.race([run(), ended]);
} catch (error) {
  say(`hub-lab: ${error.message}`);
  process.exitCode = 1;
} finally {
  isOver = true;
  await close();
}
