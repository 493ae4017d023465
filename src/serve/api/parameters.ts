/**
 * Reads path and query parameters by their contract schema: plain digits for whole numbers, other numbers as JSON
 * writes them, `true` and `false`, each name once. What Ajv would coerce (`0x10`, blanks, an array of one) is refused, and
 * the refusal names the parameter.
 */

import type { FastifySchemaCompiler } from 'fastify';
import { ProblemError } from '../http/problem-error.ts';

/** The part of JSON Schema that parameter schemas use. */
type ParameterSchema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: unknown;
};

type Read = { readonly value: unknown } | { readonly error: string };

const INTEGER = /^[0-9]{1,16}$/;
/** The shortest text of a double has up to 17 digits (`1.1 * 3` is 3.3000000000000003). RFC 8259 §6: with an exponent. */
const NUMBER = /^-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,4})?$/;

/** Compiles a parameter schema for Fastify. plugins/query-keys.ts has refused unknown names before. */
export const compileParameters: FastifySchemaCompiler<unknown> = ({ schema }) => {
  const readers = Object.entries(propertiesOf(schema)).map(([name, property]) => [name, compileOne(property)] as const);
  const needed = requiredOf(schema);
  return (raw: unknown) => {
    const given = new Map(Object.entries(raw ?? {}));
    const value: Record<string, unknown> = {};
    for (const [name, { read, fallback }] of readers) {
      const text: unknown = given.get(name);
      if (text === undefined) {
        if (needed.has(name)) return { error: new ProblemError('invalid-parameter', `${name} is missing.`) };
        if (fallback !== undefined) value[name] = fallback;
        continue;
      }
      const result = typeof text === 'string' ? read(text) : { error: 'is given more than once' };
      if ('error' in result) return { error: new ProblemError('invalid-parameter', `${name} ${result.error}.`) };
      value[name] = result.value;
    }
    return { value };
  };
};

function propertiesOf(schema: unknown): Record<string, ParameterSchema> {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) {
    throw new Error('a parameter schema must be an object schema written out in place');
  }
  // Contract schemas are built by TypeBox, which gives `properties` exactly this form.
  return schema.properties as Record<string, ParameterSchema>;
}

function requiredOf(schema: unknown): ReadonlySet<unknown> {
  const isNamed = typeof schema === 'object' && schema !== null && 'required' in schema;
  return new Set(isNamed && Array.isArray(schema.required) ? schema.required : []);
}

function compileOne(schema: ParameterSchema): { read: (text: string) => Read; fallback: unknown } {
  return { read: readerOf(schema), fallback: schema.default };
}

function readerOf(schema: ParameterSchema): (text: string) => Read {
  const allowed = schema.enum;
  if (allowed !== undefined) {
    return (text) => (allowed.includes(text) ? { value: text } : { error: `must be one of ${allowed.join(', ')}` });
  }
  const minimum = schema.minimum ?? -Infinity;
  const maximum = schema.maximum ?? Number.MAX_SAFE_INTEGER;
  const error = `must be a whole number from ${schema.minimum ?? 0} to ${maximum}`;
  switch (schema.type) {
    case 'integer':
      return (text) => {
        const value = Number(text);
        return INTEGER.test(text) && value >= minimum && value <= maximum ? { value } : { error };
      };
    case 'number':
      return (text) => {
        const value = Number(text);
        if (NUMBER.test(text) && Number.isFinite(value) && value >= minimum) return { value };
        return { error: `must be a decimal number${minimum === -Infinity ? '' : ` from ${minimum}`}` };
      };
    case 'boolean':
      return (text) =>
        text === 'true' || text === 'false' ? { value: text === 'true' } : { error: 'must be true or false' };
    case 'string':
      return stringReader(schema);
    default:
      throw new Error(`parameters cannot have the type ${String(schema.type)}`);
  }
}

function stringReader(schema: ParameterSchema): (text: string) => Read {
  const longest = schema.maxLength ?? Infinity;
  const pattern = schema.pattern === undefined ? null : new RegExp(schema.pattern);
  return (text) => {
    if (text.length > longest) return { error: `may have ${longest} characters` };
    if (pattern !== null && !pattern.test(text)) return { error: `must match ${pattern.source}` };
    return { value: text };
  };
}
