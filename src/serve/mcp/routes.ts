/**
 * Adds `/mcp`: the agent protocol over HTTP (streamable HTTP, revisions 2026-07-28 and 2025-11-25). Nothing is kept between
 * two requests. Behind the same limits as the API, with credentials of its own (api/plugins/authentication.ts).
 */

import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { faults } from '../../core/faults.ts';
import type { Port } from '../../explore/port.ts';
import type { App } from '../api/routes/route.ts';
import { createAgentServer } from './agent-server.ts';

/** Bytes of a message of an agent: the library takes one of many keys apart in one turn. @cap */
const MCP_BODY_BYTES = 64 * 1024;

/** Header fields of one hop (RFC 9110 section 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

export type McpDeps = {
  readonly readers: Port;
  readonly maxRows: number;
  readonly version: string;
  readonly onFault: (error: unknown) => void;
  /** Says whose credentials the request has, for the log. */
  readonly whose: (authorization: readonly string[]) => string;
  readonly log: (line: string) => void;
};

export function addMcp(app: App, { readers, maxRows, version, onFault, whose, log }: McpDeps): { close(): void } {
  const handler = createMcpHandler(
    ({ requestInfo }) =>
      createAgentServer(
        {
          readers,
          maxRows,
          ...(requestInfo === undefined ? {} : { signal: requestInfo.signal }),
          log: (line) => log(`${whose([requestInfo?.headers.get('authorization') ?? ''])} read ${line}`),
        },
        version,
        onFault,
      ),
    // Nothing here changes its list of tools.
    { maxSubscriptions: 0, onerror: () => undefined },
  );
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    schema: { hide: true },
    bodyLimit: MCP_BODY_BYTES,
    handler: async (request, reply) => {
      const gone = new AbortController();
      // Of the answer, not of the socket: that stays open for the next request.
      reply.raw.once('close', () => gone.abort());
      const response = await handler.fetch(toRequest(request, gone.signal), { parsedBody: request.body });
      reply.code(response.status);
      // Whether the connection stays is between the client and this server.
      for (const [name, value] of response.headers) if (!OF_CONNECTION.has(name)) reply.header(name, value);
      // Whole, so that it counts until it is read: the library would keep it in a stream.
      return reply.send(Buffer.from(await wholeOf(response, gone.signal)));
    },
  });
  return { close: () => faults.run('route', () => handler.close()) };
}

/** Empty once nobody waits for it. */
async function wholeOf(response: Response, signal: AbortSignal): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    if (signal.aborted) return new ArrayBuffer(0);
    throw error;
  }
}

/** The request as the platform knows it, without its body: that was read and checked already. */
function toRequest({ raw, method }: FastifyRequest, signal: AbortSignal): Request {
  const headers = Object.entries(raw.headersDistinct).map(([name, values = []]): [string, string] => [
    name,
    values.join(', '),
  ]);
  return new Request('http://localhost/mcp', { method, headers, signal });
}
