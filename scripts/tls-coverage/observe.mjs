// Tries one program: starts it and its partner on two hosts of a lab, observes it with calltap as shipped, and compares.
import { chmodSync, copyFileSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root as checkout } from '../steps/files.mjs';
import { capture } from '../steps/run.mjs';
import { compare, printed } from './account.mjs';
import { inRoot } from './releases.mjs';
import { answer, Messages } from './sip.mjs';

const { ADDRESS, Agent, Lab } = await import(join(checkout, 'dist/test/live/lab.js'));
const { selfSigned } = await import(join(checkout, 'dist/test/helpers/tls-probes.js'));

const PLACES = { address: ADDRESS.a.v4, port: 5061, partner: ADDRESS.b.v4, partnerPort: 5061, plainPort: 5070 };
const CALLTAP = join(checkout, 'dist/program/calltap.js');
const PARTNER = join(checkout, 'scripts/tls-coverage/partner.mjs');
/** The partner of a server: requests on each of its connections. */
const MESSAGES = 200;
const CONNECTIONS = 4;
/** Between two on one connection: so that they last as long as --uprobe-list watches the host. */
const PACE_MS = 25;
const PATIENCE_MS = 60_000;
/** What is still on its way to the reader when the last message was answered. */
const LATE_MS = 5_000;

/** Waits until `is` holds, or one of the programs has ended; whether it holds. */
async function until(is, patienceMs, ...programs) {
  for (const end = performance.now() + patienceMs; !is(); await sleep(50)) {
    const isOver = programs.some(({ child }) => child.exitCode !== null || child.signalCode !== null);
    if (isOver || performance.now() > end) return is();
  }
  return true;
}

const lastLine = ({ output }) => output().trim().split('\n').at(-1) ?? '';

/** All of a program's standard output. */
function heard(running) {
  let text = '';
  running.child.stdout.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return () => text;
}

function prepare(lab, program) {
  chmodSync(lab.folder, 0o777);
  selfSigned(lab.folder);
  writeFileSync(lab.path('both.pem'), `${readFileSync(lab.path('c.pem'))}${readFileSync(lab.path('k.pem'))}`);
  for (const name of ['c.pem', 'k.pem', 'both.pem']) chmodSync(lab.path(name), 0o644);
  for (const [name, text] of Object.entries(program.files?.(PLACES) ?? {})) writeFileSync(lab.path(name), text);
  for (const name of program.peers ?? []) copyFileSync(join(checkout, 'test/live/peers', name), lab.path(name));
}

/** The program; a client waits until it is observed. Throws one line where it does not come up. */
async function startProgram(lab, { root, program, node }) {
  const isClient = program.role === 'client';
  const start = program.line({ ...PLACES, node });
  const line = isClient ? `until test -e go; do sleep 0.05; done; ${start}` : start;
  const peer = lab.start('a', ...inRoot(root, lab.folder, line), 'pipe');
  const type = (text) => peer.child.stdin.write(text);
  peer.child.stdin.on('error', () => {});
  if (program.isTyped) {
    const messages = new Messages((message) => type(answer(message)));
    peer.child.stdout.on('data', (chunk) => messages.push(chunk.toString('latin1')));
  }
  if (!isClient && !(await until(() => lab.waiting('a', PLACES.port, 'tcp') > 0, PATIENCE_MS, peer)))
    throw new Error(`it does not listen: ${lastLine(peer)}`);
  return { ...peer, type };
}

/** What calltap is to observe: a process, and what it starts; of a client the library, which it must know before. */
function target(root, program, pid) {
  if (program.role !== 'client') return String(pid);
  const files = root.must(`find /usr/lib -type f -name '${program.library}*'`).trim().split('\n');
  return join(root.path, files[0]);
}

/** calltap; its refusal in one line where it does not come up. */
async function startAgent(lab, what) {
  const { running } = new Agent(lab, [`--uprobe=${what}`, '--messages']);
  const messages = heard(running);
  const isReady = await until(() => /uprobe ready/.test(running.output()), PATIENCE_MS, running);
  return { running, messages, refusal: isReady ? '' : lastLine(running) };
}

/** Whether a process runs in the root, and on the host of the lab that another one is on, which does not count. */
function isBeside(other, root, pid) {
  const network = (of) => readlinkSync(`/proc/${of}/ns/net`);
  try {
    return pid !== other && readlinkSync(`/proc/${pid}/root`) === root.path && network(pid) === network(other);
  } catch {
    return false;
  }
}

/** What --uprobe-list says of the program while it talks: { tls, found, probes } in words. */
async function listed(lab, root, program, agent) {
  const list = lab.start('a', process.execPath, [CALLTAP, '--uprobe-list', '--json']);
  const text = heard(list);
  await list.ended;
  const rows = JSON.parse(text()).libraries.filter(({ pid }) => isBeside(agent.child.pid, root, pid));
  // It may map other libraries beside the one that it speaks TLS by.
  const isItsOwn = ({ file }) => file.includes(`/${program.library ?? 'libssl.so.'}`);
  const row =
    rows.find((each) => each.observable && isItsOwn(each)) ?? rows.toSorted((a, b) => b.records - a.records)[0];
  if (row === undefined) return { tls: 'not in the list', found: '', probes: '' };
  const file = row.file.slice(row.file.lastIndexOf('/') + 1);
  const tls = `${row.library} (\`${file}\`)`;
  if (!row.observable) return { tls, found: row.note, probes: '' };
  const { output } = capture('readelf', ['-W', '--dyn-syms', row.file]);
  const isExported = /\b(SSL_write|gnutls_record_send|wolfSSL_write|mbedtls_ssl_write)\b/.test(output);
  const found = row.found_by !== 'symbols' ? row.found_by : isExported ? 'exported symbol' : 'symbol table';
  return { tls, found, probes: row.note.includes('which is fast') ? 'entry (fast), exits' : 'entry, exits' };
}

function startPartner(lab, program, prefix) {
  const start = (...words) => lab.start('b', process.execPath, [PARTNER, ...words.map(String)], 'pipe');
  if (program.role === 'client') return start('answer', PLACES.partner, PLACES.partnerPort);
  return start('ask', PLACES.address, PLACES.port, prefix, program.connections ?? CONNECTIONS, MESSAGES, PACE_MS);
}

/** Lets them talk; what was sent, and what stood in the way in one line. */
async function talk(lab, program, peer, prefix) {
  if (program.role === 'gate') {
    const plain = lab.start(
      'b',
      process.execPath,
      [PARTNER, 'answer-plain', PLACES.partner, String(PLACES.plainPort)],
      'pipe',
    );
    await lab.said(plain, /up/);
  }
  const partner = startPartner(lab, program, prefix);
  const told = heard(partner);
  const sent = () =>
    told()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
  if (program.role !== 'client') {
    await partner.ended;
    return { sent, why: partner.child.exitCode === 0 ? '' : lastLine(partner) };
  }
  await lab.said(partner, /up/);
  writeFileSync(lab.path('go'), '');
  await program.drive?.({ lab, type: peer.type, prefix, at: PLACES });
  const wanted = 2 * program.requests;
  const isDone = await until(() => sent().length >= wanted, PATIENCE_MS, peer);
  return { sent, why: isDone ? '' : `${sent().length} of ${wanted} messages went: ${lastLine(peer)}` };
}

/** Tries a program in its root, a Node of npm's by its path: { count, tls, found, probes, why }; `why` says what went wrong, '' if nothing. */
export async function observe({ root, program, node }) {
  const lasting = [];
  const lab = new Lab({ after: (end) => lasting.push(end) });
  const prefix = `cover-${process.pid}-${performance.now().toFixed(0)}`;
  try {
    prepare(lab, program);
    const peer = await startProgram(lab, { root, program, node });
    const agent = await startAgent(lab, target(root, program, peer.child.pid));
    const [list, { sent, why }] = await Promise.all([
      listed(lab, root, program, agent.running),
      talk(lab, program, peer, prefix),
    ]);
    const counted = () => compare(sent(), printed(agent.messages()), PLACES.partner);
    await until(() => counted().right >= sent().length, LATE_MS, agent.running);
    await lab.stop(agent.running, 'SIGINT');
    return { count: counted(), ...list, why: why || agent.refusal };
  } finally {
    for (const end of lasting) await end();
  }
}
