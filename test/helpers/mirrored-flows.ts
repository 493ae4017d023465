/**
 * Calls over many TCP connections, cut anywhere into segments: the same as a capture of TCP and as two agents mirror it,
 * packet by packet.
 */
import { ALICE, answer, BOB, callIdOf, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { EPOCH_US } from '../../fixtures/build/capture.ts';
import { hep3 } from '../../fixtures/build/hep.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { PROTO } from '../../fixtures/build/packet.ts';
import { inTimeOrder, pcap } from '../../fixtures/build/pcap-file.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { Party, SipMessage } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import type { CarriedHep } from './hep-capture.ts';
import { AGENT, OTHER_AGENT } from './hep-capture.ts';

/** Numbers below `n`, the same for each seed. */
export type Random = (n: number) => number;

export function randomOf(seed: number): Random {
  let state = seed | 0;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  };
}

/** One packet of the mirror, and the messages that it has bytes of. */
export type MirroredPiece = CarriedHep & { readonly messages: readonly SipMessage[] };

export type MirroredFlows = {
  readonly messages: readonly SipMessage[];
  /** The capture of the connections themselves. */
  readonly wire: Uint8Array;
  /** In the order of their times. */
  readonly pieces: readonly MirroredPiece[];
};

const SEC_US = 1_000_000;
const GAP_US = 100;
const LATER_US = 2_000;

const FRAGMENT = { type: 'message/sipfrag;version=2.0', text: 'SIP/2.0 200 OK\r\n' };

/** Calls of different kinds: answered, refused, with a NOTIFY whose body begins like a message, with methods nobody knows. */
function callOf(name: string, kind: number, startUs: number, caller: Party): SipScript {
  const call = new SipScript({ callId: callIdOf(name), startUs, caller, callee: BOB, transport: 'TCP' });
  const offer = sdp({ media: caller.rtp, codecs: [CODEC.PCMU, CODEC.PCMA], session: `${name}/a` });
  const invite = call.request('INVITE', 0, { body: sdpBody(offer) });
  if (kind === 1) {
    call.respond(invite, 100, 20);
    call.respond(invite, 486, 300);
    call.ack(invite, 486, 320);
    return call;
  }
  answer(call, invite, sdp({ media: BOB.rtp, codecs: [CODEC.PCMU], session: `${name}/b` }));
  if (kind === 2) call.respond(call.request('NOTIFY', 2_500, { by: 'callee', body: FRAGMENT }), 200, 2_520);
  if (kind === 3) call.respond(call.request('ODD', 2_500), 200, 2_520);
  hangUp(call, 3_000, kind === 2 ? 'callee' : 'caller');
  return call;
}

/** The stream of one direction: what was not sent yet, and whose it is. */
class Outgoing {
  #bytes: Buffer = Buffer.alloc(0);
  #ends: { at: number; message: SipMessage }[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  add(message: SipMessage): void {
    this.#bytes = Buffer.concat([this.#bytes, message.bytes]);
    this.#ends.push({ at: this.#bytes.length, message });
  }

  take(size: number): { data: Buffer; messages: SipMessage[] } {
    const data = this.#bytes.subarray(0, size);
    const first = this.#ends.findIndex(({ at }) => at > 0);
    const last = this.#ends.findIndex(({ at }) => at >= size);
    const messages = this.#ends.slice(first, last + 1).map(({ message }) => message);
    this.#bytes = this.#bytes.subarray(size);
    this.#ends = this.#ends.map(({ at, message }) => ({ at: at - size, message })).filter(({ at }) => at > 0);
    return { data, messages };
  }
}

/** `calls` calls on each of `flows` connections; each message in 1 to `most` pieces, now and then with a part of the next. */
export function mirroredFlows(random: Random, flows: number, calls: number, most = 5): MirroredFlows {
  const messages: SipMessage[] = [];
  const frames = [];
  const pieces: MirroredPiece[] = [];
  for (let flow = 0; flow < flows; flow++) {
    const client: Endpoint = { address: ALICE.sip.address, port: 40_000 + flow };
    const caller = { ...ALICE, sip: client };
    const startUs = EPOCH_US + flow * 7_919;
    const connection = new TcpConnection({ client, server: BOB.sip, clientIsn: random(2 ** 32), serverIsn: 7 });
    connection.open(startUs - SEC_US);
    const scripts = Array.from({ length: calls }, (_, i) =>
      callOf(`flow-${flow}-${i}`, random(4), startUs + i * 4 * SEC_US, caller),
    );
    const all = scripts.flatMap((script) => script.messages);
    messages.push(...all);
    const outgoing = { caller: new Outgoing(), callee: new Outgoing() };
    for (const [i, m] of all.entries()) {
      const out = outgoing[m.by];
      out.add(m);
      // Nobody answers what has not come.
      const isLast = i >= all.length - 2 || all[i + 1]?.by !== m.by;
      if (!isLast && random(10) === 0) continue;
      const rest = !isLast && random(10) === 0 ? random(out.length) : 0;
      const total = out.length - rest;
      const cuts = Array.from({ length: random(most) }, () => random(total)).sort((a, b) => a - b);
      const ends = [...new Set([...cuts.filter((at) => at > 0), total])];
      for (const [k, end] of ends.entries()) {
        const tsUs = m.tsUs + k * GAP_US;
        const { data, messages: carried } = out.take(end - (ends[k - 1] ?? 0));
        connection.send(m.by === 'caller', tsUs, data);
        const datagram = hep3({ ...m, tsUs, payload: data }, { ipProtocol: PROTO.TCP, captureId: 1 + (flow & 1) });
        const agent = (flow & 1) === 0 ? AGENT : OTHER_AGENT;
        pieces.push({ tsUs: tsUs + LATER_US, datagram, agent, messages: carried });
      }
    }
    frames.push(...connection.frames());
  }
  return { messages, wire: pcap(inTimeOrder(frames)), pieces: inTimeOrder(pieces) };
}
