/** What every route of the service shares: its dependencies and the answers it documents. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import type { Named, ProblemKind } from '../../../contract/index.ts';
import { PROBLEMS, Problem, ref } from '../../../contract/index.ts';
import type { Port } from '../../../explore/port.ts';
import type { UnreadAnswers } from '../../http/unread.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type RouteDeps = {
  readonly readers: Port;
  /** `--api-max-rows`. */
  readonly maxRows: number;
};

/** Of routes whose answers are large. */
export type LargeDeps = RouteDeps & { readonly unread: UnreadAnswers };

const gone = new WeakMap<Socket, AbortSignal>();

/** Aborted once the connection of the request has gone. */
export function signalOf({ raw: { socket } }: FastifyRequest): AbortSignal {
  const known = gone.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  gone.set(socket, controller.signal);
  return controller.signal;
}

/** A documented answer whose body is a contract document. */
export function answer<T extends TSchema>(description: string, schema: Named<T>) {
  const reference: ReturnType<typeof ref<T>> = ref(schema);
  return { description, content: { 'application/json': { schema: reference } } };
}

/** One that is sent as text while it is made. */
export function streamed<T extends TSchema>(description: string, schema: Named<T>) {
  const reference = Type.Unsafe<Readable>({ $ref: `${schema.$id}#` });
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

/** What any request may get, whatever its route: the head and the body are judged alike on all of them. */
const ANYWHERE: readonly ProblemKind[] = [
  'bad-request',
  'request-timeout',
  'body-too-large',
  'unsupported-media-type',
  'expectation-failed',
  'headers-too-large',
  'internal',
  'rate-limited',
  'connection-limit',
  'overloaded',
];

/** What answers for many hosts may lack them. */
const FROM_ELSEWHERE: readonly ProblemKind[] = ['too-wide', 'agent-away', 'store-away'];

/** The documented refusals of a route of /v1, which refuses unknown parameters. */
export function refusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  return guardedRefusals('invalid-parameter', ...kinds, ...FROM_ELSEWHERE);
}

/** Those of a route that needs credentials when some are set, its own host otherwise, and never serves a page of another site. */
export function guardedRefusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  return openRefusals('unauthorized', 'foreign-host', 'foreign-origin', 'forwarded', ...kinds);
}

/** Those of a route that takes a body and does something with it. */
export function actionRefusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  return refusals('invalid-body', ...kinds);
}

const CHALLENGE = { 'WWW-Authenticate': { type: 'string', description: 'The scheme to use: `Bearer`.' } } as const;

/** The documented refusals of a route that is open to everybody. */
export function openRefusals(...kinds: readonly ProblemKind[]): Record<string, ProblemAnswer> {
  const byStatus = new Map<number, string[]>();
  for (const kind of new Set([...kinds, ...ANYWHERE])) {
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
