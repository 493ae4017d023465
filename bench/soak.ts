/**
 * The soak: calls, registrations that nobody answers and garbage on a cable, and their HEP mirror, for as long as asked,
 * against caps that are soon reached. At its end everything the generator sent must have been analysed or counted as
 * lost, and what the agent holds must have stayed what it was once the caps were full.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/core/package.ts';
import { PATIENCE_MS } from '../test/helpers/patience.ts';
import { ADDRESS, Agent, Lab } from '../test/live/lab.ts';
import type { Held } from './soak-memory.ts';
import { answeringBy, assertFlat, look, msToQuiet } from './soak-memory.ts';

const HEP_PORT = 9060;
/**
 * Dialogs fill up in 12 s, half of them with registrations that nobody comes back to. The other half is the calls of 40 s:
 * an agent that stood still for less joins the mirrored copies that it reads behind the cable to calls that are over.
 */
const CAPS = { dialogs: 8000, streams: 1000, messageLogBytes: 16 * 1024 * 1024 };
/** When it is looked what the agent holds, as parts of the whole time. By the first the dialogs, streams and messages are full. */
const LOOKS = { early: 0.6, late: 0.95 };
/** A look may be late by that. */
const LATE_MS = 3000;
const SAMPLE_MS = 1000;

export type Sent = Readonly<Record<string, number>>;

export type SoakResult = {
  readonly sent: Sent;
  readonly early: Held;
  readonly late: Held;
  readonly lost: number;
};

/** Compiles the generator of live load; its path. */
export function buildBlast(): string {
  const bench = join(packageRoot(), 'bench');
  mkdirSync(join(bench, 'out'), { recursive: true });
  const out = join(bench, 'out', `blast-${process.pid}`);
  const sources = ['blast.c', 'blast_out.c', 'blast_pool.c', 'gen_sip.c'].map((name) => join(bench, name));
  const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror'];
  const done = spawnSync('cc', [...flags, ...sources, '-o', out], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return out;
}

/** The truth that the generator prints last. */
export function sentOf(output: string): Sent {
  const line = output.trim().split('\n').at(-1) ?? '';
  const value: unknown = JSON.parse(line);
  const entries = Object.entries(value ?? {}).flatMap(([key, n]) => (typeof n === 'number' ? [[key, n] as const] : []));
  return Object.fromEntries(entries);
}

/** All samples of the metrics: `name{labels}` to value. */
export function metricsOf(text: string): Map<string, number> {
  const out = new Map<string, number>();
  for (const line of text.split('\n')) {
    const at = line.lastIndexOf(' ');
    if (at > 0 && !line.startsWith('#')) out.set(line.slice(0, at), Number(line.slice(at + 1)));
  }
  return out;
}

/** Sum of the samples of one family, of some label values or of all. */
export function sumOf(metrics: ReadonlyMap<string, number>, family: string, labels?: readonly string[]): number {
  let sum = 0;
  for (const [name, value] of metrics) {
    if (!name.startsWith(`${family}{`)) continue;
    if (labels === undefined || labels.some((l) => name.includes(`"${l}"`))) sum += value;
  }
  return sum;
}

function rssKib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** What the agent holds at both looks; `pid` is its own: `ip netns exec` became it. */
async function watchMemory(
  agent: Agent,
  held: string,
  ms: number,
  isOver: () => boolean,
  say: (line: string) => void,
): Promise<{ early: Held; late: Held }> {
  const begin = performance.now();
  const { pid = 0 } = agent.running.child;
  const looks: Held[] = [];
  const lookNow = async (): Promise<void> => {
    const seen = await look(pid, held);
    looks.push(seen);
    say(JSON.stringify(seen));
  };
  for (let i = 0; !isOver(); i++) {
    await sleep(SAMPLE_MS);
    assert.equal(agent.running.child.exitCode, null, agent.running.output());
    const part = (performance.now() - begin) / ms;
    const [early, late] = looks;
    if (part >= (early === undefined ? LOOKS.early : LOOKS.late) && late === undefined) await lookNow();
    // The API is asked all the while, as dashboards do.
    if (i % 10 !== 9) continue;
    agent.get('/v1/dialogs?limit=200');
    const quality = agent.get('/v1/stats')?.['capture_quality'];
    say(`${i + 1} s: ${(rssKib(pid) / 1024).toFixed(0)} MiB, ${JSON.stringify(quality)}`);
  }
  // Where the machine is slow the load may have ended before its last look: what it left is held all the same.
  if (looks.length === 1) await lookNow();
  const [early, late] = looks;
  assert.ok(early !== undefined && late !== undefined, `the load ended after ${looks.length} looks`);
  return { early, late };
}

/** Runs it for some seconds; throws where something is missing. `after` is told what to do at the end, come what may. */
export async function soak(
  seconds: number,
  after: (stop: () => Promise<void>) => void,
  say: (line: string) => void,
): Promise<SoakResult> {
  const blast = buildBlast();
  after(async () => rmSync(blast, { force: true }));
  const lab = new Lab({ after });
  const hep = `${ADDRESS.a.v4}:${HEP_PORT}`;
  const caps = ['--max-dialogs', `${CAPS.dialogs}`, '--max-streams', `${CAPS.streams}`];
  caps.push('--message-log-bytes', `${CAPS.messageLogBytes}`);
  const sources = ['-d', 'eth0', '-L', hep, '-E', '--hep-allow', `${ADDRESS.b.v4}/32`, '--hep-rate-limit', '1000000'];
  const folder = mkdtempSync(join(tmpdir(), 'calltap-soak-'));
  after(async () => rmSync(folder, { recursive: true, force: true }));
  const held = join(folder, 'held');
  const agent = await Agent.start(lab, [...sources, ...caps], /capturing on eth0/, answeringBy(held));
  const before = metricsOf(agent.text('/metrics'));
  // Most messages are garbage: it fills no cap, and what is kept of each message shows.
  const load = ['--calls', '20', '--talk', '40', '--lose', '10', '--registers', '600', '--garbage', '12000'];
  const mirror = ['--mirror', '7', '--hep-messages', '500', '--hep-garbage', '50'];
  const args = ['--seconds', `${seconds}`, '--iface', 'eth0', '--hep', hep, ...load, ...mirror];
  const ms = seconds * 1000;
  await sleep(msToQuiet(LOOKS.early * ms, LOOKS.late * ms + LATE_MS, Date.now()));
  const generator = lab.start('b', blast, args);
  let isOver = false;
  const ended = generator.ended.then((code) => {
    isOver = true;
    assert.equal(code, 0, generator.output());
  });
  const memory = await watchMemory(agent, held, ms, () => isOver, say);
  await ended;
  const sent = sentOf(generator.output());

  // What was sent last may still lie in a ring.
  let lost = 0;
  for (const end = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    const metrics = metricsOf(agent.text('/metrics'));
    lost = lossesOf(metrics);
    try {
      account(sent, before, metrics, lost, agent.get('/v1/stats') ?? {});
      break;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
  assertFlat(memory.early, memory.late);
  assert.equal(await lab.stop(agent.running), 0, agent.running.output());
  return { sent, ...memory, lost };
}

/** Messages without a Call-ID, some because they were cut before it. */
function nameless(s: Sent): number {
  return (s['garbage_cut'] ?? 0) + (s['garbage_nameless'] ?? 0);
}

/** SIP messages that name their call or have none, from wherever they came. */
function sipSent(s: Sent): number {
  const n = (name: string) => s[name] ?? 0;
  return n('call_messages') + n('registers') + nameless(s) + n('mirrored') + n('hep_messages');
}

/** Packets that were counted as lost between the cable and analysis. */
function lossesOf(m: ReadonlyMap<string, number>): number {
  const reader = sumOf(m, 'calltap_live_total', ['kernel_drops', 'unread_at_stop', 'iface_missed', 'queue_dropped']);
  return (
    reader + sumOf(m, 'calltap_hep_total', ['received_kernel_dropped', 'received_ring_full', 'received_over_rate'])
  );
}

/** Everything sent is analysed or counted. */
function account(
  sent: Sent,
  before: ReadonlyMap<string, number>,
  m: ReadonlyMap<string, number>,
  lost: number,
  stats: Readonly<Record<string, unknown>>,
): void {
  const n = (name: string) => sent[name] ?? 0;
  // Frames: the filter saw every one, and what it passed was read or counted as dropped.
  const since = (family: string, labels?: readonly string[]) =>
    sumOf(m, family, labels) - sumOf(before, family, labels);
  const seen = since('calltap_filter_packets_total');
  const framesSent = n('frames') + n('datagram_sends');
  assert.ok(seen >= framesSent, `${seen} frames seen, ${framesSent} sent`);
  const read = since('calltap_live_total', ['frames']) + since('calltap_live_total', ['kernel_drops']);
  assert.ok(read >= n('call_messages') + n('call_rtp') + n('registers') + nameless(sent), `${read} frames read`);
  // HEP: every datagram was taken, refused or dropped; what was taken was read or refused with a reason.
  const received = sumOf(m, 'calltap_hep_total', ['received_datagrams', 'received_kernel_dropped']);
  assert.equal(received, n('datagrams'), 'HEP datagrams');
  const refused = [...m].reduce((sum, [name, v]) => sum + (/^calltap_hep_total.*"refused_/.test(name) ? v : 0), 0);
  const hepRead = sumOf(m, 'calltap_hep_total', ['read']);
  assert.equal(hepRead + refused, sumOf(m, 'calltap_hep_total', ['received_taken']), 'HEP packets');
  assert.ok(Math.abs(refused - n('hep_garbage')) <= lost, `${refused} refused, ${n('hep_garbage')} sent`);
  // SIP: what is missing is among what was counted as lost, and with nothing lost nothing is missing.
  const missing = sipSent(sent) - sumOf(m, 'service_messages_total');
  assert.ok(missing >= 0 && missing <= lost, `${missing} messages missing, ${lost} packets lost`);
  const without = nameless(sent) - member(stats['capture_quality'], 'sip_without_call_id');
  assert.ok(without >= 0 && without <= lost, `${without} messages without a Call-ID missing, ${lost} packets lost`);
  // RTP: the packets of every call, and no gap but the generator's.
  const rtp = sumOf(m, 'calltap_capture_total', ['rtp_packets']);
  assert.ok(n('call_rtp') - rtp >= 0 && n('call_rtp') - rtp <= lost, `${rtp} RTP packets, ${n('call_rtp')} sent`);
  if (lost > 0) return;
  // Dialogs: those that are kept, and those that a cap shed.
  const kept = member(stats['dialogs'], 'total') + member(stats['caveats'], 'dialogs_evicted');
  const made = n('calls') + n('registers') + n('hep_calls');
  assert.equal(kept, made, 'dialogs');
  assert.ok(member(stats['dialogs'], 'total') <= CAPS.dialogs && member(stats['streams'], 'total') <= CAPS.streams);
}

function member(value: unknown, name: string): number {
  const found: unknown = Object.entries(value ?? {}).find(([key]) => key === name)?.[1];
  return typeof found === 'number' ? found : Number.NaN;
}
