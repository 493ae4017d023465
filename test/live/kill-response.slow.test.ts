/** A scanner gets its answer from the socket address it asked: sipp plays the scanner and has to accept the answer. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { start } from '../cli/run-program.ts';
import { freePort, type Listener, listen } from '../helpers/patience.ts';
import { temporaryFolder } from '../helpers/read-capture.ts';

function skip(): string | false {
  if (process.getuid?.() !== 0) return 'raw sockets need root or CAP_NET_RAW';
  return spawnSync('sipp', ['-v']).error === undefined ? false : 'no sipp';
}

const scenario = (agent: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="scanner">
  <send retrans="500"><![CDATA[
OPTIONS sip:100@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch];rport
Max-Forwards: 70
From: "100" <sip:100@[local_ip]>;tag=[call_number]
To: <sip:100@[remote_ip]>
Call-ID: [call_id]
CSeq: 1 OPTIONS
Contact: <sip:100@[local_ip]:[local_port]>
User-Agent: ${agent}
Accept: application/sdp
Content-Length: 0

]]></send>
  <recv response="200" timeout="10000"/>
</scenario>
`;

/** A port that somebody holds who never answers: the SIP server behind the answers. */
async function silentServer(t: TestContext, type: 'udp4' | 'udp6'): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket(type);
  // Not one that the connections of other tests, which are captured too, may have.
  const port = await freePort();
  socket.bind(port, type === 'udp4' ? '127.0.0.1' : '::1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { socket, port };
}

async function agentOn(
  t: TestContext,
  port: number,
  more: readonly string[],
): Promise<Listener & { child: ChildProcess }> {
  const child = start(['-d', 'lo', '--portrange', String(port), '--kill-scanner', ...more]);
  t.after(() => child.kill('SIGKILL'));
  const listener = listen(child);
  await listener.said(/capturing on lo/);
  return { child, ...listener };
}

async function sipp(t: TestContext, host: string, port: number, agent: string, calls: number): Promise<number | null> {
  const dir = temporaryFolder(t);
  const file = join(dir, 'scan.xml');
  writeFileSync(file, scenario(agent));
  const to = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const args = [
    to,
    '-sf',
    file,
    '-m',
    String(calls),
    '-r',
    '2',
    '-i',
    host,
    '-nostdin',
    '-timeout',
    '60s',
    '-timeout_error',
  ];
  const child = spawn('sipp', args, { cwd: dir, stdio: 'ignore', timeout: 90_000 });
  return new Promise<number | null>((resolve) => child.once('close', resolve));
}

for (const [host, type] of [
  ['127.0.0.1', 'udp4'],
  ['::1', 'udp6'],
] as const) {
  test(`sipp as a scanner at ${host} takes the answer`, { skip: skip() }, async (t) => {
    const { port } = await silentServer(t, type);
    const agent = await agentOn(t, port, ['--kill-response', '200']);
    assert.equal(await sipp(t, host, port, 'friendly-scanner', 3), 0, agent.text());
    await agent.said(new RegExp(`alert: scanner from=${host}(?: net=\\S+)? behaviour=known-tool`));
    await agent.said(new RegExp(`answered ${host} port \\d+ with 200`));
  });
}

test('honest peers get no answer, and nobody does without --kill-response', {
  skip: skip(),
}, async (t) => {
  const { port } = await silentServer(t, 'udp4');
  const silent = await agentOn(t, port, []);
  assert.notEqual(await sipp(t, '127.0.0.1', port, 'friendly-scanner', 1), 0);
  await silent.said(/alert: scanner/);
  assert.doesNotMatch(silent.text(), /answered/);
  silent.child.kill('SIGKILL');
  const agent = await agentOn(t, port, ['--kill-response', '200']);
  assert.notEqual(await sipp(t, '127.0.0.1', port, 'Honest/1.0', 1), 0);
  assert.doesNotMatch(agent.text(), /answered|alert/);
});
