/**
 * Calls on 5080 with nothing said of ports, as FreeSWITCH has them: the socket is learned by what it answers, by UDP and TCP,
 * with the filter of eBPF and the classic one. A scan of many ports, and answers that belong to nothing, teach nothing.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { asJson } from '../helpers/json.ts';
import { until } from '../helpers/patience.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';

const skip = missing('sipp', 'setpriv');
const PORT = 5080;
const SOCKET = `${ADDRESS.b.v4}:${PORT}`;
const CLASSIC = ['setpriv', '--bounding-set=-bpf,-sys_admin', '--inh-caps=-bpf,-sys_admin'];

/** OPTIONS to each of many ports, in rounds, over more than the ten seconds that a socket must have answered. */
const SCAN = `
const socket = require('node:dgram').createSocket('udp4');
let n = 0;
const round = () => {
  for (let i = 0; i < 200; i++) {
    const port = 5070 + (n % 400);
    socket.send(\`OPTIONS sip:a@${ADDRESS.b.v4} SIP/2.0\\r\\nVia: SIP/2.0/UDP ${ADDRESS.a.v4};branch=z9hG4bK\${n++}\\r\\n\` +
      'From: <sip:a@a>;tag=1\\r\\nTo: <sip:b@b>\\r\\nCall-ID: ' + n + '\\r\\nCSeq: 1 OPTIONS\\r\\n\\r\\n', port, '${ADDRESS.b.v4}');
  }
  if (n < 6000) setTimeout(round, 400); else setTimeout(() => socket.close(), 200);
};
socket.bind(5070, round);
`;

/** Answers on one of those ports, each time with the branch of another request. */
const LIAR = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (m, from) => {
  const text = String(m).replace(/^.*/, 'SIP/2.0 200 OK').replace(/branch=\\S+/, '$&x');
  socket.send(text, from.port, from.address);
});
socket.bind(5090, () => console.log('bound'));
`;

function learned(agent: Agent): unknown {
  return asJson(asJson(agent.get('/v1/stats'))['caveats'])['learned_sip_sockets'];
}

test('a scan of many ports, and answers to nothing, teach nothing', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const agent = await Agent.start(lab, ['-d', 'eth0'], /capturing on eth0/);
  await lab.said(lab.start('b', process.execPath, ['-e', LIAR]), /bound/);
  const scan = lab.start('a', process.execPath, ['-e', SCAN]);
  assert.equal(await scan.ended, 0, scan.output());
  // Every request and every answer of the liar was seen, and counted as what was not analysed.
  await until(
    () => Number(agent.get('/v1/stats')?.['unanalysed_sip_messages']) >= 6000 + 6000 / 400,
    () => JSON.stringify(agent.get('/v1/stats')),
  );
  assert.deepEqual(learned(agent), []);
  assert.equal(asJson(asJson(agent.get('/v1/stats'))['dialogs'])['total'], 0);
  assert.doesNotMatch(agent.running.output(), /speaks SIP/);
});

const ROWS: readonly (readonly [name: string, transport: 'u1' | 't1', by: readonly string[]])[] = [
  ['UDP', 'u1', []],
  ['TCP', 't1', []],
  ['UDP with the classic filter', 'u1', CLASSIC],
  ['TCP with the classic filter', 't1', CLASSIC],
];

async function learns(t: TestContext, transport: 'u1' | 't1', by: readonly string[]): Promise<void> {
  const lab = new Lab({ after: (close) => t.after(close) });
  const filter = by.length === 0 ? /capturing on eth0/ : /filter: classic/;
  const agent = await Agent.start(lab, ['-d', 'eth0'], filter, by);
  const at = (host: 'a' | 'b'): string[] => ['-i', ADDRESS[host].v4, '-t', transport, '-nostdin'];
  lab.start('b', 'sipp', ['-sn', 'uas', '-p', `${PORT}`, ...at('b')]);
  await lab.listening('b', PORT, transport === 't1' ? 'tcp' : 'udp');
  const calls = (...more: string[]) => lab.start('a', 'sipp', ['-sn', 'uac', ...at('a'), ...more, SOCKET]);
  const before = calls('-p', '5070', '-r', '1', '-m', '60');
  await lab.said(agent.running, /10\.90\.0\.2:5080 speaks SIP: analysed from now on/);
  const one = calls('-p', '5072', '-m', '1', '-cid_str', 'seen@lab');
  assert.equal(await one.ended, 0, one.output());
  const d = await agent.dialogWhen('seen@lab', (seen) => seen['state'] === 'Completed' && seen['msg_count'] === 6);
  assert.deepEqual([d['final_status_code'], d['method']], [200, 'INVITE']);
  await lab.stop(before);
  assert.deepEqual(learned(agent), [SOCKET]);
  assert.equal(agent.running.output().split('speaks SIP').length, 2, agent.running.output());
}

test('a server on 5080 is learned, named once, and its calls are seen', { skip, concurrency: true }, async (t) => {
  await Promise.all(ROWS.map(([name, transport, by]) => t.test(name, (s) => learns(s, transport, by))));
});
