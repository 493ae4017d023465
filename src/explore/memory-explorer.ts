/**
 * Answers the questions of the port from memory: the stores through the views.
 */
import { callTree } from '../analysis/call-tree.ts';
import type { CorrelationStores } from '../analysis/correlation.ts';
import { correlatedLegs } from '../analysis/correlation.ts';
import { ofDialog } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { CallTree, LintResult } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { isNeverGone, Turns } from '../core/turns.ts';
import { callAudio } from '../export/audio.ts';
import type { OutputFile } from '../export/capture-file.ts';
import type { PersistenceGate } from '../export/persistence-gate.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';
import { CaptureReporter } from '../view/capture-reporter.ts';
import { toCallTree, toCorrelation } from '../view/correlation.ts';
import { queryDialogs } from '../view/dialog-query.ts';
import {
  dialogDocumentSteps,
  dialogLintSteps,
  dialogReportSteps,
  streamDocument,
  streamRow,
} from '../view/documents.ts';
import type { Figures } from '../view/figures.ts';
import { toLintResult } from '../view/lint.ts';
import { metricsSnapshot } from '../view/metrics.ts';
import { PddPercentiles } from '../view/pdd-percentiles.ts';
import { toPulse } from '../view/pulse.ts';
import { toStats } from '../view/stats.ts';
import { queryStreams, streamBySsrc } from '../view/stream-query.ts';
import { toSummary } from '../view/summary.ts';
import type { ReadsBack } from './captures.ts';
import { Containers } from './containers.ts';
import type { Explorer } from './explorer.ts';
import type { Found, IsGone } from './found.ts';
import { createAsker } from './memory-asker.ts';

/** The gate of what is written, the file of -O once it is open, and what its files hold of live calls. */
export type Saver = ReadsBack & { readonly gate: PersistenceGate; readonly file: OutputFile | null };

export function createExplorer(f: Figures, saver: Saver): Explorer {
  const { gate } = saver;
  const { evidence } = f;
  const { stores, capture, omitted } = evidence;
  const { dialogs, streams, identifiers } = stores;
  const turns = new Turns(() => performance.now());
  // Whoever asks much there must not hold up the capture and /v1.
  const askTurns = new Turns(() => performance.now(), true);
  const reporter = new CaptureReporter(f, turns);
  const percentiles = new PddPercentiles(dialogs, turns);
  const containers = new Containers(f, turns);
  const notRefused = <T>(made: T | null, isGone: IsGone = isNeverGone): T | null => {
    if (made === null && !isGone()) omitted.refused++;
    return made;
  };
  /** The document of a dialog; null when too many wait, one of null when the dialog is not here or goes meanwhile. */
  const make = async <T>(
    callId: string,
    isGone: IsGone | undefined,
    steps: (d: Dialog) => Steps<T>,
  ): Promise<Found<T> | null> => {
    if (dialogs.get(callId) === undefined) return { document: null };
    const made = await turns.document(isGone ?? isNeverGone, () => ofDialog(stores, callId, steps));
    return notRefused(made, isGone);
  };
  return {
    dialogs: (f, isGone) => queryDialogs(dialogs, f, capture, turns, isGone),
    dialog: (callId, isGone) => make(callId, isGone, (d) => dialogDocumentSteps(evidence, d)),
    report: (callId, isGone) => make(callId, isGone, (d) => dialogReportSteps(evidence, d)),
    lint: (callId, isGone) => make(callId, isGone, (d) => lintSteps(evidence, d)),
    async audio(callId, isGone = isNeverGone, span = undefined) {
      const d = dialogs.get(callId);
      if (d === undefined) return { document: null };
      return notRefused(await callAudio(evidence, d, turns, isGone, { span: span ?? null }), isGone);
    },
    vcon: (callId, isGone = isNeverGone) => containers.read(callId, isGone),
    correlated(callId, maxRows) {
      const d = dialogs.get(callId);
      if (d === undefined || identifiers === null) return { document: null };
      const { legs, total } = correlatedLegs(d, { dialogs, identifiers }, maxRows);
      return { document: toCorrelation(d, legs, total) };
    },
    tree(callId, maxRows, isGone) {
      if (identifiers === null) return { document: null };
      return make(callId, isGone, (d) => treeSteps(d, { dialogs, identifiers }, capture, maxRows));
    },
    streams: (f, isGone) => queryStreams(streams, f, (s) => streamRow(evidence, s), turns, isGone),
    async stream(ssrc) {
      const found = await streamBySsrc(streams, ssrc, turns);
      return found && { document: found.stream && streamDocument(evidence, found.stream) };
    },
    captureReport: () => reporter.report(),
    stats: async () => toStats(f, await percentiles.read()),
    metrics: () => metricsSnapshot(f),
    ...createAsker(f, saver, askTurns, notRefused),
    summary: () => toSummary(f),
    pulse: () => toPulse(f),
    persistence: () => gate.state(),
    setPersistence: (isEnabled) => gate.request(isEnabled),
  };
}

function* lintSteps(evidence: Evidence, d: Dialog): Steps<LintResult> {
  return toLintResult(d, yield* dialogLintSteps(evidence, d));
}

function* treeSteps(
  d: Dialog,
  stores: CorrelationStores,
  { clockSteps }: CapturedIn,
  maxRows: number,
): Steps<CallTree> {
  return toCallTree(d, yield* callTree(d, stores, maxRows), clockSteps);
}
