/**
 * The detections that fired for a dialog, by the names the interface gives them; what accuracy is measured in.
 */

import type { Dialog } from '../../src/store/dialogs/dialog.ts';
import { dialogDocument, dialogFacts } from './at-once.ts';
import type { OpenSession } from './open-session.ts';

export const DETECTIONS = [
  'one_way_audio',
  'nat_mismatch',
  'no_media',
  'private_media_address',
  'media_relay',
  'media_relay_lapsed',
  'stun_sdp_mismatch',
  'icmp_media',
  'final_failure',
  'auth_loop',
  'retransmissions',
  'ack_missing',
  'abandoned',
  'post_dial_delay',
  'registration_failure',
  'icmp_unreachable',
] as const;
export type Detection = (typeof DETECTIONS)[number];

/** In the order of the list. `icmp_media` stands for an error that is a fault: media of the running call was refused. */
export function detectionsOf(session: OpenSession, d: Dialog): Detection[] {
  const { diagnosis, signaling_diagnosis } = dialogDocument(session.evidence, d);
  const found = { ...diagnosis, ...signaling_diagnosis };
  const more: Readonly<Record<string, boolean>> = {
    icmp_media: dialogFacts(session.evidence, d).icmp.some((f) => f.isFault),
    media_relay_lapsed: diagnosis.media_relay?.lapsed ?? false,
  };
  return DETECTIONS.filter((name) => {
    const value: unknown = more[name] ?? Object.entries(found).find(([key]) => key === name)?.[1];
    return value !== undefined && value !== null && value !== false;
  });
}
