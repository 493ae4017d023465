/** What a field installation meets: a link that goes, a collector that is dead, a disk that is full, a clock that jumps, a kill. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { hep3 } from '../../fixtures/build/hep.ts';
import { SOON_MS, until } from '../helpers/patience.ts';
import { ADDRESS, Agent, type Json, Lab, missing } from './lab.ts';
import { callBegins, callEnds, type Datagram, sdp, send, sendCall, sendRtp } from './sip-datagrams.ts';

const PATIENT = { timeout: 280_000 };

function object(value: unknown): Json {
  assert.ok(typeof value === 'object' && value !== null, JSON.stringify(value));
  return { ...value };
}

async function stats(agent: Agent): Promise<Json> {
  return until(
    () => agent.get('/v1/stats'),
    () => 'no statistics',
  );
}

async function loss(agent: Agent, name: string): Promise<number> {
  return Number(object((await stats(agent))['losses'])[name]);
}

/** Frames tshark reads, and that it found nothing cut. */
function readByTshark(lab: Lab, path: string, filter: string): string[] {
  const out = lab.do('a', 'tshark', [
    '-r',
    path,
    '-Y',
    filter,
    '-T',
    'fields',
    '-e',
    'sip.Call-ID',
    '-e',
    'sip.CSeq.method',
  ]);
  return out.split('\n').filter((line) => line !== '');
}

/** Waits until the end of a call is on disk while its capture goes on, which takes a second. */
async function written(path: string, callId: string): Promise<void> {
  const before = performance.now();
  const last = callEnds(callId).at(-1)?.text ?? assert.fail();
  await until(
    () => readFileSync(path, 'latin1').includes(last),
    () => `the answer to the BYE of ${callId} is not in ${path}`,
  );
  assert.ok(performance.now() - before < SOON_MS);
}

test('a link that goes down in mid-call: said, and the rest of the call is captured', {
  skip: missing(),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, ['-d', 'eth0'], /capturing on eth0/);
  send(lab, callBegins('interrupted', sdp(ADDRESS.a.v4, 4000)));
  sendRtp(lab, 4000, 0, 50);
  await agent.dialogWhen('interrupted', (d) => d['state'] === 'InCall' && d['msg_count'] === 4);
  lab.do('a', 'ip', ['link', 'set', 'eth0', 'down']);
  await lab.said(agent.running, /^eth0: the interface is down, waiting for it to come up$/m);
  lab.do('a', 'ip', ['link', 'set', 'eth0', 'up']);
  await lab.said(agent.running, /down(?:.|\n)*eth0: capturing/);
  // What was said meanwhile nobody heard.
  sendRtp(lab, 4000, 75, 50);
  send(lab, callEnds('interrupted'));
  const call = await agent.dialogWhen('interrupted', (d) => d['msg_count'] === 6);
  assert.equal(call['state'], 'Completed');
  const [stream, ...others] = Array.isArray(call['streams']) ? call['streams'].map(object) : [];
  assert.deepEqual(
    [stream?.['packets'], stream?.['loss_pct'], others.length],
    [100, 20, 0],
    'one stream with a gap of 25',
  );
  assert.equal(await lab.stop(agent.running), 0);
  assert.match(
    agent.running.output(),
    /\b6 SIP messages, 1 dialog \(Completed 1\)/,
    'the summary comes on standard error',
  );
});

test('a dead HEP collector and one that nobody answers for: a counter, and nothing else', {
  skip: missing(),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  for (const [collector, reason] of [
    [`${ADDRESS.b.v4}:9060`, 'hep_out_connection_refused'],
    ['10.90.0.77:9060', null],
  ] as const) {
    const agent = await Agent.start(lab, ['-d', 'eth0', '-H', collector], /capturing on eth0/);
    for (let i = 0; i < 3; i++) sendCall(lab, `mirrored-${i}`);
    for (let i = 0; i < 3; i++) await agent.dialogWhen(`mirrored-${i}`, (d) => d['state'] === 'Completed');
    if (reason !== null) {
      await lab.said(agent.running, /-H 10\.90\.0\.2:9060: nobody listens there; trying again/);
      await until(
        async () => (await loss(agent, reason)) > 0,
        () => `${reason} stays 0`,
      );
    }
    const quality = object((await stats(agent))['capture_quality']);
    assert.equal(quality['queue_dropped_packets'], 0);
    const before = performance.now();
    assert.equal(await lab.stop(agent.running), 0);
    assert.ok(performance.now() - before < SOON_MS);
  }
});

test('the mirror is read by another agent as it was captured, and never sent on again', {
  skip: missing(),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  const collector = await Agent.start(lab, ['-L', '127.0.0.1:9060', '-E', '-H', '127.0.0.1:9061'], /hep listening/);
  const agent = await Agent.start(
    lab,
    ['-d', 'any', '-E', '-H', '127.0.0.1:9060', '--hep-id', '9'],
    /capturing on any/,
  );
  sendCall(lab, 'seen-twice');
  const original = await agent.dialogWhen('seen-twice', (d) => d['state'] === 'Completed');
  const mirrored = await collector.dialogWhen('seen-twice', (d) => d['state'] === 'Completed');
  assert.equal(original['input_origin'], 'wire');
  assert.equal(mirrored['input_origin'], 'hep');
  assert.equal(mirrored['msg_count'], 6);
  assert.equal(original['msg_count'], 6, 'its own mirror, met on lo, is not a second source');
  assert.deepEqual(mirrored['timing'], original['timing']);
  assert.equal(await loss(collector, 'hep_out_connection_refused'), 0, 'nothing was sent on');
});

test('a full disk under -O: said once, counted, and written again in the new file when there is room', {
  skip: missing('tshark'),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  const disk = lab.path('disk');
  mkdirSync(disk);
  // `ip netns exec` gives each command a mount namespace of its own, so the agent mounts its disk itself.
  const path = `${disk}/calls.pcap`;
  const script = `mount -t tmpfs -o size=512k none ${disk} && head -c 400000 /dev/zero > ${disk}/ballast && exec "$0" "$@"`;
  const agent = await Agent.start(lab, ['-d', 'eth0', '-O', path], /capturing on eth0/, ['sh', '-c', script]);
  const inside = (name: string): string => `/proc/${agent.running.child.pid}/root${disk}/${name}`;
  const large = 'X-Padding: '.padEnd(1200, 'x');
  const calls = callBegins('full-%N').map(
    (d): Datagram => ({ ...d, text: d.text.replace('CSeq', `${large}\r\nCSeq`) }),
  );
  send(lab, calls, 150);
  await lab.said(agent.running, /-O .*calls\.pcap: cannot write \(ENOSPC\)/);
  await until(
    async () => (await loss(agent, 'output_lost')) > 0,
    () => 'nothing is counted as lost',
  );
  await agent.dialogWhen('full-149', (d) => d['state'] === 'InCall');
  const messages = object((await stats(agent))['dialogs'])['total'];
  assert.equal(messages, 150, 'analysis goes on');
  // Moved on its own disk, as logrotate does: it has no more room for the new file than for the old one.
  renameSync(inside('calls.pcap'), inside('moved.pcap'));
  agent.running.child.kill('SIGHUP');
  rmSync(inside('ballast'));
  await lab.said(agent.running, /calls\.pcap: written again; \d+ frames were lost meanwhile/);
  sendCall(lab, 'after-the-disk');
  await agent.dialogWhen('after-the-disk', (d) => d['state'] === 'Completed');
  await written(inside('calls.pcap'), 'after-the-disk');
  for (const name of ['calls', 'moved']) lab.do('a', 'cp', [inside(`${name}.pcap`), lab.path(`${name}.pcap`)]);
  assert.equal(await lab.stop(agent.running), 0);
  assert.equal(agent.running.output().split('cannot write').length, 2, 'said once');
  assert.ok(readByTshark(lab, lab.path('calls.pcap'), 'sip && !icmp').includes('after-the-disk\tBYE'));
  assert.ok(readByTshark(lab, lab.path('moved.pcap'), 'sip && !icmp').includes('full-0\tINVITE'));
});

test('SIGKILL: tshark reads what was captured up to a second before', {
  skip: missing('tshark'),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  for (const name of ['killed.pcap', 'killed.pcapng']) {
    const path = lab.path(name);
    const agent = await Agent.start(lab, ['-d', 'eth0', '-O', path], /capturing on eth0/);
    sendCall(lab, 'before-the-kill');
    await agent.dialogWhen('before-the-kill', (d) => d['state'] === 'Completed');
    await written(path, 'before-the-kill');
    await lab.stop(agent.running, 'SIGKILL');
    assert.equal(readByTshark(lab, path, 'sip && !icmp').length, 6, name);
  }
});

test('what the listener received is written with its headers, and is read back', {
  skip: missing('tshark'),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  const path = lab.path('mirror.pcap');
  const agent = await Agent.start(lab, ['-L', '127.0.0.1:9060', '-E', '-O', path], /hep listening/);
  mirror(lab, 'written', 0);
  await agent.dialogWhen('written', (d) => d['state'] === 'Completed');
  assert.equal(await lab.stop(agent.running), 0);
  const args = ['-o', 'ip.check_checksum:TRUE', '-o', 'udp.check_checksum:TRUE', '-r', path];
  const bad = 'ip.checksum.status == "Bad" || udp.checksum.status == "Bad"';
  assert.equal(lab.do('a', 'tshark', [...args, '-Y', bad]), '');
  assert.equal(
    lab
      .do('a', 'tshark', [...args, '-Y', 'udp.dstport == 9060'])
      .trim()
      .split('\n').length,
    6,
  );
  assert.ok(statSync(path).size > 6 * 300);
  const again = lab.do('a', process.execPath, [
    new URL('../../program/calltap.js', import.meta.url).pathname,
    '-I',
    path,
    '-E',
    '--json',
  ]);
  const dialog: Json = object(JSON.parse(again));
  assert.deepEqual([dialog['call_id'], dialog['state'], dialog['msg_count']], ['written', 'Completed', 6]);
});

/** A call mirrored to the listener on host a, its clock stepped by `stepSec` after the ACK. */
function mirror(lab: Lab, callId: string, stepSec: number): void {
  const start = Date.now() * 1000;
  const body = sdp(ADDRESS.b.v4, 4000);
  const datagrams = [...callBegins(callId, body), ...callEnds(callId)].map(({ from, text }, i) => {
    const to = from === 'a' ? 'b' : 'a';
    const tsUs = start + i * 20_000 + (i < 4 ? 0 : stepSec * 1e6);
    const ends = { src: { address: ADDRESS[from].v4, port: 5060 }, dst: { address: ADDRESS[to].v4, port: 5060 } };
    return Buffer.from(hep3({ ...ends, tsUs, payload: Buffer.from(text) })).toString('hex');
  });
  const script = `const s=require('node:dgram').createSocket('udp4');(async()=>{for(const h of process.argv.slice(1))
    await new Promise((d)=>s.send(Buffer.from(h,'hex'),9060,'127.0.0.1',d));s.close()})()`;
  lab.do('a', process.execPath, ['-e', script, ...datagrams]);
}

test('a clock that is set back or forth in mid-call: states hold, no figure is negative', {
  skip: missing(),
  ...PATIENT,
}, async (t) => {
  const lab = new Lab(t);
  const agent = await Agent.start(lab, ['-L', '127.0.0.1:9060', '-E'], /hep listening/);
  for (const [callId, step] of [
    ['back-an-hour', -3600],
    ['forth-a-day', 86_400],
    ['steady', 0],
  ] as const) {
    mirror(lab, callId, step);
    const call = await agent.dialogWhen(callId, (d) => d['msg_count'] === 6);
    assert.equal(call['state'], 'Completed', callId);
    assert.ok(Number(call['duration_sec']) >= 0, callId);
    for (const [name, value] of Object.entries(object(call['timing'])))
      assert.ok(Number(value) >= 0, `${callId} ${name} ${value}`);
    assert.equal(object(call['timing'])['setup_ms'], 40, callId);
  }
  const list = object(agent.get('/v1/dialogs'));
  assert.equal(list['total'], 3);
  assert.equal(await lab.stop(agent.running), 0);
});
