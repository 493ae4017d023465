/**
 * Shapes of the rows that statements ask for: a row has exactly these columns. Whoever may insert can insert NaN and infinity,
 * which ClickHouse writes as null.
 */
import type { TProperties } from 'typebox';
import { Type } from 'typebox';

/** Kinds that one row counts: status codes, reasons of losses, or values that stand close to each other. @cap */
const HUB_BINS = 4_096;

export function rowShape<P extends TProperties>(columns: P) {
  return Type.Object(columns, { additionalProperties: false });
}

export const TEXT = Type.String();
export const TEXTS = Type.Array(TEXT);
/** As the store writes it, UTC: RFC 3339 with at most six digits of a second. */
export const TIME = Type.String({
  pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3])(?::[0-5]\\d){2}(?:\\.\\d{1,6})?Z$',
});
/** A whole number that is not negative. */
export const COUNT = Type.Integer({ minimum: 0 });
export const COUNT_OR_NULL = Type.Union([COUNT, Type.Null()]);
export const AMOUNT_OR_NULL = Type.Union([Type.Number(), Type.Null()]);
/** A Map of the store: how many there are of each kind. */
export const COUNTS = Type.Record(TEXT, COUNT, { maxProperties: HUB_BINS });

/** What names a stream: the part of its call, and what its packets say. */
export const STREAM_KEY = { host: TEXT, boot: TEXT, number: COUNT, ssrc: COUNT, src: TEXT, dst: TEXT };

/** The names of its columns, for a statement that asks for them as they are. */
export function columnsOf(shape: { readonly properties: TProperties }): string {
  return Object.keys(shape.properties).join(', ');
}
