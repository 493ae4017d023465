/** Bounds what is kept in memory for clients that ask and do not read: beyond it an answer becomes a 503. */

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_MEDIA_TYPE, problemDocument } from '../../../contract/index.ts';
import { API_UNREAD_CHARS } from '../../../core/answer-limits.ts';

/**
 * Gives the number of answers that were given up because too much was waiting. Looks at answers when they are ready, not at requests when they arrive: requests that came in one piece have all been
 * admitted before the first of them is answered.
 */
export function limitUnreadAnswers(app: FastifyInstance, limit: number = API_UNREAD_CHARS): () => number {
  const bySocket = new Map<Socket, number>();
  let waiting = 0;
  let shed = 0;

  function release(socket: Socket, size: number): void {
    const left = bySocket.get(socket);
    // A closed connection has given back all at once, also for answers whose turn never came.
    if (left === undefined) return;
    bySocket.set(socket, left - size);
    waiting -= size;
  }

  function hold(socket: Socket, size: number): void {
    const held = bySocket.get(socket);
    if (held === undefined) {
      socket.once('close', () => {
        waiting -= bySocket.get(socket) ?? 0;
        bySocket.delete(socket);
      });
    }
    bySocket.set(socket, (held ?? 0) + size);
    waiting += size;
  }

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const { socket } = request.raw;
    if (socket.destroyed) return payload;
    const isSized = typeof payload === 'string' || Buffer.isBuffer(payload);
    let answer = payload;
    if (isSized && waiting > limit && reply.statusCode < 400) {
      shed++;
      reply.code(503).header('content-type', PROBLEM_MEDIA_TYPE).header('retry-after', '1');
      reply.removeHeader('content-length');
      answer = JSON.stringify(
        problemDocument('overloaded', 'Too many answers wait for clients that do not read them.'),
      );
    }
    const size = typeof answer === 'string' || Buffer.isBuffer(answer) ? answer.length : 0;
    hold(socket, size);
    reply.raw.once('finish', () => release(socket, size));
    return answer;
  });
  return () => shed;
}
