/** Media diagnosis of a dialog: faults, warnings, and the relay and STUN evidence after them. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, named, ref } from './schema.ts';

/** A TURN relay (RFC 8656) seen carrying the dialog's media. */
export const MediaRelay = named(
  'MediaRelay',
  Type.Object({
    client: Type.String(),
    server: Type.String(),
    channel: Type.Integer({ minimum: 16384, maximum: 32767 }),
    lapsed: Type.Boolean(),
    peer: Type.Optional(Type.String()),
    relayed_address: Type.Optional(Type.String()),
  }),
);
export type MediaRelay = Static<typeof MediaRelay>;

/** What STUN learned against what the SDP then advertised. */
export const StunSdpMismatch = named(
  'StunSdpMismatch',
  Type.Object({
    client: Type.String(),
    server: Type.String(),
    mapped_address: Type.Optional(Type.String()),
    relayed_address: Type.Optional(Type.String()),
    advertised: Type.String(),
    request_count: Count,
    reason: Type.Enum(['ignored', 'relay_ignored', 'unanswered']),
  }),
);
export type StunSdpMismatch = Static<typeof StunSdpMismatch>;

export const Diagnosis = named(
  'Diagnosis',
  Type.Object({
    one_way_audio: Type.Boolean(),
    nat_mismatch: Type.Boolean(),
    no_media: Type.Boolean(),
    private_media_address: Type.Boolean({ description: 'A warning, not a fault.' }),
    hints: Type.Array(Type.String()),
    media_relay: Type.Optional(ref(MediaRelay)),
    stun_sdp_mismatch: Type.Optional(ref(StunSdpMismatch)),
  }),
);
export type Diagnosis = Static<typeof Diagnosis>;
