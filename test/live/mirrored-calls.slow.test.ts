/**
 * A call that the agent sees twice, on the wire and in the HEP mirror of Kamailio's siptrace, is one dialog; what the
 * mirror lost on its way is named, whatever its clock shows. And a call between two baresip, direct or through that proxy, with the RTCP they send.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../helpers/patience.ts';
import { Dump } from './dump.ts';
import type { Json } from './lab.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import { SCENARIOS, scenarioFile } from './sipp-scenarios.ts';
import { wireMessages, wireStreams, wireTiming } from './wire-truth.ts';

const PROXY_PORT = 5060;
const CALLER_PORT = 5080;
const CALLEE_PORT = 5090;
const HEP_PORT = 9060;
const RELAY_PORT = 9061;
const ALICE_PORT = 5070;
/** INVITE, 180, 200, ACK, BYE and 200 on both sides of the proxy, and its own 100. */
const MESSAGES = 13;

/** A proxy that records its route, sends everything to the callee, and mirrors each message it gets and sends. */
const kamailio = (hepPort: number): string => `#!KAMAILIO
debug=1
log_stderror=yes
children=1
listen=udp:${ADDRESS.a.v4}:${PROXY_PORT}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "siptrace.so"
modparam("siptrace", "duplicate_uri", "sip:127.0.0.1:${hepPort}")
modparam("siptrace", "hep_mode_on", 1)
modparam("siptrace", "hep_version", 3)
modparam("siptrace", "hep_capture_id", 7)
modparam("siptrace", "trace_to_database", 0)
modparam("siptrace", "trace_on", 1)
modparam("siptrace", "trace_mode", 1)
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (loose_route()) { t_relay(); exit; }
  record_route();
  $du = "sip:${ADDRESS.b.v4}:${CALLEE_PORT}";
  if (!t_relay()) { sl_reply_error(); }
}
`;

async function startProxy(lab: Lab, hepPort = HEP_PORT): Promise<void> {
  writeFileSync(lab.path('proxy.cfg'), kamailio(hepPort));
  const files = ['-f', lab.path('proxy.cfg'), '-P', lab.path('pid'), '-Y', lab.folder];
  const proxy = lab.start('a', 'kamailio', ['-DD', '-E', ...files, '-m', '32', '-M', '8']);
  await Promise.race([
    lab.listening('a', PROXY_PORT),
    proxy.ended.then(() => assert.fail(`kamailio ended: ${proxy.output()}`)),
  ]);
}

/** One call through the proxy. */
async function call(lab: Lab, name: string): Promise<void> {
  const side = (which: 'caller' | 'callee', port: number, media: number): string[] => {
    const file = lab.path(`${name}-${which}.xml`);
    writeFileSync(file, scenarioFile(name, SCENARIOS.answered[which]));
    const address = ADDRESS.b.v4;
    const at = ['-i', address, '-mi', address, '-p', String(port), '-mp', String(media)];
    return ['-sf', file, ...at, '-m', '1', '-nostdin', '-timeout', '60'];
  };
  const callee = lab.start('b', 'sipp', side('callee', CALLEE_PORT, 21_000));
  await lab.listening('b', CALLEE_PORT);
  const go = ['-cid_str', `${name}@lab`, `${ADDRESS.a.v4}:${PROXY_PORT}`];
  const caller = lab.start('b', 'sipp', [...side('caller', CALLER_PORT, 22_000), ...go]);
  for (const peer of [caller, callee]) assert.equal(await peer.ended, 0, `${name}: ${peer.output()}`);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

function disagreement(d: Json): unknown {
  return member(d['signaling_diagnosis'], 'source_disagreement');
}

function names(list: unknown): string[] {
  return Array.isArray(list) ? list.map((m) => String(member(m, 'summary'))) : [];
}

test('the wire and its HEP mirror are one dialog; what the mirror lost is named', {
  skip: missing('sipp', 'kamailio', 'tshark', 'dumpcap', 'nft'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  writeFileSync(lab.path('tone.ul'), Buffer.alloc(64_000, Buffer.from([0xff, 0x9e, 0x2a, 0x1e, 0x2a, 0x9e])));
  const args = ['-d', 'eth0', '--portrange', `${PROXY_PORT}`, '-L', `127.0.0.1:${HEP_PORT}`, '-E'];
  const agent = await Agent.start(lab, args, /capturing on eth0/);
  const dump = await Dump.start(lab, 'eth0', 'wire.pcapng');
  // The mirror's clock is 3 s ahead and runs fast; later it is an hour behind.
  const relay = join(import.meta.dirname, 'hep-relay.js');
  writeFileSync(lab.path('ahead'), '3');
  lab.start('a', process.execPath, [relay, `${RELAY_PORT}`, `${HEP_PORT}`, lab.path('ahead')]);
  await lab.listening('a', RELAY_PORT);
  await startProxy(lab, RELAY_PORT);

  await call(lab, 'whole');
  await lab.said(agent.running, /HEP sender 127\.0\.0\.1, agent 7: its clock is 3\.\d{3} s ahead of ours/);
  writeFileSync(lab.path('ahead'), '-3600');
  await call(lab, 'stepped');
  await lab.said(
    agent.running,
    /agent 7: its clock stepped from 3\.\d{3} s ahead of ours to 3\d{3}\.\d{3} s behind ours/,
  );
  // From now on every fifth packet of the mirror is lost on its way.
  lab.do(
    'a',
    'nft',
    ['-f', '-'],
    `table inet lab { chain in { type filter hook input priority 0;
    udp dport ${HEP_PORT} numgen inc mod 5 3 counter drop; }; }`,
  );
  await call(lab, 'holed');
  const dropped = Number(/counter packets (\d+)/.exec(lab.do('a', 'nft', ['list', 'table', 'inet', 'lab']))?.[1]);
  assert.ok(dropped >= 2, `${dropped} dropped`);
  await dump.stop();
  const wire = wireMessages(dump.file, [PROXY_PORT]);

  for (const [name, lost] of [
    ['whole', 0],
    ['stepped', 0],
    ['holed', dropped],
  ] as const) {
    const messages = wire.filter((m) => m.callId === `${name}@lab`);
    const copies = 2 * messages.length - lost;
    const d = await agent.dialogWhen(`${name}@lab`, (seen) => seen['msg_count'] === copies);
    assert.deepEqual([d['state'], d['final_status_code'], d['input_origin']], ['Completed', 200, 'wire'], name);
    if (lost === 0) assert.equal(d['signaling_diagnosis'], undefined, name);
    else {
      const found = disagreement(d);
      assert.equal(member(found, 'agreed'), messages.length - lost, name);
      assert.deepEqual([member(found, 'mirror_only'), member(found, 'sdp_differs')], [[], []], name);
      const only = names(member(found, 'wire_only'));
      assert.equal(only.length, lost, `${name}: ${only.join(', ')}`);
      const evidence = member(found, 'evidence');
      assert.ok(Array.isArray(evidence) && evidence.length === lost);
      const hints = member(d['signaling_diagnosis'], 'hints');
      assert.ok(Array.isArray(hints) && hints.length === 1, JSON.stringify(hints));
    }
    // A busy machine may make the peers repeat themselves; the mirror never does.
    if (messages.length === MESSAGES) assert.equal(member(d['timing'], 'retransmits'), 0, name);
    const truth = wireTiming(messages);
    for (const key of ['setup_ms', 'ring_ms', 'teardown_ms']) {
      const ms = Number(member(d['timing'], key));
      assert.ok(Math.abs(ms - (truth[key] ?? Number.NaN)) <= 2, `${name} ${key}: ${ms}, wire ${truth[key]}`);
    }
  }
  const stats = agent.get('/v1/stats');
  assert.equal(member(stats?.['capture_quality'], 'hep_rejected'), 0);
  const offsetMs = Number(member(stats?.['losses'], 'hep_clock_offset_ms'));
  assert.ok(offsetMs > 3_599_000 && offsetMs < 3_601_000, `${offsetMs}`);
  assert.equal(await lab.stop(agent.running), 0);
});

/** Twelve seconds of a tone as a WAV file, 8,000 samples of 16 bits each; baresip hangs up when they are over. */
function tone(): Buffer {
  const samples = Buffer.alloc(12 * 16_000);
  for (let i = 0; i < samples.length / 2; i++)
    samples.writeInt16LE(Math.round(8000 * Math.sin((i * 2 * Math.PI * 440) / 8000)), i * 2);
  const header = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

function baresipFolder(lab: Lab, host: 'a' | 'b', user: string, port: number, account: string): string {
  const folder = lab.path(user);
  mkdirSync(folder);
  const path = [
    '/usr/lib/baresip/modules',
    `/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu/baresip/modules`,
  ];
  const modulePath = `module_path ${path.find((p) => existsSync(p)) ?? ''}`;
  const modules = ['g711', 'aufile', 'aubridge', 'uuid'].map((m) => `module ${m}.so`);
  const apps = ['account', 'contact', 'menu'].map((m) => `module_app ${m}.so`);
  const audio = [
    `audio_source aufile,${lab.path('tone.wav')}`,
    'audio_player aubridge,none',
    'audio_alert aubridge,bell',
  ];
  const rates = ['ausrc_srate 8000', 'auplay_srate 8000', 'ausrc_channels 1', 'auplay_channels 1'];
  const net = [
    `sip_listen ${ADDRESS[host].v4}:${port}`,
    'net_interface eth0',
    'rtp_ports 24000-24100',
    'audio_txmode thread',
  ];
  writeFileSync(`${folder}/config`, [...net, ...audio, ...rates, modulePath, ...modules, ...apps, ''].join('\n'));
  writeFileSync(
    `${folder}/accounts`,
    `<sip:${user}@${ADDRESS[host].v4}:${port}>;regint=0;audio_codecs=PCMU/8000/1${account}\n`,
  );
  writeFileSync(`${folder}/contacts`, '');
  return folder;
}

/**
 * Alice on host a calls bob on host b, who answers; the finished dialog and its Call-ID. `dialled` leads to bob's port
 * `bobPort`, the agent sees what dumpcap sees on `device`, and the streams are compared with that.
 */
async function baresipCall(
  lab: Lab,
  agent: Agent,
  { device, dialled, bobPort }: { device: string; dialled: string; bobPort: number },
): Promise<{ callId: string; dialog: Json; file: string }> {
  writeFileSync(lab.path('tone.wav'), tone());
  const dump = await Dump.start(lab, device, 'wire.pcapng');
  const bobs = baresipFolder(lab, 'b', 'bob', bobPort, ';answermode=auto');
  const bob = lab.start('b', 'baresip', ['-4', '-f', bobs, '-t', '60']);
  await lab.listening('b', bobPort);
  const dial = ['-t', '18', '-e', `/dial ${dialled}`];
  const alice = lab.start('a', 'baresip', ['-4', '-f', baresipFolder(lab, 'a', 'alice', ALICE_PORT, ''), ...dial]);
  const callId = await until(
    () => {
      const dialogs = agent.get('/v1/dialogs?from=alice')?.['dialogs'];
      const first: unknown = Array.isArray(dialogs) ? dialogs[0] : undefined;
      return member(first, 'call_id');
    },
    () => `alice: ${alice.output()} bob: ${bob.output()}`,
  );
  assert.ok(typeof callId === 'string');
  await agent.dialogWhen(callId, (seen) => seen['state'] === 'Completed');
  await dump.stop();
  const truth = wireStreams(dump.file);
  const packetsOf = (list: readonly { packets?: unknown }[]) => list.reduce((sum, s) => sum + Number(s.packets), 0);
  // What came last may still be on its way through the agent.
  const dialog = await agent.dialogWhen(
    callId,
    ({ streams }) => Array.isArray(streams) && packetsOf(streams) >= packetsOf(truth),
  );
  assert.equal(dialog['final_status_code'], 200);
  const streams = Array.isArray(dialog['streams']) ? dialog['streams'] : [];
  assert.equal(streams.length, 2, JSON.stringify(streams));
  for (const s of streams) {
    const same = truth.find((w) => w.src === member(s, 'src') && w.dst === member(s, 'dst'));
    assert.ok(same !== undefined && same.packets > 100, JSON.stringify(s));
    assert.deepEqual([member(s, 'packets'), member(s, 'codec'), member(s, 'loss_pct')], [same.packets, 'PCMU', 0]);
    // On a machine that does other things baresip itself sends late, and the score says so.
    const isPunctual = same.longestMs < 40 && Number(member(s, 'jitter_ms')) < 3;
    assert.ok(Number(member(s, 'mos')) > (isPunctual ? 4 : 1), `${same.longestMs} ms: ${JSON.stringify(s)}`);
  }
  // Sender reports every five seconds, each echoed by the other side's next one; three in a call, as some may be late.
  const roundTrips = streams.map((s) => member(s, 'round_trip_ms')).filter((ms) => ms !== undefined);
  assert.ok(
    roundTrips.length > 0 && roundTrips.every((ms) => Number(ms) >= 0 && Number(ms) < 1000),
    JSON.stringify(roundTrips),
  );
  return { callId, dialog, file: dump.file };
}

test('a call of two baresip: G.711 both ways, and the round trip that their RTCP tells', {
  skip: missing('baresip', 'tshark', 'dumpcap'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const agent = await Agent.start(lab, ['-d', 'eth0', '--portrange', '5070'], /capturing on eth0/);
  await baresipCall(lab, agent, { device: 'eth0', dialled: `sip:bob@${ADDRESS.b.v4}:5070`, bobPort: 5070 });
  assert.equal(await lab.stop(agent.running), 0);
});

test('a call of two baresip through a proxy whose HEP mirror comes in beside the wire', {
  skip: missing('baresip', 'kamailio', 'tshark', 'dumpcap'),
}, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  // One leg of the call is on lo, and so is the mirror on its way to the agent.
  const args = ['-d', 'any', '--portrange', `${PROXY_PORT}-${CALLEE_PORT}`, '-L', `127.0.0.1:${HEP_PORT}`, '-E'];
  const agent = await Agent.start(lab, [...args, '--hep-allow', ADDRESS.a.v4], /capturing on any/);
  await startProxy(lab);
  const proxied = { device: 'any', dialled: `sip:bob@${ADDRESS.a.v4}:${PROXY_PORT}`, bobPort: CALLEE_PORT };
  const { callId, file } = await baresipCall(lab, agent, proxied);
  const messages = wireMessages(file, [PROXY_PORT]).filter((m) => m.callId === callId);
  assert.ok(messages.length >= MESSAGES - 1, `${messages.length} messages`);
  const d = await agent.dialogWhen(callId, (seen) => seen['msg_count'] === 2 * messages.length);
  // Each message came from both, and they agree.
  assert.equal(disagreement(d), undefined);
  assert.equal(await lab.stop(agent.running), 0);
});
