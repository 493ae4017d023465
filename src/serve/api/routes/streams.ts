/** GET /v1/streams and GET /v1/streams/{ssrc}. */

import { DEFAULT_LIMIT, RtpStream, SsrcParams, StreamList, StreamQuery } from '../../../contract/index.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, isGone, orBusy, refusals } from './route.ts';

export function addStreamRoutes(app: App, { readers, maxRows }: RouteDeps): void {
  app.get(
    '/v1/streams',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'listStreams',
        summary: 'RTP streams, newest first',
        tags: ['streams'],
        querystring: StreamQuery,
        response: { 200: answer('A page of the filtered set.', StreamList), ...refusals() },
      },
    },
    async (request) => {
      const { query } = request;
      return orBusy(
        await readers.streams(
          {
            limit: Math.min(query.limit ?? DEFAULT_LIMIT, maxRows),
            offset: query.offset ?? 0,
            ...(query.orphaned === undefined ? {} : { orphaned: query.orphaned }),
            ...(query.mos_below === undefined ? {} : { mosBelow: query.mos_below }),
          },
          isGone(request),
        ),
      );
    },
  );

  app.get(
    '/v1/streams/:ssrc',
    {
      validatorCompiler: compileParameters,
      schema: {
        operationId: 'getStream',
        summary:
          'One RTP stream by its SSRC; of several on the same sockets the newest, else the one with most packets',
        tags: ['streams'],
        params: SsrcParams,
        response: {
          200: answer('The stream.', RtpStream),
          ...refusals('not-found', 'uri-too-long'),
        },
      },
    },
    async ({ params }) => {
      const { document: stream } = orBusy(await readers.stream(Number.parseInt(params.ssrc.replace(/^0x/i, ''), 16)));
      if (stream === null) throw new ProblemError('not-found', 'There is no stream with this SSRC.');
      return stream;
    },
  );
}
