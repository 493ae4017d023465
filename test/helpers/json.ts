/**
 * Documents as a reader of the API gets them: JSON and back, so that what JSON drops is dropped.
 */
import assert from 'node:assert/strict';

export type Json = Readonly<Record<string, unknown>>;

/** The document as a plain object; fails on anything that is none. */
export function asJson(document: unknown): Json {
  const value: unknown = JSON.parse(JSON.stringify(document));
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `an object, got ${typeof value}`);
  return Object.fromEntries(Object.entries(value));
}

/** An array of objects; fails on anything else. */
export function asRows(value: unknown): Json[] {
  assert.ok(Array.isArray(value), 'an array');
  return value.map(asJson);
}
