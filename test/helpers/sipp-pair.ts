/** Two SIPp that replay a pair of scenarios against each other on loopback, and what each of them sent. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { RemoteInfo } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SippPair } from '../../src/export/sipp.ts';
import { freePort, until } from './patience.ts';
import { waitingAt } from './sockets.ts';

/** Why a test of SIPp cannot run here; false when it can. */
export function missingSipp(): string | false {
  const isThere = (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'sipp'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return isThere ? false : 'sipp is not installed';
}

export type Replay = {
  readonly codes: { readonly uac: number | null; readonly uas: number | null };
  /** Messages as SIPp logged them, what was sent again left out. */
  readonly sent: { readonly uac: readonly string[]; readonly uas: readonly string[] };
  /** What the programs said, for failures. */
  readonly output: string;
  /** Files in their folder afterwards that neither the test nor SIPp's own log made. */
  readonly strangers: readonly string[];
};

export type ReplayOptions = { readonly transport?: 'u1' | 't1'; readonly v6?: boolean };

/** Each pair has an address of its own: the port that one found free is not taken by another before SIPp binds it. */
let pairs = 0;

export async function replay(t: TestContext, pair: SippPair, o: ReplayOptions = {}): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-sipp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const address = o.v6 === true ? '[::1]' : `127.1.${process.pid % 250}.${++pairs}`;
  const uasPort = await freePort();
  let uacPort = uasPort;
  // Nobody has bound the first one yet, so the second may be the same.
  while (uacPort === uasPort) uacPort = await freePort();
  const uas = start(folder, 'uas', pair.uas, address, uasPort, o, []);
  await until(
    () => isBound(uasPort, o) || uas.hasEnded(),
    () => `uas never listens: ${uas.output()}`,
    5,
  );
  const uac = start(folder, 'uac', pair.uac, address, uacPort, o, [`${address}:${uasPort}`]);
  const [uacCode, uasCode] = await Promise.all([uac.ended, uas.ended]);
  const sentBy = (side: string): string[] => sentMessages(join(folder, `${side}.log`));
  const ours = /^ua[cs]\.(xml|log)$|^ua[cs]_\d+_errors\.log$/;
  return {
    codes: { uac: uacCode, uas: uasCode },
    sent: { uac: sentBy('uac'), uas: sentBy('uas') },
    output: `uac: ${uac.output()}\nuas: ${uas.output()}`,
    strangers: readdirSync(folder).filter((name) => !ours.test(name)),
  };
}

/** Runs a scenario of one request over UDP and answers it with 200; the request as it came. */
export async function answerOnce(t: TestContext, uac: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'calltap-sipp-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => socket.close());
  await once(socket, 'listening');
  const came = once(socket, 'message');
  const running = start(folder, 'uac', uac, '127.0.0.1', await freePort(), {}, [`127.0.0.1:${socket.address().port}`]);
  const [request, from]: [Buffer, RemoteInfo] = (await came) as [Buffer, RemoteInfo];
  const echoed = /^(?:Via|From|To|Call-ID|CSeq):.*\r\n/gm;
  const headers = request.toString('latin1').match(echoed) ?? [];
  socket.send(`SIP/2.0 200 OK\r\n${headers.join('')}Content-Length: 0\r\n\r\n`, from.port, from.address);
  assert.equal(await running.ended, 0, running.output());
  return request;
}

function start(
  folder: string,
  side: string,
  scenario: string,
  address: string,
  port: number,
  { transport = 'u1' }: ReplayOptions,
  target: readonly string[],
) {
  writeFileSync(join(folder, `${side}.xml`), scenario);
  const at = ['-i', address, '-mi', address, '-p', String(port), '-t', transport];
  const log = ['-trace_msg', '-message_file', `${side}.log`, '-trace_err'];
  const limits = ['-m', '1', '-nostdin', '-timeout', '15', '-timeout_error'];
  const child = spawn('sipp', ['-sf', `${side}.xml`, ...at, ...log, ...limits, ...target], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TERM: 'dumb' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (d: Buffer) => {
      text = (text + d.toString('latin1')).slice(-20_000);
    });
  const ended = once(child, 'close').then(() => child.exitCode);
  return { ended, hasEnded: () => child.exitCode !== null, output: () => text };
}

/** Whether something of this machine has the port; asking it would be a message. */
function isBound(port: number, { transport = 'u1', v6 = false }: ReplayOptions): boolean {
  const by = transport === 'u1' ? 'udp' : 'tcp';
  return waitingAt({ transport: by, text: readFileSync(`/proc/net/${by}${v6 ? '6' : ''}`, 'latin1') }, port) > 0;
}

function sentMessages(path: string): string[] {
  let log: string;
  try {
    log = readFileSync(path, 'latin1');
  } catch {
    return [];
  }
  const sent: string[] = [];
  const begin = /^-{47} .*\n\w+ message (sent \(\d+ bytes\)|sent \[\d+\] bytes|received .*) ?:\n\n/gm;
  const found = [...log.matchAll(begin)];
  found.forEach((m, i) => {
    const text = log.slice(m.index + m[0].length, found[i + 1]?.index ?? log.length).replace(/\n$/, '');
    if (m[1]?.startsWith('sent') === true && !sent.includes(text)) sent.push(text);
  });
  return sent;
}
