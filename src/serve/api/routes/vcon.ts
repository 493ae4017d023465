/** GET /v1/dialogs/{call_id}/vcon: the call as a container, sent while it is read. */

import { CallIdParams, Vcon } from '../../../contract/index.ts';
import { compileParameters } from '../parameters.ts';
import type { App, LargeDeps } from './route.ts';
import { refusals, signalOf, streamed } from './route.ts';

/** Of the feature `vcon`. */
export function addVconRoute(app: App, { readers, unread }: LargeDeps): void {
  app.get(
    '/v1/dialogs/:call_id/vcon',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialogVcon',
        summary: 'The dialog as a vCon (IETF vCon core), unsigned',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: streamed('The container; credentials and keys are taken out.', Vcon),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async (request, reply) => {
      unread.checkRoom('text');
      const { text, keeps } = await readers.vcon(request.params.call_id, signalOf(request));
      // Sent while it is read: the messages of one dialog may be many MiB.
      reply.type('application/json');
      return unread.weigh(text, 'text', keeps);
    },
  );
}
