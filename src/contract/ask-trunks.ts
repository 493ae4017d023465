/** Trunks at `/ask/trunks`: is a carrier up, does it answer, how does it sound? */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { TRUNK_TROUBLES } from '../core/trunk-bounds.ts';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';

const PERCENT = { minimum: 0, maximum: 100 };
const share = (description: string) => Type.Optional(Type.Number({ ...PERCENT, description }));

export const TrunkQuantiles = named(
  'TrunkQuantiles',
  Type.Object({
    count: Count,
    mean: Type.Number(),
    p05: Type.Number({ description: 'Quantiles are right to 1 %, at a hub to 2 %.' }),
    p50: Type.Number(),
    p95: Type.Number(),
    p99: Type.Number(),
  }),
);
export type TrunkQuantiles = Static<typeof TrunkQuantiles>;

/** What is wrong with a trunk, and since when. */
export const TrunkTrouble = named(
  'TrunkTrouble',
  Type.Object({
    trouble: Type.Enum([...TRUNK_TROUBLES]),
    since: Type.Optional({ ...DateTime, description: 'Absent where nothing says it.' }),
    text: Type.String({ description: 'What shows it, in a sentence.' }),
  }),
);
export type TrunkTrouble = Static<typeof TrunkTrouble>;

/** Of a span of time. Counts stand beside ratios. */
const figures = {
  attempts: Type.Integer({
    minimum: 0,
    description: 'Calls tried: INVITEs on a hop, rounds of credentials not counted.',
  }),
  answered: Type.Integer({ minimum: 0, description: 'Of them, those with a 2xx.' }),
  effective: Type.Integer({ minimum: 0, description: 'Those with a 2xx, 480, 486, 487, 600 or 603.' }),
  without_final: Type.Integer({ minimum: 0, description: 'Those without a final response so far.' }),
  codes: Type.Array(Type.Object({ code: Count, calls: Count }), { description: 'Attempts by final code.' }),
  asr_pct: share('Answered of all attempts (ITU-T E.411).'),
  ner_pct: share('Effective of all attempts (ITU-T E.425).'),
  ser_pct: share('200 of the attempts without a 3xx (RFC 6076 section 4.6).'),
  seer_pct: share('200, 480, 486, 600 and 603 of the attempts without 3xx, 401, 402 and 407 (RFC 6076 section 4.7).'),
  acd_sec: Type.Optional(
    Type.Number({ minimum: 0, description: 'Mean time from 200 to BYE, of the calls that ended with one.' }),
  ),
  most_talking: Type.Integer({ minimum: 0, description: 'Most calls that talked at once.' }),
  pdd_ms: Type.Optional(ref(TrunkQuantiles)),
  mos: Type.Optional(ref(TrunkQuantiles)),
  loss_pct: share('RTP packets that never came.'),
  retransmissions: Count,
  options_asked: Count,
  options_answered: Count,
  options_round_trip_ms: Type.Optional(Type.Number({ minimum: 0, description: 'Mean of those that were answered.' })),
  registrations_failed: Count,
};

export const TrunkFigures = named('TrunkFigures', Type.Object(figures));
export type TrunkFigures = Static<typeof TrunkFigures>;

export const TrunkMinute = named('TrunkMinute', Type.Object({ at: DateTime, ...figures }));
export type TrunkMinute = Static<typeof TrunkMinute>;

export const AskTrunk = named(
  'AskTrunk',
  Type.Object({
    trunk: Type.String({ description: 'A name of [trunks], else the remote address; other: what has no row.' }),
    direction: Type.Enum(['in', 'out'], { description: 'Calls came from the trunk, or went to it.' }),
    is_configured: Type.Boolean(),
    state: Type.Enum(['up', 'down', 'refusing', 'unknown'], {
      description:
        'By answers to OPTIONS, or without OPTIONS to INVITEs; `refusing` where it answers and refuses most calls. Of `in` it is our side that answers.',
    }),
    since: Type.Optional(DateTime),
    troubles: Type.Array(ref(TrunkTrouble), { description: 'What is wrong with it now, the worst first.' }),
    outages: Type.Integer({ minimum: 0, description: 'Those that ended.' }),
    last_outage: Type.Optional(Type.Object({ from: DateTime, to: DateTime })),
    round_trip_ms: Type.Optional(Type.Number({ minimum: 0, description: 'Of the OPTIONS that was answered last.' })),
    talking: Type.Optional(Type.Integer({ minimum: 0, description: 'Calls that talk now; absent at a hub.' })),
    registered: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Registrations that hold now; absent at a hub.' }),
    ),
    registrations_failing: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Registrations whose last attempt failed; absent at a hub.' }),
    ),
    first_seen: Type.Optional(DateTime),
    last_seen: Type.Optional(DateTime),
    figures: ref(TrunkFigures),
    minutes: Type.Optional(Type.Array(ref(TrunkMinute), { description: 'The newest first.' })),
  }),
);
export type AskTrunk = Static<typeof AskTrunk>;

export const AskTrunks = named(
  'AskTrunks',
  Type.Object({
    schema_version: SchemaVersion1,
    is_counting: Type.Boolean({ description: 'This run counts trunks.' }),
    from: Type.Optional({ ...DateTime, description: 'Where the span begins; absent where it has no beginning.' }),
    rows_folded: Type.Integer({ minimum: 0, description: 'Addresses whose row went to the row of all others.' }),
    trunks: Type.Array(ref(AskTrunk), { description: 'Those in trouble first, then the busiest.' }),
  }),
);
export type AskTrunks = Static<typeof AskTrunks>;

export const AskTrunksQuery = named(
  'AskTrunksQuery',
  Type.Object({
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1440, description: 'Only the last minutes of capture time.' }),
    ),
    trunk: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only this trunk.' })),
    series: Type.Optional(Type.Boolean({ description: 'With the minutes of each trunk; needs `trunk`.' })),
  }),
);
export type AskTrunksQuery = Static<typeof AskTrunksQuery>;
