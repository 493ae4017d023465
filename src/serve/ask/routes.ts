/**
 * Adds `/ask`: the questions that have a route there, its OpenAPI document and its changes, behind the same credentials, limits and
 * rules as `/v1`.
 */
import type { Socket } from 'node:net';
import type { AnyQuestion } from '../../explore/question-row.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import { addOpenApiRoute } from '../api/openapi.ts';
import type { Authentication } from '../api/plugins/authentication.ts';
import type { App } from '../api/routes/route.ts';
import type { ApiCredentials } from '../auth/api-credentials.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { QuestionDeps } from '../questions/routes.ts';
import { addQuestions, schemaOf } from '../questions/routes.ts';
import { ChangeStreams } from './changes.ts';

type Deps = Omit<QuestionDeps, 'told'> & {
  readonly credentials?: ApiCredentials;
  readonly ask?: { readonly log: (line: string) => void };
};

/** `onMoved` is told of connections that got something although their answer continues. */
export function addAsk(
  app: App,
  { credentials, ask, ...deps }: Deps,
  authentication: Authentication,
  onMoved: (socket: Socket) => void,
): { close(): void } {
  addQuestions(app, 'ask', {
    ...deps,
    told({ raw }, what, selector, bytes) {
      const whose = credentials?.nameOf(raw.headersDistinct['authorization'] ?? []) ?? 'loopback';
      ask?.log(`${whose} ${what} ${JSON.stringify(selector)}, ${bytes} bytes`);
    },
  });
  addIndex(app);
  addOpenApiRoute(app, 'askSwagger');
  const streams = new ChangeStreams(deps.readers, onMoved);
  addChanges(app, streams, authentication);
  return { close: () => streams.close() };
}

/** `/ask` itself: what can be asked, for who finds the address first. */
function addIndex(app: App): void {
  const rows: readonly AnyQuestion[] = Object.values(QUESTIONS) as AnyQuestion[];
  const questions = rows.flatMap(({ path, ask }) =>
    ask === undefined ? [] : [{ path: (ask.path ?? path).replace(/:(\w+)/g, '{$1}'), summary: ask.summary }],
  );
  const index = { schema_version: 1, openapi: '/ask/openapi.json', questions };
  app.get('/ask', { schema: { hide: true } }, async () => index);
}

function addChanges(app: App, streams: ChangeStreams, authentication: Authentication): void {
  const { path, ask } = QUESTIONS.changes;
  if (ask === undefined) return;
  app.get(path, { schema: schemaOf(QUESTIONS.changes as AnyQuestion, ask) }, async (request, reply) => {
    const { raw } = request;
    if (raw.method === 'HEAD') return reply.type('text/event-stream').header('cache-control', 'no-store').send('');
    const mayRead = (): boolean => authentication.check(raw, path) === null;
    if (streams.add(reply.raw, mayRead)) return reply.hijack();
    throw new ProblemError('overloaded', 'Too many read changes; try again later.', { 'retry-after': '5' });
  });
}
