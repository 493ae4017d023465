/**
 * Says of an ACK that did not go to who sent the 2xx where it went, and where the 2xx asked for it: at the first Route, or
 * at the Contact (RFC 3261 section 12.2.1.1).
 */
import { times } from '../../core/counted.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { uriTextOf } from '../../protocols/sip/name-addr.ts';
import type { SipUri } from '../../protocols/sip/uri.ts';
import { parseUri } from '../../protocols/sip/uri.ts';
import type { CallMessage, Socket } from '../call-messages.ts';
import type { SignalingFindings } from './diagnose.ts';
import { capital, Parties } from './parties.ts';
import type { Proven, SignalingCall } from './signaling-call.ts';

const SIP_PORT = 5060;

export function findAckMisrouted(call: SignalingCall, found: SignalingFindings | null): Proven | null {
  const missing = found?.ackMissing ?? null;
  if (missing === null || missing.strayedTo === null) return null;
  const shown = missing.evidence.flatMap((i) => call.messages[i] ?? []);
  const answer = shown.find((m) => !m.isRequest);
  const ack = shown.find((m) => m.isRequest);
  if (answer === undefined || ack === undefined) return null;
  const who = new Parties(call);
  const sent = `${capital(who.sender(answer))} sent its ${answer.status} ${times(missing.answerTransmissions)} from ${answer.srcText}, for no ACK came there.`;
  return {
    text: `${sent} The ACK of ${who.sender(ack)} went to ${missing.strayedTo}${wished(answer, ack.dst, who)}`,
    evidence: missing.evidence,
  };
}

/** Behind where the ACK went: whether the 2xx asked for it there. */
function wished(answer: CallMessage, went: Socket, who: Parties): string {
  const target = targetOf(answer, who);
  if (target === null) return '.';
  const { header, uri } = target;
  if (isAt(uri, went)) return `, as the ${header} of the ${answer.status} says.`;
  const port = uri.port === null ? '' : `:${uri.port}`;
  return `. The ${header} of the ${answer.status} names ${uri.isIpv6 ? `[${uri.host}]` : uri.host}${port}.`;
}

/** The next hop of who got the answer; null where that cannot be told. */
function targetOf(answer: CallMessage, who: Parties): { readonly header: string; readonly uri: SipUri } | null {
  const parsed = answer.parse();
  if (parsed === null) return null;
  const recorded = parsed.values(HEADER.RECORD_ROUTE);
  // The caller goes through them from the last to the first. Who stands among them is behind itself already.
  const routes = recorded.map(readUri).reverse();
  const own = routes.findLastIndex((uri) => uri !== null && isAt(uri, answer.dst));
  if (own < 0 && routes.length > 0 && who.isMiddle(answer.dst.host)) return null;
  const route = routes[own + 1];
  if (route !== undefined) return route === null || route.host === '' ? null : { header: 'Record-Route', uri: route };
  const contact = readUri(parsed.value(HEADER.CONTACT));
  return contact === null || contact.host === '' ? null : { header: 'Contact', uri: contact };
}

function readUri(value: string): SipUri | null {
  const uri = parseUri(uriTextOf(value));
  return uri.ok ? uri.value : null;
}

/** A name may stand for any address. */
function isAt({ host, port }: SipUri, socket: Socket): boolean {
  return host === socket.host && (port ?? SIP_PORT) === socket.port;
}
