/** The schemas of a call in a list, made from the table of its fields: the row of `/v1`, and the richer one of `/ask`. */
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import type {
  CallField,
  CallSummary,
  Call as CallValue,
  FieldKind,
  TimingSummary as Times,
} from '../core/call-fields.ts';
import { CALL_FIELDS, SUMMARY_FIELDS, TIMING_FIELDS } from '../core/call-fields.ts';
import { Count, CountOrNull, DateTime, named, ref } from './schema.ts';
import { FramePointer } from './values.ts';

const KINDS: Readonly<Record<Exclude<FieldKind, 'timing'>, (field: CallField) => TSchema>> = {
  text: (f) => Type.String(described(f)),
  texts: (f) => Type.Array(Type.String(), described(f)),
  word: (f) => Type.Enum([...(f.words ?? [])], described(f)),
  time: () => DateTime,
  count: () => Count,
  code: (f) => Type.Integer(described(f)),
  // As it stood on the wire.
  status: () => Type.Integer({ minimum: 200, maximum: 999 }),
  seconds: () => Type.Number({ minimum: 0 }),
  milliseconds: () => CountOrNull,
  figure: (f) => Type.Number(described(f)),
  frame: () => FramePointer,
};

function described({ description }: CallField): { description?: string } {
  return description === undefined ? {} : { description };
}

function schemaOf(field: CallField): TSchema {
  const schema = field.kind === 'timing' ? ref(TimingSummary) : KINDS[field.kind](field);
  return field.isAlways === true ? schema : Type.Optional(schema);
}

const schemasOf = (fields: Readonly<Record<string, CallField>>, names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, schemaOf(fields[name])]])));

/** Timing of a list row: exactly these keys, always all present, null when unknown. */
export const TimingSummary = named(
  'TimingSummary',
  Type.Unsafe<Times>(
    Type.Object(schemasOf(TIMING_FIELDS, Object.keys(TIMING_FIELDS)), { additionalProperties: false }),
  ),
);
export type TimingSummary = Times;

export const DialogSummary = named(
  'DialogSummary',
  Type.Unsafe<CallSummary>(Type.Object(schemasOf(CALL_FIELDS, SUMMARY_FIELDS))),
);
export type DialogSummary = CallSummary;

/** A list row with what operators sort and filter by. */
export const Call = named(
  'AskCall',
  Type.Unsafe<CallValue>(Type.Object(schemasOf(CALL_FIELDS, Object.keys(CALL_FIELDS)))),
);
export type Call = CallValue;
