/** GET /v1/dialogs and GET /v1/dialogs/{call_id}. */

import { CallIdParams, DEFAULT_LIMIT, Dialog, DialogList, DialogQuery } from '../../../contract/index.ts';
import { MAX_USER_PATTERN_CHARS } from '../../../core/item-limits.ts';
import { compilePattern } from '../../../core/pattern.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals, signalOf } from './route.ts';

const LIMITS = { maxProgram: 500, maxRepeats: 200 };

/** True for a user part in which the pattern is found; a pattern that cannot be taken is a problem. */
export function compileUserPattern(source: string): (user: string) => boolean {
  const found = compilePattern(source, LIMITS);
  if (!found.ok) throw new ProblemError('invalid-parameter', `from ${found.reason}.`);
  return (user) => found.value(user.slice(0, MAX_USER_PATTERN_CHARS));
}

/** Runs the compiler once, so that its own compilation holds the start and not the first request that brings a pattern. */
export function warmUserPatterns(): void {
  for (const source of ['^u[0-9]+.*x$', '(a+|b?)+$', '^\\+?44(20|161)[^0-4]{2,5}\\w$'])
    compileUserPattern(source)('u1234567890');
}

export function addDialogRoutes(app: App, { readers, maxRows }: RouteDeps): void {
  app.get(
    '/v1/dialogs',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'listDialogs',
        summary: 'Dialogs, newest first',
        tags: ['dialogs'],
        querystring: DialogQuery,
        response: { 200: answer('A page of the filtered set.', DialogList), ...refusals() },
      },
    },
    async (request) => {
      const { query } = request;
      return readers.dialogs(
        {
          limit: Math.min(query.limit ?? DEFAULT_LIMIT, maxRows),
          offset: query.offset ?? 0,
          ...(query.state === undefined ? {} : { state: query.state }),
          ...(query.from === undefined ? {} : { matchesFrom: compileUserPattern(query.from), fromPattern: query.from }),
        },
        signalOf(request),
      );
    },
  );

  app.get(
    '/v1/dialogs/:call_id',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialog',
        summary: 'One dialog by its Call-ID',
        tags: ['dialogs'],
        params: CallIdParams,
        response: { 200: answer('The dialog.', Dialog), ...refusals('not-found', 'uri-too-long') },
      },
    },
    async (request) => readers.dialog(request.params.call_id, signalOf(request)),
  );
}
