/**
 * Finds a call whose TCP connection was closed or reset too early: before a request on it had its final response, or while
 * the answered call ran and its side was gone with it (RFC 3261 section 18.4, RFC 5626).
 */
import { endpointKeyAddress, endpointKeyFromText } from '../../core/ip.ts';
import * as METHOD from '../../core/methods.ts';
import { TRANSPORT } from '../../core/words.ts';
import type { ClosedConnection } from '../../store/closed-connections.ts';
import { type CallMessage, isOnStream, lacksResponses, methodName } from '../call-messages.ts';
import { hasDied } from './gone-side.ts';
import { capital, Parties } from './parties.ts';
import type { Proven, StatedCall } from './signaling-call.ts';

/** Who sends again over another connection, or answers over it, does it sooner (RFC 3261 section 17). */
const SETTLED_US = 4_000_000;
/** Without any answer a request is given up after 64*T1, and closing is then no cause. */
const GIVEN_UP_US = 32_000_000;
/** A BYE or CANCEL so near the end of the connection crossed it: several taps in one file are as far apart. */
const CROSSING_US = 1_000_000;
/** Whose program got the BYE sends no media any more. */
const TALKS_ON_SEC = 3;
/** Those without a final response of their own, or after which nobody waits for one. */
const ENDS_CALL: ReadonlySet<number> = new Set([METHOD.ACK, METHOD.CANCEL, METHOD.BYE]);

/** Requests that are looked at, the newest ones: each is compared with all messages of the call. @cap */
const MAX_CARRIED = 32;

/** A message, and how the connection that carried it ended. */
type Carried = { readonly m: CallMessage; readonly closed: ClosedConnection };

export function findConnectionClosed(call: StatedCall): Proven | null {
  if (!call.glance.isOfStream) return null;
  const carried = call.messages.flatMap((m): Carried[] => {
    const closed = isOnStream(m) && m.isFirst ? closedAfter(call, m) : null;
    return closed === null ? [] : [{ m, closed }];
  });
  if (carried.length === 0 || lacksResponses(call.messages)) return null;
  return findUnanswered(call, carried) ?? findByeLost(call, carried) ?? findInCall(call, carried);
}

/** The connection was gone when the BYE came, and the other side talks on. */
function findByeLost(call: StatedCall, carried: readonly Carried[]): Proven | null {
  const { messages } = call;
  const last = carried.findLast(({ m }) => m.isRequest && m.method === METHOD.BYE);
  if (last === undefined) return null;
  const { m, closed } = last;
  const isRejected = closed.isReset && closed.by === endpointKeyFromText(m.dst.host, m.dst.port);
  if (!isRejected || closed.atUs - m.tsUs > CROSSING_US) return null;
  if (messages.some((o) => o.tsUs >= m.tsUs && o.src.host === m.dst.host)) return null;
  const talked = call.media().lasts.filter(({ host }) => host === m.dst.host);
  const onSec = (Math.max(...talked.map(({ lastUs }) => lastUs)) - m.tsUs) / 1e6;
  if (!(onSec >= TALKS_ON_SEC)) return null;
  const who = new Parties(call);
  return {
    text: `${capital(who.receiver(m))} answered the BYE of ${who.sender(m)} by a reset of the TCP connection. It sends media on for ${onSec.toFixed(1)} s: the BYE did not get to its program.`,
    evidence: [m.index],
  };
}

/** How the connection that carried `m` ended, once what could follow would have come: behind the end of a file nothing comes. */
function closedAfter({ connections, nowUs, isOver }: StatedCall, m: CallMessage): ClosedConnection | null {
  const src = endpointKeyFromText(m.src.host, m.src.port);
  const dst = endpointKeyFromText(m.dst.host, m.dst.port);
  const closed = src === null || dst === null ? null : connections.of(src, dst);
  if (closed === null || m.tsUs < closed.sinceUs || m.tsUs > closed.atUs) return null;
  return isOver || nowUs - closed.atUs >= SETTLED_US ? closed : null;
}

/** A request whose connection ended before its final response, and that got none by another way either. */
function findUnanswered(call: StatedCall, carried: readonly Carried[]): Proven | null {
  const { d, messages } = call;
  const requests = carried.filter(({ m }) => m.isRequest && !ENDS_CALL.has(m.method)).slice(-MAX_CARRIED);
  const found = requests.findLast(({ m, closed }) => {
    if (m.hop.transaction === '') return false;
    const own = messages.filter((o) => o.method === m.method && o.hop.transaction === m.hop.transaction);
    if (own.some(({ status }) => status >= 200)) return false;
    // Another branch answered, or somebody ended the call: nobody waits for this one.
    if (m.method === METHOD.INVITE && m.hop.toTag === '' && !Number.isNaN(d.answerUs)) return false;
    if (messages.some((o) => isEnd(o) && o.tsUs <= closed.atUs + CROSSING_US)) return false;
    const isRinging = own.some(({ status }) => status >= 100);
    if (!isRinging && (closed.atUs - m.tsUs > GIVEN_UP_US || call.nowUs - closed.atUs < SETTLED_US)) return false;
    const isBySender = closed.by === endpointKeyFromText(m.src.host, m.src.port);
    // A check or a message that nobody waits for; and where nothing comes back, the sender gave up, or this capture sees one way.
    if (isBySender && (m.method !== METHOD.INVITE || !isRinging)) return false;
    if (m.transport === TRANSPORT.WS && !messages.some((o) => o.src.host === m.dst.host)) return false;
    return !goesOn(messages, m, closed.atUs);
  });
  if (found === undefined) return null;
  const { m, closed } = found;
  const afterSec = Math.max(0, (closed.atUs - m.tsUs) / 1e6);
  return {
    text: `${capital(whoClosed(call, m, closed))} ${verb(closed)} the TCP connection ${afterSec.toFixed(1)} s after the ${methodName(d, m.method)} from ${m.srcText}, before a final response, and ${call.nowUs - closed.atUs < SETTLED_US ? 'the capture ends then' : 'none came later'}.`,
    evidence: [m.index],
  };
}

const isEnd = (m: CallMessage): boolean => m.isRequest && (m.method === METHOD.BYE || m.method === METHOD.CANCEL);

/** Whoever was asked speaks to the sender again, or to somebody new in the call: the sender after it changed its network. */
function goesOn(messages: readonly CallMessage[], { src, dst }: CallMessage, afterUs: number): boolean {
  const known = new Set(messages.flatMap((m) => (m.tsUs <= afterUs ? [m.src.host, m.dst.host] : [])));
  return messages.some(
    (m) => m.tsUs > afterUs && m.src.host === dst.host && (m.dst.host === src.host || !known.has(m.dst.host)),
  );
}

/** A connection of the running call ended, and who closed it was gone. */
function findInCall(call: StatedCall, carried: readonly Carried[]): Proven | null {
  const { d, messages } = call;
  if (d.methodId !== METHOD.INVITE || Number.isNaN(d.answerUs)) return null;
  // Who never got an answer acknowledged had no call to lose.
  if (!messages.some((o) => o.method === METHOD.ACK)) return null;
  const last = carried.findLast(({ closed: { atUs } }) => atUs > d.answerUs && call.nowUs - atUs >= SETTLED_US);
  if (last === undefined) return null;
  const { m, closed } = last;
  const host = endpointKeyAddress(closed.by);
  // They crossed, or two taps with clocks of their own saw them.
  if (messages.some((o) => isEnd(o) && o.tsUs <= closed.atUs + CROSSING_US)) return null;
  const died = hasDied(call, host, closed.atUs);
  if (died === null) return null;
  const atSec = (closed.atUs - d.answerUs) / 1e6;
  return {
    text: `${capital(whoClosed(call, m, closed))} ${verb(closed)} the TCP connection ${atSec.toFixed(1)} s after the answer without a BYE, and nothing of the call came from it afterwards: ${died.text}.`,
    evidence: [m.index, ...died.evidence],
  };
}

/** It carried the message: who closed it sent or got that. */
function whoClosed(call: StatedCall, m: CallMessage, { by }: ClosedConnection): string {
  const who = new Parties(call);
  return by === endpointKeyFromText(m.src.host, m.src.port) ? who.sender(m) : who.receiver(m);
}

function verb({ isReset }: ClosedConnection): string {
  return isReset ? 'reset' : 'closed';
}
