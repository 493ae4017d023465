/** GET /v1/streams and GET /v1/streams/{ssrc}. */

import { RtpStream, SsrcParams, StreamList, StreamQuery } from '../../../contract/index.ts';
import { readSsrc, readStreamFilter } from '../../../explore/question-kinds.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals, signalOf } from './route.ts';

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
    async (request) => readers.streams(readStreamFilter(request.query, { maxRows }), signalOf(request)),
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
    async (request) => readers.stream(readSsrc(request.params), signalOf(request)),
  );
}
