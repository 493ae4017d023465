/** The OpenAPI 3.1 document, generated from the contract schemas the routes are built with. */

import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import * as contract from '../../contract/index.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import type { NamedSchema } from './answer-schemas.ts';
import { answersOf, reachedFrom } from './answer-schemas.ts';
import type { App } from './routes/route.ts';
import { guardedRefusals } from './routes/route.ts';

/** What routes that are made of no question name by reference; what these name in turn follows by itself. */
const ROOTS: readonly NamedSchema[] = [
  contract.Vcon,
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

/** The documents of the questions that a surface has. */
function documentsOf(surface: 'v1' | 'ask'): readonly NamedSchema[] {
  return Object.values(QUESTIONS).flatMap((row) =>
    row[surface] !== undefined && row.answer.kind === 'document' ? [row.answer.schema] : [],
  );
}

/** The two documents: that of the contract, and that of /ask, by the decorator that makes each. */
const DOCUMENTS = {
  swagger: {
    isOfIt: (url: string) => !url.startsWith('/ask/'),
    title: 'Call analysis service',
    about: 'SIP dialogs and RTP streams of one capture.',
    tags: ['dialogs', 'streams', 'service', 'peer'],
  },
  askSwagger: {
    isOfIt: (url: string) => url.startsWith('/ask/'),
    title: 'Questions about calls',
    about: 'Calls by filter, their messages, ladders, quality, comparison and changes.',
    tags: ['ask'],
  },
} as const;
type Decorator = keyof typeof DOCUMENTS;

/** Must be called before the routes are added. `isOpen`: no credentials are configured. */
export async function addOpenApi(app: App, isOpen: boolean, hasAsk: boolean): Promise<void> {
  for (const schema of reachedFrom([...ROOTS, ...documentsOf('v1'), ...(hasAsk ? documentsOf('ask') : [])]))
    app.addSchema(schema);
  app.setSerializerCompiler(answersOf());
  await addDocument(app, isOpen, 'swagger');
  if (hasAsk) await addDocument(app, isOpen, 'askSwagger');
}

async function addDocument(app: App, isOpen: boolean, decorator: Decorator): Promise<void> {
  const { isOfIt, title, about, tags } = DOCUMENTS[decorator];
  await app.register(swagger, {
    decorator,
    transform: ({ schema, url }) => ({ url, schema: isOfIt(url) ? schema : { ...schema, hide: true } }),
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        // The version of the path prefix, not of the software.
        version: '1',
        description:
          `${about} Every answer of 400 and above is a problem document (RFC 9457) whose \`type\` is one of ${contract.PROBLEM_TYPES.map((type) => `\`${type}\``).join(', ')}. ` +
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
      tags: tags.map((name) => ({ name })),
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => {
        const name = json['$id'];
        return typeof name === 'string' ? name : `schema-${i}`;
      },
    },
  });
}

/** Adds the route that serves a document; it is part of the document itself. */
export function addOpenApiRoute(app: App, decorator: Decorator = 'swagger'): void {
  let text: string | null = null;
  app.get(
    decorator === 'swagger' ? '/openapi.json' : '/ask/openapi.json',
    {
      schema: {
        operationId: decorator === 'swagger' ? 'getOpenApi' : 'askOpenApi',
        summary: 'This document',
        tags: [decorator === 'swagger' ? 'service' : 'ask'],
        response: {
          200: {
            description: 'The OpenAPI 3.1 document.',
            // Typed as text: Fastify sends a string of JSON as it is, without the serializer.
            content: { 'application/json': { schema: Type.Unsafe<string>({ type: 'object' }) } },
          },
          ...guardedRefusals(),
        },
      },
    },
    async (_request, reply) => {
      text ??= openApiText(app, decorator);
      return reply.type('application/json').send(text);
    },
  );
}

/** The document as it is committed to docs/openapi.json, or of /ask, and served. */
export function openApiText(app: App, decorator: Decorator = 'swagger'): string {
  // The decorator of the second registration is none that the types know.
  const make: unknown = Reflect.get(app, decorator);
  if (typeof make !== 'function') throw new Error(`no document ${decorator}`);
  return `${JSON.stringify(pruned(make.call(app)), null, 2)}\n`;
}

/** Without the schemas that no path reaches: the framework lists those of both documents in each. */
function pruned(document: { paths?: object; components?: { schemas?: Record<string, object> } }): object {
  const all = document.components?.schemas ?? {};
  const reached = new Set<string>();
  const texts = [JSON.stringify(document.paths)];
  for (const text of texts) {
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([A-Za-z]+)"/g)) {
      if (reached.has(name) || all[name] === undefined) continue;
      reached.add(name);
      texts.push(JSON.stringify(all[name]));
    }
  }
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(name)));
  return { ...document, components: { ...document.components, schemas } };
}
