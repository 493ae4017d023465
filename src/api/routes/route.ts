/** What every route of the service shares: its dependencies and the answers it documents. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { TSchema } from 'typebox';
import type { Named, ProblemKind } from '../../contract/index.ts';
import { PROBLEMS, Problem, ref } from '../../contract/index.ts';
import { ProblemError } from '../../http/problem-error.ts';
import type { ApiReaders } from '../readers.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type RouteDeps = {
  readonly readers: ApiReaders;
  /** `--api-max-rows`. */
  readonly maxRows: number;
};

/** The list, or the refusal of one more than are made at a time. */
export function orBusy<T>(list: T | null): T {
  if (list === null) throw new ProblemError('overloaded', 'Too many long lists are being made; try again.');
  return list;
}

/** A documented answer whose body is a contract document. */
export function answer<T extends TSchema>(description: string, schema: Named<T>) {
  const reference: ReturnType<typeof ref<T>> = ref(schema);
  return { description, content: { 'application/json': { schema: reference } } };
}

type ProblemAnswer = {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly type: 'string'; readonly description: string }>>;
  readonly content: { readonly 'application/problem+json': { readonly schema: ReturnType<typeof problemRef> } };
};

function problemRef() {
  return ref(Problem);
}

/** The documented refusals of a route that needs credentials, by status; those any such route can answer are added. */
export function refusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  return openRefusals('unauthorized', ...kinds);
}

const CHALLENGE = { 'WWW-Authenticate': { type: 'string', description: 'The scheme to use: `Bearer`.' } } as const;

/** The documented refusals of a route that needs no credentials. */
export function openRefusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  const byStatus = new Map<number, string[]>();
  for (const kind of [...kinds, 'internal', 'rate-limited', 'connection-limit', 'overloaded'] as const) {
    const { status, title } = PROBLEMS[kind];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${kind}\`: ${title}.`]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      String(status),
      {
        description: lines.join(' '),
        ...(status === PROBLEMS.unauthorized.status ? { headers: CHALLENGE } : {}),
        content: { 'application/problem+json': { schema: problemRef() } },
      },
    ]),
  );
}
