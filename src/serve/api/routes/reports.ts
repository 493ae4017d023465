/** GET /v1/dialogs/{call_id}/report and GET /v1/report: what went wrong, in one call and in the whole capture. */

import { CallIdParams, CaptureReport, Dialog, LintResult, Vcon } from '../../../contract/index.ts';
import { compileParameters } from '../parameters.ts';
import type { App, LargeDeps, RouteDeps } from './route.ts';
import { answer, refusals, signalOf, streamed } from './route.ts';

export function addReportRoutes(app: App, { readers }: RouteDeps): void {
  app.get(
    '/v1/dialogs/:call_id/report',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialogReport',
        summary: 'The dialog, and the cause the wire named for its end',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: answer('The dialog; `termination` only where a cause was named.', Dialog),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async (request) => readers.report(request.params.call_id, signalOf(request)),
  );

  app.get(
    '/v1/dialogs/:call_id/lint',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialogLint',
        summary: 'Lint findings of a dialog: each names the message and the RFC section it breaks',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: answer('The findings, in the order of the messages.', LintResult),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async (request) => readers.lint(request.params.call_id, signalOf(request)),
  );

  app.get(
    '/v1/report',
    {
      schema: {
        operationId: 'getCaptureReport',
        summary: 'Findings across all dialogs and streams, worst first',
        tags: ['service'],
        response: { 200: answer('The report of this moment.', CaptureReport), ...refusals() },
      },
    },
    async () => readers.captureReport(),
  );
}

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
