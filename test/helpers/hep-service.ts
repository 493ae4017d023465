/** The program as a receiver of HEP on loopback, and what it says it lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { packageRoot } from '../../src/core/package.ts';
import { asJson } from './json.ts';
import { untilHolds } from './patience.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');

/** SIP of a dialog of its own, as HEP. */
export function optionsPacket(callId: string): Buffer {
  const payload = Buffer.from(
    `OPTIONS sip:b@192.0.2.2 SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK${callId}\r\nFrom: <sip:a@x>;tag=1\r\n` +
      `To: <sip:b@x>\r\nCall-ID: ${callId}\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
  );
  const [src, dst] = [
    { address: '192.0.2.1', port: 5060 },
    { address: '192.0.2.2', port: 5060 },
  ];
  return Buffer.from(hep3({ src, dst, tsUs: Date.now() * 1000, payload }));
}

export type HepService = {
  /** Standard error so far. */
  readonly err: () => string;
  readonly hep: number;
  readonly api: number;
  readonly child: ChildProcess;
};

/** The program as shipped with -L, -E and --api on free ports of loopback; it ends with the test. */
export async function startHepService(t: TestContext, options: readonly string[] = []): Promise<HepService> {
  const args = ['-L', '127.0.0.1:0', '-E', '--api', '127.0.0.1:0', ...options];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  });
  let text = '';
  child.stderr.on('data', (d: Buffer) => {
    text += d.toString();
  });
  const port = (words: RegExp): number => Number(words.exec(text)?.[1] ?? Number.NaN);
  const hep = (): number => port(/^hep listening on t(?:cp|ls):\/\/127\.0\.0\.1:(\d+)$/m);
  const api = (): number => port(/http:\/\/127\.0\.0\.1:(\d+)/);
  await untilHolds(() => hep() > 0 && api() > 0);
  return { err: () => text, hep: hep(), api: api(), child };
}

/** `losses` of /v1/stats. */
export async function lossesOf(api: number): Promise<Record<string, unknown>> {
  return asJson(asJson(await (await fetch(`http://127.0.0.1:${api}/v1/stats`)).json())['losses']);
}
