/** Rules about what single headers of a message promise or need (RFC 3261 and its extensions). */

import { HEADER } from '../../protocols/sip/header-name.ts';
import type { LintRuleRow } from './rule.ts';
import { lacks, shown } from './values.ts';

export const HEADER_RULES: readonly LintRuleRow[] = [
  {
    id: 'contact-missing',
    severity: 'error',
    section: '8.1.1.8',
    expected: 'one Contact in a request that can open a dialog',
    explanation: 'The other side has no address for ACK, BYE and re-INVITE.',
    check: (m) =>
      m.isRequest && ['INVITE', 'SUBSCRIBE', 'REFER'].includes(m.method) && lacks(m, HEADER.CONTACT)
        ? `${m.method} without Contact`
        : null,
  },
  {
    id: 'contact-many',
    severity: 'warning',
    section: '8.1.1.8',
    expected: 'exactly one Contact URI in a request that can open a dialog',
    explanation: 'Which of them gets the later requests is left to chance.',
    check: (m) => {
      const count = m.sip.values(HEADER.CONTACT).length;
      return m.isRequest && m.method === 'INVITE' && count > 1 ? `${count} Contact values` : null;
    },
  },
  {
    id: 'sips-contact',
    severity: 'notice',
    section: '8.1.1.8',
    expected: 'a SIPS Contact where the Request-URI is SIPS',
    explanation: 'Later requests of a call that should be secured may go in the clear.',
    check: (m) => {
      const contact = m.sip.contacts[0]?.uri?.scheme;
      if (!m.isRequest || m.sip.requestUri?.scheme !== 'sips' || contact !== 'sip') return null;
      return `Contact: ${shown(m.sip.value(HEADER.CONTACT))}`;
    },
  },
  {
    id: 'session-id-form',
    severity: 'notice',
    rfc: 7989,
    section: '5',
    expected: '32 lower-case hex digits, and those of the peer as remote',
    explanation: 'The legs of the call cannot be put together by it.',
    check: (m) => {
      const value = m.sip.header(HEADER.SESSION_ID)?.value;
      if (value === undefined || /^[0-9a-f]{32}(\s*;|$)/.test(value)) return null;
      return `Session-ID: ${shown(value)}`;
    },
  },
  {
    id: 'charging-vector-without-icid',
    severity: 'notice',
    rfc: 7315,
    section: '5.6',
    expected: 'an icid-value in every P-Charging-Vector',
    explanation: 'The charging records of the legs cannot be put together.',
    check: (m) => {
      const value = m.sip.header(HEADER.P_CHARGING_VECTOR)?.value;
      return value === undefined || /(^|;)\s*icid-value\s*=\s*[^;\s]/i.test(value)
        ? null
        : `P-Charging-Vector: ${shown(value)}`;
    },
  },
  {
    id: 'identity-shown-despite-privacy',
    severity: 'info',
    basis: 'observation',
    rfc: 3325,
    section: '7',
    expected: 'no P-Asserted-Identity beyond the trusted network when Privacy is id',
    explanation: 'Whoever receives this message learns the number the caller wants hidden.',
    check: (m) =>
      m.isRequest && /\bid\b/i.test(m.sip.value(HEADER.PRIVACY)) && !lacks(m, HEADER.P_ASSERTED_IDENTITY)
        ? 'Privacy: id together with P-Asserted-Identity'
        : null,
  },
  {
    id: 'digest-count-missing',
    severity: 'warning',
    rfc: 7616,
    section: '3.4',
    expected: 'nc and cnonce wherever qop is sent',
    explanation: 'The server cannot compute the same digest and refuses the credentials.',
    check: (m) => {
      for (const id of [HEADER.AUTHORIZATION, HEADER.PROXY_AUTHORIZATION])
        for (const { value } of m.sip.headersOf(id)) {
          const lacks = ['nc', 'cnonce'].filter((name) => !new RegExp(`[\\s,]${name}\\s*=`, 'i').test(value));
          if (/^digest\s/i.test(value) && /[\s,]qop\s*=/i.test(value) && lacks.length > 0)
            return `credentials with qop, without ${lacks.join(' and ')}`;
        }
      return null;
    },
  },
  {
    id: 'udp-request-large',
    severity: 'warning',
    section: '18.1.1',
    expected: 'another transport than UDP for a request over 1300 bytes',
    explanation: 'The packet is fragmented; firewalls and some load balancers drop fragments.',
    check: (m, call) => {
      if (!m.isRequest || !m.isWire || m.transport !== 'UDP' || m.bytes <= 1300 || m.method === 'ACK') return null;
      // Where it was answered its fragments came through, and every other call would have this finding.
      return call.responsesTo(m).length === 0 ? `${m.bytes} bytes over UDP, never answered` : null;
    },
  },
  {
    id: 'via-transport-differs',
    severity: 'warning',
    section: '18.1.1',
    expected: 'the transport in the top Via that carries the request',
    explanation: 'The response is sent over another transport and does not arrive.',
    check: (m) => {
      const via = m.topVia?.transport;
      if (!m.isRequest || !m.isWire || via === undefined) return null;
      const isDatagram = m.transport === 'UDP';
      const isMet = via === m.transport || (!isDatagram && via !== 'UDP');
      return isMet ? null : `Via names ${via}, it came over ${m.transport}`;
    },
  },
  {
    id: 'sips-in-clear',
    severity: 'warning',
    section: '26.2.2',
    expected: 'TLS on every hop of a SIPS request',
    explanation: 'The caller asked for a secured path and did not get it.',
    check: (m) =>
      m.isRequest && m.isWire && m.sip.requestUri?.scheme === 'sips' && (m.transport === 'UDP' || m.transport === 'TCP')
        ? `${shown(m.sip.requestUriText)} over ${m.transport}`
        : null,
  },
  {
    id: 'cancel-with-require',
    severity: 'notice',
    section: '9.1',
    expected: 'no Require or Proxy-Require in CANCEL',
    explanation: 'A proxy may refuse the CANCEL, and the phone keeps ringing.',
    check: (m) =>
      m.isRequest && m.method === 'CANCEL' && (!lacks(m, HEADER.REQUIRE) || !lacks(m, HEADER.PROXY_REQUIRE))
        ? 'CANCEL with Require or Proxy-Require'
        : null,
  },
  {
    id: 'refer-to-count',
    severity: 'error',
    rfc: 3515,
    section: '2.4.1',
    expected: 'exactly one Refer-To in REFER',
    explanation: 'The receiver answers 400: nobody knows where to transfer to.',
    check: (m) => {
      const count = m.sip.values(HEADER.REFER_TO).length;
      return m.isRequest && m.method === 'REFER' && count !== 1 ? `${count} Refer-To values` : null;
    },
  },
  {
    id: 'subscribe-without-event',
    severity: 'error',
    rfc: 6665,
    section: '3.1.2',
    expected: 'exactly one Event header in SUBSCRIBE',
    explanation: 'The notifier answers 489: it cannot know what is asked for.',
    check: (m) => {
      const count = m.sip.headersOf(HEADER.EVENT).length;
      return m.isRequest && m.method === 'SUBSCRIBE' && count !== 1 ? `${count} Event headers` : null;
    },
  },
  {
    id: 'notify-without-state',
    severity: 'error',
    rfc: 6665,
    section: '4.1.3',
    expected: 'a Subscription-State in NOTIFY',
    explanation: 'The subscriber cannot know whether its subscription stands, and refuses the NOTIFY.',
    check: (m) =>
      m.isRequest && m.method === 'NOTIFY' && lacks(m, HEADER.SUBSCRIPTION_STATE) ? 'no Subscription-State' : null,
  },
  {
    id: 'refer-notify-body',
    severity: 'notice',
    rfc: 3515,
    section: '2.4.5',
    expected: 'a body of message/sipfrag in a NOTIFY about a REFER',
    explanation: 'The transferor never learns whether the transfer worked.',
    check: (m) => {
      if (!m.isRequest || m.method !== 'NOTIFY' || !/^refer\s*(;|$)/i.test(m.sip.value(HEADER.EVENT))) return null;
      const type = m.sip.value(HEADER.CONTENT_TYPE);
      return /^message\/sipfrag/i.test(type) ? null : `Content-Type: ${type === '' ? 'none' : shown(type)}`;
    },
  },
  {
    id: 'prack-without-rack',
    severity: 'error',
    rfc: 3262,
    section: '7.2',
    expected: 'an RAck in PRACK',
    explanation: 'The sender repeats the response that it acknowledges, and the call may fail.',
    check: (m) =>
      m.isRequest && m.method === 'PRACK' && !/^\d+\s+\d+\s+\S+$/.test(m.sip.value(HEADER.RACK))
        ? `RAck: ${shown(m.sip.value(HEADER.RACK))}`
        : null,
  },
  {
    id: 'session-expires-small',
    severity: 'warning',
    rfc: 4028,
    section: '4',
    expected: 'at least 90 seconds',
    explanation: 'The call is refreshed all the time, or refused with 422.',
    check: (m) => {
      const seconds = /^\d+/.exec(m.sip.value(HEADER.SESSION_EXPIRES))?.[0];
      return seconds !== undefined && Number(seconds) < 90 ? `Session-Expires: ${seconds}` : null;
    },
  },
  {
    id: 'min-se-small',
    severity: 'notice',
    rfc: 4028,
    section: '5',
    expected: 'at least 90 seconds',
    explanation: 'The value is not allowed and is ignored by some.',
    check: (m) => {
      const seconds = /^\d+/.exec(m.sip.value(HEADER.MIN_SE))?.[0];
      return seconds !== undefined && Number(seconds) < 90 ? `Min-SE: ${seconds}` : null;
    },
  },
  {
    id: 'session-expires-below-min',
    severity: 'warning',
    rfc: 4028,
    section: '7.1',
    expected: 'a Session-Expires not below the Min-SE of the same request',
    explanation: 'The two contradict each other; the request is refused with 422 or 400.',
    check: (m) => {
      const expires = Number(/^\d+/.exec(m.sip.value(HEADER.SESSION_EXPIRES))?.[0] ?? Number.NaN);
      const min = Number(/^\d+/.exec(m.sip.value(HEADER.MIN_SE))?.[0] ?? Number.NaN);
      return m.isRequest && expires < min ? `Session-Expires ${expires}, Min-SE ${min}` : null;
    },
  },
];
