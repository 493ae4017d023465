// Compares the dialogs that heplify mirrors to `calltap -L`, over UDP, TCP and TLS, with those of the same capture read by -I:
// `npm run heplify-sender -- [CAPTURE...]`; the exit code says whether all are equal.
//
// It is no part of the tests: heplify comes from elsewhere. It was run with 1.67.1, built by `go build` in a checkout of that
// tag (libpcap-dev, libluajit-5.1-dev). HEPLIFY names the program; else it is looked for in PATH. heplify 2.0.25 ended at the
// end of a capture with what it had not sent yet, so it cannot be compared this way.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, 'dist/program/calltap.js');
const heplify = process.env.HEPLIFY ?? 'heplify';
const FIXTURES = [
  'transfer',
  'forked',
  'auth-407',
  'register',
  'subscribe',
  'prack',
  'compact-headers',
  'multipart-body',
];
const MORE = ['retransmitted-invite-and-200', 'cancel-too-late', 'reinvite-refused', 'redirected', 'message'];
/** A mirrored message has no frame, and another origin. */
const LEFT_OUT = new Set(['input_origin', 'frame']);
const WAIT_MS = 180_000;

const say = (line) => process.stdout.write(`${line}\n`);

/** The program with its API on a free port; ends with stop(). */
async function start(args, env = {}) {
  const child = spawn(process.execPath, [program, '--api', '127.0.0.1:0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let text = '';
  child.stderr.on('data', (b) => {
    text += b;
  });
  const ended = new Promise((done) => child.once('close', done));
  const said = (words) => words.exec(text)?.[1];
  const api = await until(() => said(/^api listening on (\S+)$/m), `${args.join(' ')}: no API; ${text}`);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { said, stop, get: async (path) => (await fetch(`${api}${path}`)).json() };
}

async function until(what, why) {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await sleep(50)) {
    const value = await what();
    if (value !== undefined && value !== false) return value;
  }
  throw new Error(why);
}

/** Rows of /v1/dialogs by Call-ID, without what LEFT_OUT names. */
async function rowsOf(service) {
  const { dialogs } = await service.get('/v1/dialogs?limit=1000');
  const rows = dialogs.map((row) => [
    row.call_id,
    Object.fromEntries(Object.entries(row).filter(([name]) => !LEFT_OUT.has(name))),
  ]);
  return new Map(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const messagesOf = async (service) =>
  (await service.get('/v1/dialogs?limit=1000')).dialogs.reduce((sum, row) => sum + row.msg_count, 0);

/** What differs, a line each. */
function differences(file, mirrored) {
  const lines = [];
  for (const callId of new Set([...file.keys(), ...mirrored.keys()])) {
    const [a, b] = [file.get(callId), mirrored.get(callId)];
    if (a === undefined || b === undefined)
      lines.push(`${callId}: only in ${a === undefined ? 'the mirror' : 'the file'}`);
    else
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
        if (JSON.stringify(a[name]) !== JSON.stringify(b[name]))
          lines.push(`${callId}: ${name}: file ${JSON.stringify(a[name])}, mirror ${JSON.stringify(b[name])}`);
  }
  return lines;
}

async function mirrored(capture, transport, messages, folder) {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const tls = transport === 'tls' ? ['--hep-listen-cert', cert, '--hep-listen-key', key] : [];
  const service = await start(['-L', '127.0.0.1:0', '-E', ...tls]);
  const address = service.said(
    transport === 'udp' ? /^hep listening on udp:\/\/(\S+)$/m : /^hep listening on t\w+:\/\/(\S+)$/m,
  );
  const args = ['-t', 'pcap', '-rf', capture, '-rs', '-m', 'SIP', '-pr', '5060-5061', '-e', '-prometheus', ''];
  // Go trusts the certificates of this file: heplify checks name and chain.
  const agent = spawn(heplify, [...args, '-hs', address, '-nt', transport], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, SSL_CERT_FILE: cert },
  });
  try {
    const failed = new Promise((_, reject) => agent.once('error', reject));
    const why = `${capture}: heplify over ${transport} does not bring ${messages} messages`;
    await Promise.race([until(async () => (await messagesOf(service)) >= messages, why), failed]);
    return await rowsOf(service);
  } finally {
    agent.kill('SIGKILL');
    await service.stop();
  }
}

if (spawnSync(heplify, ['-version']).error !== undefined) {
  process.stderr.write(`heplify-sender: cannot run ${heplify}; install heplify, or name it in HEPLIFY\n`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'heplify-sender-'));
const fixtures = [...FIXTURES, ...MORE].map((name) => join(root, 'fixtures/pcap', `call-${name}.pcap`));
const captures =
  process.argv.length > 2
    ? process.argv.slice(2).map((name) => resolve(name))
    : [...fixtures, join(root, 'fixtures/demo/demo.pcap')];
let isEqual = true;
try {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(folder, 'key.pem')];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', join(folder, 'cert.pem'), '-days', '2', ...subject], {
    stdio: 'ignore',
  });
  for (const capture of captures) {
    const service = await start(['-I', capture]);
    await until(async () => (await messagesOf(service)) > 0, `${capture}: it holds no SIP`);
    const [file, messages] = [await rowsOf(service), await messagesOf(service)];
    await service.stop();
    for (const transport of ['udp', 'tcp', 'tls']) {
      const found = differences(file, await mirrored(capture, transport, messages, folder));
      isEqual &&= found.length === 0;
      say(
        `${capture.split('/').at(-1)}, ${transport}: ${file.size} dialogs, ${messages} messages: ${found.length === 0 ? 'equal' : `${found.length} differences`}`,
      );
      for (const line of found.slice(0, 10)) say(`  ${line}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(isEqual ? 0 : 1);
