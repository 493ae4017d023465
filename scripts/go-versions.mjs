// Tries the versions of Go that calltap observes: programs built by each, plain, stripped and PIE, talk SIP over crypto/tls,
// and every message must be seen at both ends with its addresses.
//
//   npm run go-versions [-- VERSION...]      wants root, a go of 1.21 or newer, a checkout that is built (npm test)
//   npm run go-versions -- --cost            only what the probes cost the oldest and the newest
//
// `go` itself brings the other versions (GOTOOLCHAIN). With all versions it writes the tables of docs/tls-coverage.md.
// Ends with 1 where a message is missing or an address is wrong, and where DWARF has a field at another place.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { COST_HEAD, costCells } from './probes/cost.mjs';
import { CONNECTIONS, lossesOf, MESSAGES, RING_BYTES } from './probes/runs.mjs';
import { root } from './steps/files.mjs';
import { tableOf, writePart } from './steps/page.mjs';
import { capture, say } from './steps/run.mjs';

const VERSIONS = ['1.19.13', '1.20.14', '1.21.13', '1.22.12', '1.23.12', '1.24.13', '1.25.9', '1.26.8'];
/** A version's runs of 200 connections with 50 messages each, half of them with connections that are wrapped. */
const RUNS = { plain: 8, stripped: 6, PIE: 6 };

/** What bpf/tls_go.h and src/sources/tls/go-*.ts take for granted. */
const OFFSETS = new Map([
  ['crypto/tls.Conn.conn', 0],
  ['net.TCPConn.conn', 0],
  ['net.conn.fd', 0],
  ['net.netFD.pfd', 0],
  ['internal/poll.FD.Sysfd', 16],
  ['runtime.g.stack', 0],
  ['runtime.stack.lo', 0],
  ['runtime.stack.hi', 8],
  ['runtime.iface.tab', 0],
  ['runtime.iface.data', 8],
  ['runtime.moduledata.pcHeader', 0],
  ['runtime.moduledata.minpc', 160],
  ['runtime.moduledata.maxpc', 168],
  ['runtime.moduledata.text', 176],
]);
/** The table of an interface's methods, by either of its names. */
const METHODS = ['runtime.itab.fun', 'internal/abi.ITab.Fun'];
const METHODS_AT = 24;

const work = join(root, 'build/go-versions');
const { TlsLab } = await import(join(root, 'dist/test/live/tls-kernel-lab.js'));
const { attachGo, buildGo, runGo } = await import(join(root, 'dist/test/live/tls-go-lab.js'));

const lasting = [];
const lifetime = { after: (end) => lasting.push(end) };

/** Fields of the program that DWARF has elsewhere, in words; '' when all are where they are thought to be. */
function misplaced(program) {
  const wanted = [...OFFSETS.keys(), ...METHODS];
  const read = capture('go', ['run', join(root, 'scripts/go-versions/offsets.go'), program, ...wanted], {
    env: { ...process.env, GO111MODULE: 'off' },
  });
  if (read.code !== 0) return read.output;
  const found = new Map(
    read.output
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
  const wrong = [...OFFSETS].filter(([field, at]) => found.get(field) !== at).map(([f]) => `${f}: ${found.get(f)}`);
  if (!METHODS.some((field) => found.get(field) === METHODS_AT)) wrong.push('methods of an interface');
  return wrong.join(', ');
}

/** All runs of one build; the sum of what was seen. */
async function tried(version, build, program) {
  const sum = { messages: 0, sent: 0, wrong: 0, unproven: 0, lost: 0, runs: 0 };
  const lab = new TlsLab({ sipOnly: true, ringBytes: RING_BYTES });
  if (lab.refusal !== '') throw new Error(lab.refusal);
  attachGo(lab, program);
  for (; sum.runs < RUNS[build]; sum.runs++) {
    await lab.again();
    const how = sum.runs % 2 === 0 ? 'plain' : 'wrapped';
    const run = { connections: CONNECTIONS, messages: MESSAGES, how };
    const seen = await runGo(lifetime, lab, program, work, run);
    sum.messages += seen.messages;
    sum.sent += 4 * CONNECTIONS * MESSAGES;
    sum.wrong += seen.wrong.length;
    sum.unproven += seen.unknown + seen.weak;
    sum.lost += seen.gaps + lossesOf(lab);
    if (seen.messages === 4 * CONNECTIONS * MESSAGES && seen.wrong.length === 0) continue;
    say(`go-versions: ${version} ${build}: ${seen.wrong[0] ?? ''} ${JSON.stringify(lab.counters())}`);
  }
  lab.close();
  say(`go-versions: ${version} ${build}: ${JSON.stringify(sum)}`);
  return sum;
}

/** Tries one version; its rows, and whether all was right. */
async function tryVersion(version) {
  const rows = [];
  let isRight = true;
  for (const build of Object.keys(RUNS)) {
    const program = buildGo(work, build, 'go', `go${version}`);
    const wrong = build === 'plain' ? misplaced(program) : '';
    if (wrong !== '') say(`go-versions: ${version}: ${wrong}`);
    const sum = await tried(version, build, program);
    isRight &&= wrong === '' && sum.messages === sum.sent && sum.wrong + sum.unproven + sum.lost === 0;
    const seen = `${sum.messages} of ${sum.sent}`;
    rows.push([version, build, sum.runs, seen, sum.wrong, sum.unproven, sum.lost]);
  }
  return { rows, isRight };
}

async function costRow(version) {
  const program = buildGo(work, 'stripped', 'go', `go${version}`);
  const peers = { server: [program, 'server'], client: (port, how) => [program, 'client', port, ...how] };
  const cells = await costCells(peers, work, () => {
    const lab = new TlsLab({ sipOnly: true });
    attachGo(lab, program);
    return lab;
  });
  say(`go-versions: ${version}: cost ${cells.join(' | ')}`);
  return [version, ...cells];
}

const asked = process.argv.slice(2);
const isCost = asked.includes('--cost');
const versions = asked.length > 0 && !isCost ? asked : VERSIONS;
mkdirSync(work, { recursive: true });
const tables = [];
for (const version of isCost ? [] : versions) tables.push(await tryVersion(version));
if (asked.length === 0) {
  const head = ['Go', 'built', 'runs', 'messages seen', 'wrong address', 'not proven', 'lost'];
  const rows = tables.flatMap((table) => table.rows);
  writePart('go-versions', tableOf(head, rows));
}
if (asked.length === 0 || isCost) {
  const costs = [];
  for (const version of [VERSIONS.at(0), VERSIONS.at(-1)]) costs.push(await costRow(version));
  writePart('go-cost', tableOf(['Go', ...COST_HEAD], costs));
}
for (const end of lasting) end();
process.exit(tables.every(({ isRight }) => isRight) ? 0 : 1);
