/** Call timing: absent keys in the full dialog, null keys in list rows. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Count, CountOrNull, named } from './schema.ts';

/** Timing of the full dialog; a key without a value is absent. */
export const Timing = named(
  'Timing',
  Type.Object({
    retransmits: Count,
    pdd_ms: Type.Optional(Count),
    setup_ms: Type.Optional(Count),
    ring_ms: Type.Optional(Count),
    trying_delay_ms: Type.Optional(Count),
    teardown_ms: Type.Optional(Count),
  }),
);
export type Timing = Static<typeof Timing>;

/** Timing of a list row: exactly four keys, always all present, null when unknown. */
export const TimingSummary = named(
  'TimingSummary',
  Type.Object(
    { pdd_ms: CountOrNull, setup_ms: CountOrNull, retransmits: Count, duration_ms: CountOrNull },
    { additionalProperties: false },
  ),
);
export type TimingSummary = Static<typeof TimingSummary>;
