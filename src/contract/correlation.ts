/** Legs of one call: one hop (correlation) and the transitive walk (call tree). */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { BooleanOrNull, Count, CountOrNull, DateTime, named, ref, SchemaVersion1, StringOrNull } from './schema.ts';

/** In the order they are tried; the first match names the strategy. */
export const CORRELATION_STRATEGIES = [
  'session_id',
  'x_call_id',
  'refer',
  'replaces',
  'related_icid',
  'sdp_origin',
  'icid',
  'via_branch',
  'timing_heuristic',
] as const;
export const CorrelationStrategy = Type.Enum(CORRELATION_STRATEGIES);
export type CorrelationStrategy = Static<typeof CorrelationStrategy>;

export const CorrelatedLeg = named(
  'CorrelatedLeg',
  Type.Object({
    call_id: Type.String(),
    score: Count,
    strategy: CorrelationStrategy,
    identifier_match: Type.Boolean(),
    observed_gap_ms: CountOrNull,
  }),
);

export const Correlation = named(
  'Correlation',
  Type.Object({
    schema_version: SchemaVersion1,
    source_call_id: Type.String(),
    legs: Type.Array(ref(CorrelatedLeg)),
    total_matched: Count,
    heuristic_only: Type.Boolean({ description: 'Every leg is a timing guess.' }),
  }),
);
export type Correlation = Static<typeof Correlation>;

/** The root leg has depth 0 and null parent, score, strategy and identifier_match. */
export const TreeLeg = named(
  'TreeLeg',
  Type.Object({
    call_id: Type.String(),
    depth: Count,
    parent_call_id: StringOrNull,
    score: CountOrNull,
    strategy: Type.Unsafe<CorrelationStrategy | null>({
      type: ['string', 'null'],
      enum: [...CORRELATION_STRATEGIES, null],
    }),
    identifier_match: BooleanOrNull,
    followed: Type.Boolean(),
  }),
);

export const CallTree = named(
  'CallTree',
  Type.Object({
    schema_version: SchemaVersion1,
    root_call_id: Type.String(),
    legs: Type.Array(ref(TreeLeg)),
    total_legs: Count,
    max_depth: Count,
    total_messages: Count,
    truncated: Type.Boolean({ description: 'The row cap stopped the walk.' }),
    heuristic_edges: Count,
    first_activity: DateTime,
    last_activity: DateTime,
  }),
);
export type CallTree = Static<typeof CallTree>;
