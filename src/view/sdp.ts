/**
 * The SDP timeline of a dialog: SdpExchange of the contract.
 */
import type { SdpExchange } from '../contract/index.ts';
import type { SdpEntry } from '../store/media/sdp-timeline.ts';
import { timestampText } from './timestamp.ts';

export function toSdpExchange(entry: SdpEntry): SdpExchange {
  const out: SdpExchange = {
    timestamp: timestampText(entry.tsUs),
    direction: entry.isOffer ? 'offer' : 'answer',
    codecs: [...entry.codecs.names],
    mode: entry.mode,
  };
  if (entry.event !== null) out.event = entry.event;
  if (entry.address !== null) out.media_addr = entry.address;
  if (entry.port !== null) out.media_port = entry.port;
  return out;
}
