/**
 * HEP through the whole program: what a rate of messages costs each of its threads, and that what was sent is what was
 * analysed and what was counted as lost, to the last message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Lab } from '../test/live/lab.ts';
import { cpuByThread, cpuSince } from './process-cpu.ts';
import { metricsOf, sentOf, sumOf } from './soak.ts';

const HEP_PORT = 9060;
const SECONDS = 6;
/** A program that has just started is compiled by V8 meanwhile; what a host sends it all day long is told apart. */
const WARM_UP = { seconds: 4, rate: 50_000 };
/** For what lies in the receive buffer and in the ring when the sender has ended. */
const SETTLE_MS = 10_000;
const LOST = ['received_kernel_dropped', 'received_ring_full'];

type Tally = { readonly analysed: number; readonly lost: number };

function tallyOf(agent: Agent): Tally {
  const m = metricsOf(agent.text('/metrics'));
  return { analysed: sumOf(m, 'service_messages_total'), lost: sumOf(m, 'calltap_hep_total', LOST) };
}

/** Once every message since `from` is accounted for; else what is known after a while. */
async function settled(agent: Agent, from: Tally, messages: number): Promise<Tally> {
  for (const end = performance.now() + SETTLE_MS; ; await sleep(100)) {
    const now = tallyOf(agent);
    const tally = { analysed: now.analysed - from.analysed, lost: now.lost - from.lost };
    if (tally.analysed + tally.lost >= messages || performance.now() > end) return tally;
  }
}

export type HepFigures = {
  readonly sentPerSec: number;
  readonly messages: number;
  readonly analysed: number;
  readonly lost: number;
  readonly lostInWarmUp: number;
  /** Processor time of a message. */
  readonly mainUs: number;
  readonly receiverUs: number;
  readonly othersUs: number;
  readonly senderUs: number;
};

/** At this rate, after a warm-up. */
export async function hepFigures(rate: number, blast: string): Promise<HepFigures> {
  const closers: (() => Promise<void>)[] = [];
  const lab = new Lab({ after: (close) => closers.push(close) });
  try {
    const args = ['-L', `127.0.0.1:${HEP_PORT}`, '-E', '--hep-rate-limit', '100000000'];
    const agent = await Agent.start(lab, args, /hep listening/);
    const pid = agent.running.child.pid ?? 0;
    const send = async (seconds: number, perSec: number): Promise<ReturnType<typeof sentOf>> => {
      const to = ['--hep', `127.0.0.1:${HEP_PORT}`, '--hep-messages', `${perSec}`];
      const sender = lab.start('a', blast, ['--seconds', `${seconds}`, ...to]);
      await sender.ended;
      return sentOf(sender.output());
    };
    const start = tallyOf(agent);
    const warm = (await send(WARM_UP.seconds, WARM_UP.rate))['hep_messages'] ?? 0;
    const atWarm = await settled(agent, start, warm);
    const from = tallyOf(agent);
    const before = cpuByThread(pid);
    const sent = await send(SECONDS, rate);
    const messages = sent['hep_messages'] ?? 0;
    const { analysed, lost } = await settled(agent, from, messages);
    const cpu = cpuSince(pid, before);
    const us = (sec: number) => (sec * 1e6) / Math.max(1, analysed);
    const main = cpu.get('main') ?? 0;
    const receiver = cpu.get('calltap-hep') ?? 0;
    const all = [...cpu.values()].reduce((a, b) => a + b, 0);
    return {
      ...{ messages, analysed, lost, lostInWarmUp: warm - atWarm.analysed },
      sentPerSec: messages / (sent['seconds'] ?? 1),
      ...{ mainUs: us(main), receiverUs: us(receiver), othersUs: us(all - main - receiver) },
      senderUs: ((sent['cpu_seconds'] ?? 0) * 1e6) / Math.max(1, messages),
    };
  } finally {
    for (const close of closers) await close();
  }
}

/** The table of all rates, line by line. */
export async function* hepTable(rates: readonly number[], blast: string): AsyncGenerator<string> {
  const head = ['asked k/s', 'sent k/s', 'messages', 'analysed', 'lost, counted', 'neither', 'lost in the warm-up'];
  const cpu = ['CPU us a message: main thread', 'receiver', 'V8 threads', 'sender'];
  yield `| ${[...head, ...cpu].join(' | ')} |`;
  yield `|${'---:|'.repeat(head.length + cpu.length)}`;
  for (const rate of rates) yield `| ${rowOf(rate, await hepFigures(rate, blast)).join(' | ')} |`;
}

function rowOf(rate: number, f: HepFigures): string[] {
  return [
    ...[`${rate / 1000}`, (f.sentPerSec / 1000).toFixed(0), `${f.messages}`, `${f.analysed}`, `${f.lost}`],
    ...[`${f.messages - f.analysed - f.lost}`, `${f.lostInWarmUp}`],
    ...[f.mainUs, f.receiverUs, f.othersUs, f.senderUs].map((us) => us.toFixed(2)),
  ];
}
