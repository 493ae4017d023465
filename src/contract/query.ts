/** Parameters of the routes. An unknown query key and a known key with a bad value are a 400 that names it. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { named } from './schema.ts';
import { DialogState } from './values.ts';

/** Rows of a page when the client names no limit. */
export const DEFAULT_LIMIT = 50;

/** Longest `from` pattern, in characters. @cap */
export const FROM_PATTERN_MAX = 256;

/** Whole numbers are exact up to here (RFC 8259 §6); what is larger is refused. */
const LARGEST = Number.MAX_SAFE_INTEGER;

const page = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LARGEST,
      default: DEFAULT_LIMIT,
      description: 'Maximum rows; clamped to --api-max-rows. 0 gives an empty page.',
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: LARGEST, default: 0, description: 'Rows to skip.' })),
};

export const DialogQuery = named(
  'DialogQuery',
  Type.Object({
    state: Type.Optional(DialogState),
    from: Type.Optional(
      Type.String({
        maxLength: FROM_PATTERN_MAX,
        description: 'Regular expression (RE2 syntax) matched against the From user.',
      }),
    ),
    ...page,
  }),
);
export type DialogQuery = Static<typeof DialogQuery>;

export const StreamQuery = named(
  'StreamQuery',
  Type.Object({
    orphaned: Type.Optional(
      Type.Boolean({ description: 'true: only streams without a dialog; false: only streams with one.' }),
    ),
    mos_below: Type.Optional(Type.Number({ minimum: 0, description: 'Only streams with a MOS below the value.' })),
    ...page,
  }),
);
export type StreamQuery = Static<typeof StreamQuery>;

export const LabelQuery = named(
  'LabelQuery',
  Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LARGEST,
        description: 'Maximum rows; 0 or none is a page of --api-max-rows, which bounds it too.',
      }),
    ),
  }),
);
export type LabelQuery = Static<typeof LabelQuery>;

export const CallIdParams = named('CallIdParams', Type.Object({ call_id: Type.String() }));
export type CallIdParams = Static<typeof CallIdParams>;

export const SsrcParams = named(
  'SsrcParams',
  Type.Object({
    ssrc: Type.String({ pattern: '^(0[xX])?[0-9a-fA-F]{1,8}$', description: 'Hex, with or without 0x.' }),
  }),
);
export type SsrcParams = Static<typeof SsrcParams>;
