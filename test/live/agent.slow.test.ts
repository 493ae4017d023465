/** The agent on a live host: `-d lo` and `-L` feed one set of dialogs, and a signal ends it with a table. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { packageRoot } from '../../src/core/package.ts';
import { asJson } from '../helpers/json.ts';
import { answered, freePort, listen, SOON_MS, until } from '../helpers/patience.ts';

const MAIN = join(packageRoot(), 'dist/program/calltap.js');
const noRoot = process.getuid?.() === 0 ? false : 'capturing needs root or CAP_NET_RAW';

type Agent = { child: ChildProcess; err: () => string; url: string };

/** Starts the program and waits until standard error says `ready`; it ends with the test at the latest. */
async function start(t: TestContext, args: readonly string[], ready: RegExp): Promise<Agent> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const { text, said } = listen(child);
  await said(ready);
  const url = (await said(/api listening on (\S+)\n/))[1] ?? '';
  return { child, err: text, url };
}

async function stop(agent: Agent): Promise<void> {
  const exited = once(agent.child, 'exit');
  agent.child.kill('SIGTERM');
  const [code] = await exited;
  assert.equal(code, 0, agent.err());
}

function message(startLine: string, callId: string, cseq: string): Buffer {
  const toTag = startLine.startsWith('SIP') ? ';tag=callee' : '';
  return Buffer.from(
    [
      startLine,
      'Via: SIP/2.0/UDP 127.0.0.1:45060;branch=z9hG4bKlive',
      'From: <sip:1001@example.com>;tag=caller',
      `To: <sip:1002@example.com>${toTag}`,
      `Call-ID: ${callId}`,
      `CSeq: ${cseq}`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
}

async function send(payload: Buffer, port: number): Promise<void> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve, reject) => {
    socket.send(payload, port, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)));
  });
  socket.close();
}

/** The dialog's list row once it has `messages` messages. */
async function dialogWith(agent: Agent, callId: string, messages: number): Promise<Record<string, unknown>> {
  let seen: unknown;
  return until(
    async () => {
      const answer = await fetch(`${agent.url}/v1/dialogs/${callId}`);
      const document = asJson(await answer.json());
      seen = document;
      return answer.ok && document['msg_count'] === messages ? document : null;
    },
    () => `no dialog ${callId} with ${messages} messages: ${JSON.stringify(seen)}`,
  );
}

test('-d lo captures a call once, says which filter runs, and stops within two seconds', {
  skip: noRoot,
}, async (t) => {
  const port = await freePort();
  const args = ['-d', 'lo', '--portrange', String(port), '--api', '127.0.0.1:0'];
  const agent = await start(t, args, /capturing on lo, filter: \w+/);
  try {
    const callId = `live-${process.pid}`;
    await send(message('INVITE sip:1002@example.com SIP/2.0', callId, '1 INVITE'), port);
    await send(message('SIP/2.0 486 Busy Here', callId, '1 INVITE'), port);
    const dialog = await dialogWith(agent, callId, 2);
    assert.equal(dialog['state'], 'Failed');
    assert.equal(dialog['input_origin'], 'wire');
    assert.equal('frame' in dialog, false, 'a live capture has no frame to point at');
    const stats: unknown = await (await answered(`${agent.url}/v1/stats`)).json();
    assert.ok(typeof stats === 'object' && stats !== null && 'source' in stats && 'unsaved' in stats);
    assert.equal(stats.source, 'live');
    assert.equal(stats.unsaved, true);
  } finally {
    const before = performance.now();
    await stop(agent);
    assert.ok(performance.now() - before < SOON_MS);
  }
});

test('-L -E receives HEP: the mirrored message is a dialog of origin hep', async (t) => {
  const agent = await start(t, ['-L', '127.0.0.1:0', '-E', '--api', '127.0.0.1:0'], /hep listening on udp:\S+/);
  try {
    const port = Number(/udp:\/\/127\.0\.0\.1:(\d+)/.exec(agent.err())?.[1]);
    const callId = `hep-${process.pid}`;
    const sip = message('OPTIONS sip:1002@example.com SIP/2.0', callId, '7 OPTIONS');
    const mirrored = hep3({
      src: { address: '192.0.2.1', port: 5060 },
      dst: { address: '192.0.2.2', port: 5060 },
      tsUs: Date.now() * 1000,
      payload: sip,
    });
    await send(Buffer.from(mirrored), port);
    const dialog = await dialogWith(agent, callId, 1);
    assert.equal(dialog['input_origin'], 'hep');
    assert.equal(dialog['method'], 'OPTIONS');
  } finally {
    await stop(agent);
  }
});

test('an interface that is not there, a listener open to all and mixed sources are refused in one line', async () => {
  const cases: readonly (readonly [readonly string[], RegExp, number])[] = [
    [['-d', 'no-such-if0'], /-d no-such-if0/, 1],
    [['-L', '0.0.0.0:0', '-E'], /--hep-allow/, 2],
    [['-L', '127.0.0.1:0'], /-E/, 2],
    [['-I', 'x.pcap', '-d', 'lo'], /-I/, 2],
  ];
  for (const [args, line, code] of cases) {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let err = '';
    child.stderr.on('data', (d: Buffer) => {
      err += d.toString();
    });
    const [exit] = await once(child, 'close');
    assert.match(err, line);
    assert.equal(err.trim().split('\n').length, 1, err);
    assert.equal(exit, code, err);
  }
});
