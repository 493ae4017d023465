/** Counts every answer of a route until it is read, and sends large ones in pieces; one more than may wait becomes a 503. */

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../../../contract/index.ts';
import type { UnreadAnswers } from '../../http/unread.ts';
import { API_PIECE_BYTES, inPieces } from '../../http/unread.ts';

/** To be called after all other hooks of this kind, which may still change an answer. */
export function limitUnreadAnswers(app: FastifyInstance, unread: UnreadAnswers): void {
  app.addHook('onSend', async ({ raw }, reply, payload: unknown) => {
    const answer = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const isMade = Buffer.isBuffer(answer);
    const refusal = unread.hold(reply.raw, answer);
    if (refusal !== null) {
      if (answer instanceof Readable) answer.destroy();
      reply.code(503).headers({ ...refusal.headers, 'content-type': PROBLEM_MEDIA_TYPE });
      for (const name of ['content-length', 'content-disposition']) reply.removeHeader(name);
      return JSON.stringify(problemDocument(refusal.kind, refusal.detail));
    }
    if (raw.method === 'HEAD') {
      // Else the framework reads a stream to its end.
      if (answer instanceof Readable) answer.destroy();
      return isMade ? answer : Readable.from([]);
    }
    if (!isMade || answer.length <= API_PIECE_BYTES) return answer;
    reply.header('content-length', answer.length);
    return inPieces(answer);
  });
}
