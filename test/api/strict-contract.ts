/** Strict validation against the contract: formats checked, and no key that a schema does not declare. */

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as contract from '../../src/contract/index.ts';

/** The schema with every closed object closed for good; open ones say so themselves. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const isObject = copy['type'] === 'object' && copy['properties'] !== undefined;
  return isObject && copy['additionalProperties'] === undefined ? { ...copy, additionalProperties: false } : copy;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
formats.default(ajv);
for (const schema of Object.values(contract)) {
  if (typeof schema === 'object' && '$id' in schema && schema.$id !== undefined) ajv.addSchema(Object(close(schema)));
}

/** Fails with every difference between the document and the named schema. */
export function assertDocument(name: string, document: unknown): void {
  const validate = ajv.getSchema(name);
  assert.ok(validate, `the contract has no ${name}`);
  assert.ok(validate(document), `${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(document)}`);
}
