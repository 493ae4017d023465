/**
 * Calls of which each has other figures: with media both ways, one way, without any, of key presses alone, held, with
 * packets lost, late or sent twice, refused, given up. Most of those with a BYE have a report of a phone in it. A seed makes the same capture each time.
 */
import { labelHash, Random } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Datagram, Impairment, RtpPlan } from '../../fixtures/build/rtp.ts';
import { dtmf, rtpStream, voice } from '../../fixtures/build/rtp.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { Party } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';

type Way = { readonly plan: readonly RtpPlan[]; readonly net: Impairment };
type Kind = (random: Random) => readonly (Way | null)[];

const CODECS = [CODEC.PCMU, CODEC.PCMA, CODEC.G729, CODEC.OPUS];
const GAP_SEC = 3;

function some(random: Random, of: number, permille: number): ReadonlySet<number> {
  // The first and the last one come: what is missing before and behind nobody can count.
  return new Set(
    Array.from({ length: of }, (_, i) => i).filter((i) => i > 0 && i < of - 1 && random.below(1000) < permille),
  );
}

function talk(random: Random, net: (count: number) => Impairment = () => ({})): Way {
  const { payloadType, clock } = CODECS[random.below(8)] ?? CODEC.PCMU;
  const plan = voice({ payloadType, clock, count: 400 + random.below(500) });
  return { plan, net: net(plan.length) };
}

const lossy = (random: Random): Way =>
  talk(random, (count) => ({
    lost: some(random, count, [2, 10, 60, 250][random.below(4)] ?? 2),
    delayUs: () => random.below(4_000),
  }));

/** Some come after those that were sent later, also over the end of a window. */
const late = (random: Random): Way =>
  talk(random, (count) => {
    const held = some(random, count, 80);
    return {
      lost: some(random, count, random.below(2) * 20),
      duplicated: some(random, count, 10),
      delayUs: (i) => random.below(2_000) + (held.has(i) ? 45_000 + random.below(400_000) : 0),
    };
  });

/** Some come so late that nobody waits for them: beyond what a receiver remembers, they are lost. */
const tooLate = (random: Random): Way =>
  talk(random, (count) => {
    const held = some(random, count - 200, 15);
    const near = some(random, count, 100);
    return { delayUs: (i) => (held.has(i) ? 3_500_000 : near.has(i) ? 50_000 : 0) };
  });

/** Key presses, between which the sender counts on as if it had spoken. */
function keys(random: Random): Way {
  const plan = Array.from({ length: 12 }, (_, i) => dtmf(i, 8, i * 500_000, i * 4_000)).flat();
  return { plan, net: { lost: some(random, plan.length, 300) } };
}

/** A pause of seconds; the sequence goes on where it stopped, or counts what was not sent. */
function held(random: Random): Way {
  const [before, behind] = [200 + random.below(200), 200 + random.below(200)];
  const pauseUs = 6_000_000 + random.below(6_000_000);
  const missing = random.below(2) * Math.floor(pauseUs / 20_000);
  const plan = voice({ payloadType: 0, count: before + missing + behind }).map((p, i) =>
    missing > 0 || i < before ? p : { ...p, sendUs: p.sendUs + pauseUs },
  );
  return { plan, net: { lost: new Set(Array.from({ length: missing }, (_, i) => before + i)) } };
}

const MEDIA: Readonly<Record<string, Kind>> = {
  'both ways': (random) => [talk(random), talk(random)],
  'one way': (random) => [lossy(random), null],
  'no media': () => [null, null],
  'keys alone': (random) => [keys(random), keys(random)],
  'keys one way': (random) => [keys(random), lossy(random)],
  lossy: (random) => [lossy(random), lossy(random)],
  late: (random) => [late(random), talk(random)],
  'too late': (random) => [tooLate(random), late(random)],
  held: (random) => [held(random), held(random)],
  short: (random) => [{ plan: voice({ payloadType: 0, count: 1 + random.below(12) }), net: {} }, null],
};
const ENDS = ['refused', 'given up', 'unanswered'] as const;

/** Names of what varies: each is a call of the capture. */
export const VARIED = [...Object.keys(MEDIA), ...ENDS];

function party(user: string, network: string, call: number): Party {
  const address = `${network}.${call + 1}`;
  return { user, sip: { address, port: 5060 }, rtp: { address, port: 20_000 + call * 2 } };
}

export function variedCalls(seed: number, startUs: number = EPOCH_US): Uint8Array {
  const random = new Random(seed);
  const capture = new Capture();
  for (const [i, name] of VARIED.entries()) capture.add(callOf(name, i, random, startUs + i * GAP_SEC * 1e6));
  return capture.pcap();
}

/** What its phone says at the end; every third one says nothing. */
function reported(name: string, index: number): (readonly [string, string])[] {
  if (index % 3 === 2) return [];
  const random = new Random(`reported/${name}`);
  const [mos, jitter, loss, trip] = [
    3 + random.below(150) / 100,
    random.below(400) / 10,
    random.below(15) / 10,
    1 + random.below(400),
  ];
  return [['X-RTP-Stat', `MOS=${mos};Jitter=${jitter};PacketLossPct=${loss};RTT=${trip}`]];
}

function callOf(name: string, index: number, random: Random, startUs: number): Datagram[] {
  const [caller, callee] = [party(`2${index}`, '192.0.2', index), party(`3${index}`, '198.51.100', index)];
  const call = new SipScript({ callId: `${name.replaceAll(' ', '-')}@varied`, caller, callee, startUs });
  const described = ({ rtp }: Party) => ({
    body: { type: 'application/sdp', text: sdp({ media: rtp, codecs: [...CODECS, CODEC.EVENT] }) },
  });
  const ringMs = 50 + random.below(12_000) + random.below(1000) / 1000;
  const answerMs = ringMs + 500 + random.below(5_000);
  const invite = call.request('INVITE', 0, described(caller));
  call.respond(invite, 100, 10);
  if (name === 'unanswered') return call.messages;
  call.respond(invite, 180, ringMs);
  if (name === 'refused') {
    call.respond(invite, 486 + 2 * random.below(2), answerMs);
    call.ack(invite, 486, answerMs + 5);
    return call.messages;
  }
  if (name === 'given up') {
    call.respond(call.cancel(invite, answerMs), 200, answerMs + 5);
    call.respond(invite, 487, answerMs + 10);
    call.ack(invite, 487, answerMs + 15);
    return call.messages;
  }
  call.respond(invite, 200, answerMs, described(callee));
  call.ack(invite, 200, answerMs + 10);
  const media = (MEDIA[name]?.(random) ?? []).flatMap((way, w) => {
    if (way === null) return [];
    const [src, dst] = w === 0 ? [caller.rtp, callee.rtp] : [callee.rtp, caller.rtp];
    const begin = { src, dst, ssrc: labelHash(`varied/${name}/${w}`), startUs: call.at(answerMs + 40) };
    return rtpStream(begin, way.plan, way.net).datagrams;
  });
  const endMs = (Math.max(call.at(answerMs + 1_000), ...media.map(({ tsUs }) => tsUs)) - startUs) / 1000;
  const bye = call.request('BYE', endMs + 30 + random.below(100), { headers: reported(name, index) });
  call.respond(bye, 200, endMs + 150);
  return [...call.messages, ...media];
}
