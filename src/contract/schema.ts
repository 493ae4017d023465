/** The few schema forms every wire shape is made of: nullable values, references by name, timestamps and counts. */

import type { Static, TSchema } from 'typebox';
import { Type } from 'typebox';

/** A schema that other schemas name by its `$id`. */
export type Named<T extends TSchema> = T & { readonly $id: string };

/** Gives a schema its name; the same name is the OpenAPI component and the TypeScript type. */
export function named<T extends TSchema>($id: string, schema: T): Named<T> {
  return { ...schema, $id };
}

/** A reference to a named schema, typed as what it names. */
export function ref<T extends TSchema>(schema: Named<T>) {
  return Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });
}

/** A reference that may also be null: present as a key, with nothing to say. */
export function refOrNull<T extends TSchema>(schema: Named<T>) {
  return Type.Unsafe<Static<T> | null>({ anyOf: [{ $ref: `${schema.$id}#` }, { type: 'null' }] });
}

/** RFC 3339 date-time text. */
export const DateTime = Type.String({ format: 'date-time' });

/** A whole number from zero. */
export const Count = Type.Integer({ minimum: 0 });

export const IntegerOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
export const CountOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 });
export const StringOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const BooleanOrNull = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });

/** Indexes into the dialog's own message list. */
export const Evidence = Type.Array(Count, { description: "Message indexes into the dialog's own message list." });

/** Version 1 of a document. */
export const SchemaVersion1 = Type.Unsafe<1>({ type: 'integer', const: 1 });
