/**
 * /ask under load: 50 clients ask for captures, audio, reports, messages and filtered lists at once, some of them read
 * slowly, and 16 follow /ask/changes. Says what /v1 answers meanwhile, how memory grows, and what each client was told.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 50;
const FOLLOWERS = 16;
const SLOW_EVERY = 9;
const PAUSE_MS = 15;
const BUSY_MS = 100;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/** `from` is a loopback address of the client, so that each has its own share. A slow one pauses after each chunk. */
function ask(port: number, path: string, from: string, isSlow = false): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text = ''): void => resolve({ status, text, tookMs: performance.now() - begun });
    const request = get({ host: '127.0.0.1', port, path, localAddress: from, agent: false }, (response) => {
      let text = '';
      const keeps = path.startsWith('/ask/calls?') || path.startsWith('/v1/stats');
      response.on('data', (chunk: Buffer) => {
        if (keeps) text += chunk.toString();
        if (!isSlow) return;
        response.pause();
        setTimeout(() => response.resume(), 50);
      });
      response.on('end', () => end(response.statusCode ?? 0, text));
      response.on('error', () => end(0));
    });
    request.on('error', () => end(0));
  });
}

function residentMib(child: ChildProcess): number {
  const status = readFileSync(`/proc/${String(child.pid)}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The port, once the API listens. */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const port = /api listening on \S+:(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`calltap ended: ${text}`)));
  });
}

async function callIds(port: number): Promise<string[]> {
  const isRead = async (): Promise<boolean> =>
    (await ask(port, '/v1/stats', '127.0.0.1')).text.includes('"source_exhausted":true');
  while (!(await isRead())) await sleep(200);
  const { text } = await ask(port, '/ask/calls?limit=200&q=method:INVITE', '127.0.0.1');
  return [...text.matchAll(/"call_id":"([^"]+)"/g)].map(([, id = '']) => encodeURIComponent(id));
}

function pathOf(client: number, turn: number, ids: readonly string[]): string {
  const call = `/ask/calls/${ids[(client * 7 + turn) % ids.length] ?? ''}`;
  const paths = [
    `${call}/capture`,
    `${call}/audio`,
    '/ask/calls?q=loss>1%25&sort=mos',
    `${call}/report`,
    `${call}/messages`,
  ];
  return paths[client % paths.length] ?? call;
}

const quantile = (sorted: readonly number[], q: number): string =>
  (sorted[Math.floor(sorted.length * q)] ?? 0).toFixed(1);

/** `npm run bench -- ask FILE [SECONDS]`. */
export async function askLoad(root: string, [file, seconds = '15']: readonly string[]): Promise<number> {
  if (file === undefined) {
    process.stderr.write('bench: ask needs a capture: npm run bench -- ask FILE [SECONDS]\n');
    return 2;
  }
  const main = join(root, 'dist', 'program', 'calltap.js');
  const options = ['--api', '127.0.0.1:0', '--ask', '--retain-audio', '--audio-bytes', '512M'];
  const child = spawn(process.execPath, [main, file, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const port = await listening(child);
    const ids = await callIds(port);
    const told = new Map<string, number>();
    const beforeMib = residentMib(child);
    let isOn = true;
    for (let i = 0; i < FOLLOWERS; i++) void ask(port, '/ask/changes', `127.0.0.${100 + i}`);
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; isOn; turn++) {
        const path = pathOf(client, turn, ids);
        const { status } = await ask(port, path, `127.0.0.${10 + client}`, client % SLOW_EVERY === 0);
        const what = `${path.split('?')[0]?.split('/').at(-1) ?? ''} ${status}`;
        told.set(what, (told.get(what) ?? 0) + 1);
        if (status === 503) await sleep(BUSY_MS);
      }
    });
    const tookMs: number[] = [];
    let mostMib = beforeMib;
    for (const until = performance.now() + Number(seconds) * 1000; performance.now() < until; await sleep(PAUSE_MS)) {
      tookMs.push((await ask(port, '/v1/dialogs?limit=20', '127.0.0.1')).tookMs);
      mostMib = Math.max(mostMib, residentMib(child));
    }
    isOn = false;
    tookMs.sort((a, b) => a - b);
    const times = [0.5, 0.99, 1 - Number.EPSILON].map((q) => quantile(tookMs, q));
    const lines = [...told].map(([what, n]) => `${what}: ${n}`);
    process.stdout.write(
      `/v1/dialogs beside ${CLIENTS} clients of /ask: median ${times[0]} ms, p99 ${times[1]} ms, longest ${times[2]} ms\n` +
        `resident: ${beforeMib.toFixed(0)} MiB before, ${mostMib.toFixed(0)} MiB at most\n` +
        `${lines.sort((a, b) => a.localeCompare(b)).join('\n')}\n`,
    );
    child.kill('SIGTERM');
    await Promise.all(clients);
    return 0;
  } finally {
    child.kill('SIGKILL');
  }
}
