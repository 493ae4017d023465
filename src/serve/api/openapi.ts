/** The OpenAPI 3.1 document, generated from the contract schemas the routes are built with. */

import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import * as contract from '../../contract/index.ts';
import type { App } from './routes/route.ts';
import { refusals } from './routes/route.ts';

type NamedSchema = { readonly $id: string };

/** What the routes name by reference; what these name in turn follows by itself. */
const ROOTS: readonly NamedSchema[] = [
  contract.DialogList,
  contract.Dialog,
  contract.Correlation,
  contract.CallTree,
  contract.CaptureReport,
  contract.LintResult,
  contract.Vcon,
  contract.StreamList,
  contract.RtpStream,
  contract.Stats,
  contract.PeerAbsent,
  contract.PeerStatus,
  contract.BannedList,
  contract.DroppedList,
  contract.LabelList,
  contract.BanRequest,
  contract.UnbanRequest,
  contract.PeerActionAnswer,
  contract.Persistence,
  contract.PersistenceRequest,
  contract.Problem,
];

/** The roots and every contract schema that one of them reaches. */
function sharedSchemas(): readonly NamedSchema[] {
  const byName = new Map<string, NamedSchema>();
  for (const value of Object.values(contract)) if (isNamed(value)) byName.set(value.$id, value);
  const reached = new Map(ROOTS.map((schema) => [schema.$id, schema]));
  // A map may grow while it is walked; new entries are visited too.
  for (const schema of reached.values()) {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([A-Za-z]+)#"/g)) {
      const target = byName.get(name);
      if (target === undefined) throw new Error(`${schema.$id} names ${name}, which is no contract schema`);
      reached.set(name, target);
    }
  }
  return [...reached.values()].sort((a, b) => (a.$id < b.$id ? -1 : 1));
}

function isNamed(value: unknown): value is NamedSchema {
  return typeof value === 'object' && value !== null && '$id' in value && typeof value.$id === 'string';
}

/** Must be called before the routes are added. `isOpen`: no credentials are configured. */
export async function addOpenApi(app: App, isOpen: boolean): Promise<void> {
  for (const schema of sharedSchemas()) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Call analysis service',
        // The version of the path prefix, not of the software.
        version: '1',
        description:
          'SIP dialogs and RTP streams of one capture. Every answer of 400 and above is a problem ' +
          `document (RFC 9457) whose \`type\` is one of ${contract.PROBLEM_TYPES.map((type) => `\`${type}\``).join(', ')}. ` +
          'A key that is absent is unknown and never sent as null, except where a schema admits null. At most 100 ' +
          'answers in any second go to one address.',
      },
      servers: [
        { url: '/', description: 'The service this document comes from.' },
        {
          url: 'http://{address}',
          description: 'What --api names.',
          variables: { address: { default: '127.0.0.1:8080', description: 'Address and port.' } },
        },
      ],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The static key of the service, or a signed token (`s2.<payload>.<signature>`) for the audience `api`. A ' +
              'token of scope `metrics` reaches `/metrics` only. A service without credentials, which is bound to ' +
              'loopback, asks for none, and serves requests of its own host alone.',
          },
        },
      },
      security: isOpen ? [{ bearer: [] }, {}] : [{ bearer: [] }],
      tags: [{ name: 'dialogs' }, { name: 'streams' }, { name: 'service' }, { name: 'peer' }],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => {
        const name = json['$id'];
        return typeof name === 'string' ? name : `schema-${i}`;
      },
    },
  });
}

/** Adds the route that serves the document; it is part of the document itself. */
export function addOpenApiRoute(app: App): void {
  let text: string | null = null;
  app.get(
    '/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'This document',
        tags: ['service'],
        response: {
          200: {
            description: 'The OpenAPI 3.1 document.',
            // Typed as text: Fastify sends a string of JSON as it is, without the serializer.
            content: { 'application/json': { schema: Type.Unsafe<string>({ type: 'object' }) } },
          },
          ...refusals(),
        },
      },
    },
    async (_request, reply) => {
      text ??= openApiText(app);
      return reply.type('application/json').send(text);
    },
  );
}

/** The document as it is committed to docs/openapi.json and served. */
export function openApiText(app: App): string {
  return `${JSON.stringify(app.swagger(), null, 2)}\n`;
}
