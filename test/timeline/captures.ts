/**
 * Sixty captures of streams that change: by codec, silence, restart, hold, and with video beside them. The same seed makes
 * the same capture everywhere.
 */
import { ALICE, BOB, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { labelHash, Random } from '../../fixtures/build/bytes.ts';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { described, pickUp, reinvite, TALK_MS } from '../../fixtures/build/scene-kit.ts';
import { CODEC, type Codec, type SdpOptions } from '../../fixtures/build/sdp.ts';
import type { SipScript } from '../../fixtures/build/sip-call.ts';
import { CLASS, METHOD, stun, username } from '../../fixtures/build/stun.ts';
import { Sender, through, VOICE, type Weather } from './sender.ts';

export interface TimelineCapture {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const CODECS: readonly Codec[] = [...Object.values(VOICE), CODEC.CN, CODEC.EVENT];
const MILD: Weather = { lost: 10, twice: 5, late: 3, jitterUs: 6000 };

/** One call between Alice and Bob in the making. */
class Talk {
  readonly random: Random;
  readonly call: SipScript;
  /** Alice's: what the capture is about. */
  readonly sender: Sender;
  readonly #media: Datagram[][] = [];
  readonly #name: string;

  constructor(name: string, more: Partial<SdpOptions> & { readonly section?: (media: Endpoint) => string } = {}) {
    this.#name = name;
    this.random = new Random(`timeline/${name}`);
    this.call = scriptOf(name);
    const { section, ...options } = more;
    const by = (media: Endpoint, side: string): string =>
      described(media, `${name}/${side}`, { codecs: CODECS, ...options }) + (section?.(media) ?? '');
    const invite = this.call.request('INVITE', 0, { body: sdpBody(by(ALICE.rtp, 'a')) });
    this.call.respond(invite, 180, 180);
    pickUp(this.call, invite, 2180, by(BOB.rtp, 'b'));
    this.sender = this.from(ALICE.rtp, BOB.rtp);
  }

  from(src: Endpoint, dst: Endpoint): Sender {
    const sequence = this.random.below(65536);
    const timestamp = this.random.next();
    const ssrc = labelHash(`${this.#name}/${src.port}/${src.address}`);
    return new Sender({ src, dst, startUs: this.call.at(TALK_MS), ssrc, sequence, timestamp });
  }

  /** A re-INVITE at the time that the sender has reached. */
  renew(
    version: number,
    mine: Partial<SdpOptions>,
    theirs: Partial<SdpOptions>,
    by: 'caller' | 'callee' = 'caller',
  ): void {
    const atMs = (this.sender.nowUs - this.call.startUs) / 1000 - 60;
    const told = (media: Endpoint, side: string, more: Partial<SdpOptions>): string =>
      described(media, `${this.#name}/${side}`, { codecs: CODECS, version, ...more });
    const [a, b] = [told(ALICE.rtp, 'a', mine), told(BOB.rtp, 'b', theirs)];
    reinvite(this.call, atMs, by, by === 'caller' ? a : b, by === 'caller' ? b : a);
  }

  add(datagrams: readonly Datagram[], weather?: Weather): this {
    this.#media.push(weather === undefined ? [...datagrams] : through(datagrams, this.random, weather));
    return this;
  }

  /** With Bob, who speaks PCMU throughout, and the end of the call. */
  bytes(weather?: Weather): Uint8Array {
    this.add(this.sender.datagrams, weather);
    const lengthMs = (this.sender.nowUs - this.call.at(TALK_MS)) / 1000;
    this.add(this.from(BOB.rtp, ALICE.rtp).speak(VOICE.PCMU, Math.min(500, Math.ceil(lengthMs / 20))).datagrams);
    hangUp(this.call, TALK_MS + lengthMs + 300);
    const capture = new Capture().add(this.call.messages);
    for (const datagrams of this.#media) capture.add(datagrams);
    return capture.pcap();
  }
}

const FAMILIES = [
  [VOICE.PCMU, VOICE.G729],
  [VOICE.G729, VOICE.PCMU],
  [VOICE.OPUS, VOICE.PCMA],
  [VOICE.PCMA, VOICE.AMRWB],
  [VOICE.G726, VOICE.OPUS],
  [VOICE.G722, VOICE.PCMU],
] as const;

/** Other codecs than the one before, `changes` times. */
function changes(name: string, times: number, nth: number): Uint8Array {
  const talk = new Talk(name);
  const [first, second] = FAMILIES[nth % FAMILIES.length] ?? FAMILIES[0];
  const all = [first, second, first, VOICE.G722];
  for (const codec of all.slice(0, times + 1)) talk.sender.speak(codec, 150 + talk.random.below(300));
  return talk.bytes(nth % 2 === 0 ? undefined : MILD);
}

/** One to four packets of another codec make no segment. */
function shortRuns(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  const other = [VOICE.PCMA, VOICE.G729, VOICE.OPUS][nth % 3] ?? VOICE.PCMA;
  for (let run = 1; run <= 4; run++) talk.sender.speak(VOICE.PCMU, 120).speak(other, run, 20, false);
  return talk.sender.speak(VOICE.PCMU, 200) && talk.bytes();
}

/** Silences: marked; of Opus with a packet every 400 ms; with CN; with G.729's own noise. */
function silences(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  const { sender, random } = talk;
  for (let spurt = 0; spurt < 5; spurt++) {
    const count = 60 + random.below(120);
    if (nth % 4 === 0) sender.speak(VOICE.PCMU, count).pause(1500 + random.below(2500));
    if (nth % 4 === 1) sender.speak(VOICE.OPUS, count, 20, false).beside(111, 1, 12, 400, 48000);
    if (nth % 4 === 2) sender.speak(VOICE.PCMA, count).beside(13, 1, 8, 200);
    if (nth % 4 === 3) sender.speak(VOICE.G729, count).beside(18, 2, 3, 500);
  }
  return talk.bytes(nth < 2 ? undefined : MILD);
}

function keys(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  for (let key = 0; key < 5; key++) talk.sender.speak(VOICE.PCMU, 100).press(key, 8 + nth * 4);
  return talk.sender.speak(VOICE.PCMU, 100) && talk.bytes(nth === 0 ? undefined : MILD);
}

const lineOfVideo = (media: Endpoint): string =>
  `m=video ${media.port + 2} RTP/AVP 97\r\na=rtpmap:97 H264/90000\r\na=sendrecv\r\n`;
const beside = (media: Endpoint): Endpoint => ({ ...media, port: media.port + 2 });

function video(name: string, nth: number): Uint8Array {
  const talk = new Talk(name, { section: lineOfVideo });
  talk.add(talk.from(beside(ALICE.rtp), beside(BOB.rtp)).film(97, 300, talk.random).datagrams, { lost: nth * 10 });
  talk.sender.speak(VOICE.OPUS, 500);
  return talk.bytes({ jitterUs: 4000 });
}

/** Both sections share one fragment and use type 96; the c= line names another socket than the candidate that is used. */
function sharedFragment(name: string, nth: number): Uint8Array {
  const opus = { ...VOICE.OPUS, payloadType: 96 };
  const host = (media: Endpoint): Endpoint => ({ ...media, port: media.port + 500 });
  const candidate = (e: Endpoint): string => `candidate:1 1 UDP 2130706431 ${e.address} ${e.port} typ host`;
  const fragment = (media: Endpoint): string => `ice-ufrag:${media.port}`;
  const password = 'ice-pwd:0123456789abcdef01234567';
  const talk = new Talk(name, {
    codecs: [opus],
    section: (media) =>
      [
        `a=${fragment(media)}`,
        `a=${password}`,
        `a=${candidate(host(media))}`,
        `m=video ${media.port + 2} RTP/AVP 96`,
        'a=rtpmap:96 VP8/90000',
        `a=${fragment(media)}`,
        `a=${password}`,
        `a=${candidate(beside(host(media)))}`,
        '',
      ].join('\r\n'),
  });
  const [a, b] = [host(ALICE.rtp), host(BOB.rtp)];
  const checks = [
    { src: a, dst: b },
    { src: beside(a), dst: beside(b) },
  ].flatMap(({ src, dst }, i) => {
    const id = `${name}/${i}`;
    const user = username(`${BOB.rtp.port}:${ALICE.rtp.port}`);
    const tsUs = talk.call.at(TALK_MS - 30 + i);
    return [
      { tsUs, src, dst, bytes: stun(CLASS.REQUEST, METHOD.BINDING, id, user) },
      { tsUs: tsUs + 9000, src: dst, dst: src, bytes: stun(CLASS.SUCCESS, METHOD.BINDING, id) },
    ];
  });
  talk.add(checks);
  talk.add(talk.from(a, b).speak(opus, 400).datagrams, { lost: 5 * nth, calm: 20 });
  talk.add(talk.from(beside(a), beside(b)).film(96, 200, talk.random).datagrams);
  talk.sender.pause(9000);
  return talk.bytes();
}

function burstAtStart(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  const codec = [VOICE.G726, VOICE.OPUS, VOICE.AMRWB, VOICE.PCMU][nth % 4] ?? VOICE.G726;
  talk.sender.burst(codec, 12 + talk.random.below(7)).speak(codec, 600, 20, false);
  return talk.bytes({ jitterUs: 2000, calm: 30 });
}

/** The network holds some back for so long that they come alone, more than a second after those behind them. */
function lateAfterPause(name: string, nth: number): Uint8Array {
  const codec = [VOICE.PCMU, VOICE.OPUS, VOICE.G729][nth % 3] ?? VOICE.PCMU;
  const talk = new Talk(name, { codecs: [codec, VOICE.PCMU] });
  for (let part = 0; part < 4; part++)
    talk.sender.speak(codec, 150, 20, false).pause(4000, nth === 3 ? 0 : codec.clock);
  const sent = talk.sender.datagrams;
  const came = sent.map((d, i) => {
    if (nth === 3) return i % 150 < 75 && i >= 150 ? { ...d, tsUs: d.tsUs + stalledUs(i % 150) } : d;
    const heldMs = new Map([
      [144, 1400],
      [146, 2700],
      [141, 2720],
    ]).get(i % 150);
    return { ...d, tsUs: d.tsUs + (heldMs ?? 0) * 1000 };
  });
  sent.splice(0, sent.length, ...came);
  return talk.bytes();
}

/** All of 1.5 s come when it is over, in pieces of eight that are turned round. */
function stalledUs(place: number): number {
  const order = Math.floor(place / 8) * 8 + (7 - (place % 8));
  return 1_500_000 + order * 100 - place * 20_000;
}

/** The sender begins again: bit 0 with another SSRC, bit 1 with another number, bit 2 with another timestamp. */
function restart(name: string, bits: number, idleMs: number): Uint8Array {
  const talk = new Talk(name);
  const { sender, random } = talk;
  for (let part = 0; part < 3; part++) {
    sender.speak(VOICE.PCMU, 200 + random.below(150), 20, part === 0).pause(idleMs, (bits & 4) === 0 ? 8000 : 0);
    if ((bits & 1) !== 0) sender.ssrc = random.next();
    if ((bits & 2) !== 0) sender.sequence += 5000 + random.below(50_000);
    if ((bits & 4) !== 0) sender.timestamp += 100_000_000 + random.below(1_000_000_000);
  }
  return sender.speak(VOICE.PCMU, 150, 20, false) && talk.bytes();
}

/** A number that steps forward by little, with a timestamp that says something else, and no time between: no loss. */
function smallJump(name: string, nth: number): Uint8Array {
  const codec = [VOICE.PCMU, VOICE.OPUS, VOICE.AMRWB][nth] ?? VOICE.PCMU;
  const talk = new Talk(name, { codecs: [codec, VOICE.PCMU] });
  const { sender, random } = talk;
  sender.speak(codec, 300);
  sender.sequence += [200, 1500, 40][nth] ?? 200;
  sender.timestamp += 700_000 + random.below(100_000_000);
  return sender.speak(codec, 400, 20, false) && talk.bytes({ jitterUs: 3000 });
}

/** The sender begins anew with lower numbers, and one packet of before comes behind the first three. */
function straggler(name: string): Uint8Array {
  const talk = new Talk(name);
  const { sender } = talk;
  sender.speak(VOICE.PCMU, 200);
  const last = sender.datagrams.at(-1);
  sender.sequence -= 333;
  sender.timestamp += 123_456_789;
  sender.speak(VOICE.PCMU, 300, 20, false);
  const came = sender.datagrams.map((d) => (d === last ? { ...d, tsUs: d.tsUs + 70_000 } : d));
  sender.datagrams.splice(0, sender.datagrams.length, ...came);
  return talk.bytes();
}

/** What was last of one codec comes in the middle of the next: neither part has lost it. */
function lateOverChange(name: string): Uint8Array {
  const talk = new Talk(name);
  const { datagrams } = talk.sender.speak(VOICE.PCMU, 200).speak(VOICE.G722, 200, 20, false);
  const came = datagrams.map((d, i) => (i === 197 ? { ...d, tsUs: d.tsUs + 290_000 } : d));
  datagrams.splice(0, datagrams.length, ...came);
  return talk.bytes();
}

/** Looks like a jump and is an outage: what is missing had its time, or comes in one go when it is over. */
function outage(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  const { sender } = talk;
  sender.speak(VOICE.PCMU, 700);
  const kept = sender.datagrams.flatMap((d, i) => {
    if (i < 200 || i >= 350) return [d];
    if (nth % 2 === 0) return [];
    const over = sender.datagrams[350];
    return over === undefined ? [] : [{ ...d, tsUs: over.tsUs - 20_000 + (i - 200) * 100 }];
  });
  sender.datagrams.splice(0, sender.datagrams.length, ...kept);
  return talk.bytes();
}

function wraps(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  talk.sender.sequence = 65_536 - 120 - nth * 7;
  talk.sender.timestamp = 2 ** 32 - 160 * (90 + nth * 40);
  talk.sender.speak(VOICE.PCMU, 400).speak(VOICE.G729, nth * 100);
  return talk.bytes({ ...MILD, lost: 40, twice: 20, late: 20 });
}

type Hold = 'sendonly' | 'inactive' | '0.0.0.0' | 'bridge';

/** Alice's media stops for some seconds; after a bridge its numbers have gone on. */
function hold(name: string, how: Hold, nth: number): Uint8Array {
  const talk = new Talk(name);
  const { sender } = talk;
  sender.speak(VOICE.PCMU, 250);
  const [mine, theirs]: readonly [Partial<SdpOptions>, Partial<SdpOptions>] =
    how === 'inactive'
      ? [{ direction: 'inactive' }, { direction: 'inactive' }]
      : how === '0.0.0.0'
        ? [{}, { connection: '0.0.0.0' }]
        : [{ direction: 'recvonly' }, { direction: 'sendonly' }];
  talk.renew(2, mine, theirs, how === 'inactive' ? 'caller' : 'callee');
  const packets = 200 + talk.random.below(200);
  sender.pause(packets * 20, nth === 0 ? 8000 : 0);
  if (how === 'bridge') sender.sequence += packets;
  if (how === 'bridge' && nth !== 0) sender.timestamp += packets * 160;
  talk.renew(3, {}, {}, how === 'inactive' ? 'caller' : 'callee');
  return sender.speak(VOICE.PCMU, 300, 20, nth === 0) && talk.bytes(nth === 0 ? undefined : MILD);
}

/** The packet time changes, and the codec stays. */
function packetTimes(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  for (const ptimeMs of [
    [20, 40],
    [30, 20],
    [20, 60, 20],
  ][nth] ?? [20])
    talk.sender.speak(VOICE.PCMA, 200, ptimeMs, false);
  return talk.bytes();
}

/** Neighbours that swap places teach no packet time of twice its length. */
function swaps(name: string, nth: number): Uint8Array {
  const talk = new Talk(name);
  const { datagrams } = talk.sender.speak([VOICE.PCMU, VOICE.OPUS][nth] ?? VOICE.PCMU, 600);
  // 1 3 2 4: each fourth packet follows in number the highest, and in time a late one.
  const came = datagrams.map((d, i) => (i < 40 || i % 3 !== 1 ? d : { ...d, tsUs: d.tsUs + 25_000 }));
  datagrams.splice(0, datagrams.length, ...came);
  return talk.bytes();
}

/** Anything after anything else, in weather that also turns neighbours round. */
function mixed(name: string, nth: number): Uint8Array {
  const dynamic = [VOICE.OPUS, VOICE.G726, VOICE.AMRWB][nth % 3] ?? VOICE.OPUS;
  const voices: readonly Codec[] = [VOICE.PCMU, VOICE.PCMA, VOICE.G722, VOICE.G729, dynamic];
  const talk = new Talk(name, { codecs: [...voices, CODEC.CN, CODEC.EVENT] });
  const { sender, random } = talk;
  let codec: Codec = voices[random.below(voices.length)] ?? VOICE.PCMU;
  const acts: readonly (() => unknown)[] = [
    () => sender.press(random.below(12), 4 + random.below(10)),
    () => sender.beside(13, 1, 1 + random.below(9), 200, codec.clock),
    () => sender.pause(random.below(4000), random.below(3) === 0 ? 0 : codec.clock),
    () => sender.burst(codec, 2 + random.below(20)),
    () => sender.speak(voices[random.below(voices.length)] ?? codec, 1 + random.below(8), 20, false),
    () => {
      codec = voices[random.below(voices.length)] ?? codec;
    },
    () => {
      sender.sequence += random.below(2) === 0 ? random.below(2000) : random.below(65_536);
      sender.timestamp += random.next();
    },
    () => {
      sender.timestamp += random.next();
    },
  ];
  for (let act = 0; act < 9; act++) {
    sender.speak(codec, 20 + random.below(150), 20, random.below(2) === 0);
    acts[random.below(acts.length)]?.();
  }
  sender.speak(codec, 100);
  return talk.bytes({ ...MILD, jitterUs: [0, 5000, 30_000][random.below(3)] ?? 0 });
}

const BITS = ['', 'ssrc', 'number', 'ssrc-number', 'timestamp', 'ssrc-timestamp', 'number-timestamp', 'all'];
const HOLDS: readonly Hold[] = ['sendonly', 'inactive', '0.0.0.0', 'bridge'];

type Maker = (name: string, nth: number) => Uint8Array;
const KINDS: readonly (readonly [kind: string, count: number, make: Maker])[] = [
  ['codec-once', 5, (name, nth) => changes(name, 1, nth)],
  ['codec-and-back', 2, (name, nth) => changes(name, 2, nth + 1)],
  ['codec-thrice', 2, (name, nth) => changes(name, 3, nth + 2)],
  ['short-runs', 2, shortRuns],
  ['silence', 4, silences],
  ['keys', 1, keys],
  ['video', 2, video],
  ['shared-fragment', 2, sharedFragment],
  ['burst-at-start', 3, burstAtStart],
  ['late-after-pause', 4, lateAfterPause],
  ...BITS.slice(1).map((what, i): [string, number, Maker] => [`restart-${what}`, 1, (name) => restart(name, i + 1, 0)]),
  ...[2, 6].map((bits): [string, number, Maker] => [
    `restart-idle-${BITS[bits]}`,
    1,
    (name) => restart(name, bits, 2500),
  ]),
  ['jump', 3, smallJump],
  ['straggler', 1, straggler],
  ['late-over-change', 1, lateOverChange],
  ['outage', 2, outage],
  ['wrap', 2, wraps],
  ...HOLDS.map((how): [string, number, Maker] => [
    `hold-${how}`,
    how === 'bridge' ? 2 : 1,
    (name, nth) => hold(name, how, nth),
  ]),
  ['packet-time', 3, packetTimes],
  ['swaps', 1, swaps],
];

/** One after the other: they need not lie in memory together. */
export function* timelineCaptures(mixtures: number): Generator<TimelineCapture> {
  for (const [kind, count, make] of [...KINDS, ['mixed', mixtures, mixed] as const]) {
    for (let nth = 0; nth < count; nth++) {
      const name = count === 1 ? kind : `${kind}-${nth + 1}`;
      yield { name, bytes: make(name, nth) };
    }
  }
}
