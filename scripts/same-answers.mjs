/**
 * Shows that two builds answer the same: asks both the same questions about the same captures and prints what differs.
 * --help says more.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { skipWithoutStore } from '../dist/test/helpers/store.js';
import { movedToNow } from '../dist/test/store/moved-capture.js';
import { different } from './same-answers/answers.mjs';
import { Build, endWithUs } from './same-answers/build.mjs';
import { capturesOf } from './same-answers/captures.mjs';
import { closeBrowser, hasChromium } from './same-answers/console.mjs';
import { Folders } from './same-answers/difference.mjs';
import { askHub } from './same-answers/hub.mjs';
import { askLive, askPiped, liveStartUs } from './same-answers/live.mjs';
import { BLANKED } from './same-answers/normal.mjs';
import { answersOf, SURFACES, workplace } from './same-answers/surfaces.mjs';
import { hasTmux } from './same-answers/terminal.mjs';
import { root } from './steps/files.mjs';
import { say, seconds } from './steps/run.mjs';

const SEEDS = [1, 2, 3, 4];
const HELP = `Usage: node scripts/same-answers.mjs OLD NEW [CAPTURE...] [options]

Asks two built checkouts the same questions and prints a unified diff of their answers, or "no difference". Exit code 0: no
difference; 1: a difference; 2: it could not be found out. CAPTURE is a file or a folder; those of fixtures/ come first.

Options:
  --only LIST      Ask these surfaces alone, with commas between them.
  --console        Read the screens of the console too; this wants Chromium.
  --every          Look closely at every capture that is given, not at one in five.
  --most N         Ask for so many calls and streams of a capture. [40]
  --no-fixtures    Leave the captures of the repository out.
  --seeds LIST     Make fuzzed captures from these seeds. [${SEEDS.join(',')}]
  --keep DIR       Write all answers below this folder, in old and new.
  --lines N        Print so many lines of the difference. [400]

Surfaces:
${Object.entries(SURFACES)
  .map(([name, what]) => `  ${name.padEnd(16)} ${what}`)
  .join('\n')}

Not compared: identities of runs, ports, process ids, versions of the package, times that work took, values of the metrics
process_*, nodejs_*, calltap_loop_*, calltap_api_* (live: calltap_ship_*), what libopus and a busy main thread write to
standard error, the files of the console, and these members of JSON:
  ${[...BLANKED].join(' ')}
  created_at (of a vCon), capture_time (live), and of a hub what its agent and its cursors say of the run of the agent
`;

/** Surfaces that show screens, or what came in pieces: a machine that does other things may show one late. */
const LATE = new Set(['terminal', 'connect', 'console', 'live', 'ship']);

const OPTIONS = {
  only: { type: 'string' },
  console: { type: 'boolean', default: false },
  every: { type: 'boolean', default: false },
  most: { type: 'string', default: '40' },
  'no-fixtures': { type: 'boolean', default: false },
  seeds: { type: 'string', default: SEEDS.join(',') },
  keep: { type: 'string' },
  lines: { type: 'string', default: '400' },
  help: { type: 'boolean', short: 'h', default: false },
};

function surfacesOf({ only, console: isConsole }) {
  const names = only === undefined ? Object.keys(SURFACES).filter((name) => name !== 'console') : only.split(',');
  const unknown = names.find((name) => !(name in SURFACES));
  if (unknown !== undefined)
    throw new Error(`--only: there is no surface ${unknown}; give some of ${Object.keys(SURFACES).join(', ')}`);
  const wanted = new Set([...names, ...(isConsole ? ['console'] : [])]);
  for (const [surface, isThere, what] of [
    ['terminal', hasTmux, 'apt-get install tmux'],
    ['console', hasChromium, 'apt-get install chromium'],
    ['hub', () => skipWithoutStore() === false, 'npm run store'],
  ])
    if (wanted.has(surface) && !isThere()) {
      say(`same-answers: left out ${surface}: ${what}`);
      wanted.delete(surface);
    }
  return wanted;
}

class Comparison {
  answers = 0;
  /** Names of captures, surfaces and questions. */
  differing = [];
  /** Captures about which nothing is known, and why. */
  failed = [];
  #folders;

  constructor(folders) {
    this.#folders = folders;
  }

  take(capture, surface, before, after) {
    const [a, b] = [before?.text ?? '', after?.text ?? ''];
    this.answers += Math.max(before?.count ?? 0, after?.count ?? 0);
    this.#folders.write(capture, surface, a, b);
    if (a !== b) this.differing.push(...different(a, b).map((question) => `${capture} ${surface}: ${question}`));
  }
}

const sameText = (a, b) => (a?.text ?? '') === (b?.text ?? '');

/** Asks both builds about one capture at the same time; what may come late is asked again where it differs. */
async function askCapture(builds, capture, ask, wanted, comparison) {
  const [a, b] = await Promise.all(builds.map((build) => ask(build, wanted)));
  for (const surface of new Set([...a.answers.keys(), ...b.answers.keys()])) {
    let pair = [a.answers.get(surface), b.answers.get(surface)];
    if (LATE.has(surface) && !sameText(...pair)) {
      const again = new Set(surface === 'connect' ? ['connect', 'terminal'] : [surface]);
      const asked = await Promise.all(builds.map((build) => ask(build, again)));
      pair = asked.map(({ answers }) => answers.get(surface));
    }
    comparison.take(capture.name, surface, ...pair);
  }
  return a.capped || b.capped;
}

/** Names of captures that had more calls or streams than were asked for. */
async function askCaptures(builds, captures, folder, wanted, most, comparison) {
  const capped = [];
  for (const [i, capture] of captures.entries()) {
    const start = performance.now();
    const known = comparison.differing.length;
    const ask = (build, surfaces) => answersOf(build, capture, folder, surfaces, most, i === 0);
    try {
      if (await askCapture(builds, capture, ask, wanted, comparison)) capped.push(capture.name);
    } catch (error) {
      comparison.failed.push(`${capture.name}: ${error.message}`);
      say(`${i + 1}/${captures.length} ${capture.name}: not found out: ${error.message}`);
      continue;
    }
    const found = comparison.differing.length - known;
    const what = found === 0 ? 'same' : `${found} answers differ`;
    say(`${i + 1}/${captures.length} ${capture.name}: ${what} (${seconds(start)})`);
  }
  return capped;
}

async function askStreams(builds, folder, seeds, most, comparison) {
  for (const seed of seeds) {
    const name = `live-${seed}`;
    const place = (build) => workplace(build, folder, { name }, 'live');
    const piped = await Promise.all(
      builds.map((build) => askPiped(build, place(build).cwd, place(build).normal, seed)),
    );
    comparison.take(name, 'pipe', ...piped);
    // Both begin at the same moment, so that their messages have the same times.
    const live = async () => {
      const startUs = liveStartUs();
      return Promise.all(
        builds.map((build) => {
          const { cwd, normal } = place(build);
          return askLive(build, cwd, normal, seed, startUs, most);
        }),
      );
    };
    let pair = await live();
    if (!sameText(...pair)) pair = await live();
    comparison.take(name, 'hep', ...pair);
    say(`${name}: done`);
  }
}

/** A hub with the demo capture of half an hour ago, since the store keeps 30 days. */
async function askHubs(builds, folder, most, comparison) {
  const capture = movedToNow(join(root, 'fixtures/demo/demo.pcap'), join(folder, 'hub.pcap'), 0.5);
  const ask = () =>
    Promise.all(
      builds.map((build) => {
        const { cwd, normal } = workplace(build, folder, { name: 'hub' }, 'hub');
        return askHub(build, capture, cwd, normal, most);
      }),
    );
  let pair = await ask();
  if (!sameText(...pair)) pair = await ask();
  comparison.take('hub', 'hub', ...pair);
  say('hub: done');
}

async function main(words, options) {
  const [before, after, ...given] = words;
  if (after === undefined) throw new Error('name two built checkouts: OLD NEW; --help says more');
  const builds = [new Build('old', before), new Build('new', after)];
  const wanted = surfacesOf(options);
  const folder = options.keep === undefined ? mkdtempSync(join(tmpdir(), 'same-answers-')) : resolve(options.keep);
  if (options.keep === undefined) endWithUs(() => rmSync(join(folder, 'work'), { recursive: true, force: true }));
  const folders = new Folders(folder, options.keep !== undefined);
  const seeds = options.seeds
    .split(',')
    .filter((s) => s !== '')
    .map(Number);
  const most = Number(options.most);
  const captures = capturesOf(root, given, { every: options.every, seeds, fixtures: !options['no-fixtures'] }, folder);
  const comparison = new Comparison(folders);
  const capped = await askCaptures(builds, captures, folder, wanted, most, comparison);
  if (wanted.has('live')) await askStreams(builds, folder, seeds.slice(0, 2), most, comparison);
  if (wanted.has('hub')) await askHubs(builds, folder, most, comparison);
  await closeBrowser();
  rmSync(join(folder, 'work'), { recursive: true, force: true });
  if (capped.length > 0) say(`only the first ${most} calls and streams were asked for: ${capped.join(', ')}`);
  const close = captures.filter((one) => one.isClose).length;
  const size = `${comparison.answers} answers of ${captures.length} captures (${close} looked at closely)`;
  for (const line of comparison.failed) say(`same-answers: not found out: ${line}`);
  if (comparison.differing.length === 0) {
    console.log(`no difference in ${size}`);
    if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
    return comparison.failed.length === 0 ? 0 : 2;
  }
  const lines = folders.diff().split('\n');
  console.log(lines.slice(0, Number(options.lines)).join('\n'));
  if (lines.length > Number(options.lines)) console.log(`... ${lines.length - Number(options.lines)} lines more`);
  console.log(`${comparison.differing.length} of ${size} differ; all of them are in ${folder}/old and ${folder}/new:`);
  for (const line of comparison.differing.slice(0, 60)) console.log(`  ${line.slice(0, 200)}`);
  return 1;
}

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) console.log(HELP);
  else process.exitCode = await main(positionals, values);
} catch (error) {
  say(`same-answers: ${error.message}`);
  process.exitCode = 2;
}
