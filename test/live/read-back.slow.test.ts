/** The capture of a live call is read back from the files of -O: all its frames and no others. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { buildBlast } from '../../bench/soak.ts';
import { until } from '../helpers/patience.ts';
import { Agent, Lab, missing } from './lab.ts';

const skip = missing('cc', 'tshark');
const HEADERS = `fetch(process.argv[1]).then((r) => console.log(JSON.stringify([r.status,
  r.headers.get('x-service-capture-rebuilt'), r.headers.get('x-service-capture-lacks')])))`;

/** An agent with these options, and the Call-ID of one of twenty calls of seven messages and 100 RTP packets that it saw end. */
async function withCalls(t: TestContext, options: (lab: Lab) => readonly string[]): Promise<[Lab, Agent, string]> {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--ask', ...options(lab)], /capturing on eth0/);
  const blast = lab.start('b', buildBlast(), ['--seconds', '2', '--iface', 'eth0', '--calls', '10', '--talk', '50']);
  assert.equal(await blast.ended, 0, blast.output());
  const callId = await until(
    () => /"call_id":"([^"]+)"/.exec(agent.text('/ask/calls?q=state:Completed%20since:1h&sort=created'))?.[1],
    () => `no call has ended: ${agent.text('/v1/stats')}`,
  );
  return [lab, agent, callId];
}

/** Status and headers of the capture, and its frames by protocol as tshark counts them. */
function captureOf(
  lab: Lab,
  agent: Agent,
  callId: string,
): { head: unknown; sip: number; rtp: number; callIds: string[] } {
  const path = `/ask/calls/${encodeURIComponent(callId)}/capture`;
  const head: unknown = JSON.parse(lab.do('a', process.execPath, ['-e', HEADERS, agent.url + path]));
  const file = lab.path('call.pcapng');
  writeFileSync(file, agent.bytes(path));
  // Nobody listens: the errors of ICMP quote what was sent.
  const fields = ['-Y', 'not icmp', '-T', 'fields', '-e', '_ws.col.Protocol', '-e', 'sip.Call-ID'];
  const shown = execFileSync('tshark', ['-r', file, ...fields], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const rows = shown
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const callIds = new Set(rows.flatMap(([, id = '']) => (id === '' ? [] : [id])));
  const sip = rows.filter(([, id = '']) => id !== '').length;
  return { head, sip, rtp: rows.length - sip, callIds: [...callIds] };
}

test('of a live call come all frames that -O wrote, the newest too', { skip }, async (t) => {
  const [lab, agent, callId] = await withCalls(t, (l) => ['-O', l.path('all.pcapng')]);
  assert.deepEqual(captureOf(lab, agent, callId), { head: [200, 'false', null], sip: 7, rtp: 100, callIds: [callId] });
});

test('of a split the files of its time are read, and what is gone from them is said', { skip }, async (t) => {
  const [lab, agent, callId] = await withCalls(t, (l) => ['-O', l.path('ring.pcap'), '--split', '100k']);
  assert.deepEqual(captureOf(lab, agent, callId), { head: [200, 'false', null], sip: 7, rtp: 100, callIds: [callId] });
  const first = lab.do('a', 'sh', ['-c', `ls ${lab.path('ring.pcap')}.* | head -1`]).trim();
  lab.do('a', 'rm', [first]);
  const { head, rtp } = captureOf(lab, agent, callId);
  assert.ok(Array.isArray(head));
  assert.match(String(head[2]), /^\d+ of 107 frames$/);
  assert.ok(rtp < 100, `${rtp}`);
});

test('without -O, and where its files are gone, the SIP is rebuilt', { skip }, async (t) => {
  const [lab, agent, callId] = await withCalls(t, (l) => ['-O', l.path('gone.pcap')]);
  lab.do('a', 'rm', [lab.path('gone.pcap')]);
  const rebuilt = (id: string, why: string) => ({
    head: [200, 'true', `all RTP: ${why}`],
    sip: 7,
    rtp: 0,
    callIds: [id],
  });
  assert.deepEqual(captureOf(lab, agent, callId), rebuilt(callId, 'the files of -O are gone'));
  const [other, plain, another] = await withCalls(t, () => []);
  assert.deepEqual(captureOf(other, plain, another), rebuilt(another, 'no -O writes frames'));
});

test('a Call-ID that looks like a filter or an option reaches the other calltap as a Call-ID', { skip }, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, ['-d', 'eth0', '--ask', '-O', lab.path('all.pcapng')], /capturing on eth0/);
  const ids = ['*', '~.*', '-O', '" or -"', 'a,b\\'];
  const send = `const s = require('node:dgram').createSocket('udp4'); let left = ${ids.length};
    for (const id of ${JSON.stringify(ids)}) s.send(['OPTIONS sip:a@10.90.0.1 SIP/2.0', 'Via: SIP/2.0/UDP 10.90.0.2;branch=z9hG4bK1',
      'From: <sip:b@x>;tag=1', 'To: <sip:a@x>', 'Call-ID: ' + id, 'CSeq: 1 OPTIONS', 'Content-Length: 0', '', ''].join('\\r\\n'),
      5060, '10.90.0.1', () => --left || s.close());`;
  lab.do('b', process.execPath, ['-e', send]);
  for (const id of ids) {
    await agent.dialogWhen(id, () => true);
    assert.deepEqual(captureOf(lab, agent, id), { head: [200, 'false', null], sip: 1, rtp: 0, callIds: [id] }, id);
  }
});
