/** Calls whose descriptions have several m= sections: audio, video and others, with ICE, BUNDLE or neither. */
import { ALICE, answer, BOB, callIdOf, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { labelHash } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import type { Datagram } from '../../fixtures/build/rtp.ts';
import { rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { controlling, exchange, METHOD, mapped, priority, username } from '../../fixtures/build/stun.ts';

export type Section = {
  /** `audio 4000 RTP/AVP 0` */
  readonly line: string;
  /** Further lines, without `a=`. */
  readonly attributes?: readonly string[];
};

/** A description: `session` has lines of the session level, without `a=`. */
export function description(address: string, sections: readonly Section[], session: readonly string[] = []): string {
  const lines = [
    'v=0',
    `o=- ${labelHash(address)} ${labelHash(JSON.stringify([sections, session]))} IN IP4 ${address}`,
    's=call',
    `c=IN IP4 ${address}`,
    't=0 0',
    ...session.map((a) => `a=${a}`),
    ...sections.flatMap(({ line, attributes = [] }) => [`m=${line}`, ...attributes.map((a) => `a=${a}`)]),
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** A=candidate of a socket. */
export function candidate({ address, port }: Endpoint, type = 'host', component = 1): string {
  return `candidate:${labelHash(`${address}${type}`)} ${component} UDP 2130706431 ${address} ${port} typ ${type}`;
}

export const OPUS = { payloadType: 96, clock: 48_000, ptimeMs: 20, count: 300 } as const;
export const VP8 = { payloadType: 96, clock: 90_000, ptimeMs: 40, count: 150 } as const;
export const PCMU = { payloadType: 0, clock: 8000, ptimeMs: 20, count: 300 } as const;
export type Flow = {
  readonly payloadType: number;
  readonly clock: number;
  readonly ptimeMs: number;
  readonly count: number;
};

export const ANSWER_MS = 2180;
export const BYE_MS = 9000;

/** The hosts of caller and callee, in private networks. */
export const NEAR = '192.168.7.10';
export const FAR = '192.168.7.20';

/** A call of six seconds with its media. */
export class VideoCall {
  readonly script: SipScript;
  readonly #media: Datagram[] = [];
  #checks = 0;

  constructor(name: string, offered: string, answered: string) {
    const caller = { ...ALICE, sip: { address: NEAR, port: 5060 } };
    const callee = { ...BOB, sip: { address: FAR, port: 5060 } };
    this.script = new SipScript({ callId: callIdOf(name), startUs: EPOCH_US, caller, callee });
    answer(this.script, this.script.request('INVITE', 0, { body: sdpBody(offered) }), answered);
  }

  /** A further offer, answered at once. */
  reinvite(atMs: number, offered: string, answered: string, by: 'caller' | 'callee' = 'caller'): void {
    const invite = this.script.request('INVITE', atMs, { by, body: sdpBody(offered) });
    this.script.respond(invite, 200, atMs + 20, { body: sdpBody(answered) });
    this.script.ack(invite, 200, atMs + 40);
  }

  /** An ICE check that is answered; `user` names the fragments, the receiver's first. */
  check(near: Endpoint, far: Endpoint, user: string, atMs = ANSWER_MS + 30): void {
    const label = `${this.script.callId}/${this.#checks++}`;
    const request = [username(user), priority(), controlling()];
    const ends = { client: near, server: far, method: METHOD.BINDING, answer: [mapped(near)] };
    this.#media.push(...exchange({ atUs: this.script.at(atMs), label, request, ...ends }));
  }

  /** Evenly spaced packets in both directions; `fromMs` after the start of the call. */
  talk(a: Endpoint, b: Endpoint, flow: Flow, fromMs = ANSWER_MS + 120): void {
    this.send(a, b, flow, fromMs);
    this.send(b, a, flow, fromMs + 3);
  }

  send(src: Endpoint, dst: Endpoint, flow: Flow, fromMs = ANSWER_MS + 120): void {
    const ssrc = labelHash(`${this.script.callId}${src.address}${src.port}${flow.payloadType}`);
    const startUs = this.script.at(fromMs);
    this.#media.push(...rtpStream({ src, dst, ssrc, startUs }, voice(flow)).datagrams);
  }

  /** The capture of the whole call. */
  capture(): Uint8Array {
    hangUp(this.script, BYE_MS);
    return new Capture().add(this.script.messages).add(this.#media).pcap();
  }
}
