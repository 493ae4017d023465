/** Rules about how a message is written: lines, start line, and the form of values (RFC 3261 unless named otherwise). */

import { HEADER, HEADER_NAMES } from '../../protocols/sip/header-name.ts';
import { NOTE } from '../../protocols/sip/notes.ts';
import { hasParam } from '../../protocols/sip/params.ts';
import type { LintRuleRow } from './rule.ts';
import { isNoted, shown } from './values.ts';

export const SYNTAX_RULES: readonly LintRuleRow[] = [
  {
    id: 'line-end-bare-lf',
    severity: 'warning',
    section: '7',
    expected: 'CR LF at the end of every line',
    explanation: 'Strict parsers see one long line, or nothing.',
    check: (m) => (isNoted(m, NOTE.bareLf) ? 'a line ends in LF alone' : null),
  },
  {
    id: 'header-line-unreadable',
    severity: 'error',
    section: '7.3.1',
    expected: 'name, colon and value in every header line',
    explanation: 'Many servers drop the whole message without an answer.',
    check: (m) => (isNoted(m, NOTE.badHeaderLine) ? 'a line that is not a header' : null),
  },
  {
    id: 'start-line-form',
    severity: 'warning',
    section: '7.1',
    expected: 'parts of the start line with one space between them',
    explanation: 'Strict parsers refuse the message.',
    check: (m) => (isNoted(m, NOTE.badStartLine) ? shown(m.sip.startLine) : null),
  },
  {
    id: 'request-uri-form',
    severity: 'error',
    section: '7.1',
    expected: 'a URI without blanks, angle brackets or headers',
    explanation: 'The request cannot be routed.',
    check: (m) => (isNoted(m, NOTE.badRequestUri) ? shown(m.sip.requestUriText) : null),
  },
  {
    id: 'version-unknown',
    severity: 'error',
    section: '7.1',
    expected: 'SIP/2.0',
    explanation: 'The receiver answers 505 or nothing.',
    check: (m) => (isNoted(m, NOTE.badVersion) ? shown(m.sip.version) : null),
  },
  {
    id: 'status-code-invalid',
    severity: 'error',
    section: '7.2',
    expected: 'three digits from 100 to 699',
    explanation: 'The client cannot know whether its request succeeded.',
    check: (m) => (!m.isRequest && isNoted(m, NOTE.badStatus) ? shown(m.sip.startLine) : null),
  },
  {
    id: 'header-order',
    severity: 'info',
    basis: 'should',
    section: '7.3.1',
    expected: 'Via and Route before headers that proxies do not need',
    explanation: 'Some devices read only the top of a message, or expect Via first.',
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
    section: '7.3.1',
    expected: 'a value on one line',
    explanation: 'Folding is legal, but some stacks and most scripts read the first line only.',
    check: (m) => (isNoted(m, NOTE.folded) ? 'a value continues on the next line' : null),
  },
  {
    id: 'ipv6-without-brackets',
    severity: 'error',
    section: '19.1.1',
    expected: 'an IPv6 address in square brackets',
    explanation: 'Receivers cannot separate host and port.',
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
    rfc: 3966,
    section: '5.1.5',
    expected: 'a phone-context with a local number',
    explanation: 'Only the sender knows which network the number belongs to.',
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
    section: '20.17',
    expected: 'a date in GMT, as in "Sat, 13 Nov 2010 23:29:00 GMT"',
    explanation: 'Receivers that check freshness refuse or ignore it.',
    check: (m) => (isNoted(m, NOTE.badDate) ? `Date: ${shown(m.sip.value(HEADER.DATE))}` : null),
  },
  {
    id: 'warning-form',
    severity: 'notice',
    section: '20.43',
    expected: 'three digits, an agent and a quoted text',
    explanation: 'The reason it should give cannot be read.',
    check: (m) => {
      const bad = m.sip.values(HEADER.WARNING).find((w) => !/^\d{3} \S+ "/.test(w));
      return bad === undefined ? null : `Warning: ${shown(bad)}`;
    },
  },
  {
    id: 'expires-invalid',
    severity: 'notice',
    section: '20.19',
    expected: 'seconds from 0 to 2^32-1',
    explanation: 'The registrar or notifier takes its own default instead.',
    check: (m) => {
      const value = m.sip.header(HEADER.EXPIRES)?.value;
      return value === undefined || m.sip.number(HEADER.EXPIRES) !== null ? null : `Expires: ${shown(value)}`;
    },
  },
  {
    id: 'multipart-boundary-missing',
    severity: 'error',
    rfc: 2046,
    section: '5.1.1',
    expected: 'a boundary parameter with every multipart type',
    explanation: 'The parts, and with them the SDP, cannot be found.',
    check: (m) => {
      const type = m.sip.value(HEADER.CONTENT_TYPE);
      return /^multipart\//i.test(type) && !/;\s*boundary\s*=/i.test(type) ? `Content-Type: ${shown(type)}` : null;
    },
  },
  {
    id: 'record-route-without-lr',
    severity: 'warning',
    section: '16.6',
    expected: 'the lr parameter in every Record-Route URI',
    explanation: 'Later requests are rewritten for a strict router and often get lost.',
    check: (m) => {
      const strict = m.sip.addresses(HEADER.RECORD_ROUTE).find((a) => a.uri !== null && !hasParam(a.uri.params, 'lr'));
      return strict === undefined ? null : shown(strict.uriText);
    },
  },
];
