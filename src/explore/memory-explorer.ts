/**
 * What the API reads of a session: the stores through the views.
 */
import { callTree } from '../analysis/call-tree.ts';
import type { CorrelationStores } from '../analysis/correlation.ts';
import { correlatedLegs } from '../analysis/correlation.ts';
import type { CaptureSession } from '../app/capture-session.ts';
import type { CallTree, LintResult } from '../contract/index.ts';
import type { Steps } from '../core/steps.ts';
import { Turns } from '../core/turns.ts';
import { callAudio } from '../export/audio.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { CaptureReporter } from '../view/capture-reporter.ts';
import { toCallTree, toCorrelation } from '../view/correlation.ts';
import { queryDialogs } from '../view/dialog-query.ts';
import {
  dialogDocumentSteps,
  dialogLintSteps,
  dialogReportSteps,
  ofDialog,
  streamDocument,
  streamRow,
} from '../view/documents.ts';
import { toLintResult } from '../view/lint.ts';
import { metricsSnapshot } from '../view/metrics.ts';
import { PddPercentiles } from '../view/pdd-percentiles.ts';
import { toStats } from '../view/stats.ts';
import { queryStreams, streamBySsrc } from '../view/stream-query.ts';
import { Containers } from './containers.ts';
import type { ApiReaders, Found } from './explorer.ts';

export function createReaders(session: CaptureSession): ApiReaders {
  const { dialogs, streams } = session;
  const turns = new Turns(() => performance.now());
  const reporter = new CaptureReporter(session, turns);
  const percentiles = new PddPercentiles(dialogs, turns);
  const containers = new Containers(session, turns);
  const notRefused = <T>(made: T | null): T | null => {
    if (made === null) session.documentLosses.refused++;
    return made;
  };
  /** The document of a dialog; null when too many wait, one of null when the dialog is not here or goes meanwhile. */
  const make = async <T>(
    callId: string,
    isGone: (() => boolean) | undefined,
    steps: (d: Dialog) => Steps<T>,
  ): Promise<Found<T> | null> => {
    if (dialogs.get(callId) === undefined) return { document: null };
    const made = await turns.document(isGone ?? isNeverGone, () => ofDialog(session, callId, steps));
    return notRefused(made);
  };
  return {
    dialogs: (f, isGone) => queryDialogs(dialogs, f, session.sources, turns, isGone),
    dialog: (callId, isGone) => make(callId, isGone, (d) => dialogDocumentSteps(session, d)),
    report: (callId, isGone) => make(callId, isGone, (d) => dialogReportSteps(session, d)),
    lint: (callId, isGone) => make(callId, isGone, (d) => lintSteps(session, d)),
    async audio(callId, isGone = isNeverGone) {
      const d = dialogs.get(callId);
      return d === undefined ? { document: null } : notRefused(await callAudio(session, d, turns, isGone));
    },
    vcon: (callId, isGone = isNeverGone) => containers.read(callId, isGone),
    correlated(callId, maxRows) {
      const d = dialogs.get(callId);
      if (d === undefined || session.identifiers === null) return null;
      const { legs, total } = correlatedLegs(d, { dialogs, identifiers: session.identifiers }, maxRows);
      return toCorrelation(d, legs, total);
    },
    tree(callId, maxRows, isGone) {
      const { identifiers } = session;
      if (identifiers === null) return { document: null };
      return make(callId, isGone, (d) => treeSteps(d, { dialogs, identifiers }, maxRows));
    },
    streams: (f, isGone) => queryStreams(streams, f, (s) => streamRow(session, s), turns, isGone),
    async stream(ssrc) {
      const found = await streamBySsrc(streams, ssrc, turns);
      return found && { document: found.stream && streamDocument(session, found.stream) };
    },
    captureReport: () => reporter.report(),
    stats: async () => toStats(session, await percentiles.read()),
    metrics: () => metricsSnapshot(session),
    persistence: () => session.outputs.gate.state(),
    setPersistence: (isEnabled) => session.outputs.gate.request(isEnabled),
  };
}

const isNeverGone = (): boolean => false;

function* lintSteps(session: CaptureSession, d: Dialog): Steps<LintResult> {
  return toLintResult(d, yield* dialogLintSteps(session, d));
}

function* treeSteps(d: Dialog, stores: CorrelationStores, maxRows: number): Steps<CallTree> {
  return toCallTree(d, yield* callTree(d, stores, maxRows));
}
