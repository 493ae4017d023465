/** GET /v1/dialogs and GET /v1/dialogs/{call_id}. */

import { CallIdParams, DEFAULT_LIMIT, Dialog, DialogList, DialogQuery } from '../../../contract/index.ts';
import { compileParameters } from '../parameters.ts';
import { compileUserPattern } from '../user-pattern.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, isGone, orBusy, orNoDialog, refusals } from './route.ts';

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
        response: { 200: answer('A page of the filtered set.', DialogList), ...refusals('invalid-parameter') },
      },
    },
    async (request) => {
      const { query } = request;
      return orBusy(
        await readers.dialogs(
          {
            limit: Math.min(query.limit ?? DEFAULT_LIMIT, maxRows),
            offset: query.offset ?? 0,
            ...(query.state === undefined ? {} : { state: query.state }),
            ...(query.from === undefined ? {} : { matchesFrom: compileUserPattern(query.from) }),
          },
          isGone(request),
        ),
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
    async (request) => orNoDialog(await readers.dialog(request.params.call_id, isGone(request))),
  );
}
