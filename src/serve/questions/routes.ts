/** Adds a route for each question of a surface, `/v1` or `/ask`: its parameters, its answer and its refusals as the row says. */
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { CallIdParams, SelectorParams, SsrcParams } from '../../contract/index.ts';
import type { Port } from '../../explore/port.ts';
import type { AnyQuestion, Given, Route } from '../../explore/question-row.ts';
import type { QuestionName } from '../../explore/questions.ts';
import { QUESTIONS } from '../../explore/questions.ts';
import { compileParameters } from '../api/parameters.ts';
import type { App } from '../api/routes/route.ts';
import { refusals, signalOf } from '../api/routes/route.ts';
import type { UnreadAnswers } from '../http/unread.ts';
import { documented, send } from './answers.ts';
import { ask } from './asking.ts';

export type QuestionDeps = {
  readonly readers: Port;
  /** `--api-max-rows`. */
  readonly maxRows: number;
  readonly unread: UnreadAnswers;
  /** Is told of what leaves the process although people said it. */
  told(request: FastifyRequest, what: string, selector: string, bytes: number): void;
};

export function addQuestions(app: App, surface: 'v1' | 'ask', deps: QuestionDeps): void {
  for (const [name, row] of Object.entries(QUESTIONS)) {
    const route = row[surface];
    // The keys of the table are the names. Events have a route of their own.
    if (route !== undefined && row.answer.kind !== 'events') addQuestion(app, name as QuestionName, route, deps);
  }
}

function addQuestion(app: App, name: QuestionName, route: Route, deps: QuestionDeps): void {
  const row = QUESTIONS[name] as AnyQuestion;
  const { readers, maxRows, unread } = deps;
  const schema = schemaOf(row, route);
  app.get(pathOf(row, route), { validatorCompiler: compileParameters, schema }, async (request, reply) => {
    if (row.weight !== undefined) unread.checkRoom(row.weight);
    // Both fit the schemas of the route.
    const given: Given = { ...(request.params as Given), ...(request.query as Given) };
    const answered = await ask(name, given, { readers, maxRows, signal: signalOf(request) });
    const told = row.told?.(answered.found);
    if (told !== undefined) deps.told(request, told[0], given.selector ?? '', told[1]);
    return send(answered, reply, unread);
  });
}

const PARAMS: Readonly<Record<string, TSchema>> = {
  ':call_id': CallIdParams,
  ':selector': SelectorParams,
  ':ssrc': SsrcParams,
};

/** What OpenAPI says of a route, and what its parameters are held to. */
export function schemaOf(row: AnyQuestion, route: Route): object {
  const { id, summary, query, about } = route;
  const path = pathOf(row, route);
  const params = PARAMS[/:[a-z_]+/.exec(path)?.[0] ?? ''];
  return {
    operationId: id,
    summary,
    tags: [path.startsWith('/ask/') ? 'ask' : row.v1?.tag],
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    response: {
      200: documented(row.answer, about),
      ...refusals(
        ...(row.cannot === undefined ? [] : [row.cannot]),
        ...(params === undefined ? [] : (['not-found', 'uri-too-long'] as const)),
      ),
    },
  };
}

function pathOf(row: AnyQuestion, route: Route): string {
  return route.path ?? row.path;
}
