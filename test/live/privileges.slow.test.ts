/** What is given up once everything is open: the user in every thread, and the capabilities; and that capture continues. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { asOtherUser } from '../helpers/other-user.ts';
import { until } from '../helpers/patience.ts';
import { Agent, Lab, missing } from './lab.ts';
import { sendCall } from './sip-datagrams.ts';

const NOBODY = 65534;
const CAP_NET_RAW = 13;

type Thread = { readonly name: string; readonly uids: readonly string[]; readonly permitted: bigint };

function threads(pid: number): Thread[] {
  return readdirSync(`/proc/${pid}/task`).map((tid) => {
    const text = readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1');
    const field = (name: string): string => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(text)?.[1] ?? '';
    return { name: field('Name'), uids: field('Uid').split(/\s+/), permitted: BigInt(`0x${field('CapPrm')}`) };
  });
}

/** `ip netns exec` replaces itself by the program, and so does setpriv: the child is the agent. */
function pidOf(agent: Agent): number {
  return agent.running.child.pid ?? assert.fail('not started');
}

test('--user: every thread is that user without capabilities, and files are its own', {
  skip: missing(),
}, async (t) => {
  const lab = new Lab(t);
  chmodSync(lab.folder, 0o755);
  chownSync(lab.folder, NOBODY, NOBODY);
  const path = lab.path('calls.pcap');
  const args = ['-d', 'eth0', '-L', '127.0.0.1:0', '-E', '--user', 'nobody', '-O', path];
  const agent = await Agent.start(lab, args, /capturing on eth0, filter: ebpf/);
  assert.match(agent.running.output(), /^running as nobody, capabilities: none$/m);
  const all = threads(pidOf(agent));
  assert.ok(all.some(({ name }) => name === 'calltap-live') && all.some(({ name }) => name === 'calltap-hep'));
  for (const thread of all) {
    assert.deepEqual(thread.uids, Array(4).fill(String(NOBODY)), thread.name);
    assert.equal(thread.permitted, 0n, thread.name);
  }
  sendCall(lab, 'after-the-drop');
  await agent.dialogWhen('after-the-drop', (d) => d['state'] === 'Completed');
  assert.equal(statSync(path).uid, NOBODY);
  // An interface that comes back is bound again by one who could not open a socket for it.
  lab.do('a', 'ip', ['link', 'del', 'eth0']);
  await lab.said(agent.running, /eth0: the interface is gone/);
  lab.connect();
  await lab.said(agent.running, /gone(?:.|\n)*eth0: capturing/);
  sendCall(lab, 'on-the-new-interface');
  await agent.dialogWhen('on-the-new-interface', (d) => d['state'] === 'Completed');
  assert.equal(await lab.stop(agent.running), 0);
  // The end says how many frames are in the file, also those that were still to be written when the signal came.
  const said = /^([0-9]+) frames written to /m.exec(agent.running.output())?.[1];
  assert.equal(Number(said), recordCount(path));
});

function recordCount(path: string): number {
  const file = readFileSync(path);
  let count = 0;
  for (let at = 24; at < file.length; at += 16 + file.readUInt32LE(at + 8)) count++;
  return count;
}

test('a user that is not there, and one that may not be taken on, end the start', {
  skip: missing('setpriv'),
}, async (t) => {
  const lab = new Lab(t);
  const unknown = new Agent(lab, ['-d', 'eth0', '--user', 'no-such-user-here']);
  assert.equal(await unknown.running.ended, 1);
  assert.match(unknown.running.output(), /--user no-such-user-here: there is no such user/);
  const plain = new Agent(
    lab,
    ['-L', '127.0.0.1:0', '-E', '--user', 'daemon'],
    asOtherUser('setpriv', '--reuid', 'nobody', '--clear-groups'),
  );
  assert.equal(await plain.running.ended, 1);
  assert.match(plain.running.output(), /--user daemon: .*start as root/);
});

test('with CAP_NET_RAW alone: classic BPF, named, and no capability afterwards', {
  skip: missing('setpriv'),
}, async (t) => {
  const lab = new Lab(t);
  const as = asOtherUser('setpriv', '--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups');
  const raw = [...as, '--inh-caps=+net_raw', '--ambient-caps=+net_raw'];
  const agent = await Agent.start(
    lab,
    ['-d', 'eth0'],
    /capturing on eth0, filter: classic \(eBPF needs root or CAP_BPF/,
    raw,
  );
  const all = threads(pidOf(agent));
  const holding = all.filter(({ permitted }) => permitted !== 0n);
  // The thread of Node that waits for SIGUSR1 blocks every signal, so nothing can be done in it.
  assert.ok(
    holding.length <= 1,
    JSON.stringify(holding, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v)),
  );
  for (const { permitted } of holding) assert.equal(permitted, 1n << BigInt(CAP_NET_RAW));
  sendCall(lab, 'classic');
  await agent.dialogWhen('classic', (d) => d['state'] === 'Completed');
  assert.equal(await lab.stop(agent.running), 0);
  const without = new Agent(lab, ['-d', 'eth0'], as);
  assert.equal(await without.running.ended, 1);
  assert.match(without.running.output(), /-d eth0: not permitted; start as root or with CAP_NET_RAW/);
});

test('a hook command inherits none of the capabilities that the service got from systemd', {
  skip: missing('setpriv'),
}, async (t) => {
  const lab = new Lab(t);
  chmodSync(lab.folder, 0o777);
  const command = lab.path('hook.sh');
  const seen = lab.path('hook.status');
  writeFileSync(command, `#!/bin/sh\ncat /proc/self/status > ${seen}.$$\nmv ${seen}.$$ ${seen}\n`, { mode: 0o755 });
  const agent = await Agent.start(lab, ['-d', 'eth0', '--on-dialog-exec', command], /capturing on eth0, filter: ebpf/, [
    ...asOtherUser('setpriv', '--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups'),
    ...['--inh-caps=+net_raw,+bpf,+perfmon', '--ambient-caps=+net_raw,+bpf,+perfmon'],
  ]);
  sendCall(lab, 'hooked');
  await agent.dialogWhen('hooked', (d) => d['state'] === 'Completed');
  // The end of a live capture ends the commands that still run.
  await until(
    () => existsSync(seen),
    () => 'the command did nothing',
  );
  assert.equal(await lab.stop(agent.running), 0);
  const status = readFileSync(seen, 'latin1');
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'));
});
