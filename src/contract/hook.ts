/** What a command of --on-dialog-exec, --on-quality-exec and --on-trunk-exec reads on its standard input: one JSON object an event. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { TRUNK_TROUBLES } from '../core/trunk-bounds.ts';
import { AskTrunk } from './ask-trunks.ts';
import { DialogSummary } from './call.ts';
import { DateTime, named, ref, SchemaVersion1 } from './schema.ts';
import { StreamRow } from './stream.ts';

export const DialogStateEvent = named(
  'DialogStateEvent',
  Type.Object({
    schema_version: SchemaVersion1,
    event: Type.Unsafe<'dialog_state'>({ type: 'string', const: 'dialog_state' }),
    at: DateTime,
    call_id: Type.String(),
    from_state: Type.String(),
    to_state: Type.String(),
    dialog: ref(DialogSummary),
  }),
);
export type DialogStateEvent = Static<typeof DialogStateEvent>;

export const QualityEvent = named(
  'QualityEvent',
  Type.Object({
    schema_version: SchemaVersion1,
    event: Type.Unsafe<'quality'>({ type: 'string', const: 'quality' }),
    at: DateTime,
    ssrc: Type.String({ pattern: '^0x[0-9a-f]{8}$' }),
    mos: Type.Number({ description: 'Of the window that has just closed; of the whole stream when it had none.' }),
    threshold: Type.Number(),
    stream: ref(StreamRow),
    call_id: Type.Optional(Type.String()),
  }),
);
export type QualityEvent = Static<typeof QualityEvent>;

const TRUNK_STATES = ['up', 'down', 'refusing', 'unknown'] as const;

export const TrunkEvent = named(
  'TrunkEvent',
  Type.Object({
    schema_version: SchemaVersion1,
    event: Type.Unsafe<'trunk'>({ type: 'string', const: 'trunk' }),
    at: DateTime,
    trunk: Type.String(),
    direction: Type.Enum(['in', 'out']),
    from_state: Type.Enum([...TRUNK_STATES]),
    to_state: Type.Enum([...TRUNK_STATES]),
    trouble: Type.Enum([...TRUNK_TROUBLES], { description: 'What began, or is over.' }),
    is_over: Type.Boolean(),
    since: Type.Optional({
      ...DateTime,
      description: 'When it began, of `down` the first request without an answer; or when it was over.',
    }),
    text: Type.String({ description: 'What shows it, in a sentence.' }),
    row: ref(AskTrunk),
  }),
);
export type TrunkEvent = Static<typeof TrunkEvent>;
