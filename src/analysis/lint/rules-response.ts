/** Rules about what a response must bring for its status, and how it fits its request (RFC 3261 unless named otherwise). */

import { isPrivateAddress } from '../../core/private-address.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { hasParam, paramValue } from '../../protocols/sip/params.ts';
import type { LintMessage, LintRuleRow } from './rule.ts';
import { isResponse, lacks, refresherOf } from './values.ts';

/** Characters of a RAck: two numbers and a method, and blanks between them (RFC 3262 section 7.2). @cap */
const MAX_RACK_CHARS = 64;

/** A rule for a header that a status code must bring. */
function needs(
  id: string,
  status: number,
  header: number,
  name: string,
  more: Omit<LintRuleRow, 'id' | 'expected' | 'check'>,
): LintRuleRow {
  return {
    id,
    expected: `${name} in a ${status} response`,
    check: (m) => (!m.isRequest && m.status === status && lacks(m, header) ? `${status} without ${name}` : null),
    ...more,
  };
}

export const RESPONSE_RULES: readonly LintRuleRow[] = [
  needs('challenge-missing', 401, HEADER.WWW_AUTHENTICATE, 'WWW-Authenticate', {
    severity: 'error',
    section: '22.2',
    explanation: 'The client cannot compute credentials and gives up.',
  }),
  needs('proxy-challenge-missing', 407, HEADER.PROXY_AUTHENTICATE, 'Proxy-Authenticate', {
    severity: 'error',
    section: '22.3',
    explanation: 'The client cannot compute credentials and gives up.',
  }),
  needs('allow-missing', 405, HEADER.ALLOW, 'Allow', {
    severity: 'notice',
    section: '21.4.6',
    explanation: 'The client does not learn which methods would work.',
  }),
  needs('unsupported-missing', 420, HEADER.UNSUPPORTED, 'Unsupported', {
    severity: 'warning',
    section: '8.2.2.3',
    explanation: 'The client does not learn which extension it must leave out.',
  }),
  needs('require-missing', 421, HEADER.REQUIRE, 'Require', {
    severity: 'warning',
    section: '21.4.16',
    explanation: 'The client does not learn which extension it must support.',
  }),
  needs('min-se-missing', 422, HEADER.MIN_SE, 'Min-SE', {
    severity: 'warning',
    rfc: 4028,
    section: '6',
    explanation: 'The client does not learn which interval would be accepted, and the call fails.',
  }),
  needs('min-expires-missing', 423, HEADER.MIN_EXPIRES, 'Min-Expires', {
    severity: 'warning',
    section: '10.3',
    explanation: 'The client does not learn which expiry would be accepted, and stays unregistered.',
  }),
  needs('unsupported-event-list', 489, HEADER.ALLOW_EVENTS, 'Allow-Events', {
    severity: 'info',
    // RFC 3265 had it mandatory in its table; its successor leaves it free.
    basis: 'interop',
    rfc: 6665,
    section: '8.2.2',
    explanation: 'The subscriber does not learn which events it could ask for.',
  }),
  {
    id: 'accept-missing',
    severity: 'notice',
    section: '21.4.13',
    expected: 'Accept, Accept-Encoding or Accept-Language in a 415',
    explanation: 'The client does not learn which body would be accepted.',
    check: (m) =>
      m.status === 415 &&
      !['Accept', 'Accept-Encoding', 'Accept-Language'].some((n) => m.sip.headersNamed(n).length > 0)
        ? '415 without Accept'
        : null,
  },
  {
    id: 'redirect-without-contact',
    severity: 'warning',
    basis: 'should',
    section: '8.3',
    expected: 'the new places as Contact in a 300, 301 or 302',
    explanation: 'The caller must go elsewhere and does not learn where.',
    check: (m) =>
      !m.isRequest && m.status >= 300 && m.status <= 302 && lacks(m, HEADER.CONTACT)
        ? `${m.status} without Contact`
        : null,
  },
  {
    id: 'rejected-offer-without-warning',
    severity: 'info',
    basis: 'should',
    section: '13.3.1.3',
    expected: 'a Warning that says why the offer was refused',
    explanation: 'Only the refusing side knows what did not fit.',
    check: (m) => (isResponse(m, 'INVITE', 488) && lacks(m, HEADER.WARNING) ? '488 without Warning' : null),
  },
  {
    id: 'refresher-missing',
    severity: 'warning',
    rfc: 4028,
    section: '9',
    expected: 'who refreshes, in the Session-Expires of the 2xx',
    explanation: 'Neither side refreshes, and the call is cut when the interval ends.',
    check: (m) => {
      const isAnswer = isResponse(m, 'INVITE', 200, 299) || isResponse(m, 'UPDATE', 200, 299);
      const value = m.sip.header(HEADER.SESSION_EXPIRES)?.value;
      return isAnswer && value !== undefined && refresherOf(m) === null ? `Session-Expires: ${value}` : null;
    },
  },
  {
    id: 'reliable-without-rseq',
    severity: 'error',
    rfc: 3262,
    section: '3',
    expected: 'an RSeq in a provisional response that requires 100rel',
    explanation: 'The caller cannot acknowledge it, and it is repeated until the call fails.',
    check: (m) =>
      !m.isRequest && m.status > 100 && m.status < 200 && requires100rel(m) && lacks(m, HEADER.RSEQ)
        ? `${m.status} requires 100rel and has no RSeq`
        : null,
  },
  {
    id: 'prack-missing',
    severity: 'warning',
    rfc: 3262,
    section: '4',
    expected: 'a PRACK for every reliable provisional response',
    explanation: 'The response is repeated, and the called side may give the call up.',
    check: (m, call) => {
      const seq = m.sip.number(HEADER.RSEQ);
      if (m.isRequest || m.status <= 100 || m.status >= 200 || seq === null || !requires100rel(m)) return null;
      const isOver = call.ofCseq(m.cseq).some((r) => !r.isRequest && r.method === 'INVITE' && r.status >= 200);
      const rack = new RegExp(`^${seq}\\s+${m.cseq}\\s`);
      const isMet = call.messages.some(
        (r) => r.isRequest && r.method === 'PRACK' && rack.test(r.sip.value(HEADER.RACK).slice(0, MAX_RACK_CHARS)),
      );
      return isOver && !isMet ? `RSeq ${seq} was never acknowledged` : null;
    },
  },
  {
    id: 'required-100rel-ignored',
    severity: 'warning',
    rfc: 3262,
    section: '3',
    expected: 'reliable provisional responses where the INVITE requires 100rel',
    explanation: 'The caller may ignore the response, and with it the early media it announces.',
    check: (m, call) => {
      if (m.isRequest || m.status <= 100 || m.status >= 200 || !lacks(m, HEADER.RSEQ)) return null;
      const request = call.requestOf(m);
      return request !== null && request.method === 'INVITE' && requires100rel(request)
        ? `${m.status} without RSeq`
        : null;
    },
  },
  {
    id: 'expiry-shortened',
    severity: 'info',
    basis: 'observation',
    section: '10.3',
    expected: 'the expiry that was asked for',
    explanation: 'The registrar wants to hear from the phone more often; nothing is wrong unless the phone ignores it.',
    check: (m, call) => {
      const request = isResponse(m, 'REGISTER', 200, 299) ? call.requestOf(m) : null;
      const asked = request === null ? null : expiryOf(request);
      const granted = request === null ? null : expiryOf(m);
      // A tenth of what was asked for is a keep-alive through a NAT, half of it ordinary policy.
      return asked !== null && granted !== null && granted > 0 && granted * 10 <= asked
        ? `${granted} of ${asked} seconds`
        : null;
    },
  },
  {
    id: 'binding-not-listed',
    severity: 'warning',
    section: '10.3',
    expected: 'the bindings as Contact in the 2xx to a REGISTER that added one',
    explanation: 'The phone cannot know whether and for how long it is registered.',
    check: (m, call) => {
      const request = isResponse(m, 'REGISTER', 200, 299) ? call.requestOf(m) : null;
      const isAdding = request !== null && !lacks(request, HEADER.CONTACT) && request.sip.value(HEADER.CONTACT) !== '*';
      const wants = request === null ? 0 : (expiryOf(request) ?? 1);
      return isAdding && wants > 0 && lacks(m, HEADER.CONTACT) ? 'no Contact' : null;
    },
  },
  {
    id: 'binding-without-expires',
    severity: 'notice',
    section: '10.3',
    expected: 'an expires parameter with every binding, or at least an Expires header',
    explanation: 'The phone guesses when to register again.',
    check: (m) => {
      if (!isResponse(m, 'REGISTER', 200, 299)) return null;
      const bare = m.sip.contacts.find((c) => !hasParam(c.params, 'expires'));
      return bare === undefined || !lacks(m, HEADER.EXPIRES) ? null : bare.uriText;
    },
  },
  {
    id: 'subscription-without-expires',
    severity: 'warning',
    rfc: 6665,
    section: '3.1.1',
    expected: 'an Expires in the 2xx to SUBSCRIBE',
    explanation: 'The subscriber does not know when to subscribe again.',
    check: (m) =>
      isResponse(m, 'SUBSCRIBE', 200, 299) && lacks(m, HEADER.EXPIRES) ? `${m.status} without Expires` : null,
  },
  {
    id: 'private-contact',
    severity: 'notice',
    basis: 'observation',
    rfc: 1918,
    section: '3',
    expected: 'a Contact that the peer can reach',
    explanation:
      'Later requests, BYE among them, do not arrive unless a border element rewrites or follows the connection.',
    check: (m) => {
      const host = m.sip.contacts[0]?.uri?.host ?? '';
      const isDialogMade = (m.isRequest && m.method === 'INVITE') || isResponse(m, 'INVITE', 200, 299);
      if (!isDialogMade || !isPrivateAddress(host) || isPrivateAddress(m.dstAddress) || isPrivateAddress(m.srcAddress))
        return null;
      return `Contact ${host} sent to ${m.dstAddress}`;
    },
  },
  {
    id: 'retry-after-missing',
    severity: 'info',
    basis: 'interop',
    section: '21.5.4',
    expected: 'a Retry-After when a server is overloaded',
    explanation: 'Some clients take the whole server for dead for a long time, or try again at once.',
    check: (m) => (m.status === 503 && lacks(m, HEADER.RETRY_AFTER) ? '503 without Retry-After' : null),
  },
];

function requires100rel(m: LintMessage): boolean {
  return m.sip.values(HEADER.REQUIRE).some((v) => v.toLowerCase() === '100rel');
}

/** Shortest expiry that the contacts or the header of a message name; null when none does. */
function expiryOf(m: LintMessage): number | null {
  const own = m.sip.contacts.map((c) => paramValue(c.params, 'expires') ?? '').filter((v) => /^\d+$/.test(v));
  const header = m.sip.number(HEADER.EXPIRES);
  const all = own.length > 0 ? own.map(Number) : header === null ? [] : [header];
  return all.length === 0 ? null : Math.max(...all);
}
