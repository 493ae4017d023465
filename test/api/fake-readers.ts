/** Readers over the hand-made documents; they remember the filters they were given. */
import assert from 'node:assert/strict';

import {
  BucketCounts,
  JITTER_MS_BOUNDS,
  LOSS_PERCENT_BOUNDS,
  MOS_BOUNDS,
  PDD_SECONDS_BOUNDS,
} from '../../src/core/counters.ts';
import type { Explorer, Questions } from '../../src/explore/port.ts';
import { QUESTIONS } from '../../src/explore/questions.ts';
import { NotHere, orNotHere } from '../../src/explore/refusal.ts';
import { PersistenceGate } from '../../src/export/persistence-gate.ts';
import type { DialogFilter } from '../../src/view/dialog-query.ts';
import type { MetricsSnapshot } from '../../src/view/metrics/snapshot.ts';
import type { StreamFilter } from '../../src/view/stream-query.ts';
import { DIALOG_LIST, FULL_DIALOG, FULL_STREAM, PLAIN_DIALOG, PLAIN_STREAM, STATS, STREAM_LIST } from './documents.ts';

/** Every question about a call of which nothing is known. */
function knowsNobody(): Questions {
  const notHere = (): never => {
    throw new NotHere();
  };
  return Object.fromEntries(
    Object.keys(QUESTIONS).map((name) => [name, async () => notHere()]),
  ) as unknown as Questions;
}

export type FakeReaders = Explorer & {
  readonly dialogFilters: DialogFilter[];
  readonly streamFilters: StreamFilter[];
  readonly callIds: string[];
};

export function fakeReaders(overrides: Partial<Explorer> = {}): FakeReaders {
  const dialogFilters: DialogFilter[] = [];
  const streamFilters: StreamFilter[] = [];
  const callIds: string[] = [];
  const gate = new PersistenceGate(true);
  return {
    dialogFilters,
    streamFilters,
    callIds,
    ...knowsNobody(),
    dialogs: async (filter) => {
      dialogFilters.push(filter);
      const rows = DIALOG_LIST.dialogs.filter(
        (row) =>
          (filter.state === undefined || row.state === filter.state) &&
          (filter.matchesFrom === undefined || (row.from_user !== undefined && filter.matchesFrom(row.from_user))),
      );
      return {
        ...DIALOG_LIST,
        total: rows.length,
        limit: filter.limit,
        offset: filter.offset,
        dialogs: rows.slice(filter.offset, filter.offset + filter.limit),
      };
    },
    dialog: (callId) => {
      callIds.push(callId);
      return orNotHere([FULL_DIALOG, PLAIN_DIALOG].find((dialog) => dialog.call_id === callId) ?? null);
    },
    calls: () => [],
    documents: () => [],
    select: () => ({ none: true, near: null }),
    legs: () => ({ callIds: [], probable: [], notes: [] }),
    security: () => ({ schema_version: 1, is_watching: false, alerts: [] }),
    changes: () => ({ upTo: 0, rows: [] }),
    save: async () => null,
    page: () => ({ schema_version: 1, total: 0, calls: [] }),
    hiddenBy: () => [],
    findings: () => ({
      schema_version: 1,
      calls: 0,
      ratios: { tried: 0, answered: 0, effective: 0 },
      trunks_down: [],
      trunks_troubled: [],
      findings: [],
      codes: [],
    }),
    trunks: () => ({ schema_version: 1, is_counting: true, rows_folded: 0, trunks: [] }),
    registrations: () => ({ schema_version: 1, total: 0, registrations: [] }),
    pulse: () => assert.fail('no route asks for it'),
    summary: () => assert.fail('no route asks for it'),
    captureReport: () => ({
      frames_read: 0,
      dialogs_examined: 0,
      streams_examined: 0,
      complete: true,
      findings: [],
    }),
    streams: (filter) => {
      streamFilters.push(filter);
      return { ...STREAM_LIST, limit: filter.limit, offset: filter.offset };
    },
    stream: (ssrc) =>
      orNotHere(
        ssrc === 0xabcd ? FULL_STREAM : ssrc === 0xffffffff ? PLAIN_STREAM : null,
        'There is no stream with this SSRC.',
      ),
    stats: () => STATS,
    metrics: () => metricsSnapshot(),
    persistence: () => gate.state(),
    setPersistence: (isEnabled) => gate.request(isEnabled),
    ...overrides,
  };
}

export function metricsSnapshot(changes: Partial<MetricsSnapshot> = {}): MetricsSnapshot {
  return {
    dialogEntries: {
      Trying: 2,
      Ringing: 1,
      InCall: 1,
      Completed: 1,
      Failed: 0,
      Canceled: 0,
      Redirected: 0,
      Registered: 0,
      Expired: 0,
      Pending: 0,
      Active: 0,
      Terminated: 0,
      Transferring: 0,
    },
    messagesByMethod: new Map([
      ['INVITE', 5],
      ['OPTIONS', 1],
    ]),
    streamsActive: 1,
    streamsByStatus: { established: 1, orphaned: 1 },
    capturePackets: 512,
    reassemblyTimeouts: 0,
    pddSeconds: new BucketCounts(PDD_SECONDS_BOUNDS).snapshot(),
    mos: new BucketCounts(MOS_BOUNDS).snapshot(),
    jitterMs: new BucketCounts(JITTER_MS_BOUNDS).snapshot(),
    lossPercent: new BucketCounts(LOSS_PERCENT_BOUNDS).snapshot(),
    families: [],
    ...changes,
  };
}
