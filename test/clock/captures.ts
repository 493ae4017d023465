/**
 * Captures of calls in whose middle the clock of the capturing host was set, and such as look like it. The same name makes
 * the same capture everywhere.
 */
import { callIdOf, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { labelHash, Random } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { type Frame, inTimeOrder, pcap } from '../../fixtures/build/pcap-file.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { CODEC, type Codec, sdp } from '../../fixtures/build/sdp.ts';
import { type Party, SipScript } from '../../fixtures/build/sip-call.ts';
import { Sender, through, type Weather } from '../timeline/sender.ts';

const MS = 1000;
/** When something happens, behind the beginning of a capture. */
export const SET_MS = 6000;
const END_MS = 13_000;

export interface ClockStep {
  readonly atMs: number;
  readonly sizeMs: number;
}

export interface ClockCapture {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A packet of the wire, and when the network had it. */
type Wire = Datagram;

function party(user: string, address: string, port: number): Party {
  return { user, sip: { address, port: 5060 }, rtp: { address, port } };
}

const CODECS: readonly Codec[] = [CODEC.PCMU, CODEC.PCMA, CODEC.G729, CODEC.OPUS];

/** What each second call of an office is like. */
export interface OfficeOptions {
  readonly calls: number;
  readonly weather?: Weather;
  /** Of the first call's caller: packets of a thousand that are lost. */
  readonly lossy?: number;
  /** Another call is set up while something happens, and rings 1.5 s after it began. */
  readonly rings?: boolean;
  /** Silence of all speakers while something happens: their timestamps go on. */
  readonly silentMs?: number;
}

/** Calls between as many pairs of hosts; all of them talk when something happens. */
export class Office {
  readonly random: Random;
  readonly wire: Wire[] = [];
  readonly #name: string;

  constructor(name: string, o: OfficeOptions) {
    this.#name = name;
    this.random = new Random(`clock/${name}`);
    for (let nth = 0; nth < o.calls; nth++) this.#call(nth, o);
    if (o.rings === true) this.#ringing();
  }

  #script(nth: number, beginMs: number): { call: SipScript; caller: Party; callee: Party } {
    const caller = party('alice', `192.0.2.${10 + nth}`, 20_000 + 2 * nth);
    const callee = party('bob', `198.51.100.${20 + nth}`, 30_000 + 2 * nth);
    const callId = callIdOf(`${this.#name}-${nth}`);
    return { call: new SipScript({ callId, caller, callee, startUs: EPOCH_US + beginMs * MS }), caller, callee };
  }

  #call(nth: number, o: OfficeOptions): void {
    const beginMs = nth * 370 + this.random.below(200);
    const { call, caller, callee } = this.#script(nth, beginMs);
    const codec = CODECS[nth % CODECS.length] ?? CODEC.PCMU;
    const talkMs = this.#setUp(call, caller, callee, codec, 900 + this.random.below(500));
    const endMs = END_MS - 400 + this.random.below(300) - beginMs;
    hangUp(call, endMs);
    this.wire.push(...call.messages);
    for (const [from, to, lost] of [
      [caller.rtp, callee.rtp, nth === 0 ? (o.lossy ?? 0) : 0],
      [callee.rtp, caller.rtp, 0],
    ] as const) {
      const sent = this.#speech(from, to, codec, call.at(talkMs) + this.random.below(20) * MS, call.at(endMs), o);
      this.wire.push(...through(sent, this.random, { ...o.weather, lost: lost + (o.weather?.lost ?? 0) }));
    }
  }

  /** Until both may talk, in ms after the INVITE. */
  #setUp(call: SipScript, caller: Party, callee: Party, codec: Codec, ringMs: number): number {
    const codecs = [codec, CODEC.EVENT];
    const describe = (media: Endpoint): { body: ReturnType<typeof sdpBody> } => ({
      body: sdpBody(sdp({ media, codecs, session: `${call.callId}/${media.address}` })),
    });
    const invite = call.request('INVITE', 0, describe(caller.rtp));
    call.respond(invite, 100, 15);
    call.respond(invite, 180, 150);
    call.respond(invite, 200, ringMs, describe(callee.rtp));
    call.ack(invite, 200, ringMs + 20);
    return ringMs + 40;
  }

  #speech(src: Endpoint, dst: Endpoint, codec: Codec, startUs: number, endUs: number, o: OfficeOptions): Datagram[] {
    const ssrc = labelHash(`${this.#name}/${src.address}`);
    const [sequence, timestamp] = [this.random.below(65_536), this.random.next()];
    const sender = new Sender({ src, dst, startUs, ssrc, sequence, timestamp });
    const count = Math.floor((endUs - startUs) / (20 * MS));
    if (o.silentMs === undefined) return sender.speak(codec, count).datagrams;
    const before = Math.floor((EPOCH_US + SET_MS * MS - startUs) / (20 * MS));
    const silent = o.silentMs / 20;
    sender.speak(codec, before).pause(o.silentMs, codec.clock);
    return sender.speak(codec, count - before - silent).datagrams;
  }

  /** INVITE before the moment; what answers it comes after it. */
  #ringing(): void {
    const beforeMs = 100 + this.random.below(500);
    const { call, caller } = this.#script(100, SET_MS - beforeMs);
    const body = sdpBody(sdp({ media: caller.rtp, codecs: [CODEC.PCMU], session: call.callId }));
    const invite = call.request('INVITE', 0, { body });
    call.respond(invite, 100, 10);
    call.respond(invite, 180, 1500);
    call.respond(invite, 486, 3000);
    call.ack(invite, 486, 3010);
    this.wire.push(...call.messages);
  }

  frames(wire: readonly Wire[] = this.wire): Frame[] {
    return new Capture().add(wire).frames();
  }
}

/** The clock that stamps the frames is set; nothing else changes, their order least of all. */
export function stamped(frames: readonly Frame[], steps: readonly ClockStep[]): Frame[] {
  return frames.map((f) => {
    const set = steps.filter(({ atMs }) => f.tsUs >= EPOCH_US + atMs * MS);
    return { ...f, tsUs: f.tsUs + set.reduce((sum, { sizeMs }) => sum + sizeMs * MS, 0) };
  });
}

export interface SteppedCapture extends ClockCapture {
  readonly steps: readonly ClockStep[];
  /** The same without any step. */
  readonly steady: Uint8Array;
}

const SIZES: readonly (readonly number[])[] = [
  [200],
  [-200],
  [250],
  [-330],
  [1000],
  [-1000],
  [3000],
  [-60_000],
  [3_600_000],
  [-3_600_000],
  [700, -2500],
];

/** Ten captures of one step, and one of two. */
export function* steppedCaptures(): Generator<SteppedCapture> {
  for (const [nth, sizes] of SIZES.entries()) {
    const name = `step-${sizes.join('-and-')}`;
    const weather = { jitterUs: [0, 3000, 15_000][nth % 3] ?? 0, lost: nth % 2 };
    const office = new Office(name, { calls: 2 + (nth % 4), weather, lossy: 120, rings: true });
    const steps = sizes.map((sizeMs, i) => ({ atMs: SET_MS + i * 2500, sizeMs }));
    const frames = office.frames();
    yield { name, steps, bytes: pcap(stamped(frames, steps)), steady: pcap(frames) };
  }
}

/** When something of 3 s begins and ends. */
const [FROM_US, TO_US] = [EPOCH_US + SET_MS * MS, EPOCH_US + (SET_MS + 3000) * MS];
const isWithin = ({ tsUs }: { tsUs: number }): boolean => tsUs >= FROM_US && tsUs < TO_US;
const isSip = ({ src }: Wire): boolean => src.port === 5060;

type Look = (name: string, random: Random) => Uint8Array;

function office(name: string, random: Random, more: Partial<OfficeOptions> = {}): Office {
  return new Office(name, { calls: 2 + random.below(3), weather: { jitterUs: random.below(10) * MS }, ...more });
}

/** What is sent during the 3 s comes at their end, packet behind packet. */
function heldBack(wire: readonly Wire[], apartUs: number): Wire[] {
  const late = inTimeOrder(wire.filter(isWithin));
  let nextUs = TO_US;
  const out = late.map((d) => {
    const tsUs = Math.max(d.tsUs, nextUs);
    nextUs = tsUs + apartUs;
    return { ...d, tsUs };
  });
  // Those behind it wait until the queue is empty.
  const rest = inTimeOrder(wire.filter((d) => d.tsUs >= TO_US)).map((d) => {
    const tsUs = Math.max(d.tsUs, nextUs);
    if (tsUs > d.tsUs) nextUs = tsUs + apartUs;
    return { ...d, tsUs };
  });
  return [...wire.filter((d) => d.tsUs < FROM_US), ...out, ...rest];
}

/** RTP between invented hosts, that pauses as if the clock had been set and goes on as if nothing had been. */
export function forged(random: Random, hosts: number, flows: number, jumpMs: number): Wire[] {
  const out: Wire[] = [];
  for (let nth = 0; nth < flows; nth++) {
    const src = { address: `203.0.113.${5 + (nth % hosts)}`, port: 40_000 + 2 * nth };
    const dst = { address: `203.0.113.${5 + ((nth + 1) % hosts)}`, port: 50_000 + 2 * nth };
    const startUs = EPOCH_US + 500 * MS + random.below(20) * MS;
    const start = { src, dst, startUs, ssrc: random.next(), sequence: random.below(65_536), timestamp: 1000 };
    const sender = new Sender(start).speak(CODEC.PCMU, Math.floor((FROM_US - startUs) / (20 * MS)));
    out.push(...sender.pause(jumpMs, 0).speak(CODEC.PCMU, 200, 20, false).datagrams);
  }
  return out;
}

/** All calls are put on hold at once, and taken back at once; timestamps stand still meanwhile. */
function held(o: Office, random: Random): Frame[] {
  const delay = new Map<string, number>();
  const wire = o.wire.map((d) => {
    if (isSip(d) || d.tsUs < FROM_US) return d;
    const key = `${d.src.address}`;
    const ms = delay.get(key) ?? 2500 + random.below(1000);
    delay.set(key, ms);
    return { ...d, tsUs: d.tsUs + ms * MS };
  });
  return o.frames(wire);
}

const LOOKS: readonly (readonly [what: string, make: Look])[] = [
  ['clean', (name, random) => pcap(office(name, random, { rings: true }).frames())],
  [
    'jitter',
    (name, random) => pcap(office(name, random, { weather: { jitterUs: 80 * MS, lost: 20, late: 10 } }).frames()),
  ],
  [
    'delay-one-way',
    (name, random) => {
      const o = office(name, random);
      const ms = 200 + random.below(2000);
      const later = (d: Wire): Wire =>
        d.src.address.startsWith('192.0.2.') && d.tsUs >= FROM_US ? { ...d, tsUs: d.tsUs + ms * MS } : d;
      return pcap(o.frames(o.wire.map(later)));
    },
  ],
  ['holds', (name, random) => pcap(held(office(name, random), random))],
  [
    'flood',
    (name, random) => {
      const o = office(name, random);
      return pcap(o.frames([...o.wire, ...forged(random, 1, 3 + random.below(6), 3000)]));
    },
  ],
  [
    'forged',
    (name, random) => {
      const o = office(name, random);
      return pcap(o.frames([...o.wire, ...forged(random, 2, 3 + random.below(6), 300 + random.below(4000))]));
    },
  ],
  [
    'forged-beside-silence',
    (name, random) => {
      // Nothing else is sent but signaling: those flows are all from one host, or none answers another.
      const o = new Office(name, { calls: 0, rings: true });
      const flows = forged(random, 1, 4, 3000);
      const one = flows.map((d) => ({ ...d, dst: { ...d.dst, address: '198.51.100.120' } }));
      const spoofed = one.map((d) => ({
        ...d,
        src: { ...d.src, address: `203.0.113.${d.src.port % 8 === 0 ? 5 : 6}` },
      }));
      return pcap(o.frames([...o.wire.filter((d) => !isWithin(d)), ...spoofed]));
    },
  ],
  [
    'slew',
    (name, random) => {
      const ppm = (random.below(2) === 0 ? 1 : -1) * 500;
      const slewed = (f: Frame): Frame => ({ ...f, tsUs: f.tsUs + ((f.tsUs - EPOCH_US) * ppm) / 1e6 });
      return pcap(office(name, random).frames().map(slewed));
    },
  ],
  [
    'outage',
    (name, random) => {
      const o = office(name, random);
      return pcap(o.frames(o.wire.filter((d) => !isWithin(d))));
    },
  ],
  [
    'starved',
    (name, random) => {
      const o = office(name, random);
      return pcap(o.frames(heldBack(o.wire, 10 + random.below(200))));
    },
  ],
  [
    'drained-slowly',
    (name, random) => {
      const o = office(name, random, { calls: 3 });
      // A link that carries little more than what is sent: 300 packets a second.
      return pcap(o.frames(heldBack(o.wire, 2900 + random.below(150))));
    },
  ],
  [
    'ring-full',
    (name, random) => {
      const o = office(name, random);
      const kept = o.wire.filter((d) => !isWithin(d) || d.tsUs < FROM_US + 400 * MS);
      return pcap(o.frames(heldBack(kept, 5)));
    },
  ],
  [
    'two-files-in-one',
    (name, random) => {
      // Of two hosts whose clocks differ: one behind the other, or in the order of their times.
      const [a, b] = [office(`${name}/a`, random), office(`${name}/b`, random)];
      const offMs = (random.below(2) === 0 ? 1 : -1) * (200 + random.below(20_000));
      const other = stamped(b.frames(), [{ atMs: -1, sizeMs: offMs }]).map((f) => ({ ...f, data: moved(f.data) }));
      const both = [...a.frames(), ...other];
      return pcap(random.below(2) === 0 ? both : inTimeOrder(both));
    },
  ],
  [
    'whole-seconds',
    (name, random) =>
      pcap(
        office(name, random)
          .frames()
          .map((f) => ({ ...f, tsUs: Math.floor(f.tsUs / 1e6) * 1e6 })),
      ),
  ],
  ['silence', (name, random) => pcap(office(name, random, { silentMs: 2000 }).frames())],
  [
    'flushed-in-turns',
    (name, random) => {
      // The packets of each direction lie in a buffer of their own, which is written every half second.
      const turn = (f: Frame): number => Math.floor(f.tsUs / 500_000) * 2 + ((f.data[33] ?? 0) >= 20 ? 1 : 0);
      return pcap([...office(name, random).frames()].sort((x, y) => turn(x) - turn(y)));
    },
  ],
  [
    'one-call',
    (name, random) => {
      // Two streams prove nothing.
      const o = office(name, random, { calls: 1 });
      return pcap(stamped(o.frames(), [{ atMs: SET_MS, sizeMs: 400 }]));
    },
  ],
];

/** Another network, so that the same sockets are others'. */
function moved(frame: Uint8Array): Uint8Array {
  const out = Uint8Array.from(frame);
  out[28] = (out[28] ?? 0) ^ 1;
  out[32] = (out[32] ?? 0) ^ 1;
  return out;
}

/** Captures in which no clock was set, `each` of a kind. */
export function* steadyCaptures(each: number): Generator<ClockCapture> {
  for (const [what, make] of LOOKS)
    for (let nth = 1; nth <= each; nth++) {
      const name = `${what}-${nth}`;
      yield { name, bytes: make(name, new Random(`clock/look/${name}`)) };
    }
}

export const LOOK_KINDS = LOOKS.length;
