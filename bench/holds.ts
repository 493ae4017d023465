/**
 * How long the event loop is held, by what: the whole program over many dialogs with media, asked over HTTP one route
 * after the other while RTP comes in, its turns measured from within and `/health` from without.
 *
 *   npm run bench -- holds [STEP,...] [--calls=100000] [--dialogs=0] [--rtp=300000] [--seconds=5] [--profile]
 *
 * `--calls` are whole calls of two streams, `--dialogs` refused ones of two messages beside them.
 */
import { parseArgs } from 'node:util';
import type { Figures, Load } from './api-load.ts';
import { runLoad } from './api-load.ts';
import type { Program } from './api-program.ts';
import { startProgram } from './api-program.ts';
import { SILENT_EVERY, ssrcOf } from './call-template.ts';
import type { TurnFigures } from './turn-meter.ts';

type Step = {
  readonly name: string;
  readonly what: string;
  readonly path: string;
  readonly perSec: number;
};

/** Stands for a call with media, and one without: which those are depends on how many dialogs came before. */
const A_CALL = 'CALL';
const SILENT = 'SILENT';
const SSRC = 'SSRC';

const STEPS: readonly Step[] = [
  { name: 'none', what: 'nothing but RTP', path: '/health', perSec: 1 },
  { name: 'report', what: '/v1/report', path: '/v1/report', perSec: 0.5 },
  { name: 'list', what: '/v1/dialogs?limit=50', path: '/v1/dialogs?limit=50', perSec: 500 },
  { name: 'dialog', what: '/v1/dialogs/{call_id}', path: `/v1/dialogs/${A_CALL}`, perSec: 500 },
  { name: 'silent', what: '/v1/dialogs/{call_id}, no media', path: `/v1/dialogs/${SILENT}`, perSec: 100 },
  { name: 'tree', what: '/v1/dialogs/{call_id}/tree', path: `/v1/dialogs/${A_CALL}/tree`, perSec: 50 },
  { name: 'correlated', what: '.../correlated', path: `/v1/dialogs/${A_CALL}/correlated`, perSec: 50 },
  { name: 'from', what: '/v1/dialogs?from=^u0.*7f$', path: '/v1/dialogs?from=%5Eu0.*7f%24', perSec: 1 },
  { name: 'streams', what: '/v1/streams?limit=50', path: '/v1/streams?limit=50', perSec: 200 },
  { name: 'mos', what: '/v1/streams?mos_below=1', path: '/v1/streams?mos_below=1', perSec: 1 },
  { name: 'stream', what: '/v1/streams/{ssrc}', path: `/v1/streams/${SSRC}`, perSec: 20 },
  { name: 'stats', what: '/v1/stats', path: '/v1/stats', perSec: 5 },
  { name: 'metrics', what: '/metrics', path: '/metrics', perSec: 5 },
];

const PING = { path: '/health', perSec: 100, firstSource: 200 } as const;

function row(what: string, asked: Figures | null, ping: Figures, turns: TurnFigures): string {
  const ms = (...values: number[]): string[] => values.map((v) => v.toFixed(1));
  const answers = asked === null ? '' : Object.entries(asked.statuses).map(([status, n]) => `${status}: ${n}`);
  const cells = [
    what,
    String(answers),
    ...(asked === null ? ['', '', ''] : ms(asked.p50Ms, asked.p99Ms, asked.maxMs)),
    ...ms(ping.p99Ms, ping.maxMs, turns.longestMs, turns.longestWallMs),
    String(turns.over10),
    `${turns.longestGcMs.toFixed(1)} ${turns.longestGc}`,
    turns.gcMs.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function tellHolds({ holds }: TurnFigures): void {
  for (const { ms, gcMs, stack } of holds.slice(0, 6))
    process.stdout.write(`    ${ms.toFixed(1)} ms (collector ${gcMs.toFixed(1)}) ${stack ?? ''}\n`);
}

/** Runs `work` under the meter and the ping. */
async function measured(
  program: Program,
  what: string,
  work: (isOver: () => boolean) => Promise<Figures | null>,
  { seconds, isProfiled }: { readonly seconds: number; readonly isProfiled: boolean },
): Promise<void> {
  await program.reset();
  let isOver = false;
  const pinging = runLoad(program.port, { ...PING, seconds }).finally(() => {
    isOver = true;
  });
  const [ping, asked] = await Promise.all([pinging, work(() => isOver)]);
  const turns = await program.figures();
  process.stdout.write(row(what, asked, ping, turns));
  if (isProfiled) tellHolds(turns);
}

export async function holdsBench(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      calls: { type: 'string', default: '100000' },
      dialogs: { type: 'string', default: '0' },
      rtp: { type: 'string', default: '300000' },
      seconds: { type: 'string', default: '5' },
      profile: { type: 'boolean', default: false },
    },
  });
  const names = positionals.flatMap((text) => text.split(','));
  const chosen = names.length === 0 ? STEPS : STEPS.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => name !== 'evict' && !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`holds: the steps are evict, ${STEPS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const [calls, dialogs, rtp, seconds] = [values.calls, values.dialogs, values.rtp, values.seconds].map(Number);
  await run({
    steps: chosen,
    calls: calls ?? 0,
    dialogs: dialogs ?? 0,
    rtp: rtp ?? 0,
    seconds: seconds ?? 5,
    isProfiled: values.profile,
    evicts: names.length === 0 || names.includes('evict'),
  });
  return 0;
}

type Plan = {
  readonly steps: readonly Step[];
  readonly calls: number;
  readonly dialogs: number;
  readonly rtp: number;
  readonly seconds: number;
  readonly isProfiled: boolean;
  readonly evicts: boolean;
};

async function run({ steps, calls, dialogs, rtp, seconds, isProfiled, evicts }: Plan): Promise<void> {
  const total = calls + dialogs;
  const caps = ['--max-dialogs', String(total), '--max-streams', String(2 * calls + 2_000)];
  const program = await startProgram([...caps, '--api-max-conn', '2000'], isProfiled ? 'stacks' : 'turns');
  const { feed, port } = program;
  process.stdout.write(`${calls} calls, ${dialogs} dialogs beside them, ${(rtp / 1e6).toFixed(1)} M RTP packets/s\n\n`);
  process.stdout.write(
    '| load | answers | p50 ms | p99 ms | max ms | /health p99 ms | max ms | longest hold ms | of the clock | over 10 ms | collector ms | in all |\n' +
      '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|\n',
  );
  const options = { seconds, isProfiled };
  /** Writes, and waits until the last of it can be asked for; the ping goes on for as long. */
  const feeding = async (what: string, write: () => Promise<void>): Promise<void> => {
    await program.reset();
    let isFed = false;
    const pings: Figures[] = [];
    const pinging = (async () => {
      while (!isFed) pings.push(await runLoad(port, { ...PING, seconds: 2 }));
    })();
    await write();
    const last = `/v1/dialogs/${(feed.sent - 1).toString(16).padStart(8, '0')}-bench`;
    await program.until(async () => ('call_id' in (await program.json(last)) ? true : null));
    isFed = true;
    await pinging;
    const turns = await program.figures();
    const worst = pings.reduce((a, b) => (b.p99Ms > a.p99Ms ? b : a));
    process.stdout.write(row(what, null, worst, turns));
    if (isProfiled) tellHolds(turns);
  };
  if (dialogs > 0) await feeding(`reading ${dialogs} refused dialogs`, () => feed.dialogs(dialogs));
  if (calls > 0) await feeding(`reading ${calls} calls`, () => feed.calls(calls));
  let isOver = false;
  const streaming = rtp > 0 ? feed.rtp(rtp, () => isOver) : Promise.resolve(0);
  const started = performance.now();
  for (const { what, path, perSec } of steps) {
    const asked = path
      .replace(A_CALL, callId(dialogs + 257))
      .replace(SILENT, callId(firstSilent(dialogs)))
      .replace(SSRC, ssrcOf(dialogs + 257));
    const load: Load = { path: asked, perSec, seconds, firstSource: 1 };
    await measured(program, `${what}, ${perSec}/s`, () => runLoad(port, load), options);
  }
  isOver = true;
  const packets = await streaming;
  const rate = packets / ((performance.now() - started) / 1000);
  if (evicts && calls > 0) await feeding(`evicting: ${calls} more calls`, () => feed.calls(calls));
  process.stdout.write(`\nRTP meanwhile: ${(rate / 1e6).toFixed(2)} M packets/s\n`);
  await program.stop();
}

/** The first call without media among those that come after `n` dialogs. */
function firstSilent(n: number): number {
  return Math.ceil((n + 1) / SILENT_EVERY) * SILENT_EVERY;
}

function callId(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-bench`;
}
