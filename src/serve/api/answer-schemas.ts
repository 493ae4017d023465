/** The contract's schemas as answers name them: what each reaches, and the function that writes an answer of it. */

import fastJson, { type Schema } from 'fast-json-stringify';
import * as contract from '../../contract/index.ts';

export type NamedSchema = { readonly $id: string };

const REFERENCE = /"\$ref":"([A-Za-z]+)#"/g;

/** The roots and every contract schema that one of them reaches. */
export function reachedFrom(roots: readonly NamedSchema[]): readonly NamedSchema[] {
  const reached = new Map(roots.map((schema) => [schema.$id, schema]));
  // A map may grow while it is walked; new entries are visited too.
  for (const schema of reached.values()) for (const target of namedIn(schema)) reached.set(target.$id, target);
  return [...reached.values()].sort((a, b) => (a.$id < b.$id ? -1 : 1));
}

function namedIn(schema: object): readonly NamedSchema[] {
  return [...JSON.stringify(schema).matchAll(REFERENCE)].map(([, name = '']) => {
    const target = BY_NAME.get(name);
    if (target === undefined) throw new Error(`a schema names ${name}, which is no contract schema`);
    return target;
  });
}

const BY_NAME = new Map(
  Object.values(contract as Record<string, unknown>)
    .filter(isNamed)
    .map((s) => [s.$id, s]),
);

function isNamed(value: unknown): value is NamedSchema {
  return typeof value === 'object' && value !== null && '$id' in value && typeof value.$id === 'string';
}

type Writer = (value: unknown) => string;

/**
 * Makes what writes the answers of a server. Fastify's own maker reads all schemas again for each answer of each route,
 * a second and a half of each start: this one reads those that an answer reaches, once for all routes that give it.
 */
export function answersOf(): (route: { readonly schema: object }) => Writer {
  const writers = new Map<string, Writer>();
  return ({ schema }) => {
    const text = JSON.stringify(schema);
    const known = writers.get(text);
    if (known !== undefined) return known;
    const shared: Record<string, Schema> = {};
    for (const named of reachedFrom(namedIn(schema))) shared[named.$id] = named as Schema;
    const writer: Writer = fastJson(schema, { schema: shared });
    writers.set(text, writer);
    return writer;
  };
}
