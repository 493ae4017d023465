/**
 * Real calls between SIPp peers on a cable that `calltap -d` watches: every call with its state, code, times, streams
 * and loss, as tshark reads them from the same cable.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { readWav } from '../helpers/wav.ts';
import { Dump } from './dump.ts';
import type { Json, Running } from './lab.ts';
import { ADDRESS, Agent, Lab, missing } from './lab.ts';
import type { ScenarioName } from './sipp-scenarios.ts';
import { SCENARIOS, scenarioFile } from './sipp-scenarios.ts';
import { wireMessages, wireStreams, wireTiming } from './wire-truth.ts';

const skip = missing('sipp', 'tshark', 'dumpcap', 'nft');
/** Clocks of one kernel, rounded to milliseconds. */
const SAME_MS = 2;
const LOST_EVERY = 20;

type Expected = {
  readonly scenario: ScenarioName;
  readonly transport?: 'u1' | 't1';
  readonly v6?: boolean;
  readonly state: string;
  readonly code: number;
  readonly streams?: number;
  readonly tags?: readonly string[];
  /** SDP events in order. */
  readonly events?: readonly string[];
};

const CALLS: Readonly<Record<string, Expected>> = {
  answered: { scenario: 'answered', state: 'Completed', code: 200, streams: 2 },
  tcp: { scenario: 'answered', transport: 't1', state: 'Completed', code: 200, streams: 2 },
  six: { scenario: 'answered', v6: true, state: 'Completed', code: 200, streams: 2 },
  'six-tcp': { scenario: 'busy', v6: true, transport: 't1', state: 'Failed', code: 486 },
  lossy: { scenario: 'lossy', state: 'Completed', code: 200, streams: 2 },
  busy: { scenario: 'busy', state: 'Failed', code: 486 },
  cancelled: { scenario: 'cancelled', state: 'Canceled', code: 487 },
  challenged: { scenario: 'challenged', state: 'Completed', code: 200 },
  held: { scenario: 'held', state: 'Completed', code: 200, tags: ['held'], events: ['hold', 'resume'] },
  transferred: { scenario: 'transferred', state: 'Completed', code: 200, tags: ['transferred'] },
};

/** One port for the signaling of each call, and ranges of their own for media. */
const portOf = (i: number): number => 5100 + i;
const mediaOf = (i: number): number => 20_000 + i * 100;

async function startPair(lab: Lab, name: string, i: number): Promise<{ caller: Running; callee: Running }> {
  const { scenario, transport = 'u1', v6 = false } = CALLS[name] ?? assert.fail(name);
  const steps = SCENARIOS[scenario];
  const address = (host: 'a' | 'b') => (v6 ? `[${ADDRESS[host].v6}]` : ADDRESS[host].v4);
  const common = (side: 'caller' | 'callee', host: 'a' | 'b', port: number, media: number): string[] => {
    const file = lab.path(`${name}-${side}.xml`);
    writeFileSync(file, scenarioFile(`${name}-${side}`, steps[side]));
    const at = ['-i', address(host), '-mi', address(host), '-p', String(port), '-t', transport];
    return ['-sf', file, ...at, '-mp', String(media), '-m', '1', '-nostdin', '-timeout', '60'];
  };
  const callee = lab.start('b', 'sipp', common('callee', 'b', portOf(i), mediaOf(i)));
  const target = `${address('b')}:${portOf(i)}`;
  const go = ['-cid_str', `${name}@lab`, '-s', 'bob', target];
  await lab.listening('b', portOf(i), transport === 't1' ? 'tcp' : 'udp');
  const caller = lab.start('a', 'sipp', [...common('caller', 'a', portOf(i), mediaOf(i) + 50), ...go]);
  return { caller, callee };
}

function numbers(value: unknown): Record<string, number> {
  const entries: [string, number][] = [];
  for (const [key, n] of Object.entries(value ?? {})) if (typeof n === 'number') entries.push([key, n]);
  return Object.fromEntries(entries);
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map((v: unknown) => ({ ...Object(v) })) : [];
}

test('calls of SIPp are what the wire carried', { skip }, async (t) => {
  const lab = new Lab({ after: (close) => t.after(close) });
  const names = Object.keys(CALLS);
  const ports = names.map((_, i) => portOf(i));
  // A tone that is no silence, eight seconds of it.
  writeFileSync(lab.path('tone.ul'), Buffer.alloc(64_000, Buffer.from([0xff, 0x9e, 0x2a, 0x1e, 0x2a, 0x9e])));
  const lossy = names.indexOf('lossy');
  // Behind the sender's back: SIPp takes a refused send for the end of the stream.
  const media = `udp sport ${mediaOf(lossy)}-${mediaOf(lossy) + 40} udp dport 10000-65535`;
  const chain = 'chain out { type filter hook egress device eth0 priority 0;';
  const rule = `table netdev lab { ${chain} ${media} numgen inc mod ${LOST_EVERY} 7 counter drop; }; }`;
  lab.do('b', 'nft', ['-f', '-'], rule);
  const portRange = `${ports[0]}-${ports[ports.length - 1]}`;
  const options = ['-d', 'eth0', '--portrange', portRange, '--retain-audio'];
  const agent = await Agent.start(lab, options, /capturing on eth0, filter: \w+/);
  const dump = await Dump.start(lab, 'eth0', 'wire.pcapng');

  const pairs = await Promise.all(names.map(async (name, i) => ({ name, ...(await startPair(lab, name, i)) })));
  for (const { name, caller, callee } of pairs)
    for (const side of [caller, callee]) assert.equal(await side.ended, 0, `${name}: ${side.output()}`);
  await dump.stop();

  const wire = wireMessages(dump.file, ports);
  const streams = wireStreams(dump.file);
  for (const [name, expected] of Object.entries(CALLS)) {
    const callId = `${name}@lab`;
    const messages = wire.filter((m) => m.callId === callId);
    assert.notEqual(messages.length, 0, name);
    const onWire = (s: Json) => streams.find((w) => w.src === s['src'] && w.dst === s['dst']);
    // An agent that is late has not read the last of what dumpcap has.
    const isWhole = (seen: Json): boolean =>
      seen['state'] === expected.state &&
      Number(seen['msg_count']) >= messages.length &&
      list(seen['streams']).every((s) => Number(s['packets']) >= (onWire(s)?.packets ?? 0));
    const d = await agent.dialogWhen(callId, isWhole);
    assert.deepEqual(
      [d['final_status_code'], d['msg_count'], d['input_origin'], d['method'], d['from'], d['to']],
      [expected.code, messages.length, 'wire', 'INVITE', 'alice', 'bob'],
      name,
    );
    const timing = numbers(d['timing']);
    const truth = wireTiming(messages);
    assert.deepEqual(
      Object.keys(timing)
        .filter((key) => key !== 'retransmits')
        .sort(),
      Object.keys(truth).sort(),
      name,
    );
    for (const [key, ms] of Object.entries(truth))
      assert.ok(Math.abs((timing[key] ?? Number.NaN) - ms) <= SAME_MS, `${name} ${key}: ${timing[key]}, wire ${ms}`);
    for (const tag of expected.tags ?? []) assert.ok(JSON.stringify(d['tags']).includes(`"${tag}"`), `${name} ${tag}`);
    if (expected.events !== undefined)
      assert.deepEqual(
        [...new Set(list(d['sdp_timeline']).flatMap((e) => (e['event'] === undefined ? [] : [e['event']])))],
        expected.events,
        name,
      );
    if (expected.streams === undefined) continue;
    const claimed = list(d['streams']);
    assert.equal(claimed.length, expected.streams, `${name}: ${JSON.stringify(claimed)}`);
    for (const s of claimed) {
      const same = onWire(s);
      assert.ok(same !== undefined, `${name}: ${String(s['src'])} to ${String(s['dst'])}`);
      assert.equal(s['packets'], same.packets, name);
      assert.deepEqual([s['codec'], s['payload_type'], s['orphaned'], s['input_origin']], ['PCMU', 0, false, 'wire']);
      const expectedLoss = (same.lost / (same.packets + same.lost)) * 100;
      assert.ok(Math.abs(Number(s['loss_pct']) - expectedLoss) < 0.01, `${name}: ${String(s['loss_pct'])} %`);
    }
    const { channels } = readWav(agent.bytes(`/v1/dialogs/${callId}/audio`));
    assert.equal(channels.length, expected.streams, name);
    for (const samples of channels)
      assert.ok(samples.filter((v) => Math.abs(v) > 1000).length > 1000, `${name}: silent`);
  }

  // The rule's own counter says how many it dropped: all of them are gaps between packets that were seen, but for
  // one that may have fallen behind the last.
  const dropped = Number(/counter packets (\d+)/.exec(lab.do('b', 'nft', ['list', 'table', 'netdev', 'lab']))?.[1]);
  const hit = streams.find((w) => w.src.startsWith(`${ADDRESS.b.v4}:`) && w.lost > 0);
  assert.ok(hit !== undefined && dropped > 5, `${dropped} dropped`);
  assert.ok(dropped - hit.lost <= 1 && dropped >= hit.lost, `${dropped} dropped, ${hit.lost} missed`);

  const stats = agent.get('/v1/stats');
  const quality = numbers(stats?.['capture_quality']);
  assert.deepEqual(
    [quality['kernel_dropped_packets'], quality['queue_dropped_packets'], quality['malformed_sip']],
    [0, 0, 0],
  );
  assert.equal(await lab.stop(agent.running), 0);
});
