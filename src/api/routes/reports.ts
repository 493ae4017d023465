/** GET /v1/dialogs/{call_id}/report and GET /v1/report: what went wrong, in one call and in the whole capture. */

import { CallIdParams, CaptureReport, Dialog, LintResult, Vcon } from '../../contract/index.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals } from './route.ts';

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
          ...refusals('bad-request', 'not-found', 'uri-too-long'),
        },
      },
    },
    async ({ params }) => {
      const report = readers.report(params.call_id);
      if (report === null) throw new ProblemError('not-found', 'There is no dialog with this Call-ID.');
      return report;
    },
  );

  app.get(
    '/v1/dialogs/:call_id/lint',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getDialogLint',
        summary: 'What in the messages of the dialog breaks which sentence of which RFC',
        tags: ['dialogs'],
        params: CallIdParams,
        response: {
          200: answer('The findings, in the order of the messages.', LintResult),
          ...refusals('bad-request', 'not-found', 'uri-too-long'),
        },
      },
    },
    async ({ params }) => {
      const result = readers.lint(params.call_id);
      if (result === null) throw new ProblemError('not-found', 'There is no dialog with this Call-ID.');
      return result;
    },
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
export function addVconRoute(app: App, { readers }: RouteDeps): void {
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
          200: answer('The container; credentials and keys are taken out.', Vcon),
          ...refusals('bad-request', 'not-found', 'uri-too-long'),
        },
      },
    },
    async ({ params }) => {
      const container = await readers.vcon(params.call_id);
      if (container === null) throw new ProblemError('not-found', 'There is no dialog with this Call-ID.');
      return container;
    },
  );
}
