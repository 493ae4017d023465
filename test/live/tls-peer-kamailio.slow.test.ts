/**
 * Kamailio with TLS on both sides: whole calls with SRTP media, beside its own plaintext mirror, and connections that
 * come and go over several workers.
 *
 * Kamailio 5.6 ends by itself now and then when many connections churn, probed or not (a worker frees memory of TLS
 * twice: two of 25 starts on a busy machine): each case has its own, the churn is small, and one that has ended is
 * started again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './lab.ts';
import { ADDRESS, Agent, Lab } from './lab.ts';
import {
  kamailio,
  median,
  missingForTls,
  numberAt,
  observed,
  processes,
  python,
  rows,
  stats,
  withPeers,
} from './tls-peer-lab.ts';

const skip = missingForTls('kamailio', 'python3');
const CALLS = 6;
/** Processes of Kamailio as it is set up here: two for UDP, four for TCP, timers and the main one. */
const WORKERS = 8;
/** INVITE, 180, 200, ACK, BYE and 200 on both sides of the proxy, and its own 100. */
const MESSAGES = 13;
/** Starts that may end by themselves: more of them would be the fault of what watches it. */
const CRASHES = 3;

function told(output: string): Json[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Json => JSON.parse(line));
}

test('calls over TLS through Kamailio: one dialog with wire and mirror, SRTP associated, timing as Kamailio tells', {
  skip,
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const ports = { tls: 5061, udp: 5060, uas: 5071, hep: 9060 };
  const prefix = `kam-${process.pid}`;
  // Two agents: one that only the probes tell, with the wire beside it, and one that only the mirror tells.
  const probes = await Agent.start(lab, ['--uprobe-comm', '^kamailio$', '-d', 'eth0'], /uprobe ready/);
  const mirror = await Agent.start(lab, ['-L', '127.0.0.1:9060', '-E'], /hep listening/);
  const uas = await python(lab, 'a', 'tls_sip.py', 'uas', ADDRESS.a.v4, '5071', ADDRESS.a.v4);
  await lab.said(uas, /up 5071/);
  await kamailio(lab, 'a', ports);
  await processes(probes, WORKERS);
  const uac = await python(
    lab,
    'b',
    ...[
      'tls_sip.py',
      'uac',
      ADDRESS.a.v4,
      '5061',
      `sip:bob@${ADDRESS.a.v4}`,
      ADDRESS.b.v4,
      prefix,
      String(CALLS),
      '0.8',
    ],
  );
  assert.equal(await uac.ended, 0, uac.output());
  const calls = told(uac.output());
  assert.equal(calls.length, CALLS);
  assert.ok(
    calls.every((c) => c['status'] === 200),
    uac.output(),
  );

  const differences: number[] = [];
  for (const { callId, packets } of calls) {
    assert.ok(typeof callId === 'string');
    const sentBy = (d: Json): Json | undefined =>
      rows(d, 'streams').find((s) => String(s['src']).startsWith(`${ADDRESS.b.v4}:`));
    const isWhole = (d: Json): boolean =>
      d['state'] === 'Completed' &&
      Number(d['msg_count']) >= MESSAGES &&
      Number(sentBy(d)?.['packets']) >= Number(packets);
    const probed = await probes.dialogWhen(callId, isWhole);
    const mirrored = await mirror.dialogWhen(callId, (d) => d['state'] === 'Completed');
    assert.equal(probed['input_origin'], 'uprobe');
    assert.equal(mirrored['input_origin'], 'hep');
    assert.equal(probed['msg_count'], MESSAGES);
    assert.equal(numberAt(probed, 'timing', 'retransmits'), 0);
    for (const key of ['setup_ms', 'pdd_ms', 'ring_ms'])
      differences.push(Math.abs(numberAt(probed, 'timing', key) - numberAt(mirrored, 'timing', key)));
    // The SDP that only the probes saw names the media that only the wire shows.
    const streams = rows(probed, 'streams');
    assert.equal(streams.length, 2, JSON.stringify(streams));
    assert.equal(sentBy(probed)?.['packets'], packets, 'as many as the caller says it sent');
    assert.doesNotMatch(JSON.stringify(probed), /WVNfX19zZW1jdGwg/, 'the SRTP key is in no answer');
  }
  t.diagnostic(
    `timing against Kamailio's mirror: median ${median(differences)} ms, most ${Math.max(...differences)} ms`,
  );
  assert.ok(median(differences) <= 5, differences.join());

  const { capture_quality: quality } = stats(probes);
  assert.equal(numberAt({ quality }, 'quality', 'uprobe_unbound_messages'), 0);
  assert.equal(numberAt({ quality }, 'quality', 'uprobe_lost_events'), 0);
  const unknown = rows(probes.get('/v1/streams?orphaned=true'), 'streams');
  assert.deepEqual(unknown, [], 'no stream is without its call');
});

test('one process with wire, mirror and probes: every message twice, every call once', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const prefix = `kamall-${process.pid}`;
  const agent = await Agent.start(
    lab,
    ['--uprobe-comm', '^kamailio$', '-d', 'eth0', '-L', '127.0.0.1:9060', '-E'],
    /uprobe ready/,
  );
  await lab.said(agent.running, /hep listening/);
  const uas = await python(lab, 'a', 'tls_sip.py', 'uas', ADDRESS.a.v4, '5071', ADDRESS.a.v4);
  await lab.said(uas, /up 5071/);
  await kamailio(lab, 'a', { tls: 5061, udp: 5060, uas: 5071, hep: 9060 });
  await processes(agent, WORKERS);
  const uac = await python(
    lab,
    'b',
    ...['tls_sip.py', 'uac', ADDRESS.a.v4, '5061', `sip:bob@${ADDRESS.a.v4}`, ADDRESS.b.v4, prefix, '1', '1'],
  );
  assert.equal(await uac.ended, 0, uac.output());
  const callId = `${prefix}-0`;
  const d = await agent.dialogWhen(callId, (x) => x['state'] === 'Completed' && Number(x['msg_count']) >= 2 * MESSAGES);
  assert.equal(d['msg_count'], 2 * MESSAGES);
  assert.equal(numberAt(d, 'timing', 'retransmits'), 0);
  assert.equal(rows(d, 'streams').length, 2);
  const list = rows(agent.get('/v1/dialogs'), 'dialogs').filter((row) => row['call_id'] === callId);
  assert.equal(list.length, 1);
  assert.equal(numberAt(stats(agent), 'caveats', 'encrypted_sip_flows') >= 1, true, 'the wire shows TLS only');
});

test('connections that churn over four workers of a proxy that restarts: every message, none without its address', {
  skip,
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const agent = await Agent.start(lab, ['--uprobe-comm', '^kamailio$'], /uprobe ready/);
  let starts = 0;
  for (let rounds = 0; rounds < 3; starts++) {
    assert.ok(starts < 3 + CRASHES, `Kamailio answered enough in ${rounds} of ${starts} starts`);
    const proxy = await kamailio(lab, 'a', { tls: 5061, udp: 5060, uas: 5071, hep: null });
    const answers: Json[] = [];
    // What it leaves unanswered, and its end in the middle, are no fault of what watches it.
    for (let again = 0; again < 5 && answers.length < 20 && proxy.child.exitCode === null; again++) {
      const prefix = `churn${starts}-${again}-${process.pid}`;
      const churn = await python(lab, 'b', 'tls_sip.py', 'churn', ADDRESS.a.v4, '5061', prefix, '8', '5');
      assert.equal(await churn.ended, 0, churn.output());
      const told: Json[] = JSON.parse(churn.output().trim().split('\n').at(-1) ?? '[]');
      answers.push(...told);
    }
    await observed(
      agent,
      answers.map((a) => String(a['callId'])),
      2,
    );
    await lab.stop(proxy);
    if (answers.length >= 20) rounds++;
  }
  t.diagnostic(`Kamailio was started ${starts} times`);
  const quality = stats(agent)['capture_quality'];
  assert.equal(numberAt({ quality }, 'quality', 'uprobe_unbound_messages'), 0);
  assert.equal(numberAt({ quality }, 'quality', 'sip_without_call_id'), 0);
});

test('SIPp behind the proxy, over UDP: answers that UDP workers write to TLS connections', {
  skip: missingForTls('kamailio', 'python3', 'sipp'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const prefix = `sipp-${process.pid}`;
  const agent = await Agent.start(lab, ['--uprobe-comm', '^kamailio$'], /uprobe ready/);
  lab.start('a', 'sipp', ['-sn', 'uas', '-i', ADDRESS.a.v4, '-p', '5080', '-nostdin']);
  await lab.listening('a', 5080);
  await kamailio(lab, 'a', { tls: 5061, udp: 5060, uas: 5080, uasBy: 'udp', hep: null });
  const args = [ADDRESS.a.v4, '5061', `sip:bob@${ADDRESS.a.v4}`, ADDRESS.b.v4, prefix, '3', '0.1'];
  const uac = await python(lab, 'b', 'tls_sip.py', 'uac', ...args);
  assert.equal(await uac.ended, 0, uac.output());
  const calls = told(uac.output());
  assert.deepEqual(
    calls.map((c) => c['status']),
    [200, 200, 200],
  );
  // INVITE, 100, 180, 200, ACK, BYE and 200 on the caller's side; the other side is no TLS. Two workers of Kamailio take the
  // 180 and the 200, and it leaves the 180 out where the 200 was faster.
  for (const { callId, messages } of calls) {
    assert.ok(messages === 7 || messages === 6, uac.output());
    await observed(agent, [String(callId)], Number(messages));
  }
  const quality = stats(agent)['capture_quality'];
  assert.equal(numberAt({ quality }, 'quality', 'uprobe_unbound_messages'), 0);
  assert.equal(numberAt({ quality }, 'quality', 'uprobe_lost_events'), 0);
});

test('a server that restarts is observed from its first message on', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  withPeers(lab, 'tls_sip.py');
  const agent = await Agent.start(lab, ['--uprobe'], /uprobe ready/);
  for (const round of ['first', 'second']) {
    const uas = await python(lab, 'a', 'tls_sip.py', 'uas', ADDRESS.a.v4, '5071', ADDRESS.a.v4);
    await lab.said(uas, /up 5071/);
    const prefix = `${round}-${process.pid}`;
    const asked = await python(lab, 'b', 'tls_sip.py', 'churn', ADDRESS.a.v4, '5071', prefix, '1', '2');
    assert.equal(await asked.ended, 0, asked.output());
    // Client and server are both on this host and both observed: still two messages a transaction.
    await observed(agent, [`${prefix}-0-0`, `${prefix}-0-1`], 2);
    await lab.stop(uas);
  }
});
