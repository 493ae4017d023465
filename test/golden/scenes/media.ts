/** Plays the media of a call: speech, spurts of it, keys, comfort noise, reports, ICE checks and fax. */
import { labelHash, Random } from '../../../fixtures/build/bytes.ts';
import { EPOCH_US } from '../../../fixtures/build/capture.ts';
import type { Endpoint } from '../../../fixtures/build/packet.ts';
import { type ReportBlock, sdes, senderReport, voipMetricsReport } from '../../../fixtures/build/rtcp.ts';
import {
  comfortNoise,
  type Datagram,
  dtmf,
  type Impairment,
  type RtpPlan,
  rtpStream,
  voice,
} from '../../../fixtures/build/rtp.ts';
import * as stun from '../../../fixtures/build/stun.ts';
import { CODECS, codecOf, ufrag } from './description.ts';
import type { Seen } from './refusal.ts';
import { isMessage } from './signaling.ts';
import { socketOf } from './stage.ts';
import type { Call, Line } from './table.ts';
import { isTcpEnd } from './tcp.ts';

/** What a sender has sent so far: its sequence goes on after a pause, and its timestamps follow the time. */
type Sender = { readonly startMs: number; next: number; packets: number; lastMs: number };

const PACKET_MS = 20;
const SPURT_MS = 2000;
const PAUSE_MS = 3000;
const REPORT_MS = 5000;
const CHECK_MS = 500;

export function playMedia(call: Call): Seen[] {
  const senders = new Map<number, Sender>();
  return call.lines
    .filter((line) => !isMessage(line) && !isTcpEnd(line))
    .flatMap((line) => run(call.name, senders, line).map((d) => ({ ...d, isRefused: line.words.has('refused') })));
}

function run(name: string, senders: Map<number, Sender>, line: Line): Datagram[] {
  const { what, words } = line;
  const [src, dst] = [socketOf(line.from), socketOf(line.to)];
  if (what === 'stun') return check(name, line, src, dst);
  if (what === 'udptl') return fax(line, src, dst);
  const ssrc = labelHash(`${name}/${words.get('ssrc') ?? `${src.address}:${src.port}`}`);
  // `line=2`: another source with the same SSRC has numbers and timestamps of its own; with `near=5` and `stamp=0` they lie so
  // much beyond those of the first source.
  const numbers = words.has('line') ? labelHash(`${ssrc}/${words.get('line')}`) : ssrc;
  const before = senders.get(numbers);
  if (what === 'rtcp') return report(name, line, ssrc, before);
  const near = words.get('near');
  const begin = near === undefined ? 1000 + (numbers % 20_000) : 1000 + (ssrc % 20_000) + Number(near);
  const s = before ?? { startMs: line.fromMs, next: begin, packets: 0, lastMs: line.fromMs };
  senders.set(numbers, s);
  const plan = planOf(line);
  // `counted`: the sequence went on while nothing came here.
  if (words.has('counted')) s.next += Math.round((line.fromMs - s.lastMs) / PACKET_MS) - 1;
  const start = { src, dst, ssrc, startUs: EPOCH_US + line.fromMs * 1000, firstSequence: s.next & 0xffff };
  const clock = codecWord(line).clock;
  const beginTimestamp =
    160_000 + Number(words.get('stamp') ?? (numbers === ssrc ? 0 : 600_000 + (numbers % 2_000_000_000)));
  const firstTimestamp = beginTimestamp + Math.round(((line.fromMs - s.startMs) * clock) / 1000);
  const { datagrams } = rtpStream({ ...start, firstTimestamp }, plan, impairment(line, plan.length));
  s.next += plan.length;
  s.packets += plan.length;
  s.lastMs = line.toMs;
  return datagrams;
}

function codecWord({ words }: Line): { clock: number; payloadType: number } {
  const named = [...words.keys()].find((word) => word in CODECS);
  const { clock, payloadType } = codecOf(named ?? 'pcmu');
  return { clock: Number(words.get('clock') ?? clock), payloadType: Number(words.get('pt') ?? payloadType) };
}

function planOf(line: Line): RtpPlan[] {
  const { what, words } = line;
  const lengthMs = line.toMs - line.fromMs;
  const { clock, payloadType } = codecWord(line);
  const ptimeMs = Number(words.get('ptime') ?? PACKET_MS);
  const payload = payloadOf(line);
  const speech = (fromMs: number, toMs: number): RtpPlan[] =>
    voice({
      payloadType,
      count: Math.max(1, Math.floor((toMs - fromMs) / ptimeMs)),
      ptimeMs,
      clock,
      fromUs: fromMs * 1000,
      fromTimestamp: (fromMs * clock) / 1000,
      payload,
    });
  if (what === 'rtp') return speech(0, lengthMs);
  const starts = (everyMs: number): number[] =>
    Array.from({ length: Math.ceil(lengthMs / everyMs) }, (_, i) => i * everyMs);
  if (what === 'cn') return comfortNoise(Math.ceil(lengthMs / 200), 200, 0, 0);
  if (what === 'keys')
    return starts(SPURT_MS).flatMap((ms, i) => dtmf(i % 12, 8, ms * 1000, ms * 8, Number(words.get('pt') ?? 101)));
  if (what !== 'spurts') throw new Error(`no such media: ${line.text}`);
  // `sid`: a packet of noise parameters every 160 ms of a pause, as AMR and opus send them.
  const every = words.has('sid')
    ? Array.from({ length: Math.floor(PAUSE_MS / 160) }, (_, i) => SPURT_MS + i * 160)
    : [];
  return starts(SPURT_MS + PAUSE_MS).flatMap((ms) => {
    const quiet = every
      .filter((at) => ms + at < lengthMs)
      .flatMap((at) =>
        voice({
          payloadType,
          count: 1,
          clock,
          fromUs: (ms + at) * 1000,
          fromTimestamp: ((ms + at) * clock) / 1000,
          marker: false,
          payload: () => Uint8Array.of(0x44, 0, 0, 0, 0, 0, 0),
        }),
      );
    return [...speech(ms, Math.min(ms + SPURT_MS, lengthMs)), ...quiet];
  });
}

/** `lose=20` drops every twentieth packet, `late=30` holds every thirtieth back by 120 ms, `jitter=8` every second by 8 ms. */
function impairment({ words }: Line, count: number): Impairment {
  const [lose, late, jitter] = ['lose', 'late', 'jitter'].map((word) => Number(words.get(word) ?? 0));
  const each = Array.from({ length: count }, (_, i) => i);
  return {
    ...(lose === undefined || lose === 0 ? {} : { lost: new Set(each.filter((i) => i % lose === lose - 1)) }),
    ...(late === undefined || late === 0 ? {} : { delayUs: (i: number) => (i % late === late - 1 ? 120_000 : 0) }),
    ...(jitter === undefined || jitter === 0 ? {} : { delayUs: (i: number) => (i % 2) * jitter * 1000 }),
  };
}

/** What anybody says. */
const SOUND = new Random('speech').bytes(160);

/** `silent` is digital silence, `silent=00` another octet again and again; `bytes=33` a frame of so many. */
function payloadOf({ text, words }: Line): (index: number) => Uint8Array {
  const bytes = words.get('bytes');
  if (bytes !== undefined) return noise(text, Number(bytes));
  const octet = words.get('silent');
  if (octet === undefined) return () => SOUND;
  const quiet = words.has('pcma') ? 0xd5 : 0xff;
  const silence = new Uint8Array(160).fill(octet === 'silent' ? quiet : Number.parseInt(octet, 16));
  return () => silence;
}

function noise(label: string, bytes: number): () => Uint8Array {
  const random = new Random(label);
  return () => random.bytes(bytes);
}

/** A sender report each five seconds; `mux` sends it between the sockets of the media, `hears=A` says that all of hers came.
 * The last of them is always the same; with `moves` another one each time, with `moves=20` until then, with `zeros` none. */
function report(name: string, line: Line, ssrc: number, s?: Sender): Datagram[] {
  const { fromMs, toMs, words } = line;
  const [src, dst] = [socketOf(line.from), socketOf(line.to)];
  const beside = ({ address, port }: Endpoint): Endpoint => ({ address, port: words.has('mux') ? port : port + 1 });
  const hears = words.get('hears');
  const heard = (ms: number): ReportBlock[] =>
    hears === undefined
      ? []
      : [{ ...received(name, socketOf(hears), Number(words.get('lost') ?? 0)), ...highest(words, ms) }];
  const all: Datagram[] = [];
  for (let ms = fromMs; ms < toMs; ms += REPORT_MS) {
    const packets = Math.round(
      (Number(words.get('sent') ?? s?.packets ?? 0) * (ms - fromMs)) / Math.max(1, toMs - fromMs),
    );
    const tsUs = EPOCH_US + ms * 1000;
    const info = { ssrc, sentUs: tsUs, rtpTimestamp: 160_000 + ms * 8, packets, octets: packets * 160 };
    const bytes = Buffer.concat([
      senderReport(info, heard(ms)),
      sdes(ssrc, `${src.address}:${src.port}`),
      ...metrics(name, line, ssrc),
    ]);
    all.push({ tsUs, src: beside(src), dst: beside(dst), bytes });
  }
  return all;
}

/** `xr=31` says in VoIP metrics that 31 of 256 of what `hears=A` sent are lost. */
function metrics(name: string, { words }: Line, reporter: number): Uint8Array[] {
  const rate = words.get('xr');
  if (rate === undefined) return [];
  const { address, port } = socketOf(words.get('hears') ?? '');
  const ssrc = labelHash(`${name}/${address}:${port}`);
  const figures = {
    lossRate: Number(rate),
    discardRate: 0,
    roundTripMs: 0,
    rFactor: 70,
    mosLqTimes10: 36,
    mosCqTimes10: 35,
  };
  return [voipMetricsReport(reporter, { ssrc, ...figures })];
}

function highest(words: Line['words'], ms: number): Partial<ReportBlock> {
  const moves = words.get('moves');
  if (words.has('zeros')) return { highestSequence: 0 };
  if (moves === undefined) return {};
  return {
    highestSequence: 5000 + Math.round(Math.min(ms, moves === 'moves' ? ms : Number(moves) * 1000) / PACKET_MS),
  };
}

function received(name: string, { address, port }: Endpoint, lost: number): ReportBlock {
  const ssrc = labelHash(`${name}/${address}:${port}`);
  return { ssrc, fractionLost: 0, lost, highestSequence: 5000, jitter: 0, lastSr: 0, delaySinceLastSr: 0 };
}

/**
 * An ICE check and its answer, over a span of time two a second: `unanswered` alone, `error=401` refused, `answer` without its
 * request, `plain` of a STUN client, `indication` to keep a binding.
 */
function check(name: string, line: Line, src: Endpoint, dst: Endpoint): Datagram[] {
  const all: Datagram[] = [];
  for (let ms = line.fromMs; ms <= line.toMs; ms += CHECK_MS) all.push(...checkAt(name, line, src, dst, ms));
  return all;
}

function checkAt(name: string, { from, to, text, words }: Line, src: Endpoint, dst: Endpoint, ms: number): Datagram[] {
  const [own, other] = [from, to].map((who) => ufrag(`${name}/${who.split(':')[0]}`));
  const error = words.get('error');
  // `one`: a transaction that is sent again and again.
  const label = words.has('one') ? `${name}/${text}` : `${name}/${text}/${ms}`;
  const tsUs = EPOCH_US + ms * 1000;
  if (words.has('indication'))
    return [{ tsUs, src, dst, bytes: stun.stun(stun.CLASS.INDICATION, stun.METHOD.BINDING, label) }];
  const exchange = stun.exchange({
    atUs: tsUs,
    client: src,
    server: dst,
    method: stun.METHOD.BINDING,
    label,
    request: words.has('plain') ? [] : [stun.username(`${other}:${own}`), stun.priority(), stun.controlling()],
    answer: words.has('unanswered') ? null : error === undefined ? [stun.mapped(src)] : [stun.errorCode(Number(error))],
    isError: error !== undefined,
  });
  return words.has('answer') ? exchange.slice(1) : exchange;
}

/** UDPTL has no header by which it would be known: a number, and here `no signal` without redundancy (T.38 section 9). */
function fax({ fromMs, toMs }: Line, src: Endpoint, dst: Endpoint): Datagram[] {
  return Array.from({ length: Math.floor((toMs - fromMs) / 30) }, (_, i) => ({
    tsUs: EPOCH_US + (fromMs + i * 30) * 1000,
    src,
    dst,
    bytes: Uint8Array.of(i >> 8, i & 255, 1, 0, 0, 0),
  }));
}
