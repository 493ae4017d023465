/** Reads the bodies of requests: JSON in UTF-8 (RFC 8259 §8.1), each key once, and nothing else. */

import { parseJson } from '../../core/json.ts';
import { ProblemError } from '../http/problem-error.ts';
import type { App } from './routes/route.ts';

const DETAILS = {
  malformed: 'The body is not JSON.',
  'repeated-key': 'The body names a key twice; name it once.',
} as const;

export function readBodiesAsJson(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => {
    if (body.length === 0) throw new ProblemError('invalid-body', 'The body is empty.');
    const json = parseJson(textOf(body));
    if (!json.ok) throw new ProblemError('invalid-body', DETAILS[json.reason]);
    return json.value;
  });
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new ProblemError('invalid-body', 'The body is not UTF-8.');
  }
}
