/** Calls whose RTP carries a sound that is known sample for sample, so that a decoded file can be measured against it. */
import { aLaw, muLaw } from '../../fixtures/build/audio.ts';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { chirp, GSM } from '../unit/protocols/codec/vectors.ts';

/** Packets of 20 ms of a direction. */
export const PACKETS = 100;
const EVENT_TYPE = 101;
/** Media begins so long after the INVITE. */
const MEDIA_MS = 200;

export type Law = { readonly type: number; readonly payload: (packet: number) => Uint8Array };

const perSample = (type: number, encode: (sample: number) => number): Law => ({
  type,
  payload: (packet) => Uint8Array.from({ length: 160 }, (_, k) => encode(chirp(packet * 160 + k, 8000))),
});
export const PCMU = perSample(0, muLaw);
export const PCMA = perSample(8, aLaw);
export const G729: Law = { type: 18, payload: () => new Uint8Array(20).fill(0x55) };
/** The vector is 20 frames long: from there on it begins anew. */
export const GSM_LAW: Law = { type: 3, payload: (packet) => GSM.subarray((packet % 20) * 33, (packet % 20) * 33 + 33) };

/** A key held down for `count` packets from packet `first` on (RFC 4733). */
export type HeldKey = { readonly event: number; readonly first: number; readonly count: number };

export type SpokenPlan = {
  readonly callId?: string;
  readonly law?: Law;
  /** Of the caller's packets. */
  readonly lost?: (packet: number) => boolean;
  readonly both?: boolean;
  /** Neighbours in the wrong order: they belong where their timestamps say. */
  readonly swap?: boolean;
  /** How late a packet of the caller comes. */
  readonly heldMs?: (packet: number) => number;
  /** How much later than the caller the callee begins. */
  readonly offsetMs?: number;
  /** Pressed by the caller, instead of its sound. */
  readonly keys?: readonly HeldKey[];
  /** The keys that each side names (RFC 4568), and what it makes of its packets. Without one of the callee the caller's is for plain RTP. */
  readonly secured?: {
    readonly keys: readonly [caller: Buffer, callee?: Buffer];
    readonly seal: (bytes: Buffer, packet: number, isCaller: boolean) => Buffer;
  };
  /** Makes addresses of its own, for several calls in one capture. */
  readonly index?: number;
};

type Party = { readonly user: string; readonly sip: Datagram['src']; readonly rtp: Datagram['src'] };

function party(user: string, address: string, port: number): Party {
  return { user, sip: { address, port: 5060 }, rtp: { address, port } };
}

const description = ({ rtp }: Party, law: Law, isSavp: boolean, key?: Buffer) => ({
  body: {
    type: 'application/sdp',
    text:
      `v=0\r\no=- 1 1 IN IP4 ${rtp.address}\r\ns=-\r\nc=IN IP4 ${rtp.address}\r\nt=0 0\r\n` +
      `m=audio ${rtp.port} RTP/${isSavp ? 'S' : ''}AVP ${law.type} ${EVENT_TYPE}\r\n` +
      `a=rtpmap:${EVENT_TYPE} telephone-event/8000\r\n` +
      (key === undefined ? '' : `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key.toString('base64')}\r\n`),
  },
});

/** The packets of a call: signaling and media. */
export function spokenCall(plan: SpokenPlan = {}): Datagram[] {
  const { law = PCMU, index = 0 } = plan;
  const caller = party('alice', `192.0.2.${1 + index * 2}`, 4000);
  const callee = party('bob', `192.0.2.${2 + index * 2}`, 5000);
  const script = new SipScript({ callId: plan.callId ?? 'a"b/../c', caller, callee, startUs: EPOCH_US });
  const [callerKey, calleeKey] = plan.secured?.keys ?? [];
  const isSavp = calleeKey !== undefined;
  const invite = script.request('INVITE', 0, description(caller, law, isSavp, callerKey));
  script.respond(invite, 200, 100, description(callee, law, isSavp, calleeKey));
  script.ack(invite, 200, 110);
  const out = [...script.messages, ...media(caller, callee, law, 0xa + index * 16, 0, plan)];
  const { secured } = plan;
  const back: SpokenPlan = secured === undefined ? {} : { secured };
  if (plan.both !== false) out.push(...media(callee, caller, law, 0xb + index * 16, plan.offsetMs ?? 0, back, false));
  return out;
}

function media(
  from: Party,
  to: Party,
  law: Law,
  ssrc: number,
  startMs: number,
  plan: SpokenPlan,
  isCaller = true,
): Datagram[] {
  const out: Datagram[] = [];
  for (let i = 0; i < PACKETS; i++) {
    if (plan.lost?.(i) === true) continue;
    const key = plan.keys?.find((k) => i >= k.first && i < k.first + k.count);
    const payload = key === undefined ? law.payload(i) : event(key, i);
    const bytes = Buffer.alloc(12 + payload.length);
    bytes.writeUInt16BE(0x8000 | (key === undefined ? law.type : EVENT_TYPE), 0);
    // Sequence and timestamp wrap on the way.
    bytes.writeUInt16BE((65_500 + i) & 0xffff, 2);
    bytes.writeUInt32BE((0xffffff00 + (key?.first ?? i) * 160) >>> 0, 4);
    bytes.writeUInt32BE(ssrc, 8);
    bytes.set(payload, 12);
    const slot = plan.swap !== true ? i : i % 10 === 4 ? i + 1 : i % 10 === 5 ? i - 1 : i;
    const atMs = MEDIA_MS + startMs + slot * 20 + (plan.heldMs?.(i) ?? 0);
    const sent = plan.secured?.seal(bytes, i, isCaller) ?? bytes;
    out.push({ tsUs: EPOCH_US + atMs * 1000, src: from.rtp, dst: to.rtp, bytes: sent });
  }
  return out;
}

function event(key: HeldKey, packet: number): Uint8Array {
  const duration = (packet - key.first + 1) * 160;
  const isLast = packet === key.first + key.count - 1;
  return Uint8Array.of(key.event, (isLast ? 0x80 : 0) | 10, duration >> 8, duration & 255);
}
