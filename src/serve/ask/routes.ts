/**
 * Adds `/ask`: a route for each question that has one (explore/questions.ts), behind the same credentials, limits and rules as `/v1`.
 */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { SelectorParams } from '../../contract/index.ts';
import type { Port } from '../../explore/port.ts';
import type { Given } from '../../explore/question-row.ts';
import type { QuestionName } from '../../explore/questions.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import { addOpenApiRoute } from '../api/openapi.ts';
import { compileParameters } from '../api/parameters.ts';
import type { Authentication } from '../api/plugins/authentication.ts';
import type { App } from '../api/routes/route.ts';
import { refusals, signalOf } from '../api/routes/route.ts';
import type { ApiCredentials } from '../auth/api-credentials.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { UnreadAnswers } from '../http/unread.ts';
import { documented, send } from './answers.ts';
import type { Row } from './asking.ts';
import { ask } from './asking.ts';
import { ChangeStreams } from './changes.ts';

type Deps = {
  readonly readers: Port;
  readonly maxRows: number;
  readonly unread: UnreadAnswers;
  readonly credentials?: ApiCredentials;
  readonly ask?: { readonly log: (line: string) => void };
};

/** `onMoved` is told of connections that got something although their answer continues. */
export function addAsk(
  app: App,
  deps: Deps,
  authentication: Authentication,
  onMoved: (socket: Socket) => void,
): { close(): void } {
  for (const [name, row] of Object.entries(QUESTIONS)) {
    // The keys of the table are the names.
    if (row.ask !== undefined && row.answer.kind !== 'events') addQuestion(app, name as QuestionName, deps);
  }
  addOpenApiRoute(app, 'askSwagger');
  const streams = new ChangeStreams(deps.readers, onMoved);
  addChanges(app, streams, authentication);
  return { close: () => streams.close() };
}

function addQuestion(app: App, name: QuestionName, deps: Deps): void {
  const row = QUESTIONS[name] as Row;
  const { readers, maxRows, unread } = deps;
  app.get(
    row.ask?.path ?? row.path,
    { validatorCompiler: compileParameters, schema: schemaOf(row) },
    async (request, reply) => {
      if (row.weight !== undefined) unread.checkRoom(row.weight);
      // Both fit the schemas of the row.
      const given: Given = { ...(request.params as Given), ...(request.query as Given) };
      const answered = await ask(name, given, { readers, maxRows, signal: signalOf(request) });
      const told = row.told?.(answered.found);
      if (told !== undefined) {
        const [what, bytes] = told;
        deps.ask?.log(`${whose(deps, request)} ${what} ${JSON.stringify(given.selector)}, ${bytes} bytes`);
      }
      return send(answered, reply, unread);
    },
  );
}

/** What OpenAPI says of a route, and what its parameters are held to. */
function schemaOf(row: Row): object {
  const { id, summary, query } = row.ask ?? {};
  const isOfCall = row.path.includes(':selector');
  return {
    operationId: id,
    summary,
    tags: ['ask'],
    ...(isOfCall ? { params: SelectorParams } : {}),
    ...(query === undefined ? {} : { querystring: query }),
    response: {
      200: documented(row),
      ...refusals(
        ...(row.cannot === undefined ? [] : [row.cannot]),
        ...(isOfCall ? (['not-found', 'uri-too-long'] as const) : []),
      ),
    },
  };
}

/** Whose credentials the request has, for the log. */
function whose({ credentials }: Deps, { raw }: FastifyRequest): string {
  return credentials?.nameOf(raw.headersDistinct['authorization'] ?? []) ?? 'loopback';
}

function addChanges(app: App, streams: ChangeStreams, authentication: Authentication): void {
  const { path } = QUESTIONS.changes;
  app.get(path, { schema: schemaOf(QUESTIONS.changes as Row) }, async (request, reply) => {
    const { raw } = request;
    if (raw.method === 'HEAD') return reply.type('text/event-stream').header('cache-control', 'no-store').send('');
    const mayRead = (): boolean => authentication.check(raw, path) === null;
    if (streams.add(reply.raw, mayRead)) return reply.hijack();
    throw new ProblemError('overloaded', 'Too many read changes; try again later.', { 'retry-after': '5' });
  });
}
