/** SIPREC metadata and the transfer target as the contract shows them. */

import type { SiprecMetadata } from '../contract/index.ts';
import { parseNameAddr } from '../protocols/sip/name-addr.ts';
import type { RecordingMetadata } from '../protocols/sip/recording-metadata.ts';
import { withoutSecrets } from '../protocols/sip/redaction.ts';

export function toSiprecMetadata(m: RecordingMetadata): SiprecMetadata {
  const out: SiprecMetadata = {
    sessions: m.sessions.map((s) => ({ session_id: s.id, sip_session_ids: [...s.sipSessionIds] })),
    participants: m.participants.map((p) => ({
      participant_id: p.id,
      ...(p.aor === null ? {} : { aor: p.aor }),
      ...(p.name === null ? {} : { name: p.name }),
    })),
    streams: m.streams.map((s) => ({
      stream_id: s.id,
      ...(s.sessionId === null ? {} : { session_id: s.sessionId }),
      ...(s.label === null ? {} : { label: s.label }),
    })),
  };
  if (m.dataMode !== null) out.data_mode = m.dataMode;
  return out;
}

/** The URI of a Refer-To value; its text where it is not a URI. Credentials that a URI may carry are left out. */
export function referToUri(value: string): string {
  const address = parseNameAddr(value);
  const uri = address.ok ? address.value.uriText : value;
  return withoutSecrets(uri).replace(/([?&])((proxy-)?authorization)=[^&]*/gi, '$1$2=');
}
