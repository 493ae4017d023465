/** Rules about session descriptions, and the exchange of offer and answer (RFC 8866, RFC 3264). */

import { counted } from '../../core/counted.ts';
import { SDP_NOTE } from '../../protocols/sdp/notes.ts';
import type { LintRuleRow } from './rule.ts';
import { accepted, before, bodyText, encodings, isRtp, offerOf } from './sdp-of-call.ts';

const MANDATORY = SDP_NOTE.noVersion | SDP_NOTE.noOrigin | SDP_NOTE.noSessionName | SDP_NOTE.noTiming;
const LINES: readonly (readonly [number, string])[] = [
  [SDP_NOTE.noVersion, 'v='],
  [SDP_NOTE.noOrigin, 'o='],
  [SDP_NOTE.noSessionName, 's='],
  [SDP_NOTE.noTiming, 't='],
];

export const SDP_RULES: readonly LintRuleRow[] = [
  {
    id: 'sdp-mandatory-line',
    severity: 'warning',
    rfc: 8866,
    section: '5',
    expected: 'v=, o=, s= and t= in every description',
    explanation: 'Strict parsers refuse the description and with it the call.',
    check: (m) => {
      if (m.sdp === null || (m.sdp.notes & MANDATORY) === 0) return null;
      const notes = m.sdp.notes;
      return `no ${LINES.filter(([bit]) => (notes & bit) !== 0)
        .map(([, name]) => name)
        .join(', ')}`;
    },
  },
  {
    id: 'sdp-connection-missing',
    severity: 'error',
    rfc: 8866,
    section: '5.7',
    expected: 'a c= line for every medium, its own or the session’s',
    explanation: 'There is no address to send media to.',
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.noConnection) !== 0 ? 'no c= line' : null),
  },
  {
    id: 'sdp-origin-form',
    severity: 'notice',
    rfc: 8866,
    section: '5.2',
    expected: 'user, numeric session id, numeric version, IN, IP4 or IP6 and an address',
    explanation: 'Who compares versions to see whether something changed cannot.',
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.badOrigin) !== 0 ? `o=${m.sdp.origin}` : null),
  },
  {
    id: 'sdp-line-form',
    severity: 'notice',
    rfc: 8866,
    section: '5',
    expected: 'a letter, an equals sign and a value in every line',
    explanation: 'What the line should say is lost, or the whole description.',
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.badLine) !== 0 ? counted(m.sdp.badLines, 'line') : null),
  },
  {
    id: 'sdp-version-same',
    severity: 'warning',
    rfc: 3264,
    section: '8',
    expected: 'a higher version in o= whenever the description changes',
    explanation: 'The other side takes it for a repeat and keeps the old address or codec.',
    check: (m, call) => {
      const last = m.sdp === null || m.sdp.origin === '' ? undefined : before(m, call);
      // Another early dialog, with another To tag, is another session.
      if (last?.sdp?.origin !== m.sdp?.origin || last === undefined || last.toTag !== m.toTag) return null;
      return bodyText(last) === bodyText(m) ? null : `o=${m.sdp?.origin} as in message ${last.index}, with other lines`;
    },
  },
  {
    id: 'sdp-version-falls',
    severity: 'warning',
    rfc: 3264,
    section: '8',
    expected: 'a version in o= that only rises',
    explanation: 'The other side may take the description for an old one and ignore it.',
    check: (m, call) => {
      const last = m.sdp === null ? undefined : before(m, call);
      const [then, now] = [Number(last?.sdp?.sessionVersion), Number(m.sdp?.sessionVersion)];
      return now < then ? `version ${now} after ${then}` : null;
    },
  },
  {
    id: 'sdp-answer-media-count',
    severity: 'error',
    rfc: 3264,
    section: '6',
    expected: 'as many m= lines in the answer as in the offer',
    explanation: 'Nobody can say which medium an answer belongs to; most callers hang up.',
    check: (m, call) => {
      const offer = offerOf(m, call);
      if (offer === null || m.sdp === null || offer.media.length === m.sdp.media.length) return null;
      return `${m.sdp.media.length} m= lines, the offer has ${offer.media.length}`;
    },
  },
  {
    id: 'sdp-answer-media-type',
    severity: 'error',
    rfc: 3264,
    section: '6.1',
    expected: 'the media types of the offer, in its order',
    explanation: 'Audio is sent to where video is awaited.',
    check: (m, call) => {
      const offer = offerOf(m, call);
      const at =
        offer === null
          ? -1
          : (m.sdp?.media.findIndex((a, i) => offer.media[i] !== undefined && offer.media[i].type !== a.type) ?? -1);
      return at < 0 ? null : `m=${m.sdp?.media[at]?.type} for m=${offer?.media[at]?.type}`;
    },
  },
  {
    id: 'sdp-answer-no-common-codec',
    severity: 'error',
    rfc: 3264,
    section: '6.1',
    expected: 'at least one codec of the offer in every accepted medium',
    explanation: 'One side sends what the other cannot play.',
    check: (m, call) => {
      for (const [offered, answer] of accepted(m, call)) {
        if (!isRtp(offered) || !isRtp(answer)) continue;
        const [have, want] = [encodings(answer), encodings(offered)];
        if (have.size > 0 && want.size > 0 && ![...have].some((name) => want.has(name)))
          return `answered ${[...have].join(' ')}, offered ${[...want].join(' ')}`;
      }
      return null;
    },
  },
  {
    id: 'sdp-answer-direction',
    severity: 'warning',
    rfc: 3264,
    section: '6.1',
    expected:
      'a direction that fits the offered one: recvonly or inactive to sendonly, sendonly or inactive to recvonly',
    explanation: 'One side sends media that the other has said it will not take.',
    check: (m, call) => {
      for (const [offered, answer] of accepted(m, call)) {
        const clash =
          (offered.direction === 'sendonly' && (answer.direction === 'sendonly' || answer.direction === 'sendrecv')) ||
          (offered.direction === 'recvonly' && (answer.direction === 'recvonly' || answer.direction === 'sendrecv')) ||
          (offered.direction === 'inactive' && answer.direction !== 'inactive');
        if (clash) return `${answer.direction} in answer to ${offered.direction}`;
      }
      return null;
    },
  },
  {
    id: 'sdp-answer-profile',
    severity: 'warning',
    basis: 'interop',
    rfc: 3264,
    section: '6',
    expected: 'the transport protocol of the offer',
    explanation: 'Secured and plain RTP do not understand each other: silence or noise.',
    check: (m, call) => {
      for (const [offered, answer] of accepted(m, call))
        if (offered.proto.includes('SAVP') !== answer.proto.includes('SAVP'))
          return `${answer.proto} in answer to ${offered.proto}`;
      return null;
    },
  },
  {
    id: 'sdp-answer-missing',
    severity: 'error',
    section: '13.2.1',
    expected: 'an answer in the 2xx to an INVITE with an offer, unless a reliable response brought it before',
    explanation: 'The caller does not know where to send media.',
    check: (m, call) => {
      if (m.isRequest || m.method !== 'INVITE' || m.status < 200 || m.status > 299 || m.sip.body.length > 0)
        return null;
      const request = call.requestOf(m);
      if (request === null || request.sdp === null) return null;
      const early = call.ofCseq(m.cseq).some((r) => !r.isRequest && r.sdp !== null && r.toTag === m.toTag);
      return early ? null : `${m.status} without an SDP`;
    },
  },
  {
    id: 'sdp-answer-changed',
    severity: 'notice',
    section: '13.2.1',
    expected: 'in the 2xx the answer that the provisional responses of the same dialog brought',
    explanation: 'The caller may stay with the first answer and send media to the wrong place.',
    check: (m, call) => {
      if (m.isRequest || m.sdp === null || m.status < 200 || m.status > 299 || offerOf(m, call) === null) return null;
      const early = call
        .ofCseq(m.cseq)
        .findLast(
          (r) =>
            r.index < m.index &&
            !r.isRequest &&
            r.status < 200 &&
            r.sdp !== null &&
            r.toTag === m.toTag &&
            r.src === m.src,
        );
      const [then, now] = [early?.sdp?.media[0], m.sdp.media[0]];
      if (then === undefined || now === undefined) return null;
      const isSame = then.port === now.port && then.connection?.address === now.connection?.address;
      return isSame ? null : `${now.connection?.address}:${now.port}, before ${then.connection?.address}:${then.port}`;
    },
  },
];
