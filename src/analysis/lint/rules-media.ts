/** Rules about what was promised in SDP and what the streams then were. */

import type { SdpMedia } from '../../protocols/sdp/model.ts';
import type { LintMessage, LintRuleRow, LintStream } from './rule.ts';

/** Streams shorter than this say little. */
const ENOUGH_PACKETS = 50;
/** Packet times further apart than this are different ones. */
const PTIME_SLACK_MS = 3;

/** The audio line of a description, and the streams that went to its socket. */
function received(m: LintMessage, streams: readonly LintStream[]): { audio: SdpMedia; streams: LintStream[] } | null {
  const audio = m.sdp?.media.find((x) => x.type === 'audio' && x.isActive && x.connection !== null);
  if (audio === undefined) return null;
  const address = audio.connection?.address ?? '';
  const socket = address.includes(':') ? `[${address}]:${audio.port}` : `${address}:${audio.port}`;
  return { audio, streams: streams.filter((s) => s.dst === socket && s.packets >= ENOUGH_PACKETS) };
}

export const MEDIA_RULES: readonly LintRuleRow[] = [
  {
    id: 'media-ptime-differs',
    severity: 'notice',
    basis: 'observation',
    rfc: 8866,
    section: '6.4',
    expected: 'packets of the length that a=ptime asks for',
    explanation: 'A receiver with a fixed buffer hears gaps or echoes of packets.',
    check: (m, call) => {
      const found = received(m, call.streams);
      const ptime = found?.audio.ptimeMs ?? 0;
      const odd = found?.streams.find((s) => s.packetMs > 0 && Math.abs(s.packetMs - ptime) > PTIME_SLACK_MS);
      return ptime > 0 && odd !== undefined
        ? `ptime ${ptime}, packets of ${odd.packetMs.toFixed(0)} ms from ${odd.src}`
        : null;
    },
  },
  {
    id: 'media-type-not-listed',
    severity: 'warning',
    basis: 'observation',
    rfc: 3264,
    section: '6.1',
    expected: 'only payload types that the receiver has listed',
    explanation: 'The receiver throws the packets away: silence, though they arrive.',
    check: (m, call) => {
      const found = received(m, call.streams);
      if (found === null) return null;
      // A description that is later replaced may not have listed what came then.
      const isLast = !call.messages.some((o) => o.index > m.index && o.sdp !== null && o.src === m.src);
      const odd = found.streams.find((s) => !found.audio.formats.includes(String(s.payloadType)));
      return isLast && odd !== undefined
        ? `type ${odd.payloadType} from ${odd.src}, listed ${found.audio.formats.join(' ')}`
        : null;
    },
  },
];
