// Compares what Homer keeps of one capture from calltap and from heplify, row by row:
//
//   npm run homer [-- CAPTURE]     wants Debian's postgresql, and heplify-server and heplify in PATH
//
// heplify-server (Homer 7) and a PostgreSQL of its own run on loopback, in a folder that is removed afterwards. The capture's
// times are moved to now, as heplify-server makes tables for today alone. Rows that differ are printed field by field.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './steps/files.mjs';
import { freePort } from './steps/port.mjs';
import { capture, say, which } from './steps/run.mjs';

const WAIT_MS = 60_000;
/** Rows come in bulk; none comes for this long when all are there. */
const QUIET_MS = 10_000;
const TABLES = {
  SIP: ['hep_proto_1_call', 'hep_proto_1_registration', 'hep_proto_1_default'],
  RTCP: ['hep_proto_5_default'],
  RTP: ['hep_proto_35_default'],
};
/** What is not the same by intention, and why: docs/homer.md. */
const EXPLAINED = new Set(['sdes_ssrc', 'report_blocks_xr', 'report_blocks', 'packets_lost']);
const NODES = ['heplify', 'calltap'];

const started = [];
const folder = mkdtempSync(join(tmpdir(), 'calltap-homer-'));

function start(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => (text = (text + bytes).slice(-4_000)));
  child.on('error', (error) => (text += error.message));
  started.push(child);
  const ended = new Promise((resolve) => child.once('close', resolve));
  return { child, ended, text: () => text };
}

async function until(what, holds) {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await sleep(500)) if (await holds()) return;
  throw new Error(`${what} did not come`);
}

/** The folder of initdb and postgres, which Debian keeps out of PATH. */
function postgresFolder() {
  const debian = '/usr/lib/postgresql';
  const [version] = readdirSync(debian).sort((a, b) => Number(b) - Number(a));
  return join(debian, version, 'bin');
}

async function startPostgres(port) {
  const bin = postgresFolder();
  const data = join(folder, 'pg');
  chmodSync(folder, 0o755);
  mkdirSync(data);
  // It refuses to run as root.
  const isRoot = process.getuid() === 0;
  const as = (program, args) => (isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, args]);
  if (isRoot) capture('chown', ['postgres:', data]);
  const made = capture(...as(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust']));
  if (made.code !== 0) throw new Error(`initdb: ${made.output}`);
  const flags = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', '', '-c', 'fsync=off'];
  start(...as(join(bin, 'postgres'), flags));
  await until('PostgreSQL', () => sql(port, 'postgres', 'select 1').code === 0);
}

function sql(port, database, text) {
  return capture('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', database, '-AtX', '-c', text]);
}

/** A pcap file of microseconds whose first packet is a minute old. */
function movedToNow(file) {
  const bytes = readFileSync(file);
  if (bytes.readUInt32LE(0) !== 0xa1b2c3d4)
    throw new Error(`${file}: give a pcap file, little-endian, of microseconds`);
  const shift = Math.floor(Date.now() / 1000) - 60 - bytes.readUInt32LE(24);
  for (let at = 24; at + 16 <= bytes.length; at += 16 + bytes.readUInt32LE(at + 8))
    bytes.writeUInt32LE(bytes.readUInt32LE(at) + shift, at);
  const moved = join(folder, 'capture.pcap');
  writeFileSync(moved, bytes);
  return moved;
}

/** Rows of a kind from a node, each as the fields that do not name the node. */
function rowsOf(port, kind, node) {
  const rows = TABLES[kind].flatMap((table) => {
    const columns = 'json_build_array(sid, protocol_header, data_header, raw)';
    const found = sql(
      port,
      'homer_data',
      `select ${columns} from ${table} where protocol_header->>'captureId' = '${node}' order by create_date`,
    );
    return found.code === 0 ? found.output.split('\n').filter((line) => line.startsWith('[')) : [];
  });
  return rows.map((line) => {
    const [sid, head, data, raw] = JSON.parse(line);
    // heplify stamps what it reads at full speed with the time of reading.
    const { captureId: _node, timeSeconds: _s, timeUseconds: _us, ...rest } = head;
    const { node: _also, ...other } = data;
    return { sid, ...rest, ...other, raw: kind === 'SIP' ? raw : JSON.parse(raw) };
  });
}

function count(port) {
  const all = Object.values(TABLES)
    .flat()
    .map((table) => sql(port, 'homer_data', `select count(*) from ${table}`));
  return all.reduce((sum, { code, output }) => sum + (code === 0 ? Number(output.trim()) : 0), 0);
}

async function untilQuiet(port) {
  let before = -1;
  let since = performance.now();
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await sleep(1_000)) {
    const now = count(port);
    if (now !== before) since = performance.now();
    before = now;
    if (now > 0 && performance.now() - since > QUIET_MS) return;
  }
}

const keyOf = ({ srcIp, srcPort, dstIp, dstPort, raw }) =>
  JSON.stringify([srcIp, srcPort, dstIp, dstPort, typeof raw === 'string' ? raw : [raw.type, raw.ssrc]]);

/** Compares the rows of both by addresses and message, or report, in their order; how many differ without an explanation. */
function compare(kind, theirs, ours) {
  const open = new Map();
  for (const row of theirs) open.set(keyOf(row), [...(open.get(keyOf(row)) ?? []), row]);
  const fields = new Map();
  let equal = 0;
  const alone = [];
  for (const row of ours) {
    const other = open.get(keyOf(row))?.shift();
    if (other === undefined) {
      alone.push(row);
      continue;
    }
    const differing = new Set();
    for (const name of new Set([...Object.keys(row), ...Object.keys(other)]))
      if (name !== 'raw' || kind === 'SIP') {
        if (JSON.stringify(row[name]) !== JSON.stringify(other[name])) differing.add(name);
      } else
        for (const key of new Set([...Object.keys(row.raw), ...Object.keys(other.raw)]))
          if (JSON.stringify(sorted(row.raw[key])) !== JSON.stringify(sorted(other.raw[key]))) differing.add(key);
    if (differing.size === 0) equal++;
    for (const name of differing) fields.set(name, [...(fields.get(name) ?? []), [other, row]]);
  }
  const missing = [...open.values()].flat();
  say(
    `${kind}: heplify ${theirs.length} rows, calltap ${ours.length}; equal ${equal}; only heplify ${missing.length}, only calltap ${alone.length}`,
  );
  for (const [name, pairs] of fields) {
    const [[other, row]] = pairs;
    const shown = (from) => JSON.stringify(from[name] ?? from.raw?.[name])?.slice(0, 160);
    say(
      `  ${name} differs ${pairs.length} times${EXPLAINED.has(name) ? ' (explained)' : ''}: ${shown(other)} | ${shown(row)}`,
    );
  }
  for (const [who, rows] of [
    ['heplify', missing],
    ['calltap', alone],
  ])
    for (const row of rows.slice(0, 3)) say(`  only ${who}: ${keyOf(row)} ${JSON.stringify(row.raw).slice(0, 160)}`);
  const unexplained = [...fields.keys()].filter((name) => !EXPLAINED.has(name)).length;
  // What heplify did not deliver is its own loss.
  return unexplained + missing.length;
}

function sorted(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function main() {
  for (const program of ['heplify-server', 'heplify', 'psql'])
    if (which(program) === null) throw new Error(`${program} is not in PATH`);
  const [database, hep] = [await freePort(), await freePort()];
  const file = movedToNow(process.argv[2] ?? join(root, 'fixtures/demo/demo.pcap'));
  await startPostgres(database);
  const settings = {
    ...{ HEPAddr: `127.0.0.1:${hep}`, HEPTCPAddr: `127.0.0.1:${hep}`, PromAddr: '' },
    ...{ DBShema: 'homer7', DBDriver: 'postgres', DBAddr: `127.0.0.1:${database}`, DBUser: 'postgres', DBPass: "''" },
    ...{
      DBDataTable: 'homer_data',
      DBConfTable: 'homer_config',
      DBTimer: 1,
      DBWorker: 1,
      LogStd: true,
      LogLvl: 'warning',
    },
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  writeFileSync(join(folder, 'heplify-server.toml'), `${lines.join('\n')}\n`);
  const server = start('heplify-server', ['-config', join(folder, 'heplify-server.toml')], { cwd: folder });
  try {
    await until(
      'the tables of heplify-server',
      () => sql(database, 'homer_data', 'select 1 from hep_proto_35_default').code === 0,
    );
  } catch (error) {
    throw new Error(`${error.message}\n${server.text()}`);
  }
  const agents = {
    heplify: ['heplify', ['-no-config', '-rf', file, '-t', 'pcap', '-rs', '-nt', 'tcp', '-hs', `127.0.0.1:${hep}`]],
    calltap: [process.execPath, [join(root, 'dist/program/calltap.js'), '-I', file, '-H', `tcp://127.0.0.1:${hep}`]],
  };
  const more = {
    heplify: ['-hn', 'heplify', '-m', 'SIPRTCP', '-pr', '5060-5061', '-tcpassembly', '-l', 'warn'],
    calltap: ['--hep-node', 'calltap', '--hep-rtp-reports'],
  };
  for (const node of NODES) {
    const [program, args] = agents[node];
    const run = start(program, [...args, ...more[node]], { cwd: folder });
    // At the end of the file heplify stays: with -eof-exit it drops what it has not sent.
    await untilQuiet(database);
    run.child.kill();
    await run.ended;
  }
  let wrong = 0;
  for (const kind of Object.keys(TABLES)) wrong += compare(kind, ...NODES.map((node) => rowsOf(database, kind, node)));
  return wrong === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(`homer: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const child of started.reverse()) child.kill('SIGTERM');
  await sleep(1_000);
  rmSync(folder, { recursive: true, force: true });
}
