/** GET /v1/dialogs/{call_id}/correlated and /tree: what belongs to the same call. */

import { CallIdParams, CallTree, Correlation } from '../../../contract/index.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals, signalOf } from './route.ts';

export function addLegRoutes(app: App, { readers, maxRows }: RouteDeps): void {
  app.get(
    '/v1/dialogs/:call_id/correlated',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getCorrelatedDialogs',
        summary: 'Dialogs tied to this one: one hop',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: answer('The legs, best first.', Correlation),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async ({ params }) => readers.correlated(params.call_id, maxRows),
  );

  app.get(
    '/v1/dialogs/:call_id/tree',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getCallTree',
        summary: 'All legs of the call, followed from identifier to identifier',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: answer('The tree, its root the named leg.', CallTree),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async (request) => readers.tree(request.params.call_id, maxRows, signalOf(request)),
  );
}
