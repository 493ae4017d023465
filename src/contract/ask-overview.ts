/** How the host is doing at `/ask/overview`: calls over time, the trunks that do worst, who calls whom, what is wrong lately. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { OVERVIEW_FIGURES, OVERVIEW_MINUTES } from '../core/overview-words.ts';
import { AskTrunk } from './ask-trunks.ts';
import { Count, DateTime, named, ref, SchemaVersion1 } from './schema.ts';

const share = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 100, description }));

/** Calls are dialogs that an INVITE opened; a call belongs to the cell in which it began. */
const figures = {
  attempts: Type.Integer({ minimum: 0, description: 'Calls that began.' }),
  answered: Type.Integer({ minimum: 0, description: 'Of them, those with a 2xx.' }),
  effective: Type.Integer({ minimum: 0, description: 'Those with a 2xx, 480, 486, 487, 600 or 603.' }),
  failed: Type.Integer({ minimum: 0, description: 'Those in the state Failed.' }),
  canceled: Type.Integer({ minimum: 0, description: 'Those in the state Canceled.' }),
  asr_pct: share('Answered of all attempts (ITU-T E.411).'),
  ner_pct: share('Effective of all attempts (ITU-T E.425).'),
  pdd_ms: Type.Optional(
    Type.Object({ count: Count, p50: Type.Number(), p95: Type.Number() }, { description: 'Post-dial delay, to 1 %.' }),
  ),
  mos: Type.Optional(
    Type.Object(
      { count: Count, p05: Type.Number(), p50: Type.Number() },
      { description: 'Of the worst direction of each call that has ended, to 1 %.' },
    ),
  ),
  loss_pct: share('RTP packets of calls that ended, and that never came.'),
};

/** Final codes of 300 and above. */
const codes = Type.Array(Type.Object({ code: Count, calls: Count }), {
  description: 'Calls by final code of 300 and above, the most frequent first.',
});

export const OverviewFigures = named('OverviewFigures', Type.Object({ ...figures, codes }));
export type OverviewFigures = Static<typeof OverviewFigures>;

export const OverviewCell = named(
  'OverviewCell',
  Type.Object({
    at: { ...DateTime, description: 'Where it begins.' },
    ...figures,
    codes,
    talking: Type.Integer({ minimum: 0, description: 'Calls that talked when it ended.' }),
    most_talking: Type.Integer({ minimum: 0, description: 'Most calls that talked at once.' }),
    messages: Type.Optional(Type.Integer({ minimum: 0, description: 'SIP messages; absent at a hub.' })),
  }),
);
export type OverviewCell = Static<typeof OverviewCell>;

export const OverviewSpan = named(
  'OverviewSpan',
  Type.Object({
    from: DateTime,
    to: { ...DateTime, description: 'Where its last cell ends.' },
    figures: ref(OverviewFigures),
    cells: Type.Array(ref(OverviewCell), { description: 'All of the span, the oldest first.' }),
  }),
);
export type OverviewSpan = Static<typeof OverviewSpan>;

/** A row of the heat map. */
export const OverviewTrunk = named(
  'OverviewTrunk',
  Type.Object({
    trunk: AskTrunk.properties.trunk,
    direction: AskTrunk.properties.direction,
    is_configured: Type.Boolean(),
    state: AskTrunk.properties.state,
    attempts: Count,
    answered: Count,
    value: Type.Optional(
      Type.Number({ description: 'Of the whole span: ASR or NER in percent, p95 of PDD in ms, p05 of MOS.' }),
    ),
    cells: Type.Array(Type.Object({ attempts: Count, value: Type.Optional(Type.Number()) }), {
      description: 'As many as the heat map has cells, the oldest first.',
    }),
  }),
);
export type OverviewTrunk = Static<typeof OverviewTrunk>;

/** Trunks by time, coloured by one figure. */
export const OverviewTrunks = named(
  'OverviewTrunks',
  Type.Object({
    by: Type.Enum([...OVERVIEW_FIGURES]),
    from: DateTime,
    to: DateTime,
    cell_sec: Count,
    not_shown: Type.Integer({ minimum: 0, description: 'Trunks with calls in the span that have no row here.' }),
    rows: Type.Array(ref(OverviewTrunk), { description: 'Those that do worst first.' }),
  }),
);
export type OverviewTrunks = Static<typeof OverviewTrunks>;

export const OverviewNode = named(
  'OverviewNode',
  Type.Object({
    name: Type.String({ description: 'Of a trunk its name, of a host its address, of others their network.' }),
    kind: Type.Enum(['trunk', 'host', 'network', 'others'], {
      description: 'A host is of our own side; others is the sum of what has no place.',
    }),
    layer: Type.Integer({ minimum: 0, maximum: 2, description: '0 calls, 1 is our own side, 2 is called.' }),
    calls: Count,
    filter: Type.String({ description: 'Finds its calls; empty of others.' }),
  }),
);
export type OverviewNode = Static<typeof OverviewNode>;

export const OverviewEdge = named(
  'OverviewEdge',
  Type.Object({
    from: Type.Integer({ minimum: 0, description: 'Place of the node that calls.' }),
    to: Type.Integer({ minimum: 0, description: 'Place of the node that is called.' }),
    attempts: Count,
    answered: Count,
    asr_pct: share('Answered of all attempts.'),
    filter: Type.String({ description: 'Finds its calls; empty where an end is others.' }),
  }),
);
export type OverviewEdge = Static<typeof OverviewEdge>;

/** Who calls whom, by whole hours. */
export const OverviewPairs = named(
  'OverviewPairs',
  Type.Object({
    from: DateTime,
    to: DateTime,
    nodes: Type.Array(ref(OverviewNode)),
    edges: Type.Array(ref(OverviewEdge), { description: 'The busiest first.' }),
  }),
);
export type OverviewPairs = Static<typeof OverviewPairs>;

export const OverviewTrouble = named(
  'OverviewTrouble',
  Type.Object({
    call_id: Type.String(),
    at: { ...DateTime, description: 'When the call began.' },
    from: Type.String(),
    to: Type.String(),
    state: Type.String(),
    cause: Type.String({ description: 'What is wrong, in a sentence.' }),
  }),
);
export type OverviewTrouble = Static<typeof OverviewTrouble>;

export const AskOverview = named(
  'AskOverview',
  Type.Object({
    schema_version: SchemaVersion1,
    is_counting: Type.Boolean({ description: 'This run counts calls over time.' }),
    cell_sec: Type.Integer({ minimum: 60, description: 'Seconds of a cell.' }),
    kept_from: Type.Optional({
      ...DateTime,
      description: 'Where figures begin, when the span begins before them.',
    }),
    span: Type.Optional({ ...ref(OverviewSpan), description: 'Absent before anything came.' }),
    span_before: Type.Optional({
      ...ref(OverviewSpan),
      description: 'As long, and just before; absent where not kept.',
    }),
    day_before: Type.Optional({ ...ref(OverviewSpan), description: 'One day earlier; absent where not kept.' }),
    trunks: Type.Optional(ref(OverviewTrunks)),
    pairs: Type.Optional(ref(OverviewPairs)),
    troubles: Type.Array(ref(OverviewTrouble), { description: 'Calls of the span that went wrong, the newest first.' }),
    capture: Type.Object(
      {
        is_well: Type.Boolean(),
        reason: Type.Optional(Type.String({ description: 'What the capture lost or cannot see, in a sentence.' })),
      },
      { description: 'Whether the figures are of all that happened.' },
    ),
  }),
);
export type AskOverview = Static<typeof AskOverview>;

export const AskOverviewQuery = named(
  'AskOverviewQuery',
  Type.Object({
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: OVERVIEW_MINUTES,
        description: 'The last minutes of capture time; 60 where neither this nor a span is given.',
      }),
    ),
    since: Type.Optional({ ...DateTime, description: 'Where the span begins, in place of `minutes`; needs `until`.' }),
    until: Type.Optional({ ...DateTime, description: 'Where it ends.' }),
    by: Type.Optional(Type.Enum([...OVERVIEW_FIGURES], { description: 'What colours the trunks; asr by default.' })),
  }),
);
export type AskOverviewQuery = Static<typeof AskOverviewQuery>;
