/** GET /v1/streams and GET /v1/streams/{ssrc}. */

import { DEFAULT_LIMIT, RtpStream, SsrcParams, StreamList, StreamQuery } from '../../../contract/index.ts';
import type { Port } from '../../../explore/port.ts';
import type { StreamFilter } from '../../../view/stream-query.ts';
import { compileParameters } from '../parameters.ts';
import type { App, RouteDeps } from './route.ts';
import { answer, refusals, signalOf } from './route.ts';

/** What a query asks of the list of streams. */
export function streamFilterOf({ limit, offset, orphaned, mos_below }: StreamQuery, maxRows: number): StreamFilter {
  return {
    limit: Math.min(limit ?? DEFAULT_LIMIT, maxRows),
    offset: offset ?? 0,
    ...(orphaned === undefined ? {} : { orphaned }),
    ...(mos_below === undefined ? {} : { mosBelow: mos_below }),
  };
}

/** The stream of an SSRC in hex. Rejects with a refusal. */
export async function readStream(readers: Pick<Port, 'stream'>, ssrc: string): Promise<RtpStream> {
  return readers.stream(Number.parseInt(ssrc.replace(/^0x/i, ''), 16));
}

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
      return readers.streams(streamFilterOf(request.query, maxRows), signalOf(request));
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
    async ({ params }) => readStream(readers, params.ssrc),
  );
}
