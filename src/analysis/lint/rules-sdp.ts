/** Rules about session descriptions and the exchange of offer and answer (RFC 8866, RFC 3264, and what builds on them). */

import { counted } from '../../core/counted.ts';
import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { RtpMap, Sdp, SdpMedia } from '../../protocols/sdp/model.ts';
import { SDP_NOTE } from '../../protocols/sdp/notes.ts';
import type { LintCall, LintMessage, LintRule } from './rule.ts';

const MANDATORY = SDP_NOTE.noVersion | SDP_NOTE.noOrigin | SDP_NOTE.noSessionName | SDP_NOTE.noTiming;
const LINES: readonly (readonly [number, string])[] = [
  [SDP_NOTE.noVersion, 'v='],
  [SDP_NOTE.noOrigin, 'o='],
  [SDP_NOTE.noSessionName, 's='],
  [SDP_NOTE.noTiming, 't='],
];

const HEAD = 'v=0\\no=- 1000001 1 IN IP4 192.0.2.1\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\n';
const ANSWER = 'v=0\\no=- 2000001 1 IN IP4 192.0.2.2\\ns=-\\nc=IN IP4 192.0.2.2\\nt=0 0\\n';
const AUDIO = 'm=audio 4000 RTP/AVP 0\\n';
const SECURE = 'm=audio 4000 UDP/TLS/RTP/SAVPF 0\\n';

/** The offer that this message answers on its hop: the SDP of its request, when the message is a response. */
function offerOf(m: LintMessage, call: LintCall): Sdp | null {
  if (m.isRequest || m.sdp === null) return null;
  return call.requestOf(m)?.sdp ?? null;
}

/** Pairs of offered and answered media that the answer accepts. */
function accepted(m: LintMessage, call: LintCall): [SdpMedia, SdpMedia][] {
  const offer = offerOf(m, call);
  if (offer === null || m.sdp === null) return [];
  return m.sdp.media.flatMap((answer, i): [SdpMedia, SdpMedia][] => {
    const offered = offer.media[i];
    return offered !== undefined && answer.isActive && offered.isActive ? [[offered, answer]] : [];
  });
}

/** The a=rtpmap of each format that has one; of several the first. */
function mapsOf(media: SdpMedia): ReadonlyMap<string, RtpMap> {
  const maps = new Map<string, RtpMap>();
  for (const map of media.rtpmaps) if (!maps.has(String(map.payloadType))) maps.set(String(map.payloadType), map);
  return maps;
}

/** Names of the encodings a media description lists, in lower case. */
function encodings(media: SdpMedia): Set<string> {
  const mapped = mapsOf(media);
  return new Set(
    media.formats.flatMap((format) => {
      const name = mapped.get(format)?.name ?? STATIC_PAYLOADS.get(Number(format))?.name;
      return name === undefined ? [] : [name.toLowerCase()];
    }),
  );
}

function isRtp(media: SdpMedia): boolean {
  return /(^|\/)RTP\//.test(media.proto);
}

/** The SDP that the sender of `m` sent before it on this hop, in the same dialog. */
function before(m: LintMessage, call: LintCall): LintMessage | undefined {
  return call.messages.findLast(
    (o) =>
      o.index < m.index && o.sdp !== null && o.src === m.src && o.dst === m.dst && o.sdp.sessionId === m.sdp?.sessionId,
  );
}

function bodyText(m: LintMessage): string {
  return Buffer.from(m.sip.body).toString('latin1');
}

/** A rule that looks at each media description of an SDP. */
function eachMedia(test: (media: SdpMedia, i: number) => string | null): LintRule['check'] {
  return (m) => {
    for (const [i, media] of (m.sdp?.media ?? []).entries()) {
      const found = test(media, i);
      if (found !== null) return found;
    }
    return null;
  };
}

export const SDP_RULES: readonly LintRule[] = [
  {
    id: 'sdp-mandatory-line',
    severity: 'warning',
    basis: 'must',
    rfc: 8866,
    section: '5',
    expected: 'v=, o=, s= and t= in every description',
    explanation: 'Strict parsers refuse the description and with it the call.',
    fires: [`INVITE | ~v=0\\ns=-\\nt=0 0\\nc=IN IP4 192.0.2.1\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
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
    basis: 'must',
    rfc: 8866,
    section: '5.7',
    expected: 'a c= line for every medium, its own or the session’s',
    explanation: 'There is no address to send media to.',
    fires: [`INVITE | ~v=0\\no=- 1 1 IN IP4 192.0.2.1\\ns=-\\nt=0 0\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.noConnection) !== 0 ? 'no c= line' : null),
  },
  {
    id: 'sdp-origin-form',
    severity: 'notice',
    basis: 'must',
    rfc: 8866,
    section: '5.2',
    expected: 'user, numeric session id, numeric version, IN, IP4 or IP6 and an address',
    explanation: 'Who compares versions to see whether something changed cannot.',
    fires: [`INVITE | ~v=0\\no=- x y IN IP4\\ns=-\\nc=IN IP4 192.0.2.1\\nt=0 0\\n${AUDIO}`],
    passes: ['INVITE | ~offer'],
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.badOrigin) !== 0 ? `o=${m.sdp.origin}` : null),
  },
  {
    id: 'sdp-line-form',
    severity: 'notice',
    basis: 'must',
    rfc: 8866,
    section: '5',
    expected: 'a letter, an equals sign and a value in every line',
    explanation: 'What the line should say is lost, or the whole description.',
    fires: [`INVITE | ~${HEAD}${AUDIO}rtpmap:0 PCMU/8000\\n`],
    passes: ['INVITE | ~offer'],
    check: (m) => (m.sdp !== null && (m.sdp.notes & SDP_NOTE.badLine) !== 0 ? counted(m.sdp.badLines, 'line') : null),
  },
  {
    id: 'sdp-version-same',
    severity: 'warning',
    basis: 'must',
    rfc: 3264,
    section: '8',
    expected: 'a higher version in o= whenever the description changes',
    explanation: 'The other side takes it for a repeat and goes on with the old address or codec.',
    fires: [`INVITE | ~${HEAD}${AUDIO}`, '200 | ~answer', 'ACK', `INVITE | ~${HEAD}m=audio 4100 RTP/AVP 0\\n`],
    passes: [
      `INVITE | ~${HEAD}${AUDIO}`,
      '200 | ~answer',
      'ACK',
      `INVITE | ~${HEAD.replace('1000001 1', '1000001 2')}m=audio 4100 RTP/AVP 0\\n`,
    ],
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
    basis: 'must',
    rfc: 3264,
    section: '8',
    expected: 'a version in o= that only rises',
    explanation: 'The other side may take the description for an old one and ignore it.',
    fires: [
      `INVITE | ~${HEAD.replace('1000001 1', '1000001 5')}${AUDIO}`,
      '200 | ~answer',
      'ACK',
      `INVITE | ~${HEAD}${AUDIO}`,
    ],
    passes: [`INVITE | ~${HEAD}${AUDIO}`, '200 | ~answer', 'ACK', `INVITE | ~${HEAD}${AUDIO}`],
    check: (m, call) => {
      const last = m.sdp === null ? undefined : before(m, call);
      const [then, now] = [Number(last?.sdp?.sessionVersion), Number(m.sdp?.sessionVersion)];
      return now < then ? `version ${now} after ${then}` : null;
    },
  },
  {
    id: 'sdp-answer-media-count',
    severity: 'error',
    basis: 'must',
    rfc: 3264,
    section: '6',
    expected: 'as many m= lines in the answer as in the offer',
    explanation: 'Which medium an answer belongs to cannot be told; most callers hang up.',
    fires: [`INVITE | ~${HEAD}${AUDIO}m=video 4002 RTP/AVP 31\\n`, '200 | ~answer'],
    passes: ['INVITE | ~offer', '200 | ~answer'],
    check: (m, call) => {
      const offer = offerOf(m, call);
      if (offer === null || m.sdp === null || offer.media.length === m.sdp.media.length) return null;
      return `${m.sdp.media.length} m= lines, the offer has ${offer.media.length}`;
    },
  },
  {
    id: 'sdp-answer-media-type',
    severity: 'error',
    basis: 'must',
    rfc: 3264,
    section: '6.1',
    expected: 'the media types of the offer, in its order',
    explanation: 'Audio is sent to where video is awaited.',
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=video 4000 RTP/AVP 31\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
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
    basis: 'must',
    rfc: 3264,
    section: '6.1',
    expected: 'at least one codec of the offer in every accepted medium',
    explanation: 'One side sends what the other cannot play.',
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=audio 5000 RTP/AVP 8\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
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
    basis: 'must',
    rfc: 3264,
    section: '6.1',
    expected:
      'a direction that fits the offered one: recvonly or inactive to sendonly, sendonly or inactive to recvonly',
    explanation: 'One side sends media that the other has said it will not take.',
    fires: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`, `200 | ~${ANSWER}${AUDIO}a=sendonly\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`, `200 | ~${ANSWER}${AUDIO}a=recvonly\\n`],
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
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}m=audio 5000 RTP/SAVP 0\\n`],
    passes: ['INVITE | ~offer', '200 | ~answer'],
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
    basis: 'must',
    rfc: 3261,
    section: '13.2.1',
    expected: 'an answer in the 2xx to an INVITE with an offer, unless a reliable response brought it before',
    explanation: 'The caller does not know where to send media.',
    fires: ['INVITE | ~offer', '200'],
    passes: ['INVITE | ~offer', '200 | ~answer'],
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
    basis: 'must',
    rfc: 3261,
    section: '13.2.1',
    expected: 'in the 2xx the answer that the provisional responses of the same dialog brought',
    explanation: 'The caller may stay with the first answer and send media to the wrong place.',
    fires: ['INVITE | ~offer', '183 | ~answer', `200 | ~${ANSWER}m=audio 5000 RTP/AVP 0\\n`],
    passes: ['INVITE | ~offer', '183 | ~answer', '200 | ~answer'],
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
  {
    id: 'sdp-payload-without-name',
    severity: 'warning',
    basis: 'should',
    rfc: 8866,
    section: '5.14',
    expected: 'an a=rtpmap for every dynamic payload type',
    explanation: 'The other side cannot know which codec the number stands for.',
    fires: [`INVITE | ~${HEAD}m=audio 4000 RTP/AVP 0 101\\n`],
    passes: [`INVITE | ~${HEAD}m=audio 4000 RTP/AVP 0 101\\na=rtpmap:101 telephone-event/8000\\n`],
    check: eachMedia((media) => {
      if (!isRtp(media) || !media.isActive) return null;
      const maps = mapsOf(media);
      const bare = media.formats.find((f) => Number(f) >= 96 && !maps.has(f));
      return bare === undefined ? null : `payload type ${bare} of m=${media.type}`;
    }),
  },
  {
    id: 'sdp-payload-redefined',
    severity: 'warning',
    basis: 'must',
    rfc: 3264,
    section: '8.3.2',
    expected: 'the same codec for a payload type number through the whole session',
    explanation: 'Packets in flight are played with the wrong codec.',
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97\\na=rtpmap:97 opus/48000/2\\n`,
      '200 | ~answer',
      'ACK',
      `INVITE | ~${HEAD.replace('1000001 1', '1000001 2')}m=audio 4000 RTP/AVP 97\\na=rtpmap:97 G726-32/8000\\n`,
    ],
    passes: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97\\na=rtpmap:97 opus/48000/2\\n`,
      '200 | ~answer',
      'ACK',
      `INVITE | ~${HEAD.replace('1000001 1', '1000001 2')}m=audio 4000 RTP/AVP 98 97\\na=rtpmap:98 G726-32/8000\\na=rtpmap:97 OPUS/48000/2\\n`,
    ],
    check: (m, call) => {
      const last = m.sdp === null ? undefined : before(m, call);
      for (const [i, media] of (m.sdp?.media ?? []).entries())
        for (const r of media.rtpmaps) {
          const then = last?.sdp?.media[i]?.rtpmaps.find((o) => o.payloadType === r.payloadType);
          if (r.payloadType >= 96 && then !== undefined && then.name.toLowerCase() !== r.name.toLowerCase())
            return `${r.payloadType} was ${then.name}, is ${r.name}`;
        }
      return null;
    },
  },
  {
    id: 'sdp-hold-by-address',
    severity: 'info',
    basis: 'should',
    rfc: 3264,
    section: '8.4',
    expected: 'a=sendonly or a=inactive to put a call on hold',
    explanation: 'The old way also stops RTCP, and some systems take it for a dead call.',
    fires: [`INVITE | ~${HEAD.replace('c=IN IP4 192.0.2.1', 'c=IN IP4 0.0.0.0')}${AUDIO}`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=sendonly\\n`],
    check: eachMedia((media) =>
      media.isActive && media.connection?.address === '0.0.0.0' ? 'c=IN IP4 0.0.0.0' : null,
    ),
  },
  {
    id: 'sdp-telephone-event-clock',
    severity: 'notice',
    basis: 'interop',
    rfc: 4733,
    section: '2.1',
    expected: 'telephone-event at the clock rate of the audio codec',
    explanation: 'Key presses are placed or timed wrongly where the clocks differ.',
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97 101\\na=rtpmap:97 opus/48000/2\\na=rtpmap:101 telephone-event/8000\\n`,
    ],
    passes: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/AVP 97 0 101\\na=rtpmap:97 opus/48000/2\\na=rtpmap:101 telephone-event/8000\\n`,
    ],
    check: eachMedia((media) => {
      const events = media.rtpmaps.filter((r) => r.name.toLowerCase() === 'telephone-event').map((r) => r.clockRate);
      const maps = mapsOf(media);
      const clocks = media.formats.flatMap((f) => {
        const map = maps.get(f);
        if (map !== undefined) return /^(telephone-event|cn)$/i.test(map.name) ? [] : [map.clockRate];
        const known = STATIC_PAYLOADS.get(Number(f));
        return known === undefined || known.name === 'CN' ? [] : [known.clockRate];
      });
      if (media.type !== 'audio' || events.length === 0 || clocks.length === 0) return null;
      const isMet = events.some((rate) => clocks.includes(rate));
      return isMet ? null : `telephone-event/${events[0]} beside ${[...new Set(clocks)].join(', ')} Hz`;
    }),
  },
  {
    id: 'sdp-keys-in-clear',
    severity: 'notice',
    basis: 'observation',
    rfc: 4568,
    section: '8',
    expected: 'a=crypto only inside signaling that is itself secured',
    explanation: 'Whoever reads this signaling can decrypt the call.',
    fires: [
      `INVITE | ~${HEAD}m=audio 4000 RTP/SAVP 0\\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz\\n`,
    ],
    passes: ['INVITE | ~offer'],
    check: (m) =>
      m.isWire &&
      (m.transport === 'UDP' || m.transport === 'TCP') &&
      m.sdp?.media.some((x) => x.cryptoSuites.length > 0) === true
        ? `a=crypto over ${m.transport}`
        : null,
  },
  {
    id: 'sdp-fingerprint-missing',
    severity: 'error',
    basis: 'must',
    rfc: 5763,
    section: '5',
    expected: 'an a=fingerprint wherever DTLS-SRTP is used',
    explanation: 'The handshake cannot be verified, and there is no media.',
    fires: [`INVITE | ~${HEAD}${SECURE}`],
    passes: [`INVITE | ~${HEAD}${SECURE}a=fingerprint:sha-256 00:11\\na=setup:actpass\\n`],
    check: (m) => {
      const hasAny =
        m.sdp?.media.some((media) => media.hasFingerprint) === true || /^a=fingerprint:/im.test(bodyText(m));
      const media = m.sdp?.media.find((x) => x.isActive && /TLS\/RTP/.test(x.proto));
      return media !== undefined && !hasAny ? `${media.proto} without a=fingerprint` : null;
    },
  },
  {
    id: 'sdp-setup-in-answer',
    severity: 'warning',
    basis: 'must',
    rfc: 5763,
    section: '5',
    expected: 'a=setup:active or passive in an answer',
    explanation: 'Neither side begins the handshake, and there is no media.',
    fires: [
      `INVITE | ~${HEAD}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
      `200 | ~${ANSWER}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
    ],
    passes: [
      `INVITE | ~${HEAD}${SECURE}a=setup:actpass\\na=fingerprint:sha-256 00:11\\n`,
      `200 | ~${ANSWER}${SECURE}a=setup:active\\na=fingerprint:sha-256 00:11\\n`,
    ],
    check: (m, call) =>
      offerOf(m, call) !== null && /^a=setup:actpass\s*$/im.test(bodyText(m)) ? 'a=setup:actpass in the answer' : null,
  },
  {
    id: 'sdp-ice-incomplete',
    severity: 'error',
    basis: 'must',
    rfc: 8839,
    section: '5.4',
    expected: 'both ice-ufrag and ice-pwd',
    explanation: 'No connectivity check can be answered.',
    fires: [`INVITE | ~${HEAD}${AUDIO}a=ice-ufrag:8hhY\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=ice-ufrag:8hhY\\na=ice-pwd:asd88fgpdd777uzjYhagZg\\n`],
    check: (m) => {
      const text = m.sdp === null ? '' : bodyText(m);
      const [ufrag, pwd] = [/^a=ice-ufrag:/im.test(text), /^a=ice-pwd:/im.test(text)];
      return ufrag === pwd ? null : `only ${ufrag ? 'ice-ufrag' : 'ice-pwd'}`;
    },
  },
  {
    id: 'sdp-rtcp-mux-unasked',
    severity: 'warning',
    basis: 'must',
    rfc: 5761,
    section: '5.1.1',
    expected: 'a=rtcp-mux in an answer only where it was offered',
    explanation: 'The caller listens for RTCP on the other port and sees none.',
    fires: ['INVITE | ~offer', `200 | ~${ANSWER}${AUDIO}a=rtcp-mux\\n`],
    passes: [`INVITE | ~${HEAD}${AUDIO}a=rtcp-mux\\n`, `200 | ~${ANSWER}${AUDIO}a=rtcp-mux\\n`],
    check: (m, call) => {
      const found = accepted(m, call).find(([offered, answer]) => answer.rtcpMux && !offered.rtcpMux);
      return found === undefined ? null : `a=rtcp-mux of m=${found[1].type}`;
    },
  },
];
