/** GET /v1/dialogs and GET /v1/dialogs/{call_id}. */

import { CallIdParams, Dialog, DialogList, DialogQuery } from '../../../contract/index.ts';
import { compileUserPattern, readDialogFilter } from '../../../explore/question-kinds.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals, signalOf } from './route.ts';

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
    async (request) => readers.dialogs(readDialogFilter(request.query, { maxRows }), signalOf(request)),
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
