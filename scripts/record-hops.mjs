// Records the calls of test/live/hop-cases.ts as captures in fixtures/hops. It needs root, dumpcap, nft, openssl, kamailio with
// its TLS module, sipp and baresip, and takes three minutes.
//
//   npm run build:ts && node scripts/record-hops.mjs [NAME...]
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const from = (path) => import(pathToFileURL(join(root, 'dist/test/live', path)).href);
const { Lab, missing } = await from('lab.js');
const { Dump } = await from('dump.js');
const { HOP_CASES } = await from('hop-cases.js');
const { answerAt, callFrom, callOverTls, lose, settle, startB2bua, startProxy } = await from('hop-lab.js');

const why = missing('dumpcap', 'nft', 'openssl', 'kamailio', 'sipp', 'baresip');
if (why) {
  say(`record-hops: ${why}`);
  process.exit(1);
}
const names = process.argv.slice(2);
const folder = join(root, 'fixtures/hops');
mkdirSync(folder, { recursive: true });

/** A call over TLS ends when baresip does: after it has talked, or after the proxy has given up. */
const TALK_S = 4;
const GIVEN_UP_S = 36;

async function record(hopCase) {
  const closers = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    settle(lab);
    for (const loss of hopCase.losses ?? []) lose(lab, loss);
    const dump = await Dump.start(lab, 'lo', `${hopCase.name}.pcap`, ['-P', '-f', 'not (icmp and host 127.0.0.1)']);
    for (const proxy of hopCase.proxies) await startProxy(lab, proxy);
    if (hopCase.hasB2bua) await startB2bua(lab);
    const answering = [];
    for (const [place, steps] of Object.entries(hopCase.answers)) answering.push(await answerAt(lab, place, steps));
    const first = hopCase.hasB2bua ? 'b2bua' : 'edge';
    if (hopCase.isTls) await callOverTls(lab, answering.length > 0 ? TALK_S : GIVEN_UP_S);
    else await callFrom(lab, hopCase.caller, first, `${hopCase.name}@lab.invalid`);
    for (const running of answering) {
      const code = await running.ended;
      if (code !== 0) throw new Error(`${hopCase.name}: sipp ended with ${code}: ${running.output().slice(-3000)}`);
    }
    await dump.stop();
    copyFileSync(dump.file, join(folder, `${hopCase.name}.pcap`));
    chmodSync(join(folder, `${hopCase.name}.pcap`), 0o644);
    say(`${hopCase.name}: recorded`);
  } finally {
    for (const close of closers) await close();
  }
}

const wanted = HOP_CASES.filter(({ name }) => names.length === 0 || names.includes(name));
for (const hopCase of wanted) await record(hopCase);
