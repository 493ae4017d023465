/**
 * Requests made from the OpenAPI document of a running service: right ones, nearly right ones and hostile ones. Every
 * answer must be one that the document names for its route, with a body of the schema it names.
 */

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import type { Answer, AskOptions } from '../conformance/service.ts';
import type { Json } from './json.ts';
import { asJson, asRows } from './json.ts';

export type FuzzRequest = {
  readonly path: string;
  readonly options: AskOptions;
  /** Method and path of the route that the request was made for. */
  readonly route: string;
};

export type Fuzz = {
  readonly requests: fc.Arbitrary<FuzzRequest>;
  /** What is wrong with the answer, or null. */
  faultOf(request: FuzzRequest, answer: Answer): string | null;
};

/** Refusals that any request may meet before a route takes it. */
const ANYWHERE = [400, 404, 405, 413, 414, 415, 417, 431, 503];

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'null',
    'true',
    '%00',
    '%zz',
    '%',
    '..',
    '../..',
    '%2e%2e%2f',
    '1e9',
    '0x',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }).map(encodeURIComponent),
  fc.integer({ min: 200, max: 4_000 }).map((n) => 'a'.repeat(n)),
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map((text) => encodeURI(text).replaceAll(/[#?]/g, '_')),
);

const nastyJson = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>({ __proto__: { enabled: true } }, { ip: '::1' }, { ip: '192.0.2.1', ttl_secs: -1 }, [], ''),
);

/** A value of a schema, as far as parameters and request bodies use them. */
function valid(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  if (typeof schema['$ref'] === 'string') return valid(resolve(schema['$ref']), resolve);
  const { enum: values, type, properties, required = [], pattern } = schema;
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.oneof(fc.nat(5), fc.nat(2_000), fc.maxSafeNat());
  if (type === 'number') return fc.constantFrom(0, 1, 3.5, 4.2, 5);
  if (schema['format'] === 'ipv4') return fc.ipV4();
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  if (type === 'string') return fc.string({ maxLength: 20 });
  if (type === 'object' && properties !== undefined) {
    const members = Object.entries(asJson(properties)).map(
      ([key, each]) => [key, valid(asJson(each), resolve)] as const,
    );
    return fc.record(Object.fromEntries(members), { requiredKeys: (required as string[]) ?? [] });
  }
  return fc.jsonValue();
}

/** `callIds` and `ssrcs` are what the service knows, so that some requests lead somewhere. */
export function apiFuzz(document: Json, callIds: readonly string[], ssrcs: readonly string[]): Fuzz {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'doc', ...document });
  const resolve = (ref: string): Json =>
    ref
      .slice(2)
      .split('/')
      .reduce<Json>((at, key) => asJson(at[key]), document);

  const routes = Object.entries(asJson(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(asJson(methods)).map(([method, operation]) => ({ path, method, operation: asJson(operation) })),
  );

  const requests = fc.oneof(
    ...routes.map(({ path, method, operation }) => {
      const parameters = operation['parameters'] === undefined ? [] : asRows(operation['parameters']);
      const known = { '{call_id}': callIds, '{ssrc}': ssrcs } as Readonly<Record<string, readonly string[]>>;
      const [placeholder] = /\{\w+\}/.exec(path) ?? [];
      const place = placeholder === undefined ? fc.constant('') : placeOf(known[placeholder] ?? []);
      const query = fc.array(
        fc.oneof(
          ...parameters
            .filter((each) => each['in'] === 'query')
            .map((each) =>
              fc
                .oneof(
                  valid(asJson(each['schema']), resolve).map((value) => encodeURIComponent(String(value))),
                  nasty,
                )
                .map((value) => `${String(each['name'])}=${value}`),
            ),
          fc.tuple(nasty, nasty).map(([name, value]) => `${name}=${value}`),
        ),
        { maxLength: 4 },
      );
      const body =
        method === 'post'
          ? fc.oneof(
              valid(bodySchema(operation), resolve).map((value) => JSON.stringify(value)),
              nastyJson.map((value) => JSON.stringify(value) ?? ''),
              fc.string({ unit: 'binary', maxLength: 200 }),
            )
          : fc.constant(undefined);
      const verb = fc.oneof(
        { weight: 12, arbitrary: fc.constant(method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom('HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'POST', 'GET') },
      );
      const type = fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'x');
      return fc.tuple(place, query, body, verb, type).map(([at, pairs, text, used, contentType]) => ({
        route: `${used} ${path}`,
        path: `${path.replace(/\{\w+\}/, () => at)}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`,
        options: {
          method: used,
          ...(text === undefined || used === 'HEAD' || used === 'GET'
            ? {}
            : { body: text, headers: { 'content-type': contentType } }),
        },
      }));
    }),
  );

  return {
    requests,
    faultOf({ route, options }, answer) {
      if (options.method === 'HEAD') return answer.bytes.length === 0 ? null : 'HEAD has a body';
      const [method = '', path = ''] = route.split(' ');
      const operation = asJson(document['paths'])[path];
      const documented = asJson(operation ?? {})[method.toLowerCase()];
      const responses = documented === undefined ? {} : asJson(asJson(documented)['responses']);
      const isNamed = String(answer.status) in responses;
      if (!isNamed && !ANYWHERE.includes(answer.status)) return `status ${answer.status} is not documented`;
      if (answer.status === 500) return 'a fault of the service';
      const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
      if (answer.status >= 400) {
        if (type !== 'application/problem+json') return `a ${answer.status} of type ${type}`;
        return checkSchema('Problem', { $ref: 'doc#/components/schemas/Problem' }, answer.text);
      }
      if (type !== 'application/json') return null;
      const content = asJson(asJson(asJson(responses[String(answer.status)])['content'])[type]);
      return checkSchema(route, inDocument(asJson(content['schema'])), answer.text);
    },
  };

  function checkSchema(name: string, schema: Json, text: string): string | null {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return 'the body is no JSON';
    }
    return ajv.validate(schema, value) ? null : `${name}: ${ajv.errorsText()}`;
  }
}

/** The schema with its references made to lead into the document from outside. */
function inDocument(schema: Json): Json {
  return asJson(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')));
}

function bodySchema(operation: Json): Json {
  assert.ok(operation['requestBody'] !== undefined);
  return asJson(asJson(asJson(asJson(operation['requestBody'])['content'])['application/json'])['schema']);
}

function placeOf(known: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...known).map(encodeURIComponent), nasty);
}
