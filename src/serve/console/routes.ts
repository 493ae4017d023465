/**
 * Adds `/console/`: the web console as static files. They hold no data, so they need no credentials
 * (api/plugins/authentication.ts); everything that they show comes from `/ask` and `/v1`, which do.
 */
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { packageRoot } from '../../core/package.ts';
import type { App } from '../api/routes/route.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { ConsoleFile } from './files.ts';
import { madeFile, PAGE, readConsole } from './files.ts';
import { encodingFor, etagOf, isKnown } from './negotiate.ts';
import { filterKeys, lossHelp } from './tables.ts';

/** Nothing but files and answers of this service; no script from text. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** A year: what has a hash in its name never changes. */
const FOREVER = 'public, max-age=31536000, immutable';

/** `folder` is where the build put the files. Throws ServiceError where it put none. */
export function addConsole(app: App, folder: string = join(packageRoot(), 'dist/console')): void {
  const files = readConsole(folder);
  for (const [name, text] of [
    ['keys.json', filterKeys()],
    ['losses.json', lossHelp()],
  ] as const)
    files.set(name, madeFile(name, text));
  const serve = (name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const file = files.get(name);
    if (file === undefined)
      throw new ProblemError('not-found', 'The console has no such file; it begins at /console/.');
    return send(file, request, reply);
  };
  const schema = { hide: true };
  app.get('/console', { schema }, async (_request, reply) => reply.redirect('console/', 308));
  app.get('/console/', { schema }, async (request, reply) => serve(PAGE, request, reply));
  app.get<{ Params: { file: string } }>('/console/:file', { schema }, async (request, reply) =>
    serve(request.params.file, request, reply),
  );
}

function send(file: ConsoleFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const encoding = encodingFor(String(headers['accept-encoding'] ?? ''), file);
  const etag = etagOf(file, encoding);
  reply
    .header('content-security-policy', POLICY)
    .header('vary', 'Accept-Encoding')
    .header('etag', etag)
    .header('cache-control', file.isHashed ? FOREVER : 'no-cache');
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(file.bytes.get(encoding));
}
