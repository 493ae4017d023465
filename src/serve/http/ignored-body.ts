/** Reads over a body that no handler takes, as far as a body may go (RFC 9112 §7.1: its length is known at its end only). */

import type { IncomingMessage } from 'node:http';
import { API_BODY_BYTES } from './limits.ts';
import { ProblemError } from './problem-error.ts';

/**
 * For a request whose body is not read: the refusal of one that comes in chunks and grows over the limit, null at the end
 * of any other. Never waits longer than the server lets a request take, nor for a connection that is closed.
 */
export function ignoredBodyProblem(request: IncomingMessage): Promise<ProblemError | null> {
  if (request.headers['transfer-encoding'] === undefined || request.destroyed) return Promise.resolve(null);
  return new Promise((resolve) => {
    let length = 0;
    const end = (problem: ProblemError | null): void => {
      request.off('data', onData).off('end', onEnd).off('close', onEnd);
      resolve(problem);
    };
    const onEnd = (): void => end(null);
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= API_BODY_BYTES) return;
      end(new ProblemError('body-too-large', `The body may have ${API_BODY_BYTES} bytes.`));
    };
    request.on('data', onData).once('end', onEnd).once('close', onEnd);
  });
}
