/** The vCon container (IETF vCon core): an open format, so every object here admits further keys. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, DateTime, named, ref } from './schema.ts';

const open = { additionalProperties: true };

export const VconParty = named(
  'VconParty',
  Type.Object(
    {
      sip: Type.Optional(Type.String()),
      sip_contact: Type.Optional(Type.String()),
      sip_user_agent: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      sip_display_name: Type.Optional(Type.String()),
      role: Type.Optional(Type.String()),
      validation: Type.Optional(Type.Enum(['none'])),
      type: Type.Optional(Type.String()),
    },
    open,
  ),
);
export type VconParty = Static<typeof VconParty>;

export const VconDialog = named(
  'VconDialog',
  Type.Object(
    {
      type: Type.String(),
      start: DateTime,
      duration: Type.Number({ minimum: 0 }),
      parties: Type.Array(Count),
      originator: Count,
      sip_call_id: Type.String(),
      disposition: Type.Optional(Type.String()),
      mediatype: Type.Optional(Type.String()),
      encoding: Type.Optional(Type.String()),
      body: Type.Optional(Type.String()),
      note: Type.Optional(Type.String({ description: 'Why there is no audio in it.' })),
    },
    open,
  ),
);
export type VconDialog = Static<typeof VconDialog>;

export const VconAttachment = named(
  'VconAttachment',
  Type.Object(
    {
      purpose: Type.String(),
      start: DateTime,
      party: Count,
      dialog: Count,
      mediatype: Type.String(),
      encoding: Type.String(),
      body: Type.Object({}, open),
    },
    open,
  ),
);
export type VconAttachment = Static<typeof VconAttachment>;

export const VconAnalysis = named(
  'VconAnalysis',
  Type.Object(
    {
      type: Type.String(),
      dialog: Count,
      vendor: Type.String(),
      product: Type.String(),
      schema: Type.String(),
      mediatype: Type.String(),
      encoding: Type.String(),
      body: Type.Object({}, open),
    },
    open,
  ),
);

export const Vcon = named(
  'Vcon',
  Type.Object(
    {
      vcon: Type.String(),
      uuid: Type.String(),
      created_at: DateTime,
      extensions: Type.Array(Type.String()),
      parties: Type.Array(ref(VconParty)),
      dialog: Type.Array(ref(VconDialog)),
      attachments: Type.Array(ref(VconAttachment)),
      analysis: Type.Array(ref(VconAnalysis)),
    },
    open,
  ),
);
export type Vcon = Static<typeof Vcon>;
