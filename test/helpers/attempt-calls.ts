/**
 * A capture in which attempts of all shapes go between our own hosts, two trunks with names and strangers: by UDP and TCP, IPv4
 * and IPv6. A seed makes the same capture each time. Its last message comes when all that can time out has.
 */
import { labelHash, Random } from '../../fixtures/build/bytes.ts';
import { Capture, EPOCH_US } from '../../fixtures/build/capture.ts';
import type { Frame } from '../../fixtures/build/pcap-file.ts';
import { inTimeOrder, pcap } from '../../fixtures/build/pcap-file.ts';
import type { Party, SipMessage } from '../../fixtures/build/sip-call.ts';
import { SipScript } from '../../fixtures/build/sip-call.ts';
import { TcpConnection } from '../../fixtures/build/tcp.ts';
import type { Shape } from './attempt-shapes.ts';
import { SHAPES } from './attempt-shapes.ts';

/** Options for calltap, and for the reckoning beside it. */
export const ATTEMPT_TRUNKS = ['203.0.113.0/28=acme', '198.51.100.0/24=globex', '2001:db8:2::/48=globex'];
export const ATTEMPT_LOCAL = ['192.0.2.0/28', '2001:db8:1::/48'];

/** Whom it goes between: our own side and a trunk, both ways, or two strangers. */
const HOSTS: readonly (readonly [from: string, to: string])[] = [
  ['192.0.2.1', '203.0.113.1'],
  ['203.0.113.2', '192.0.2.1'],
  ['192.0.2.2', '198.51.100.9'],
  ['2001:db8:2::9', '2001:db8:1::1'],
  ['203.0.113.3', '198.51.100.4'],
  ['192.0.2.1', '10.1.2.3'],
  ['10.1.2.4', '10.1.2.3'],
  ['192.0.2.1', '192.0.2.2'],
];
const GAP_SEC = 7;
const QUIET_SEC = 300;
/** Bounds of buckets, in milliseconds: a time that is exactly one of them is in it. */
const ROUND_MS = [5, 10, 20, 50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000];

function party(user: string, address: string, call: number): Party {
  return { user, sip: { address, port: 5060 }, rtp: { address, port: 20_000 + 2 * call } };
}

function within(random: Random): (most: number) => number {
  return (most) => {
    const round = ROUND_MS.filter((ms) => ms <= most);
    if (round.length > 0 && random.below(4) === 0) return round[random.below(round.length)] ?? most;
    return random.below(most * 1_000) / 1_000;
  };
}

/** The messages of a call by TCP, each in `pieces` segments. */
function overTcp(messages: readonly SipMessage[], pieces: number): Frame[] {
  const [first] = messages;
  if (first === undefined) return [];
  const port = 10_000 + (labelHash(first.src.address + first.tsUs) % 50_000);
  const connection = new TcpConnection({
    client: { ...first.src, port },
    server: first.dst,
    clientIsn: 1_000,
    serverIsn: 2_000,
  });
  connection.open(first.tsUs - 5_000);
  for (const message of messages) connection.send(message.by === first.by, message.tsUs, message.bytes, pieces);
  return connection.frames();
}

function script(shape: Shape, index: number, random: Random, transport: 'UDP' | 'TCP' = 'UDP'): SipScript {
  const [from, to] = HOSTS[random.below(HOSTS.length)] ?? ['192.0.2.1', '203.0.113.1'];
  // Few numbers: some call each other again.
  const caller = party(`2${random.below(4)}`, from, index);
  const callee = party(`3${random.below(4)}`, to, index + 500);
  const startUs = EPOCH_US + index * GAP_SEC * 1_000_000 + random.below(3_000_000);
  const call = new SipScript({ callId: `${index}@attempts`, caller, callee, startUs, transport });
  shape({ call, caller, callee, ms: within(random) });
  return call;
}

/** On TCP nothing comes again. */
function comesAgain(shape: Shape): boolean {
  const { messages } = script(shape, 0, new Random(0));
  return new Set(messages.map(({ bytes }) => bytes)).size < messages.length;
}

export function attemptCalls(seed: number, shapes: Iterable<string> = SHAPES.keys()): Uint8Array {
  const random = new Random(seed);
  const capture = new Capture();
  const frames: Frame[] = [];
  let index = 0;
  for (const name of shapes) {
    const shape = SHAPES.get(name);
    if (shape === undefined) throw new Error(`no shape ${name}`);
    const isTcp = random.below(4) === 0 && !comesAgain(shape);
    const messages = inTimeOrder(script(shape, index++, random, isTcp ? 'TCP' : 'UDP').messages);
    if (isTcp) frames.push(...overTcp(messages, 1 + random.below(3)));
    else capture.add(messages);
  }
  const last = new SipScript({
    callId: 'last@attempts',
    caller: party('20', '192.0.2.1', 0),
    callee: party('30', '203.0.113.1', 0),
    startUs: EPOCH_US + (index * GAP_SEC + QUIET_SEC) * 1_000_000,
  });
  last.respond(last.request('OPTIONS', 0), 200, 7);
  capture.add(last.messages);
  return pcap(inTimeOrder([...capture.frames(), ...frames]));
}
