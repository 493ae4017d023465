/** The routes of the toll-fraud peer: what its control program says, and two operator actions relayed to it. */

import type { TSchema } from 'typebox';
import { Type } from 'typebox';
import type { PeerControl, PeerOutcome, PeerRows } from '../../../actions/peer/control.ts';
import type { Named, PeerAbsent as PeerAbsentBody } from '../../../contract/index.ts';
import {
  BannedList,
  BanRequest,
  DroppedList,
  LabelList,
  LabelQuery,
  PeerAbsent,
  PeerActionAnswer,
  PeerStatus,
  ref,
  UnbanRequest,
} from '../../../contract/index.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { compileParameters } from '../parameters.ts';
import type { App } from './route.ts';
import { actionRefusals, refusals } from './route.ts';

export type PeerRouteDeps = {
  readonly peer: PeerControl;
  /** `--api-max-rows`. */
  readonly maxRows: number;
};

/** An answer was read by its schema when it came in, so it is written as it is. */
const plainJson = () => (value: unknown) => JSON.stringify(value);

export function addPeerRoutes(app: App, { peer, maxRows }: PeerRouteDeps): void {
  app.get(
    '/v1/peer/status',
    {
      serializerCompiler: plainJson,
      schema: {
        operationId: 'getPeerStatus',
        summary: 'What the peer enforces',
        tags: ['peer'],
        response: { 200: orAbsent('The status of the peer.', PeerStatus), ...refusals('peer-failed') },
      },
    },
    async () => answerOf(await peer.status(), (status) => status),
  );

  app.get(
    '/v1/peer/banned',
    {
      serializerCompiler: plainJson,
      schema: {
        operationId: 'listPeerBanned',
        summary: 'Sources the peer blocks now',
        tags: ['peer'],
        response: { 200: orAbsent('Rows, at most --api-max-rows.', BannedList), ...refusals('peer-failed') },
      },
    },
    async () => answerOf(await peer.banned(maxRows), envelope),
  );

  app.get(
    '/v1/peer/dropped',
    {
      serializerCompiler: plainJson,
      schema: {
        operationId: 'listPeerDropped',
        summary: 'What the peer dropped; no build of it offers that yet, and its refusal is relayed',
        tags: ['peer'],
        response: { 200: orAbsent('Rows, at most --api-max-rows.', DroppedList), ...refusals('peer-failed') },
      },
    },
    async () => answerOf(await peer.dropped(maxRows), envelope),
  );

  app.get(
    '/v1/peer/labels',
    {
      validatorCompiler: compileParameters,
      serializerCompiler: plainJson,
      schema: {
        operationId: 'listPeerLabels',
        summary: 'Verdicts of the peer, newest first',
        tags: ['peer'],
        querystring: LabelQuery,
        response: {
          200: orAbsent('Rows, at most a page; `total` is at most a page and one.', LabelList),
          ...refusals('peer-failed'),
        },
      },
    },
    async ({ query }) => {
      const page = query.limit === undefined || query.limit === 0 ? maxRows : Math.min(query.limit, maxRows);
      return answerOf(await peer.labels(page), envelope);
    },
  );

  app.post(
    '/v1/peer/ban',
    {
      serializerCompiler: plainJson,
      schema: {
        operationId: 'banAtPeer',
        summary: 'Asks the peer to ban a source; a refusal of the peer is an answer, not an error',
        tags: ['peer'],
        body: ref(BanRequest),
        response: {
          200: orAbsent('What the peer did.', PeerActionAnswer),
          ...actionRefusals('peer-failed'),
        },
      },
    },
    async ({ body }) => answerOf(await peer.ban(body.ip, body.ttl_secs ?? null), (action) => ({ action })),
  );

  app.post(
    '/v1/peer/unban',
    {
      serializerCompiler: plainJson,
      schema: {
        operationId: 'unbanAtPeer',
        summary: 'Asks the peer to lift a ban',
        tags: ['peer'],
        body: ref(UnbanRequest),
        response: {
          200: orAbsent('What the peer did.', PeerActionAnswer),
          ...actionRefusals('peer-failed'),
        },
      },
    },
    async ({ body }) => answerOf(await peer.unban(body.ip), (action) => ({ action })),
  );
}

/** A documented answer that is one of two documents: the peer is there, or it is not. */
function orAbsent<T extends TSchema>(description: string, schema: Named<T>) {
  const either = Type.Unsafe<object>({ anyOf: [{ $ref: `${schema.$id}#` }, { $ref: `${PeerAbsent.$id}#` }] });
  return { description, content: { 'application/json': { schema: either } } };
}

function envelope<T>({ rows, total }: PeerRows<T>): object {
  return { rows, total, returned: rows.length, truncated: total > rows.length };
}

/** The body of 200; a failure of the peer is a 502 with its reason and what it wrote on standard error, as it is. */
function answerOf<T>(outcome: PeerOutcome<T>, members: (value: T) => object): object {
  switch (outcome.kind) {
    case 'absent': {
      const absent: PeerAbsentBody = { installed: false, reason: outcome.reason };
      return absent;
    }
    case 'failed':
      throw new ProblemError('peer-failed', [outcome.reason, outcome.stderr].filter(Boolean).join('\n'));
    case 'answer':
      return { installed: true, peer_ctl: outcome.peerCtl, ...members(outcome.value) };
  }
}
