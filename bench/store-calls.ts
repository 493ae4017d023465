/**
 * Makes the capture that fills the store of `npm run bench -- store`: calls of customers and carriers within an hour, answered,
 * failed with several codes, busy, canceled, registrations, some with RTP of one window, some of two legs. What names a call
 * has a mark in it, whose zeros are other digits in each copy of the call.
 */
import { Random } from '../fixtures/build/bytes.ts';
import { Capture } from '../fixtures/build/capture.ts';
import type { Datagram } from '../fixtures/build/rtp.ts';
import { rtpStream, voice } from '../fixtures/build/rtp.ts';
import { CODEC, sdp } from '../fixtures/build/sdp.ts';
import type { Party } from '../fixtures/build/sip-call.ts';
import { SipScript } from '../fixtures/build/sip-call.ts';

/** What stands before the number of the copy, and behind it, in Call-IDs and in the users of both sides. */
export const MARKS = [
  ['-c', '@'],
  ['+4930', ''],
  ['+4420', ''],
] as const;
/** The number of the copy: so many digits, all of them zero in the capture. */
export const COPY_DIGITS = 4;
const ZEROS = '0'.repeat(COPY_DIGITS);

/** A number without a mark: one call of so many is to it. */
export const SHARED_NUMBER = '+442071838750';
const SHARED_EVERY = 5_000;

/** Calls begin within so many seconds, and end within the hour. */
const SPREAD_SEC = 3_300;
const LONGEST_SEC = 180;

const CUSTOMERS = 40;
const CARRIERS = 6;
const SBC = '192.0.2.10';
const AGENTS = ['Asterisk PBX 20.5.0', 'FPBX-16.0.40(18.19.0)', '3CX PhoneSystem 20.0', 'Yealink SIP-T46U 108.86.0.90'];
const FURTHER_AGENTS = 60;
const CARRIER_AGENTS = ['Sonus SBC', 'OpenSIPS (3.4.2)', 'kamailio (5.7.4)', 'Acme-Packet'];
const CODECS = [CODEC.PCMA, CODEC.PCMU, CODEC.G729, CODEC.OPUS];

/** What happens to a call, per mille; a number is the code that refuses it. */
const OUTCOMES: readonly (readonly [permille: number, outcome: number | 'answered' | 'canceled' | 'register'])[] = [
  [600, 'answered'],
  [70, 'canceled'],
  [30, 'register'],
  [100, 486],
  [60, 404],
  [40, 503],
  [30, 480],
  [20, 403],
  [20, 408],
  [20, 603],
  [10, 488],
];

const customer = (n: number): string => `198.51.100.${10 + n}`;
const carrier = (n: number): string => `203.0.113.${10 + n}`;

/** Options of the agent that captures them: names of the trunks. */
export const TRUNK_OPTIONS: readonly string[] = [
  ...['--trunk-local', '192.0.2.0/24'],
  ...Array.from({ length: CARRIERS }, (_, n) => ['--trunk', `${carrier(n)}=carrier-${n + 1}`]).flat(),
  // Half of the customers have no name: their trunks are addresses.
  ...Array.from({ length: CUSTOMERS / 2 }, (_, n) => ['--trunk', `${customer(n)}=customer-${n + 1}`]).flat(),
];

/** What the calls have, for those who ask. */
export const SAID = {
  carrier: 'carrier-1',
  address: customer(7),
  domain: 'pbx7.example.net',
  agent: `${AGENTS[3]} unit 17`,
  text: 'X-Account: 7017',
} as const;

const digits = (n: number): string => String(n).padStart(6, '0');

/** The capture of so many calls, the first at this time. */
export function storeCapture(calls: number, startUs: number): Uint8Array {
  const capture = new Capture();
  const gapUs = Math.floor((SPREAD_SEC * 1e6) / calls);
  for (let n = 0; n < calls; n++) capture.add(callOf(n, calls, startUs + n * gapUs, startUs + (n - 1) * gapUs));
  return capture.pcap();
}

/** Every 25th call is the second leg of the call before it. */
const isSecondLeg = (n: number): boolean => n % 25 === 1;

function callIdOf(n: number): string {
  const random = new Random(`call/${n}`);
  const hex = [random.next(), random.next(), random.next()].map((part) => part.toString(16).padStart(8, '0')).join('');
  return `${hex}-c${ZEROS}@${isSecondLeg(n) ? SBC : customer(n % CUSTOMERS)}`;
}

function callOf(n: number, calls: number, startUs: number, beforeUs: number): Datagram[] {
  const random = new Random(`of/${n}`);
  // A call comes in from a customer, or goes out to a carrier.
  const isOut = isSecondLeg(n) || random.below(2) === 0;
  const of = isSecondLeg(n) ? n - 1 : n;
  const inside = party(SBC, 5060, 20_000 + 2 * (n % 10_000));
  const phone = party(customer(of % CUSTOMERS), 5060, 10_000 + 2 * (n % 10_000));
  const gateway = party(carrier(random.below(CARRIERS)), 5060, 30_000 + 2 * (n % 10_000));
  const user = `+4930${ZEROS}${digits(of)}`;
  const caller: Party = {
    ...(isOut ? inside : phone),
    ...{ user, display: `Agent ${of % 500}`, domain: `pbx${of % CUSTOMERS}.example.net` },
    agent: isOut ? 'calltap bench SBC' : agentOf(random),
  };
  const called = n % SHARED_EVERY === 17 ? SHARED_NUMBER : `+4420${ZEROS}${digits(random.below(calls))}`;
  const callee: Party = {
    ...(isOut ? gateway : inside),
    ...{ user: called, domain: isOut ? 'carrier.example.org' : 'sip.example.com' },
    agent: isOut ? (CARRIER_AGENTS[random.below(CARRIER_AGENTS.length)] ?? '') : 'calltap bench SBC',
  };
  const script = new SipScript({
    callId: callIdOf(n),
    ...{ caller, callee },
    startUs: isSecondLeg(n) ? beforeUs + 30_000 : startUs,
  });
  const headers = headersOf(n, user, random);
  const outcome = outcomeOf(random);
  if (outcome === 'register') return register(script, random);
  if (outcome === 'answered') return answered(script, caller, callee, headers, random);
  refused(script, caller, headers, outcome, random);
  return script.messages;
}

function party(address: string, sipPort: number, rtpPort: number): Party {
  return { user: '', sip: { address, port: sipPort }, rtp: { address, port: rtpPort } };
}

function agentOf(random: Random): string {
  return `${AGENTS[random.below(AGENTS.length)]} unit ${random.below(FURTHER_AGENTS)}`;
}

function headersOf(n: number, user: string, random: Random): [string, string][] {
  const account = `7${String(random.below(1_000)).padStart(3, '0')}`;
  return [
    ['P-Asserted-Identity', `<sip:${user}@sip.example.com>`],
    ['X-Account', account],
    ...(isSecondLeg(n) ? [['X-Call-ID', callIdOf(n - 1)] as [string, string]] : []),
  ];
}

function outcomeOf(random: Random): (typeof OUTCOMES)[number][1] {
  let rest = random.below(1000);
  for (const [permille, outcome] of OUTCOMES) {
    if (rest < permille) return outcome;
    rest -= permille;
  }
  return 'answered';
}

function describedBy({ rtp }: Party, random: Random) {
  const first = CODECS[random.below(CODECS.length)] ?? CODEC.PCMA;
  return { body: { type: 'application/sdp', text: sdp({ media: rtp, codecs: [first, CODEC.EVENT] }) }, first };
}

function refused(
  call: SipScript,
  caller: Party,
  headers: [string, string][],
  outcome: number | 'canceled',
  random: Random,
): void {
  const invite = call.request('INVITE', 0, { ...describedBy(caller, random), headers });
  const endMs = 20 + random.below(12_000);
  if (outcome !== 'canceled') {
    if (random.below(2) === 0) call.respond(invite, 100, 5);
    call.respond(invite, outcome, endMs);
    call.ack(invite, outcome, endMs + 5);
    return;
  }
  call.respond(invite, 180, endMs / 2);
  call.respond(call.cancel(invite, endMs), 200, endMs + 5);
  call.respond(invite, 487, endMs + 10);
  call.ack(invite, 487, endMs + 15);
}

function register(call: SipScript, random: Random): Datagram[] {
  const first = call.request('REGISTER', 0);
  call.respond(first, 401, 10, { headers: [['WWW-Authenticate', 'Digest realm="sip.example.com",nonce="6f1c"']] });
  if (random.below(4) === 0) return call.messages;
  call.respond(call.request('REGISTER', 30, { headers: [['Expires', '600']] }), 200, 45);
  return call.messages;
}

/** Half of them end with their second of media; of the others most have none. */
function answered(
  call: SipScript,
  caller: Party,
  callee: Party,
  headers: [string, string][],
  random: Random,
): Datagram[] {
  const { body, first } = describedBy(caller, random);
  const answerMs = 200 + random.below(9_000);
  const invite = call.request('INVITE', 0, { body, headers });
  if (random.below(2) === 0) call.respond(invite, 100, 5);
  call.respond(invite, random.below(4) === 0 ? 183 : 180, 50 + random.below(answerMs - 100));
  const answer = sdp({ media: callee.rtp, codecs: [first, CODEC.EVENT] });
  call.respond(invite, 200, answerMs, { body: { type: 'application/sdp', text: answer } });
  call.ack(invite, 200, answerMs + 10);
  const isShort = random.below(2) === 0;
  const media = isShort || random.below(5) === 0 ? mediaOf(call, [caller, callee], first, answerMs + 40, random) : [];
  const talkMs = isShort ? 1_200 : 2_000 + random.below(LONGEST_SEC * 1000);
  call.respond(
    call.request('BYE', answerMs + talkMs, random.below(2) ? { by: 'callee' } : {}),
    200,
    answerMs + talkMs + 15,
  );
  return [...call.messages, ...media];
}

/** A second each way, of some calls one way alone, of some with loss. */
function mediaOf(
  call: SipScript,
  [caller, callee]: readonly [Party, Party],
  { payloadType, clock }: { readonly payloadType: number; readonly clock: number },
  atMs: number,
  random: Random,
): Datagram[] {
  const ways =
    random.below(20) === 0
      ? [[caller, callee]]
      : [
          [caller, callee],
          [callee, caller],
        ];
  const isLossy = random.below(10) === 0;
  return ways.flatMap(([from, to]) => {
    if (from === undefined || to === undefined) return [];
    const count = 30 + random.below(20);
    const lost = isLossy ? random.pick(1 + random.below(6), 1, count - 1) : [];
    const begin = { src: from.rtp, dst: to.rtp, ssrc: random.next(), startUs: call.at(atMs) };
    const jitterUs = Array.from({ length: count }, () => random.below(4_000));
    const plan = voice({ payloadType, clock, count, payload: () => PAYLOAD });
    return rtpStream(begin, plan, { lost: new Set(lost), delayUs: (i) => jitterUs[i] ?? 0 }).datagrams;
  });
}

const PAYLOAD = new Uint8Array(20).fill(0xd5);
