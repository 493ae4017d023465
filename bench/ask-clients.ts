/**
 * The clients of the /ask benchmark, a program of their own: 50 ask for captures, audio, reports, messages and filtered
 * lists at once, some of them read slowly, and 16 follow /ask/changes. Half of all have a token that is revoked in the
 * middle. Says what /v1 answers meanwhile, how memory grows, and what each client was told.
 *
 *   node dist/bench/ask-clients.js PORT PID SECONDS REVOKED_FILE KEPT_TOKEN REVOKED_TOKEN REVOKED_ID
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
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

/** How one client asks: a loopback address of its own, so that it has its own share; a slow one pauses after each chunk. */
interface Client {
  readonly from: string;
  readonly token: string;
  readonly isSlow: boolean;
}

const [port = '', pid = '', seconds = '', revokedFile = '', kept = '', revoked = '', revokedId = ''] =
  process.argv.slice(2);
const watcher: Client = { from: '127.0.0.1', token: kept, isSlow: false };

function ask(path: string, { from, token, isSlow }: Client): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, text = ''): void => resolve({ status, text, tookMs: performance.now() - begun });
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ host: '127.0.0.1', port, path, localAddress: from, agent: false, headers }, (response) => {
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

function residentMib(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
}

/** What was lost or refused so far: every counter that is not zero. */
async function losses(): Promise<string> {
  const { text } = await ask('/v1/stats', watcher);
  const found = /"losses":\{([^}]*)\}/.exec(text)?.[1] ?? 'not known';
  return (
    found
      .split(',')
      .filter((one) => !/:0$/.test(one))
      .join(' ') || 'none'
  );
}

async function isRead(): Promise<boolean> {
  return !(await ask('/v1/stats', watcher)).text.includes('"source_exhausted":false');
}

async function callIds(): Promise<string[]> {
  const { text } = await ask('/ask/calls?limit=200&q=method:INVITE', watcher);
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

while (process.argv.includes('--read') && !(await isRead())) await sleep(200);
const ids = await callIds();
const told = new Map<string, number>();
const count = (what: string): void => void told.set(what, (told.get(what) ?? 0) + 1);
const beforeMib = residentMib();
let isOn = true;
let isRevoked = false;
const tokenOf = (n: number): string => (n % 2 === 0 ? kept : revoked);
for (let i = 0; i < FOLLOWERS; i++) {
  const ended = ask('/ask/changes', { from: `127.0.0.${100 + i}`, token: tokenOf(i), isSlow: false });
  void ended.then(({ status }) => count(`changes ended, ${isOn ? 'before the end' : 'at the end'} ${status}`));
}
const clients = Array.from({ length: CLIENTS }, async (_, n) => {
  const client = { from: `127.0.0.${10 + n}`, token: tokenOf(n), isSlow: n % SLOW_EVERY === 0 };
  for (let turn = 0; isOn; turn++) {
    const path = pathOf(n, turn, ids);
    const wasRevoked = isRevoked && client.token === revoked;
    const { status } = await ask(path, client);
    count(wasRevoked ? `asked with the revoked token ${status}` : `${path.split('?')[0]?.split('/').at(-1)} ${status}`);
    if (status === 503 || status === 401) await sleep(BUSY_MS);
  }
});
const tookMs: number[] = [];
let mostMib = beforeMib;
const begunMs = performance.now();
for (let atMs = 0; atMs < Number(seconds) * 1000; atMs = performance.now() - begunMs) {
  if (!isRevoked && atMs > Number(seconds) * 500) {
    writeFileSync(revokedFile, `${revokedId}\n`);
    // The file is looked at once a second.
    setTimeout(() => (isRevoked = true), 2000);
  }
  const answer = await ask('/v1/dialogs?limit=20', watcher);
  if (answer.status === 200) tookMs.push(answer.tookMs);
  else count(`/v1/dialogs ${answer.status}`);
  mostMib = Math.max(mostMib, residentMib());
  await sleep(PAUSE_MS);
}
isOn = false;
tookMs.sort((a, b) => a - b);
const times = [0.5, 0.99, 1 - Number.EPSILON].map((q) => quantile(tookMs, q));
const lines = [...told].map(([what, n]) => `${what}: ${n}`);
process.stdout.write(
  `/v1/dialogs beside ${CLIENTS} clients of /ask: median ${times[0]} ms, p99 ${times[1]} ms, longest ${times[2]} ms\n` +
    `resident: ${beforeMib.toFixed(0)} MiB before, ${mostMib.toFixed(0)} MiB at most, ${residentMib().toFixed(0)} at the end\n` +
    `lost: ${await losses()}\n` +
    `${lines.sort((a, b) => a.localeCompare(b)).join('\n')}\n`,
);
await Promise.race([Promise.all(clients), sleep(5000)]);
process.exit();
