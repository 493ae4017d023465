/** Rules about what a media description promises: payload types, holds, keys, ICE and RTCP (RFC 8866 and what builds on it). */

import { STATIC_PAYLOADS } from '../../core/payload-types.ts';
import type { LintRuleRow } from './rule.ts';
import { accepted, before, bodyText, eachMedia, isRtp, mapsOf, offerOf } from './sdp-of-call.ts';

export const SDP_MEDIA_RULES: readonly LintRuleRow[] = [
  {
    id: 'sdp-payload-without-name',
    severity: 'warning',
    basis: 'should',
    rfc: 8866,
    section: '5.14',
    expected: 'an a=rtpmap for every dynamic payload type',
    explanation: 'The other side cannot know which codec the number stands for.',
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
    rfc: 3264,
    section: '8.3.2',
    expected: 'the same codec for a payload type number through the whole session',
    explanation: 'Packets in flight are played with the wrong codec.',
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
    rfc: 5763,
    section: '5',
    expected: 'an a=fingerprint wherever DTLS-SRTP is used',
    explanation: 'The handshake cannot be verified, and there is no media.',
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
    rfc: 5763,
    section: '5',
    expected: 'a=setup:active or passive in an answer',
    explanation: 'Neither side begins the handshake, and there is no media.',
    check: (m, call) =>
      offerOf(m, call) !== null && /^a=setup:actpass\s*$/im.test(bodyText(m)) ? 'a=setup:actpass in the answer' : null,
  },
  {
    id: 'sdp-ice-incomplete',
    severity: 'error',
    rfc: 8839,
    section: '5.4',
    expected: 'both ice-ufrag and ice-pwd',
    explanation: 'No connectivity check can be answered.',
    check: (m) => {
      const text = m.sdp === null ? '' : bodyText(m);
      const [ufrag, pwd] = [/^a=ice-ufrag:/im.test(text), /^a=ice-pwd:/im.test(text)];
      return ufrag === pwd ? null : `only ${ufrag ? 'ice-ufrag' : 'ice-pwd'}`;
    },
  },
  {
    id: 'sdp-rtcp-mux-unasked',
    severity: 'warning',
    rfc: 5761,
    section: '5.1.1',
    expected: 'a=rtcp-mux in an answer only where it was offered',
    explanation: 'The caller listens for RTCP on the other port and sees none.',
    check: (m, call) => {
      const found = accepted(m, call).find(([offered, answer]) => answer.rtcpMux && !offered.rtcpMux);
      return found === undefined ? null : `a=rtcp-mux of m=${found[1].type}`;
    },
  },
];
