/**
 * Finds a request that is sent again and again although its response went back to its sender: a provisional one ends that
 * for an INVITE, a final one for any other (RFC 3261 sections 17.1.1.2 and 17.1.2.2).
 */
import { times } from '../../core/counted.ts';
import { grouped } from '../../core/maps.ts';
import * as METHOD from '../../core/methods.ts';
import { TRANSPORT } from '../../core/words.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import type { CallMessage } from '../call-messages.ts';
import { methodName, numberOf } from '../call-messages.ts';
import { capital, Parties } from './parties.ts';
import { type Again, evidenceOf, goesOn, inTime, LEAST_AGAIN, sentAgain } from './sent-again.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

/** T1 is half a second: what comes again later at first is asked anew, with the same bytes. */
const FIRST_AGAIN_US = 2_000_000;
/** 64*T1, and how much a timer may be late. */
const TIMEOUT_US = 33_000_000;

export function findResponseNotArriving(call: SignalingCall): Proven | null {
  const { d, messages } = call;
  if (d.retransmits < LEAST_AGAIN) return null;
  const requests = messages.filter((m) => m.isRequest && !m.isCopy && m.method !== METHOD.ACK && isUdp(m));
  if (requests.length <= LEAST_AGAIN) return null;
  // What is sent again keeps its number: no key is made of the others.
  const byNumber = grouped(requests, numberOf);
  const often = requests.filter((m) => (byNumber.get(numberOf(m))?.length ?? 0) > LEAST_AGAIN);
  if (often.length === 0) return null;
  const responses = grouped(
    messages.filter((m) => !m.isRequest && !m.isCopy && isUdp(m)),
    numberOf,
  );
  const repeated = [...grouped(often, (m) => m.key).values()].filter((group) => group.length > LEAST_AGAIN);
  const firsts = repeated.flatMap((group) => group.slice(0, 1));
  for (const group of repeated) {
    const [first] = inTime(group, group[0]?.origin ?? 0);
    const [second] = first === undefined ? [] : sentAgain(group, first).copies;
    if (first === undefined || second === undefined || second.tsUs - first.tsUs > FIRST_AGAIN_US) continue;
    // Who passes a request on sends it as often as it comes.
    if (firsts.some((m) => m.dst.host === first.src.host && numberOf(m) === numberOf(first))) continue;
    const response = firstResponse(first, responses.get(numberOf(first)) ?? []);
    if (response === null) continue;
    const again = sentAgain(
      group.filter((m) => m.tsUs - first.tsUs <= TIMEOUT_US),
      response,
    );
    if (!goesOn(again)) continue;
    return { text: textOf(call, first, response, again), evidence: evidenceOf(first, response, ...again.copies) };
  }
  return null;
}

/** The first that ends the copies: of the same transaction, on its way back to who asked. */
function firstResponse(asked: CallMessage, responses: readonly CallMessage[]): CallMessage | null {
  let first: CallMessage | null = null;
  for (const m of responses) {
    if (m.origin !== asked.origin || m.tsUs < asked.tsUs || (first !== null && m.tsUs >= first.tsUs)) continue;
    if (m.src.host !== asked.dst.host) continue;
    if (asked.method !== METHOD.INVITE && m.status < 200) continue;
    if (asked.hop.transaction !== '' && m.hop.transaction === asked.hop.transaction) first = m;
  }
  return first;
}

function textOf(call: SignalingCall, first: CallMessage, response: CallMessage, again: Again): string {
  const who = new Parties(call);
  const method = methodName(call.d, first.method);
  // Behind a proxy that keeps no state another one may be who asks again.
  const isOnward = (first.parse()?.values(HEADER.VIA).length ?? 1) > 1;
  const side = `${capital(who.sender(first))}${isOnward ? ', or who sends by it,' : ''}`;
  const { status, dst } = response;
  let where = '';
  if (dst.host !== first.src.host)
    where = ` The ${status} went to ${response.dstText}, and the ${method} comes from ${first.srcText}.`;
  else if (dst.port !== first.src.port)
    where = ` The ${status} went to port ${dst.port}, and the ${method} comes from port ${first.src.port}.`;
  const sec = (again.lastedUs / 1e6).toFixed(1);
  return `${side} does not hear the ${response.status} of ${who.sender(response)} to its ${method}, or ignores it. It sent the ${method} again ${times(again.copies.length)} in the ${sec} s after that response came past here.${where}`;
}

/** What has a connection is sent once, and again for other reasons. */
function isUdp({ transport }: CallMessage): boolean {
  return transport === TRANSPORT.UDP;
}
