/** Rules about messages together: a response and its request, the order of a dialog (RFC 3261 unless named otherwise). */

import { endpointText } from '../../core/ip.ts';
import { HEADER } from '../../protocols/sip/header-name.ts';
import { hasParam } from '../../protocols/sip/params.ts';
import type { LintCall, LintMessage, LintRuleRow } from './rule.ts';
import { isResponse, lacks, viaParam } from './values.ts';

/** The 2xx of the INVITE with this CSeq that came before. */
function answerBefore(m: LintMessage, call: LintCall): LintMessage | undefined {
  return call.ofCseq(m.cseq).find((r) => isResponse(r, 'INVITE', 200, 299) && r.index < m.index);
}

/** The INVITE of the same sender, sequence and hop. */
function inviteOf(m: LintMessage, call: LintCall): LintMessage | undefined {
  return call.ofCseq(m.cseq).find((r) => r.isRequest && r.method === 'INVITE' && r.dst === m.dst && r.src === m.src);
}

export const DIALOG_RULES: readonly LintRuleRow[] = [
  {
    id: 'to-tag-missing',
    severity: 'error',
    section: '8.2.6.2',
    expected: 'a tag in the To of every response but 100',
    explanation: 'The caller cannot make a dialog of the answer; some never send the ACK.',
    check: (m) => (!m.isRequest && m.status > 100 && m.toTag === '' ? `${m.status} without a To tag` : null),
  },
  {
    id: 'response-from-differs',
    severity: 'warning',
    section: '8.2.6.2',
    expected: 'the From of the request, tag and all',
    explanation: 'The client finds no transaction or dialog for the response.',
    check: (m, call) => {
      const request = m.isRequest ? null : call.requestOf(m);
      return request === null || request.fromTag === m.fromTag
        ? null
        : `tag ${m.fromTag}, the request has ${request.fromTag}`;
    },
  },
  {
    id: 'branch-reused',
    severity: 'warning',
    section: '8.1.1.7',
    expected: 'a new branch for every transaction',
    explanation: 'The second request is taken for a retransmission of the first and gets its answer.',
    check: (m, call) => {
      if (!m.isRequest || m.branch === '' || m.method === 'ACK' || m.method === 'CANCEL') return null;
      const other = call.messages.find(
        (r) =>
          r.index < m.index &&
          r.isRequest &&
          r.branch === m.branch &&
          r.src === m.src &&
          r.dst === m.dst &&
          r.cseq !== m.cseq,
      );
      return other === undefined ? null : `branch of ${other.method} ${other.cseq}`;
    },
  },
  {
    id: 'cseq-not-rising',
    severity: 'warning',
    section: '12.2.1.1',
    expected: 'a higher CSeq than that of the request before, from the same side',
    explanation: 'The other side answers 500 and ignores the request.',
    check: (m, call) => {
      if (!m.isRequest || m.method === 'ACK' || m.method === 'CANCEL' || m.toTag === '' || m.cseq < 0) return null;
      const before = call.messages.findLast(
        (r) =>
          r.index < m.index &&
          r.isRequest &&
          r.fromTag === m.fromTag &&
          r.src === m.src &&
          r.dst === m.dst &&
          r.method !== 'ACK' &&
          r.method !== 'CANCEL',
      );
      return before === undefined || m.cseq > before.cseq
        ? null
        : `${m.method} ${m.cseq} after ${before.method} ${before.cseq}`;
    },
  },
  {
    id: 'call-id-reused',
    severity: 'warning',
    section: '8.1.1.4',
    expected: 'a Call-ID of its own for a call that begins after another has ended',
    explanation:
      'Both calls are one wherever calls are kept by Call-ID: state, times and records stay those of the first.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'INVITE' || m.toTag !== '') return null;
      const end = call.messages.find((r) => r.index < m.index && isResponse(r, 'BYE', 200, 299));
      return end === undefined ? null : `INVITE ${m.cseq} after the BYE ${end.cseq} was answered`;
    },
  },
  {
    id: 'bye-without-to-tag',
    severity: 'error',
    section: '12.2.1.1',
    expected: 'the tags of the dialog in From and To',
    explanation: 'The other side answers 481 and the call stays up.',
    check: (m) => (m.isRequest && m.method === 'BYE' && m.toTag === '' ? 'BYE without a To tag' : null),
  },
  {
    id: 'ack-cseq-differs',
    severity: 'error',
    section: '13.2.2.4',
    expected: 'the CSeq number of the INVITE it acknowledges',
    explanation: 'The answer is repeated until the call is torn down.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'ACK') return null;
      const invites = call.messages.filter((r) => r.isRequest && r.method === 'INVITE' && r.fromTag === m.fromTag);
      if (invites.length === 0 || invites.some((r) => r.cseq === m.cseq)) return null;
      return `ACK ${m.cseq}, INVITE ${invites.map((r) => r.cseq).join(', ')}`;
    },
  },
  {
    id: 'ack-failure-branch',
    severity: 'warning',
    section: '17.1.1.3',
    expected: 'the branch of the INVITE in the ACK to its failure',
    explanation: 'The server does not know what the ACK belongs to and repeats the failure.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'ACK' || answerBefore(m, call) !== undefined) return null;
      const invite = inviteOf(m, call);
      const isFailed = invite !== undefined && call.responsesTo(invite).some((r) => r.status >= 300);
      return isFailed && invite.branch !== m.branch ? `branch ${m.branch}, the INVITE has ${invite.branch}` : null;
    },
  },
  {
    id: 'ack-2xx-branch',
    severity: 'notice',
    section: '8.1.1.7',
    expected: 'a branch of its own in the ACK to a 2xx',
    explanation: 'The ACK is a transaction of its own; a proxy may take it for part of the INVITE and swallow it.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'ACK' || answerBefore(m, call) === undefined) return null;
      return inviteOf(m, call)?.branch === m.branch && m.branch !== '' ? `branch of the INVITE: ${m.branch}` : null;
    },
  },
  {
    id: 'ack-target',
    severity: 'warning',
    section: '12.2.1.1',
    expected: 'the Contact of the 2xx as Request-URI of the ACK',
    explanation: 'The ACK may go to a place where nobody waits for it.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'ACK' || call.hosts > 2 || !lacks(m, HEADER.ROUTE)) return null;
      const answer = answerBefore(m, call);
      if (answer === undefined || !lacks(answer, HEADER.RECORD_ROUTE)) return null;
      const target = answer.sip.contacts[0]?.uri;
      const uri = m.sip.requestUri;
      if (!target || uri === null || (target.host === uri.host && target.user === uri.user)) return null;
      return `ACK to ${uri.text}, Contact ${target.text}`;
    },
  },
  {
    id: 'cancel-branch',
    severity: 'error',
    section: '9.1',
    expected: 'the branch of the INVITE it cancels',
    explanation: 'The server answers 481 and the phone keeps ringing.',
    check: (m, call) => {
      const invite = m.isRequest && m.method === 'CANCEL' ? inviteOf(m, call) : undefined;
      return invite === undefined || invite.branch === m.branch
        ? null
        : `branch ${m.branch}, the INVITE has ${invite.branch}`;
    },
  },
  {
    id: 'cancel-target',
    severity: 'warning',
    section: '9.1',
    expected: 'the Request-URI of the INVITE it cancels',
    explanation: 'A proxy may route the CANCEL to another branch than the INVITE.',
    check: (m, call) => {
      const invite = m.isRequest && m.method === 'CANCEL' ? inviteOf(m, call) : undefined;
      if (invite === undefined || invite.sip.requestUriText === m.sip.requestUriText) return null;
      return `${m.sip.requestUriText}, the INVITE went to ${invite.sip.requestUriText}`;
    },
  },
  {
    id: 'cancel-early',
    severity: 'notice',
    section: '9.1',
    expected: 'a provisional response before the CANCEL',
    explanation: 'The CANCEL may overtake the INVITE, which then rings on.',
    check: (m, call) => {
      const invite = m.isRequest && m.method === 'CANCEL' ? inviteOf(m, call) : undefined;
      if (invite === undefined || call.responsesTo(invite).some((r) => r.index < m.index && r.method === 'INVITE'))
        return null;
      return 'no response to the INVITE before it';
    },
  },
  {
    id: 'no-trying',
    severity: 'info',
    basis: 'observation',
    section: '17.2.1',
    expected: 'a response to an INVITE within 200 ms',
    explanation: 'The INVITE is sent again and again until something comes; the path may be slow or lossy.',
    check: (m, call) => {
      if (!m.isRequest || m.method !== 'INVITE') return null;
      const first = call.responsesTo(m)[0];
      const ms = first === undefined ? 0 : (first.tsUs - m.tsUs) / 1000;
      return ms > 500 ? `${first?.status} after ${Math.round(ms)} ms` : null;
    },
  },
  {
    id: 'answer-without-contact',
    severity: 'error',
    section: '12.1.1',
    expected: 'a Contact in the 2xx to an INVITE',
    explanation: 'The caller has no address for ACK and BYE.',
    check: (m) =>
      isResponse(m, 'INVITE', 200, 299) && lacks(m, HEADER.CONTACT) ? `${m.status} without Contact` : null,
  },
  {
    id: 'rport-not-filled',
    severity: 'warning',
    rfc: 3581,
    section: '4',
    expected: 'the source port as the value of rport',
    explanation: 'Behind a NAT the response goes to a port where nobody listens.',
    check: (m, call) => {
      const via = m.topVia;
      if (m.isRequest || m.transport !== 'UDP' || via === null) return null;
      if (!hasParam(via.params, 'rport') || viaParam(m, 'rport') !== null) return null;
      // Where the request came from the place its Via names, the value changes nothing.
      const request = call.requestOf(m);
      const named = endpointText(via.host, via.port ?? 5060);
      return request !== null && request.src !== named
        ? `no value; the request came from ${request.src}, Via names ${named}`
        : null;
    },
  },
  {
    id: 'received-missing',
    severity: 'warning',
    section: '18.2.1',
    expected: 'received in the Via when the request came from another address than it names',
    explanation: 'A server that follows the Via sends the response to an address that may not exist for it.',
    check: (m, call) => {
      const via = m.topVia;
      if (m.isRequest || !m.isWire || via === null || via.received !== null || !/^[\d.]+$|:/.test(via.host))
        return null;
      // Only where the request was seen to come from that address: an address translator may sit in between.
      const request = call.requestOf(m);
      const isItsVia = request?.topVia?.host === via.host;
      return request !== null && isItsVia && via.host !== m.dstAddress && request.srcAddress === m.dstAddress
        ? `Via names ${via.host}, the request came from ${m.dstAddress}`
        : null;
    },
  },
];
