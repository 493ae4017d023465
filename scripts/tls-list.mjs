// Starts as many kinds of TLS programs as there are at once, and compares what `calltap --uprobe-list` and a live run say of each
// with what it is: `npm run tls-list [-- ID...]`, as root, on x86-64 with a checkout that is built.
//
// Each holds a TLS connection to a far end that no probe sees, and sends SIP on it where it can. A program that calltap calls
// observable must be read in the live run; of any other nothing may be, and calltap must count and name it. Programs come
// from Debian, npm, PyPI, crates, Maven and the Go proxy; what cannot be had is said and not counted. With all kinds it writes
// the table of docs/tls-coverage.md. Ends with 1 where a claim is wrong, and with fewer than 30 kinds.
import { existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { root } from './steps/files.mjs';
import { writePart } from './steps/page.mjs';
import { say, seconds } from './steps/run.mjs';
import { Bed } from './tls-list/bed.mjs';
import { kinds } from './tls-list/kinds.mjs';
import { list, live } from './tls-list/observe.mjs';
import { prepare } from './tls-list/prepare.mjs';
import { answerOf, faultsOf, isWhole, readOf } from './tls-list/verdict.mjs';

const LEAST = 30;
const LIVE_MS = 60_000;
/** Some hold a processor while they start. */
const AT_ONCE = 4;

const start = performance.now();
const asked = process.argv.slice(2);
if (process.getuid?.() !== 0 || process.arch !== 'x64' || !existsSync(join(root, 'dist/program/calltap.js'))) {
  say('tls-list: run as root on x86-64, after `npm run build`');
  process.exit(2);
}
const failed = prepare();
for (const [step, why] of failed) say(`tls-list: ${step} cannot be had: ${why}`);
say(`tls-list: prepared (${seconds(start)})`);

const bed = new Bed();
let isRight = true;
try {
  await bed.start();
  const wanted = kinds.filter(({ id }) => asked.length === 0 || asked.includes(id));
  const able = wanted.filter(({ needs }) => !failed.has(needs));
  for (let i = 0; i < able.length; i += AT_ONCE) {
    for (const kind of able.slice(i, i + AT_ONCE)) await bed.launch(kind);
    await bed.untilHeard();
  }
  isRight = await compare();
} finally {
  bed.stop();
}
say(`tls-list: ${isRight ? 'all claims hold' : 'a claim is wrong'} (${seconds(start)})`);
process.exit(isRight ? 0 : 1);

/** Lists, observes, and prints what is wrong; whether nothing is. */
async function compare() {
  const rows = await list();
  const working = () => bed.entries.filter(({ why }) => why === '');
  const run = await live(process.pid, isEnough, LIVE_MS);
  for (const { kind, why } of bed.entries) if (why !== '') say(`tls-list: ${kind.id} is not counted: ${why}`);
  const pids = bed.pids();
  const lines = [];
  let faults = 0;
  for (const { kind } of working()) {
    const own = pids.get(kind.id);
    const itsRows = rows.filter((row) => own.includes(row.pid) && row.records > 0);
    const found = faultsOf(kind, own, itsRows, run);
    for (const fault of found) say(`tls-list: ${kind.id}: ${fault}`);
    faults += found.length;
    const said = kind.listedAs?.tls ?? kind.tls;
    const answer = answerOf(itsRows.filter(({ library }) => library === said));
    const cells = [kind.name, kind.from, said, answer, readOf(kind, run.dialogs)];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  faults += countFaults(unseenPids(rows, pids), run);
  say(
    `tls-list: ${lines.length} kinds at once, ${working().filter(({ kind }) => kind.seen).length} of them observable`,
  );
  if (asked.length === 0 && lines.length < LEAST) say(`tls-list: fewer than ${LEAST} kinds`);
  if (asked.length === 0 && lines.length >= LEAST && faults === 0) writePart('tls-list', table(lines));
  return faults === 0 && (asked.length > 0 || lines.length >= LEAST);

  function isEnough(seen) {
    return isWhole(working(), seen) && unseenPids(rows, bed.pids()).size <= seen.unseen;
  }
}

/** The processes that the live run has to count: those of the unseen kinds that moved TLS records, and the far end. */
function unseenPids(rows, pids) {
  const moving = (pid) => rows.some((row) => row.pid === pid && row.records > 0);
  const unseen = bed.entries.filter(({ kind, why }) => !kind.seen && why === '');
  return new Set([bed.farEndPid, ...unseen.flatMap(({ kind }) => pids.get(kind.id).filter(moving))]);
}

/** The number of processes that no probe sees, and the names on standard error: one a program, of those processes only. */
function countFaults(wanted, { unseen, named }) {
  let faults = 0;
  const fault = (line) => {
    faults++;
    say(`tls-list: ${line}`);
  };
  if (unseen !== wanted.size) fault(`uprobe_unseen_processes is ${unseen}, not ${wanted.size}`);
  const comm = (pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  const names = new Set(named.map(comm));
  for (const pid of wanted) if (!names.has(comm(pid))) fault(`${comm(pid)} (${pid}) is not named on standard error`);
  return faults;
}

function table(lines) {
  const day = new Date().toISOString().slice(0, 10);
  const count = `${lines.length} kinds of programs at once, Linux ${release().split('-')[0]}, x86-64, ${day}:`;
  const head = '| program | from | its TLS, as the list says it | can be observed | read with `--uprobe` |';
  return [count, '', head, '| --- | --- | --- | --- | --- |', ...lines];
}
