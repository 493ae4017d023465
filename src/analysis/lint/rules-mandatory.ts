/** Rules about the headers that every message needs, and what they must say (RFC 3261 unless named otherwise). */

import { HEADER } from '../../protocols/sip/header-name.ts';
import { NOTE } from '../../protocols/sip/notes.ts';
import { MAGIC_COOKIE } from '../../protocols/sip/via.ts';
import type { LintRuleRow } from './rule.ts';
import { isNoted, lacks, shown } from './values.ts';

const MANDATORY: readonly (readonly [number, string])[] = [
  [HEADER.VIA, 'Via'],
  [HEADER.FROM, 'From'],
  [HEADER.TO, 'To'],
  [HEADER.CALL_ID, 'Call-ID'],
  [HEADER.CSEQ, 'CSeq'],
];
const SINGLE: readonly (readonly [number, string])[] = [
  ...MANDATORY.slice(1),
  [HEADER.CONTENT_LENGTH, 'Content-Length'],
  [HEADER.MAX_FORWARDS, 'Max-Forwards'],
];

export const MANDATORY_RULES: readonly LintRuleRow[] = [
  {
    id: 'mandatory-header-missing',
    severity: 'error',
    section: '8.1.1',
    expected: 'Via, From, To, Call-ID and CSeq in every message',
    explanation: 'Without it the message belongs to no transaction or dialog, and most servers drop it.',
    check: (m) => {
      const absent = MANDATORY.filter(([id]) => lacks(m, id)).map(([, name]) => name);
      return absent.length === 0 ? null : `no ${absent.join(', ')}`;
    },
  },
  {
    id: 'max-forwards-missing',
    severity: 'warning',
    section: '8.1.1.6',
    expected: 'a Max-Forwards header in every request',
    explanation: 'A request without it can loop until something else stops it.',
    check: (m) => (m.isRequest && lacks(m, HEADER.MAX_FORWARDS) ? 'no Max-Forwards' : null),
  },
  {
    id: 'max-forwards-invalid',
    severity: 'error',
    section: '20.22',
    expected: 'a whole number from 0 to 255',
    explanation: 'A hop that cannot read the number refuses the request or forwards it without a limit.',
    check: (m) => {
      const value = m.sip.header(HEADER.MAX_FORWARDS)?.value;
      return value === undefined || m.sip.number(HEADER.MAX_FORWARDS, 255) !== null
        ? null
        : `Max-Forwards: ${shown(value)}`;
    },
  },
  {
    id: 'max-forwards-high',
    severity: 'info',
    basis: 'should',
    section: '8.1.1.6',
    expected: 'at most 70',
    explanation: 'A loop lasts longer than it has to.',
    check: (m) => {
      const hops = m.sip.number(HEADER.MAX_FORWARDS, 255);
      return m.isRequest && hops !== null && hops > 70 ? `Max-Forwards: ${hops}` : null;
    },
  },
  {
    id: 'max-forwards-exhausted',
    severity: 'warning',
    basis: 'observation',
    section: '16.3',
    expected: 'a request arrives before its hops are used up',
    explanation: 'The next proxy answers 483: the request probably runs in a loop.',
    check: (m) =>
      m.isRequest && m.method !== 'OPTIONS' && m.sip.number(HEADER.MAX_FORWARDS, 255) === 0 ? 'Max-Forwards: 0' : null,
  },
  {
    id: 'single-header-repeated',
    severity: 'error',
    section: '7.3.1',
    expected: 'one header of its kind',
    explanation: 'Two elements may read different values and disagree about the transaction.',
    check: (m) => {
      const found = SINGLE.find(([id]) => m.sip.headersOf(id).length > 1);
      return found === undefined ? null : `${m.sip.headersOf(found[0]).length} ${found[1]} headers`;
    },
  },
  {
    id: 'branch-without-cookie',
    severity: 'warning',
    section: '8.1.1.7',
    expected: `a branch that begins with ${MAGIC_COOKIE}`,
    explanation: 'Servers fall back to the matching of RFC 2543, which merges and forks requests wrongly.',
    check: (m) => {
      if (!m.isRequest || m.topVia === null || m.branch.startsWith(MAGIC_COOKIE)) return null;
      return m.branch === '' ? 'no branch in the top Via' : `branch=${shown(m.branch)}`;
    },
  },
  {
    id: 'via-unreadable',
    severity: 'error',
    section: '20.42',
    expected: 'protocol, transport and sent-by in every Via',
    explanation: 'The response cannot find its way back.',
    check: (m) => (isNoted(m, NOTE.badVia) ? shown(m.sip.value(HEADER.VIA)) : null),
  },
  {
    id: 'address-unreadable',
    severity: 'warning',
    section: '20.10',
    expected: 'a name and an address in angle brackets wherever the URI has a comma, question mark or semicolon',
    explanation: 'Receivers read another URI, tag or name than the sender meant.',
    check: (m) => {
      if (!isNoted(m, NOTE.badNameAddr)) return null;
      return `From: ${shown(m.sip.value(HEADER.FROM))}, To: ${shown(m.sip.value(HEADER.TO))}, Contact: ${shown(m.sip.value(HEADER.CONTACT))}`;
    },
  },
  {
    id: 'from-tag-missing',
    severity: 'error',
    section: '8.1.1.3',
    expected: 'a tag in the From of every request',
    explanation: 'Without it no dialog can be made of the request.',
    check: (m) =>
      m.isRequest && !lacks(m, HEADER.FROM) && m.fromTag === '' ? `From: ${shown(m.sip.value(HEADER.FROM))}` : null,
  },
  {
    id: 'cseq-method-differs',
    severity: 'error',
    section: '8.1.1.5',
    expected: 'the method of the request line in CSeq',
    explanation: 'The responses will be matched to a transaction of another method, or to none.',
    check: (m) => (isNoted(m, NOTE.cseqMismatch) ? `${m.method} with CSeq ${shown(m.sip.value(HEADER.CSEQ))}` : null),
  },
  {
    id: 'cseq-invalid',
    severity: 'error',
    section: '8.1.1.5',
    expected: 'a number below 2^31 and a method',
    explanation: 'Order and matching of the requests of the dialog are lost.',
    check: (m) => (isNoted(m, NOTE.badCseq) ? `CSeq: ${shown(m.sip.value(HEADER.CSEQ))}` : null),
  },
  {
    id: 'content-type-missing',
    severity: 'error',
    section: '20.15',
    expected: 'a Content-Type wherever there is a body',
    explanation: 'The receiver cannot know that the body is an SDP.',
    check: (m) =>
      m.sip.body.length > 0 && lacks(m, HEADER.CONTENT_TYPE) ? `${m.sip.body.length} bytes of body` : null,
  },
  {
    id: 'content-length-missing',
    severity: 'error',
    section: '18.3',
    expected: 'a Content-Length on every stream transport',
    explanation: 'The receiver cannot tell where the message ends and the next begins.',
    check: (m) =>
      (m.transport === 'TCP' || m.transport === 'TLS') && lacks(m, HEADER.CONTENT_LENGTH) ? 'no Content-Length' : null,
  },
  {
    id: 'content-length-large',
    severity: 'error',
    section: '18.3',
    expected: 'as many bytes as Content-Length says',
    explanation: 'The message was cut on its way, or is refused with 400.',
    check: (m) =>
      isNoted(m, NOTE.bodyShort) ? `Content-Length: ${m.sip.scan.contentLength}, ${m.sip.body.length} bytes` : null,
  },
  {
    id: 'content-length-small',
    severity: 'warning',
    basis: 'interop',
    section: '18.3',
    expected: 'nothing after the body',
    explanation: 'Receivers discard what follows it; an SDP loses its last lines.',
    check: (m) => {
      const { scan } = m.sip;
      const rest = m.bytes - scan.bodyEnd;
      return isNoted(m, NOTE.bodyExtra)
        ? `Content-Length: ${scan.contentLength}, more bytes follow${rest > 0 ? ` (${rest})` : ''}`
        : null;
    },
  },
  {
    id: 'content-length-invalid',
    severity: 'error',
    section: '20.14',
    expected: 'a decimal number of bytes',
    explanation: 'On a stream every later message is lost with this one.',
    check: (m) =>
      isNoted(m, NOTE.badContentLength) ? `Content-Length: ${shown(m.sip.value(HEADER.CONTENT_LENGTH))}` : null,
  },
];
