/**
 * A call whose descriptions change while it runs, and whose streams fall silent for a while. Where the sequence of a stream
 * goes on meanwhile, its packets went elsewhere: a PBX bridges the two other ends, or plays music to one of them.
 */
import { ALICE, answer, BOB, hangUp, sdpBody } from '../../fixtures/build/basic-call.ts';
import { Random } from '../../fixtures/build/bytes.ts';
import { scriptOf } from '../../fixtures/build/calls-setup.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import type { Endpoint } from '../../fixtures/build/packet.ts';
import { type Datagram, type RtpPlan, rtpStream } from '../../fixtures/build/rtp.ts';
import { described, TALK_MS } from '../../fixtures/build/scene-kit.ts';
import type { SdpOptions } from '../../fixtures/build/sdp.ts';
import type { Party, Side, SipScript } from '../../fixtures/build/sip-call.ts';

/** What a side says anew; `isOff` refuses the audio by port 0. */
export type Terms = Partial<Omit<SdpOptions, 'codecs'>> & { readonly isOff?: boolean };

export type Change = {
  readonly atMs: number;
  readonly by?: Side;
  readonly offered: Terms;
  readonly answered?: Terms;
  /** `delayed`: a re-INVITE without a description, which the 200 offers and the ACK answers. */
  readonly how?: 'INVITE' | 'UPDATE' | 'delayed' | 'refused' | 'unanswered';
  readonly roundTripMs?: number;
};

/** In milliseconds after the INVITE. */
type Quiet = { readonly fromMs: number; readonly toMs: number };

export type Spoken = {
  /** Nothing comes, though the sequence goes on. */
  readonly gone?: readonly Quiet[];
  /** Nothing comes, and the sequence stands still. */
  readonly paused?: readonly Quiet[];
  /** What the network loses of the rest, by packet. */
  readonly lost?: (packet: number) => boolean;
  readonly payloadType?: number;
  /** Another type from this time on. */
  readonly behind?: { readonly fromMs: number; readonly payloadType: number };
  /** By the time since the answer, in packets. */
  readonly payload?: (slot: number) => Uint8Array;
};

export type HeldPlan = {
  readonly changes?: readonly Change[];
  readonly caller?: Spoken;
  readonly callee?: Spoken;
  readonly endMs?: number;
  readonly parties?: readonly [Party, Party];
  readonly offered?: Terms;
  readonly answered?: Terms;
};

export const SSRC = { caller: 0xa1, callee: 0xb2 } as const;
const END_MS = 30_000;
/** Silence of G.711. */
const QUIET = new Uint8Array(160).fill(0xd5);

function text(party: Party, label: string, version: number, { isOff = false, ...terms }: Terms): string {
  const body = described(party.rtp, label, { version, ...terms });
  return isOff ? body.replace(/m=audio \d+/, 'm=audio 0') : body;
}

function change(call: SipScript, parties: Record<Side, Party>, version: number, c: Change): void {
  const { atMs, by = 'caller', how = 'INVITE', roundTripMs = 20 } = c;
  const other: Side = by === 'caller' ? 'callee' : 'caller';
  const say = (side: Side, terms: Terms) => ({ body: sdpBody(text(parties[side], `held/${side}`, version, terms)) });
  const method = how === 'UPDATE' ? 'UPDATE' : 'INVITE';
  const request = call.request(method, atMs, { by, ...(how === 'delayed' ? {} : say(by, c.offered)) });
  const answerMs = atMs + roundTripMs;
  if (how === 'unanswered') return;
  if (how === 'refused') {
    call.respond(request, 488, answerMs);
    call.ack(request, 488, answerMs + roundTripMs);
    return;
  }
  if (how === 'delayed') {
    call.respond(request, 200, answerMs, say(other, c.offered));
    call.ack(request, 200, answerMs + roundTripMs, say(by, c.answered ?? {}));
    return;
  }
  call.respond(request, 200, answerMs, say(other, c.answered ?? {}));
  if (method === 'INVITE') call.ack(request, 200, answerMs + roundTripMs);
}

/** One direction, from the answer to the end of the call. */
export function spoken(
  call: SipScript,
  src: Endpoint,
  dst: Endpoint,
  ssrc: number,
  { gone = [], paused = [], lost = () => false, payloadType = 0, behind, payload = () => QUIET }: Spoken,
  endMs: number,
): Datagram[] {
  const count = Math.floor((endMs - TALK_MS) / 20);
  const isIn = (all: readonly Quiet[], n: number): boolean =>
    all.some(({ fromMs, toMs }) => TALK_MS + n * 20 >= fromMs && TALK_MS + n * 20 < toMs);
  const slots = Array.from({ length: count }, (_, n) => n).filter((n) => !isIn(paused, n));
  const plan: RtpPlan[] = slots.map((n) => ({
    payloadType: behind !== undefined && TALK_MS + n * 20 >= behind.fromMs ? behind.payloadType : payloadType,
    payload: payload(n),
    sendUs: n * 20_000,
    timestamp: n * 160,
    marker: n === 0,
  }));
  const missing = new Set(slots.flatMap((n, k) => (isIn(gone, n) || lost(n) ? [k] : [])));
  return rtpStream({ src, dst, ssrc, startUs: call.at(TALK_MS), firstSequence: 65_000 }, plan, { lost: missing })
    .datagrams;
}

/** The signaling of the call, and both its directions. */
export function heldCall(name: string, plan: HeldPlan): { call: SipScript; media: Datagram[] } {
  const { changes = [], endMs = END_MS, parties: [caller, callee] = [ALICE, BOB] } = plan;
  const call = scriptOf(name, caller, callee);
  const invite = call.request('INVITE', 0, { body: sdpBody(text(caller, 'held/caller', 1, plan.offered ?? {})) });
  answer(call, invite, text(callee, 'held/callee', 1, plan.answered ?? {}));
  for (const [k, c] of changes.entries()) change(call, { caller, callee }, k + 2, c);
  hangUp(call, endMs);
  const media = [
    ...spoken(call, caller.rtp, callee.rtp, SSRC.caller, plan.caller ?? {}, endMs),
    ...spoken(call, callee.rtp, caller.rtp, SSRC.callee, plan.callee ?? {}, endMs),
  ];
  return { call, media };
}

export function heldCapture(name: string, plan: HeldPlan): Uint8Array {
  const { call, media } = heldCall(name, plan);
  return new Capture().add(call.messages).add(media).pcap();
}

/** Hold from the fifth second, the call taken back after 13 s. */
export const HOLD: Quiet = { fromMs: 5000, toMs: 18_000 };

export function heldFor(
  offered: Terms,
  answered: Terms,
  more: Partial<Change> = {},
  { fromMs, toMs }: Quiet = HOLD,
): Change[] {
  return [
    { atMs: fromMs, offered, answered, ...more },
    { atMs: toMs, offered: {}, answered: {}, ...more },
  ];
}

export function atRandom(seed: string, part: number): (packet: number) => boolean {
  const source = new Random(seed);
  const drawn: boolean[] = [];
  return (n) => {
    while (drawn.length <= n) drawn.push(source.below(1_000_000) < part * 1_000_000);
    return n > 0 && drawn[n] === true;
  };
}
