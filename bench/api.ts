/**
 * The API benchmark: figures of the HTTP API over many dialogs while RTP comes in.
 *
 *   node dist/bench/api.js [DIALOGS [RTP_PER_SEC [SECONDS]]]      100000 500000 10 when left out
 */

import type { Figures } from './api-load.ts';
import { runLoad } from './api-load.ts';
import { startProgram } from './api-program.ts';

const [dialogs = 100_000, rtpPerSec = 500_000, seconds = 10] = process.argv.slice(2).map(Number);

const program = await startProgram(['--max-dialogs', `${dialogs + 10}`, '--api-max-conn', '2000'], 'nothing');
const { feed, port } = program;
const total = async (): Promise<number> => Number((await program.json('/v1/dialogs?limit=0'))['total']);

function show(name: string, { sent, statuses, p50Ms, p99Ms, maxMs }: Figures): void {
  const answers = Object.entries(statuses).map(([status, n]) => `${status}: ${n}`);
  const [p50, p99, max] = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1));
  process.stdout.write(`| ${name} | ${sent} | ${answers.join(', ')} | ${p50} | ${p99} | ${max} |\n`);
}

const loading = performance.now();
await feed.dialogs(dialogs);
await program.until(async () => ((await total()) >= dialogs ? true : null));
process.stdout.write(`${dialogs} dialogs in ${((performance.now() - loading) / 1000).toFixed(1)} s\n\n`);
process.stdout.write('| load | requests | answers | p50 ms | p99 ms | max ms |\n|---|---:|---|---:|---:|---:|\n');

let isOver = false;
const started = performance.now();
const streaming = rtpPerSec > 0 ? feed.rtp(rtpPerSec, () => isOver) : Promise.resolve(0);
const list = { perSec: 500, seconds, firstSource: 1 };
show('/health, 100/s', await runLoad(port, { path: '/health', perSec: 100, seconds, firstSource: 1 }));
show('/v1/dialogs?limit=50, 500/s', await runLoad(port, { ...list, path: '/v1/dialogs?limit=50' }));
show('/v1/dialogs?state=Failed, 500/s', await runLoad(port, { ...list, path: '/v1/dialogs?state=Failed' }));
show('/v1/dialogs/{call_id}, 500/s', await runLoad(port, { ...list, path: '/v1/dialogs/00000100-bench' }));
const [ping, pattern] = await Promise.all([
  runLoad(port, { path: '/health', perSec: 100, seconds, firstSource: 1 }),
  runLoad(port, { path: '/v1/dialogs?from=%5Eu0.*7f%24', perSec: 0.5, seconds, firstSource: 100 }),
]);
show('/health, 100/s, beside the next', ping);
show('/v1/dialogs?from=^u0.*7f$, 0.5/s', pattern);
show(
  '/v1/dialogs?from=(a+)+$, 0.5/s',
  await runLoad(port, { path: '/v1/dialogs?from=(a%2B)%2B%24', perSec: 0.5, seconds: 6, firstSource: 100 }),
);
const [ping2, stats] = await Promise.all([
  runLoad(port, { path: '/health', perSec: 100, seconds, firstSource: 1 }),
  runLoad(port, { path: '/v1/stats', perSec: 0.5, seconds, firstSource: 100 }),
]);
show('/health, 100/s, beside the next', ping2);
show('/v1/stats, 0.5/s', stats);
isOver = true;
const packets = await streaming;
const rate = packets / ((performance.now() - started) / 1000);
process.stdout.write(`\nRTP meanwhile: ${(rate / 1e6).toFixed(2)} M packets/s\n`);
feed.end();
await program.stop();
