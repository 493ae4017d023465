/** One SDP offer or answer of a dialog's timeline (RFC 3264). */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { DateTime, named } from './schema.ts';

export const SDP_EVENTS = ['hold', 'resume', 'codec_change', 'media_anchor_change', 't38_switch', 'transfer'] as const;
export const SdpEvent = Type.Enum(SDP_EVENTS);
export type SdpEvent = Static<typeof SdpEvent>;

export const SDP_DIRECTIONS = ['offer', 'answer'] as const;
export const SDP_MODES = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;

export const SdpExchange = named(
  'SdpExchange',
  Type.Object({
    timestamp: DateTime,
    direction: Type.Enum(SDP_DIRECTIONS),
    codecs: Type.Array(Type.String()),
    mode: Type.Enum(SDP_MODES),
    event: Type.Optional(SdpEvent),
    media_addr: Type.Optional(Type.String()),
    media_port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  }),
);
export type SdpExchange = Static<typeof SdpExchange>;
