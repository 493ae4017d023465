/**
 * Finds a request that goes round: the same one passed the same way again and again with its own earlier Via in it, or
 * somebody had to stop it with 483 Too Many Hops (RFC 3261 sections 16.3 and 21.4.21).
 */
import { times } from '../../core/counted.ts';
import { hashBytes } from '../../core/hash.ts';
import { grouped } from '../../core/maps.ts';
import type { Steps } from '../../core/turns.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { SipMessage } from '../../protocols/sip/message.ts';
import type { CallMessage } from '../call-messages.ts';
import { methodName, numberOf } from '../call-messages.ts';
import { Parties } from './parties.ts';
import { evidenceOf } from './sent-again.ts';
import type { Proven, SignalingCall, StatedCall } from './signaling-call.ts';

const TOO_MANY_HOPS = 483;
/** Calls that are forwarded pass the same proxy two or three times. */
const LEAST_ROUNDS = 4;
/** From a socket to itself nothing is forwarded to anybody else. */
const LEAST_ROUNDS_TO_ITSELF = 2;
/** With fewer hops left a request tests a path, or is limited to it: nothing has to go round for a 483. */
const LEAST_HOPS = 10;
/** Rounds whose headers are read. @cap */
const MAX_READ = 64;

type Round = {
  readonly m: CallMessage;
  readonly hops: number | null;
  /** Where it went to by its text, as a hash: that may be long. */
  readonly target: number;
};
type Loop = {
  readonly passes: readonly CallMessage[];
  readonly firstHops: number | null;
  readonly lastHops: number | null;
};

/** Most calls are done at once, with no text read. */
export function findRequestLoop(call: StatedCall): Steps<Proven | null> | null {
  const { hasRepeated, refusedUs } = call.glance;
  return hasRepeated || !Number.isNaN(refusedUs) ? loopSteps(call) : null;
}

function* loopSteps(call: StatedCall): Steps<Proven | null> {
  const stopped = call.messages.find((m) => m.status === TOO_MANY_HOPS && !m.isCopy);
  const loop = call.glance.hasRepeated ? yield* longest(call.messages) : null;
  const first = loop?.passes[0];
  if (loop !== null && first !== undefined) {
    const isOfIt = stopped?.cseq === first.cseq && stopped.method === first.method;
    const said = isOfIt ? stopped : undefined;
    const end = said === undefined ? '' : ` ${said.srcText} stopped it with 483.`;
    return {
      text: `${loopText(call, loop, first)}${end}`,
      evidence: evidenceOf(...loop.passes, ...(said === undefined ? [] : [said])),
    };
  }
  if (stopped === undefined) return null;
  const asked = call.messages.find((m) => m.isRequest && m.method === stopped.method && m.cseq === stopped.cseq);
  const hops = asked?.parse()?.number(HEADER.MAX_FORWARDS) ?? 0;
  if (asked === undefined || hops < LEAST_HOPS) return null;
  const who = new Parties(call);
  const method = methodName(call.d, asked.method);
  return {
    text: `The ${method} of ${who.sender(asked)} used up all its hops. It had Max-Forwards ${hops} on its way to ${asked.dstText}. ${stopped.srcText} answered it with 483.`,
    evidence: evidenceOf(asked, stopped),
  };
}

function* longest(messages: readonly CallMessage[]): Steps<Loop | null> {
  let found: Loop | null = null;
  const requests = messages.filter((m) => m.isRequest && m.isFirst);
  // By what needs no text: most calls end here.
  const byNumber = grouped(requests, numberOf);
  const often = requests.filter((m) => (byNumber.get(numberOf(m))?.length ?? 0) >= LEAST_ROUNDS_TO_ITSELF);
  for (const group of grouped(often, (m) => `${numberOf(m)} ${m.way}`).values()) {
    if (group.length < leastRounds(group)) continue;
    for (const ofOne of grouped(group, (m) => m.hop.fromTag).values()) {
      // Each hop has a branch of its own, and a retransmission has that of the first.
      const passes = [...new Map(ofOne.map((m) => [m.hop.transaction, m])).values()];
      if (passes.length < leastRounds(passes) || passes.length <= (found?.passes.length ?? 0)) continue;
      found = (yield* loopOf(passes)) ?? found;
    }
  }
  return found;
}

function leastRounds([first]: readonly CallMessage[]): number {
  const isToItself = first !== undefined && first.src.host === first.dst.host && first.src.port === first.dst.port;
  return isToItself ? LEAST_ROUNDS_TO_ITSELF : LEAST_ROUNDS;
}

/**
 * Null where the passes are branches of a fork, attempts one after the other, or the request went on to another target each time:
 * what went round has the Via of its last round, or fewer hops left, and comes back to a target that it had.
 */
function* loopOf(passes: readonly CallMessage[]): Steps<Loop | null> {
  const rounds: Round[] = [];
  let next = 0;
  for (const m of passes.slice(0, MAX_READ)) {
    const sip = m.parse();
    const before = rounds.at(-1);
    if (sip !== null) {
      const round = {
        m,
        hops: sip.number(HEADER.MAX_FORWARDS),
        target: hashText(`${sip.requestUriText} ${sip.value(HEADER.ROUTE)}`),
      };
      if (before !== undefined && isNextOf(round, sip, before)) next++;
      rounds.push(round);
    }
    yield;
  }
  const targets = new Set(rounds.map(({ target }) => target));
  if (next + 1 < leastRounds(passes) || targets.size === rounds.length) return null;
  const hops = rounds.map((round) => round.hops);
  return { passes, firstHops: hops[0] ?? null, lastHops: passes.length > MAX_READ ? null : (hops.at(-1) ?? null) };
}

function isNextOf(later: Round, sip: SipMessage, earlier: Round): boolean {
  const branch = earlier.m.hop.transaction.split(' ').at(-1) ?? '';
  if (branch !== '' && sip.headersOf(HEADER.VIA).some(({ value }) => hasBranch(value, branch))) return true;
  const [left, before] = [later.hops, earlier.hops];
  return typeof left === 'number' && typeof before === 'number' && left < before;
}

function hashText(text: string): number {
  const bytes = Buffer.from(text);
  return hashBytes(bytes, 0, bytes.length);
}

function hasBranch(via: string, branch: string): boolean {
  const at = via.indexOf(`branch=${branch}`);
  return at >= 0 && /^(?:[\s;,]|$)/.test(via.slice(at + 'branch='.length + branch.length));
}

function loopText(call: SignalingCall, { passes, firstHops, lastHops }: Loop, first: CallMessage): string {
  const who = new Parties(call);
  const opener = call.messages.find((m) => m.isRequest && m.method === first.method && m.cseq === first.cseq) ?? first;
  const to = first.srcText === first.dstText ? 'itself' : first.dstText;
  const went = `The ${methodName(call.d, first.method)} of ${who.sender(opener)} goes round: it went ${times(passes.length)} from ${first.srcText} to ${to}.`;
  return firstHops === null || lastHops === null || lastHops >= firstHops
    ? went
    : `${went} Its Max-Forwards fell from ${firstHops} to ${lastHops}.`;
}
