// Tries libraries without names, by offsets: programs of ours with OpenSSL, GnuTLS, wolfSSL and Mbed TLS linked in, stripped, and
// the BoringSSL of PyPI's grpcio. Every message must be seen at both ends with its addresses.
//
//   npm run nameless                    wants root, the libraries' packages, python3.11, go; a checkout that is built (npm test)
//   npm run nameless -- RUNS [LIBRARY]  fewer runs, one library; writes no table
//   npm run nameless -- --cost          only what the probes cost
//
// Of grpcio it fetches the one build whose addresses test/live/peers/grpcio.offsets has (x86-64). It writes the tables of
// docs/tls-coverage.md. Ends with 1 where a message is missing, or an address wrong or not proven.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { COST_HEAD, costCells } from './probes/cost.mjs';
import { CONNECTIONS, lossesOf, MESSAGES, RING_BYTES } from './probes/runs.mjs';
import { root } from './steps/files.mjs';
import { tableOf, writePart } from './steps/page.mjs';
import { capture, say } from './steps/run.mjs';

const RUNS = 20;
const GRPC = { package: 'grpcio==1.85.3', python: 'python3.11' };
const PEERS = join(root, 'test/live/peers');
/** Threads of a client, the largest message, what it reads at once, and of how many pieces another thread carries one. */
const TALK = { threads: 4, bytes: 60_000, atOnce: 65_536, handed: 4 };

const { TlsLab } = await import(join(root, 'dist/test/live/tls-kernel-lab.js'));
const { givenSites, runPeers } = await import(join(root, 'dist/test/live/nameless-lab.js'));
const { buildLinked, LINKED } = await import(join(root, 'dist/test/live/nameless.js'));
const { buildGo } = await import(join(root, 'dist/test/live/tls-go-lab.js'));
const { TlsOffsets } = await import(join(root, 'dist/src/sources/tls/offsets.js'));

const work = join(root, 'build/nameless');
const lasting = [];
const lifetime = { after: (end) => lasting.push(end) };

/** What a command prints; its words as an error when it fails. */
function printed(command, args) {
  const { code, output } = capture(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output.trim()}`);
  return output.trim();
}

/** A stripped program with a library of Debian linked in. */
function linked(library) {
  const { header, functions } = LINKED[library];
  const [owner] = printed('dpkg', ['-S', `/usr/include/${header}`]).split(':');
  const version = /^Version: (.*)$/m.exec(printed('dpkg', ['-s', owner]))[1];
  const { stripped, address } = buildLinked(library, work, library.replace(' ', ''));
  const given = functions.map((name) => `${name}=${address(name)}`).join(',');
  const { threads, bytes, atOnce, handed } = TALK;
  const words = [threads, CONNECTIONS / threads, MESSAGES, bytes, atOnce, handed].map(String);
  return {
    name: `${library} ${version}, linked in`,
    file: stripped,
    offsets: new TlsOffsets([`${stripped}:${given}`]),
    peers: { server: [stripped, 'server'], client: (port) => [stripped, 'client', port, ...words] },
  };
}

/** The server and client of gRPC, with a library that is a file of its own. */
function grpc() {
  const { python } = GRPC;
  printed(python, ['-m', 'pip', 'install', '--quiet', '--root-user-action', 'ignore', '--target', work, GRPC.package]);
  process.env['PYTHONPATH'] = work;
  const talk = [python, join(PEERS, 'grpc_talk.py')];
  return {
    name: `BoringSSL of ${GRPC.package.replace('==', ' ')} (PyPI)`,
    file: printed(python, ['-c', 'import grpc._cython.cygrpc as m; print(m.__file__)']),
    offsets: new TlsOffsets([], join(PEERS, 'grpcio.offsets')),
    peers: {
      server: [...talk, 'server'],
      client: (port, how = [CONNECTIONS, MESSAGES].map(String)) => [...talk, 'client', port, ...how],
    },
  };
}

/** `pid`: of the only process that is observed. */
function observe({ file, offsets }, options, pid) {
  const lab = new TlsLab(options);
  if (lab.refusal !== '') throw new Error(lab.refusal);
  lab.attach(file, givenSites(file, offsets), pid);
  return lab;
}

/** All runs of one library; cells of a row, and whether all was right. */
async function tried(library, runs) {
  const lab = observe(library, { ringBytes: RING_BYTES });
  const sum = { messages: 0, wrong: 0, unproven: 0, lost: 0 };
  for (let run = 0; run < runs; run++) {
    await lab.again();
    const seen = await runPeers(lifetime, lab, library.peers, work);
    sum.messages += seen.messages;
    sum.wrong += seen.wrong.length;
    sum.unproven += seen.unproven;
    sum.lost += seen.gaps + lossesOf(lab);
    say(`nameless: ${library.name}: ${JSON.stringify(seen)} ${JSON.stringify(lab.counters())}`);
  }
  lab.close();
  const sent = 4 * CONNECTIONS * MESSAGES * runs;
  const { messages, wrong, unproven, lost } = sum;
  const cells = [library.name, runs, `${messages} of ${sent}`, wrong, unproven, lost];
  return { cells, isRight: messages === sent && wrong + unproven + lost === 0 };
}

/** The client of a server that answers SIP is that of Go: it sends when a message is due. */
async function costRow(library) {
  const isGrpc = library.file.includes('grpc');
  const program = isGrpc ? '' : buildGo(work, 'plain');
  const client = isGrpc ? library.peers.client : (port, how) => [program, 'client', port, ...how];
  const cells = await costCells({ server: library.peers.server, client }, work, (pid) =>
    observe(library, { sipOnly: true }, pid),
  );
  say(`nameless: ${library.name}: cost ${cells.join(' | ')}`);
  return [library.name, ...cells];
}

const [first = '', only = ''] = process.argv.slice(2);
const isCost = first === '--cost';
const isWhole = first === '';
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k.pem', '-out', 'c.pem'];
execFileSync('openssl', ['req', '-x509', ...key, '-days', '2', '-subj', '/CN=localhost'], { cwd: work, stdio: 'pipe' });
const has = (library) => (isCost ? library === 'OpenSSL' : only === '' || only === library);
const libraries = Object.keys(LINKED).filter(has).map(linked);
if (isCost || only === '' || only === 'BoringSSL') libraries.push(grpc());
let isRight = true;
const rows = [];
for (const library of isCost ? [] : libraries) {
  const row = await tried(library, isWhole ? RUNS : Number(first));
  rows.push(row.cells);
  isRight &&= row.isRight;
}
const HEAD = ['library', 'runs', 'messages seen', 'wrong address', 'not proven', 'lost'];
if (isWhole) writePart('nameless', tableOf(HEAD, rows));
if (isWhole || isCost) {
  const costs = [];
  for (const library of libraries.filter(({ name }) => /^(OpenSSL|BoringSSL)/.test(name)))
    costs.push(await costRow(library));
  writePart('nameless-cost', tableOf(['library', ...COST_HEAD], costs));
}
for (const end of lasting) end();
process.exit(isRight ? 0 : 1);
