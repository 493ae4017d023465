/** Rules about how a message is written: lines, start line, and the form of values (RFC 3261 unless named otherwise). */

import { HEADER, HEADER_NAMES } from '../../protocols/sip/header-name.ts';
import { NOTE } from '../../protocols/sip/notes.ts';
import { hasParam } from '../../protocols/sip/params.ts';
import type { LintRule } from './rule.ts';
import { isNoted, shown } from './values.ts';

const RFC = 3261;

export const SYNTAX_RULES: readonly LintRule[] = [
  {
    id: 'line-end-bare-lf',
    severity: 'warning',
    basis: 'must',
    rfc: RFC,
    section: '7',
    expected: 'CR LF at the end of every line',
    explanation: 'Strict parsers see one long line, or nothing.',
    fires: ['INVITE | %lf'],
    passes: ['INVITE'],
    check: (m) => (isNoted(m, NOTE.bareLf) ? 'a line ends in LF alone' : null),
  },
  {
    id: 'header-line-unreadable',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '7.3.1',
    expected: 'name, colon and value in every header line',
    explanation: 'Many servers drop the whole message without an answer.',
    fires: ['REGISTER | +Bad Header Name: x'],
    passes: ['REGISTER | +X-Good: x'],
    check: (m) => (isNoted(m, NOTE.badHeaderLine) ? 'a line that is no header' : null),
  },
  {
    id: 'start-line-form',
    severity: 'warning',
    basis: 'must',
    rfc: RFC,
    section: '7.1',
    expected: 'parts of the start line with one space between them',
    explanation: 'Strict parsers refuse the message.',
    fires: ['OPTIONS | =OPTIONS  sip:192.0.2.2:5060 SIP/2.0'],
    passes: ['OPTIONS'],
    check: (m) => (isNoted(m, NOTE.badStartLine) ? shown(m.sip.startLine) : null),
  },
  {
    id: 'request-uri-form',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '7.1',
    expected: 'a URI without blanks, angle brackets or headers',
    explanation: 'The request cannot be routed.',
    fires: ['OPTIONS | =OPTIONS <sip:192.0.2.2:5060> SIP/2.0'],
    passes: ['OPTIONS'],
    check: (m) => (isNoted(m, NOTE.badRequestUri) ? shown(m.sip.requestUriText) : null),
  },
  {
    id: 'version-unknown',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '7.1',
    expected: 'SIP/2.0',
    explanation: 'The receiver answers 505 or nothing.',
    fires: ['OPTIONS | =OPTIONS sip:192.0.2.2:5060 SIP/3.0'],
    passes: ['OPTIONS'],
    check: (m) => (isNoted(m, NOTE.badVersion) ? shown(m.sip.version) : null),
  },
  {
    id: 'status-code-invalid',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '7.2',
    expected: 'three digits from 100 to 699',
    explanation: 'The client cannot know whether its request succeeded.',
    fires: ['INVITE', '200 | =SIP/2.0 799 OK'],
    passes: ['INVITE', '200'],
    check: (m) => (!m.isRequest && isNoted(m, NOTE.badStatus) ? shown(m.sip.startLine) : null),
  },
  {
    id: 'header-order',
    severity: 'info',
    basis: 'should',
    rfc: RFC,
    section: '7.3.1',
    expected: 'Via and Route before headers that proxies do not need',
    explanation: 'Some devices read only the top of a message, or expect Via first.',
    fires: [
      'INVITE | -Via | +Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-late',
      'INVITE | -Via | +X-Last: 1 | +Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-late',
    ],
    passes: ['INVITE'],
    check: (m) => {
      const at = m.sip.headers.findIndex((h) => h.id === HEADER.VIA);
      const before = m.sip.headers[at - 1];
      const isLate = m.sip.headers
        .slice(0, Math.max(0, at))
        .some((h) => h.id === HEADER.CONTACT || h.id === HEADER.CONTENT_LENGTH);
      return isLate && before !== undefined ? `Via after ${HEADER_NAMES[before.id] || before.name}` : null;
    },
  },
  {
    id: 'header-folded',
    severity: 'info',
    basis: 'interop',
    rfc: RFC,
    section: '7.3.1',
    expected: 'a value on one line',
    explanation: 'Folding is legal, but some stacks and most scripts read the first line only.',
    fires: ['INVITE | Subject: one\r\n two'],
    passes: ['INVITE | Subject: one two'],
    check: (m) => (isNoted(m, NOTE.folded) ? 'a value continues on the next line' : null),
  },
  {
    id: 'ipv6-without-brackets',
    severity: 'error',
    basis: 'must',
    rfc: RFC,
    section: '19.1.1',
    expected: 'an IPv6 address in square brackets',
    explanation: 'Receivers cannot separate host and port.',
    fires: ['INVITE | Contact: <sip:alice@2001:db8::1>'],
    passes: ['INVITE | Contact: <sip:alice@[2001:db8::1]:5060>'],
    check: (m) => {
      const texts = [m.sip.requestUriText, m.sip.value(HEADER.CONTACT), m.sip.value(HEADER.VIA)];
      const found = texts.find((t) =>
        /[@:\s](?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?=[;>\s]|$)/i.test(t.replaceAll(/\[[^\]]*\]/g, '')),
      );
      return found === undefined ? null : shown(found);
    },
  },
  {
    id: 'tel-context-missing',
    severity: 'warning',
    basis: 'must',
    rfc: 3966,
    section: '5.1.5',
    expected: 'a phone-context with a local number',
    explanation: 'Nobody but the sender knows which network the number belongs to.',
    fires: ['INVITE | =INVITE tel:7042 SIP/2.0'],
    passes: [
      'INVITE | =INVITE tel:7042;phone-context=example.com SIP/2.0',
      'INVITE | =INVITE tel:+1-201-555-0123 SIP/2.0',
    ],
    check: (m) => {
      const uris = [m.sip.requestUri, m.sip.from?.uri ?? null, m.sip.to?.uri ?? null];
      const local = uris.find(
        (u) => u?.scheme === 'tel' && !(u.user ?? '+').startsWith('+') && !hasParam(u.params, 'phone-context'),
      );
      return local ? shown(local.text) : null;
    },
  },
  {
    id: 'date-form',
    severity: 'notice',
    basis: 'must',
    rfc: RFC,
    section: '20.17',
    expected: 'a date in GMT, as in "Sat, 13 Nov 2010 23:29:00 GMT"',
    explanation: 'Receivers that check freshness refuse or ignore it.',
    fires: ['INVITE | Date: 2010-11-13 23:29:00'],
    passes: ['INVITE | Date: Sat, 13 Nov 2010 23:29:00 GMT'],
    check: (m) => (isNoted(m, NOTE.badDate) ? `Date: ${shown(m.sip.value(HEADER.DATE))}` : null),
  },
  {
    id: 'warning-form',
    severity: 'notice',
    basis: 'must',
    rfc: RFC,
    section: '20.43',
    expected: 'three digits, an agent and a quoted text',
    explanation: 'The reason it should give cannot be read.',
    fires: ['INVITE', '488 | Warning: incompatible'],
    passes: ['INVITE', '488 | Warning: 304 pbx "Media type not available"'],
    check: (m) => {
      const bad = m.sip.values(HEADER.WARNING).find((w) => !/^\d{3} \S+ "/.test(w));
      return bad === undefined ? null : `Warning: ${shown(bad)}`;
    },
  },
  {
    id: 'expires-invalid',
    severity: 'notice',
    basis: 'must',
    rfc: RFC,
    section: '20.19',
    expected: 'seconds from 0 to 2^32-1',
    explanation: 'The registrar or notifier takes its own default instead.',
    fires: ['REGISTER | Expires: soon'],
    passes: ['REGISTER | Expires: 3600'],
    check: (m) => {
      const value = m.sip.header(HEADER.EXPIRES)?.value;
      return value === undefined || m.sip.number(HEADER.EXPIRES) !== null ? null : `Expires: ${shown(value)}`;
    },
  },
  {
    id: 'multipart-boundary-missing',
    severity: 'error',
    basis: 'must',
    rfc: 2046,
    section: '5.1.1',
    expected: 'a boundary parameter with every multipart type',
    explanation: 'The parts, and with them the SDP, cannot be found.',
    fires: ['INVITE | ~x | Content-Type: multipart/mixed'],
    passes: ['INVITE | ~--b--\\n | Content-Type: multipart/mixed;boundary=b'],
    check: (m) => {
      const type = m.sip.value(HEADER.CONTENT_TYPE);
      return /^multipart\//i.test(type) && !/;\s*boundary\s*=/i.test(type) ? `Content-Type: ${shown(type)}` : null;
    },
  },
  {
    id: 'record-route-without-lr',
    severity: 'warning',
    basis: 'must',
    rfc: RFC,
    section: '16.6',
    expected: 'the lr parameter in every Record-Route URI',
    explanation: 'Later requests are rewritten for a strict router and often get lost.',
    fires: ['INVITE | +Record-Route: <sip:192.0.2.9>'],
    passes: ['INVITE | +Record-Route: <sip:192.0.2.9;lr>'],
    check: (m) => {
      const strict = m.sip.addresses(HEADER.RECORD_ROUTE).find((a) => a.uri !== null && !hasParam(a.uri.params, 'lr'));
      return strict === undefined ? null : shown(strict.uriText);
    },
  },
];
