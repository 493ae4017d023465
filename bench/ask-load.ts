/**
 * /ask under load: the clients of ask-clients.ts beside a capture file that was read, or beside a live capture of calls and
 * RTP on a cable, which must lose nothing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/core/package.ts';
import { Agent, Lab } from '../test/live/lab.ts';
import { compiled } from './live-bench.ts';
import { buildBlast } from './soak.ts';

const MAIN = join(packageRoot(), 'dist', 'program', 'calltap.js');
const CLIENTS = join(packageRoot(), 'dist', 'bench', 'ask-clients.js');
const KEY = ['--api-signing-key', 'a key for the benchmark alone'];
const ASK = ['--ask', '--retain-audio', '--audio-bytes', '512M', ...KEY];
/** Whose token is revoked in the middle. */
const REVOKED = 'goes';
/** Live: seconds of calls before the first client, calls begun a second, and RTP packets a second beside them. */
const LIVE = { warmSec: 12, callsPerSec: 20, rtpPerSec: 50_000 };

function minted(id: string): string {
  return spawnSync(process.execPath, [MAIN, '--mint-token', '--token-id', id, ...KEY], {
    encoding: 'utf8',
  }).stdout.trim();
}

function clientArguments(port: string, pid: number | undefined, seconds: string, revoked: string): string[] {
  return [CLIENTS, port, String(pid), seconds, revoked, minted('stays'), minted(REVOKED), REVOKED];
}

/** Beside a file, once it has been read. */
async function besideFile(file: string, seconds: string, revoked: string): Promise<number> {
  const options = ['--api', '127.0.0.1:0', '--api-revoked-file', revoked, ...ASK];
  const child = spawn(process.execPath, [MAIN, file, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let text = '';
    const port = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /api listening on \S+:(\d+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(`calltap ended: ${text}`)));
    });
    const args = [...clientArguments(port, child.pid, seconds, revoked), '--read'];
    const clients = spawn(process.execPath, args, { stdio: 'inherit' });
    return await new Promise((resolve) => clients.once('exit', (code) => resolve(code ?? 1)));
  } finally {
    child.kill('SIGKILL');
  }
}

/** Beside a live capture. */
async function besideCable(seconds: string, revoked: string): Promise<number> {
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    const agent = await Agent.start(lab, ['-d', 'eth0', '--api-revoked-file', revoked, ...ASK], /capturing on eth0/);
    const longSec = String(Number(seconds) + LIVE.warmSec + 5);
    const { callsPerSec, rtpPerSec } = LIVE;
    lab.start('a', compiled('flood'), ['eth0', longSec, String(rtpPerSec), 'rtp', String(rtpPerSec / 50)]);
    const calls = ['--seconds', longSec, '--iface', 'eth0', '--calls', String(callsPerSec), '--talk', '400'];
    lab.start('b', buildBlast(), calls);
    await sleep(LIVE.warmSec * 1000);
    const { port } = new URL(agent.url);
    const clients = lab.start('a', process.execPath, clientArguments(port, agent.running.child.pid, seconds, revoked));
    const code = await clients.ended;
    process.stdout.write(`${rtpPerSec} RTP packets/s, ${callsPerSec} calls/s on a cable\n${clients.output()}`);
    return code ?? 1;
  } finally {
    for (const close of closers) await close();
  }
}

/** `npm run bench -- ask FILE|live [SECONDS]`. */
export async function askLoad([source, seconds = '15']: readonly string[]): Promise<number> {
  if (source === undefined) {
    process.stderr.write('bench: ask needs a capture or "live": npm run bench -- ask FILE|live [SECONDS]\n');
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'calltap-ask-'));
  const revoked = join(folder, 'revoked');
  writeFileSync(revoked, '');
  try {
    return await (source === 'live' ? besideCable(seconds, revoked) : besideFile(source, seconds, revoked));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
