// Runs calltap as it is shipped: its list, and a live run with the probes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../steps/files.mjs';
import { until } from './bed.mjs';

const CALLTAP = join(root, 'dist/program/calltap.js');

function run(args) {
  const child = spawn(process.execPath, [CALLTAP, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { child, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  said.ended = new Promise((resolve) => child.on('close', resolve));
  return said;
}

/** The rows of `--uprobe-list`. */
export async function list() {
  const said = run(['--uprobe-list', '--json']);
  const code = await said.ended;
  if (code !== 0) throw new Error(`--uprobe-list ended with ${code}: ${said.stderr}${said.stdout.slice(0, 500)}`);
  return JSON.parse(said.stdout).libraries;
}

/**
 * Observes a process and all that it started, until `isEnough(run)` or for `patienceMs`. Resolves to what was read:
 * `dialogs` of /v1/dialogs, `unseen` of /v1/stats, and the numbers of the processes that were `named` on standard error.
 */
export async function live(pid, isEnough, patienceMs) {
  const said = run([`--uprobe=${pid}`, '--api', '127.0.0.1:0']);
  const api = () => /https?:\/\/127\.0\.0\.1:\d+/.exec(said.stderr)?.[0];
  if (!(await until(() => api() !== undefined))) throw new Error(`calltap serves no API: ${said.stderr}`);
  const get = async (path) => (await fetch(`${api()}${path}`)).json();
  let seen = { dialogs: [], unseen: 0, named: [] };
  const look = async () => {
    const { dialogs } = await get('/v1/dialogs?limit=1000');
    const { caveats } = await get('/v1/stats');
    const lines = [...said.stderr.matchAll(/^uprobe: .* \((\d+)\) speaks TLS that no probe sees/gm)];
    seen = { dialogs, unseen: caveats.uprobe_unseen_processes, named: lines.map(([, n]) => Number(n)) };
    return isEnough(seen);
  };
  await until(look, patienceMs);
  said.child.kill('SIGINT');
  await said.ended;
  return { ...seen, stderr: said.stderr };
}
