/** A sender of RTP whose codec, number, timestamp and SSRC change in mid-stream, and the network behind it. */
import { bytes, concat, type Random, u16 } from '../../fixtures/build/bytes.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { type Datagram, rtpHeader } from '../../fixtures/build/rtp.ts';
import { CODEC, type Codec } from '../../fixtures/build/sdp.ts';

export const VOICE = {
  PCMU: CODEC.PCMU,
  PCMA: CODEC.PCMA,
  G722: CODEC.G722,
  G729: CODEC.G729,
  OPUS: CODEC.OPUS,
  G726: { name: 'G726-32', payloadType: 102, clock: 8000, map: 'G726-32/8000' },
  AMRWB: { name: 'AMR-WB', payloadType: 104, clock: 16000, map: 'AMR-WB/16000' },
} as const satisfies Record<string, Codec>;

/** Octets of 20 ms. */
const OCTETS: Readonly<Record<string, number>> = { G729: 20, opus: 61, 'G726-32': 80, 'AMR-WB': 33 };

export interface Start {
  readonly src: Endpoint;
  readonly dst: Endpoint;
  readonly startUs: number;
  readonly ssrc: number;
  readonly sequence: number;
  readonly timestamp: number;
}

export class Sender {
  readonly datagrams: Datagram[] = [];
  readonly #o: Start;
  nowUs: number;
  ssrc: number;
  sequence: number;
  timestamp: number;

  constructor(o: Start) {
    this.#o = o;
    this.nowUs = o.startUs;
    this.ssrc = o.ssrc;
    this.sequence = o.sequence;
    this.timestamp = o.timestamp;
  }

  /** Voice of one codec, evenly spaced. */
  speak(codec: Codec, count: number, ptimeMs = 20, marker = true): this {
    const payload = new Uint8Array(((OCTETS[codec.name] ?? 160) * ptimeMs) / 20).fill(0xd5);
    for (let i = 0; i < count; i++) {
      this.#packet(codec.payloadType, payload, marker && i === 0);
      this.#pass(ptimeMs, codec.clock);
    }
    return this;
  }

  /** Packets that leave at once; their timestamps go on. */
  burst(codec: Codec, count: number, ptimeMs = 20): this {
    const beganUs = this.nowUs;
    for (let i = 0; i < count; i++) {
      this.nowUs = beganUs + i * 60;
      this.#packet(codec.payloadType, new Uint8Array(OCTETS[codec.name] ?? 160), false);
      this.timestamp += (codec.clock / 1000) * ptimeMs;
    }
    this.nowUs = beganUs + ptimeMs * 1000;
    return this;
  }

  /** A key press: packets of one timestamp while the voice is silent (RFC 4733 section 2.5). */
  press(key: number, count: number): this {
    const onset = this.timestamp;
    for (let i = 0; i < count; i++) {
      this.#packet(101, concat(bytes(key, (i >= count - 3 ? 0x80 : 0) | 10), u16((i + 1) * 160)), i === 0, onset);
      this.#pass(20, 8000);
    }
    return this;
  }

  /** Packets of a type that carries no voice of its own, or too few of them for a segment. */
  beside(payloadType: number, octets: number, count: number, everyMs: number, clock = 8000): this {
    for (let i = 0; i < count; i++) {
      this.#packet(payloadType, new Uint8Array(octets).fill(0x3e), false);
      this.#pass(everyMs, clock);
    }
    return this;
  }

  /** Frames of video: some packets with one timestamp, the last of them marked. */
  film(payloadType: number, frames: number, random: Random): this {
    for (let frame = 0; frame < frames; frame++) {
      const packets = frame % 30 === 0 ? 9 : 1 + random.below(3);
      for (let i = 0; i < packets; i++) {
        this.#packet(payloadType, new Uint8Array(i + 1 < packets ? 1100 : 200 + random.below(800)), i + 1 === packets);
        this.nowUs += 150;
      }
      this.nowUs += 33333 - packets * 150;
      this.timestamp += 3000;
    }
    return this;
  }

  /** Nothing is sent. The timestamp moves with the time, unless its clock is 0. */
  pause(ms: number, clock = 8000): this {
    this.#pass(ms, clock);
    return this;
  }

  #pass(ms: number, clock: number): void {
    this.nowUs += ms * 1000;
    this.timestamp += Math.round((clock / 1000) * ms);
  }

  #packet(payloadType: number, payload: Uint8Array, marker: boolean, timestamp = this.timestamp): void {
    const header = rtpHeader(this.sequence & 0xffff, timestamp, this.ssrc, payloadType, marker);
    const { src, dst } = this.#o;
    this.datagrams.push({ tsUs: this.nowUs, src, dst, bytes: concat(header, payload), dscp: 46 });
    this.sequence++;
  }
}

export interface Weather {
  /** Of a thousand packets so many are lost, twice there, or 65 ms late. */
  readonly lost?: number;
  readonly twice?: number;
  readonly late?: number;
  /** Delay of each packet, evenly distributed. */
  readonly jitterUs?: number;
  /** The first packets that nothing happens to. */
  readonly calm?: number;
}

/** What arrives of it. */
export function through(sent: readonly Datagram[], random: Random, w: Weather): Datagram[] {
  const out: Datagram[] = [];
  sent.forEach((d, i) => {
    const [lost, twice, late] = [random.below(1000), random.below(1000), random.below(1000)];
    const delayUs = random.below((w.jitterUs ?? 0) + 1);
    if (i < (w.calm ?? 20) || i === sent.length - 1) {
      out.push(d);
      return;
    }
    if (lost < (w.lost ?? 0)) return;
    const came = { ...d, tsUs: d.tsUs + delayUs + (late < (w.late ?? 0) ? 95_000 : 0) };
    out.push(came);
    if (twice < (w.twice ?? 0)) out.push({ ...came, tsUs: came.tsUs + 150 });
  });
  return out;
}
