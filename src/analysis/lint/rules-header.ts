/** Rules about what single headers of a message promise or need (RFC 3261 and its extensions). */

import { HEADER } from '../../protocols/sip/header-name.ts';
import type { LintRule } from './rule.ts';
import { lacks, shown } from './values.ts';

const RFC = 3261;

export const HEADER_RULES: readonly LintRule[] = [
  {
    id: 'contact-missing',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '8.1.1.8',
    expected: 'one Contact in a request that can open a dialog',
    explanation: 'The other side has no address for ACK, BYE and re-INVITE.',
    fires: ['INVITE | -Contact'],
    passes: ['INVITE'],
    check: (m) =>
      m.isRequest && ['INVITE', 'SUBSCRIBE', 'REFER'].includes(m.method) && lacks(m, HEADER.CONTACT)
        ? `${m.method} without Contact`
        : null,
  },
  {
    id: 'contact-many',
    severity: 'warning',
    basis: 'must',
    rfc: RFC,
    section: '8.1.1.8',
    expected: 'exactly one Contact URI in a request that can open a dialog',
    explanation: 'Which of them gets the later requests is left to chance.',
    fires: ['INVITE | +Contact: <sip:b@192.0.2.9>'],
    passes: ['INVITE'],
    check: (m) => {
      const count = m.sip.values(HEADER.CONTACT).length;
      return m.isRequest && m.method === 'INVITE' && count > 1 ? `${count} Contact values` : null;
    },
  },
  {
    id: 'sips-contact',
    severity: 'notice',
    basis: 'must',
    rfc: RFC,
    section: '8.1.1.8',
    expected: 'a SIPS Contact where the Request-URI is SIPS',
    explanation: 'Later requests of a call that should be secured may go in the clear.',
    fires: ['INVITE | =INVITE sips:bob@example.com SIP/2.0'],
    passes: ['INVITE | =INVITE sips:bob@example.com SIP/2.0 | Contact: <sips:alice@192.0.2.1>'],
    check: (m) => {
      const contact = m.sip.contacts[0]?.uri?.scheme;
      if (!m.isRequest || m.sip.requestUri?.scheme !== 'sips' || contact !== 'sip') return null;
      return `Contact: ${shown(m.sip.value(HEADER.CONTACT))}`;
    },
  },
  {
    id: 'session-id-form',
    severity: 'notice',
    basis: 'must',
    rfc: 7989,
    section: '5',
    expected: '32 lower-case hex digits, and those of the peer as remote',
    explanation: 'The legs of the call cannot be put together by it.',
    fires: ['INVITE | Session-ID: my-session'],
    passes: ['INVITE | Session-ID: ab30317f1a784dc48ff824d0d3715d86;remote=00000000000000000000000000000000'],
    check: (m) => {
      const value = m.sip.header(HEADER.SESSION_ID)?.value;
      if (value === undefined || /^[0-9a-f]{32}(\s*;|$)/.test(value)) return null;
      return `Session-ID: ${shown(value)}`;
    },
  },
  {
    id: 'charging-vector-without-icid',
    severity: 'notice',
    basis: 'must',
    rfc: 7315,
    section: '5.6',
    expected: 'an icid-value in every P-Charging-Vector',
    explanation: 'The charging records of the legs cannot be put together.',
    fires: ['INVITE | P-Charging-Vector: orig-ioi=home.example'],
    passes: ['INVITE | P-Charging-Vector: icid-value=1234;orig-ioi=home.example'],
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
    fires: ['INVITE | Privacy: id | P-Asserted-Identity: <sip:+12015550123@example.com>'],
    passes: ['INVITE | Privacy: none | P-Asserted-Identity: <sip:+12015550123@example.com>'],
    check: (m) =>
      m.isRequest && /\bid\b/i.test(m.sip.value(HEADER.PRIVACY)) && !lacks(m, HEADER.P_ASSERTED_IDENTITY)
        ? 'Privacy: id together with P-Asserted-Identity'
        : null,
  },
  {
    id: 'digest-count-missing',
    severity: 'warning',
    basis: 'must',
    rfc: 7616,
    section: '3.4',
    expected: 'nc and cnonce wherever qop is sent',
    explanation: 'The server cannot compute the same digest and refuses the credentials.',
    fires: ['REGISTER | Authorization: Digest username="a", realm="r", nonce="n", uri="sip:x", response="0", qop=auth'],
    passes: [
      'REGISTER | Authorization: Digest username="a", realm="r", nonce="n", uri="sip:x", response="0", qop=auth, nc=00000001, cnonce="c"',
    ],
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
    basis: 'must',
    rfc: RFC,
    section: '18.1.1',
    expected: 'another transport than UDP for a request over 1300 bytes',
    explanation: 'The packet is fragmented; firewalls and some load balancers drop fragments.',
    fires: [`INVITE | +X-Filler: ${'x'.repeat(1500)}`],
    passes: ['INVITE', `INVITE | +X-Filler: ${'x'.repeat(1500)}`, '100'],
    check: (m, call) => {
      if (!m.isRequest || !m.isWire || m.transport !== 'UDP' || m.bytes <= 1300 || m.method === 'ACK') return null;
      // Where it was answered its fragments came through, and every other call would have this finding.
      return call.responsesTo(m).length === 0 ? `${m.bytes} bytes over UDP, never answered` : null;
    },
  },
  {
    id: 'via-transport-differs',
    severity: 'warning',
    basis: 'must',
    rfc: RFC,
    section: '18.1.1',
    expected: 'the transport in the top Via that carries the request',
    explanation: 'The response is sent over another transport and does not arrive.',
    fires: ['INVITE | Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK-x'],
    passes: ['INVITE', 'INVITE | %tcp'],
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
    basis: 'must',
    rfc: RFC,
    section: '26.2.2',
    expected: 'TLS on every hop of a SIPS request',
    explanation: 'The caller asked for a secured path and did not get it.',
    fires: ['INVITE | =INVITE sips:bob@example.com SIP/2.0 | Contact: <sips:alice@192.0.2.1>'],
    passes: ['INVITE'],
    check: (m) =>
      m.isRequest && m.isWire && m.sip.requestUri?.scheme === 'sips' && (m.transport === 'UDP' || m.transport === 'TCP')
        ? `${shown(m.sip.requestUriText)} over ${m.transport}`
        : null,
  },
  {
    id: 'cancel-with-require',
    severity: 'notice',
    basis: 'must',
    rfc: RFC,
    section: '9.1',
    expected: 'no Require or Proxy-Require in CANCEL',
    explanation: 'A proxy may refuse the CANCEL, and the phone keeps ringing.',
    fires: ['INVITE', '180', 'CANCEL | +Require: 100rel'],
    passes: ['INVITE', '180', 'CANCEL'],
    check: (m) =>
      m.isRequest && m.method === 'CANCEL' && (!lacks(m, HEADER.REQUIRE) || !lacks(m, HEADER.PROXY_REQUIRE))
        ? 'CANCEL with Require or Proxy-Require'
        : null,
  },
  {
    id: 'refer-to-count',
    severity: 'error',
    basis: 'must',
    rfc: 3515,
    section: '2.4.1',
    expected: 'exactly one Refer-To in REFER',
    explanation: 'The receiver answers 400: nobody knows where to transfer to.',
    fires: ['REFER'],
    passes: ['REFER | +Refer-To: <sip:carol@example.com>'],
    check: (m) => {
      const count = m.sip.values(HEADER.REFER_TO).length;
      return m.isRequest && m.method === 'REFER' && count !== 1 ? `${count} Refer-To values` : null;
    },
  },
  {
    id: 'subscribe-without-event',
    severity: 'error',
    basis: 'must',
    rfc: 6665,
    section: '3.1.2',
    expected: 'exactly one Event header in SUBSCRIBE',
    explanation: 'The notifier answers 489: it cannot know what is asked for.',
    fires: ['SUBSCRIBE'],
    passes: ['SUBSCRIBE | +Event: presence'],
    check: (m) => {
      const count = m.sip.headersOf(HEADER.EVENT).length;
      return m.isRequest && m.method === 'SUBSCRIBE' && count !== 1 ? `${count} Event headers` : null;
    },
  },
  {
    id: 'notify-without-state',
    severity: 'error',
    basis: 'must',
    rfc: 6665,
    section: '4.1.3',
    expected: 'a Subscription-State in NOTIFY',
    explanation: 'The subscriber cannot know whether its subscription stands, and refuses the NOTIFY.',
    fires: ['NOTIFY | +Event: presence'],
    passes: ['NOTIFY | +Event: presence | +Subscription-State: active'],
    check: (m) =>
      m.isRequest && m.method === 'NOTIFY' && lacks(m, HEADER.SUBSCRIPTION_STATE) ? 'no Subscription-State' : null,
  },
  {
    id: 'refer-notify-body',
    severity: 'notice',
    basis: 'must',
    rfc: 3515,
    section: '2.4.5',
    expected: 'a body of message/sipfrag in a NOTIFY about a REFER',
    explanation: 'The transferor never learns whether the transfer worked.',
    fires: ['NOTIFY | +Event: refer | +Subscription-State: active'],
    passes: [
      'NOTIFY | +Event: refer | +Subscription-State: active | ~SIP/2.0 200 OK\\n | Content-Type: message/sipfrag',
    ],
    check: (m) => {
      if (!m.isRequest || m.method !== 'NOTIFY' || !/^refer\s*(;|$)/i.test(m.sip.value(HEADER.EVENT))) return null;
      const type = m.sip.value(HEADER.CONTENT_TYPE);
      return /^message\/sipfrag/i.test(type) ? null : `Content-Type: ${type === '' ? 'none' : shown(type)}`;
    },
  },
  {
    id: 'prack-without-rack',
    severity: 'error',
    basis: 'must',
    rfc: 3262,
    section: '7.2',
    expected: 'an RAck in PRACK',
    explanation: 'The sender repeats the response that it acknowledges, and the call may fail.',
    fires: ['PRACK'],
    passes: ['PRACK | +RAck: 1 1 INVITE'],
    check: (m) =>
      m.isRequest && m.method === 'PRACK' && !/^\d+\s+\d+\s+\S+$/.test(m.sip.value(HEADER.RACK))
        ? `RAck: ${shown(m.sip.value(HEADER.RACK))}`
        : null,
  },
  {
    id: 'session-expires-small',
    severity: 'warning',
    basis: 'must',
    rfc: 4028,
    section: '4',
    expected: 'at least 90 seconds',
    explanation: 'The call is refreshed all the time, or refused with 422.',
    fires: ['INVITE | Session-Expires: 30'],
    passes: ['INVITE | Session-Expires: 1800;refresher=uac'],
    check: (m) => {
      const seconds = /^\d+/.exec(m.sip.value(HEADER.SESSION_EXPIRES))?.[0];
      return seconds !== undefined && Number(seconds) < 90 ? `Session-Expires: ${seconds}` : null;
    },
  },
  {
    id: 'min-se-small',
    severity: 'notice',
    basis: 'must',
    rfc: 4028,
    section: '5',
    expected: 'at least 90 seconds',
    explanation: 'The value is not allowed and is ignored by some.',
    fires: ['INVITE | Min-SE: 30'],
    passes: ['INVITE | Min-SE: 90'],
    check: (m) => {
      const seconds = /^\d+/.exec(m.sip.value(HEADER.MIN_SE))?.[0];
      return seconds !== undefined && Number(seconds) < 90 ? `Min-SE: ${seconds}` : null;
    },
  },
  {
    id: 'session-expires-below-min',
    severity: 'warning',
    basis: 'must',
    rfc: 4028,
    section: '7.1',
    expected: 'a Session-Expires not below the Min-SE of the same request',
    explanation: 'The two contradict each other; the request is refused with 422 or 400.',
    fires: ['INVITE | Session-Expires: 120 | Min-SE: 600'],
    passes: ['INVITE | Session-Expires: 600 | Min-SE: 90'],
    check: (m) => {
      const expires = Number(/^\d+/.exec(m.sip.value(HEADER.SESSION_EXPIRES))?.[0] ?? Number.NaN);
      const min = Number(/^\d+/.exec(m.sip.value(HEADER.MIN_SE))?.[0] ?? Number.NaN);
      return m.isRequest && expires < min ? `Session-Expires ${expires}, Min-SE ${min}` : null;
    },
  },
];
