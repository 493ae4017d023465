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
import { Turns } from '../core/turns.ts';
import { callAudio } from '../export/audio.ts';
import type { OutputFile } from '../export/capture-file.ts';
import type { PersistenceGate } from '../export/persistence-gate.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { CapturedIn } from '../store/stores.ts';
import { captureReport } from '../view/capture-report.ts';
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
import { metricsSnapshot } from '../view/metrics/capture-families.ts';
import { standingPercentiles } from '../view/pdd-percentiles.ts';
import { toPulse } from '../view/pulse.ts';
import { toStats } from '../view/stats.ts';
import { queryStreams, streamBySsrc } from '../view/stream-query.ts';
import { toSummary } from '../view/summary.ts';
import type { ReadsBack } from './captures.ts';
import { Containers } from './containers.ts';
import { createAsker } from './memory-asker.ts';
import type { Explorer } from './port.ts';
import { Busy, Cannot, goneBy, orNotHere } from './refusal.ts';

/** The gate of what is written, the file of -O once it is open, and what its files hold of live calls. */
export type Saver = ReadsBack & { readonly gate: PersistenceGate; readonly file: OutputFile | null };

/** What reads capture files to their end, into stores of its own. Rejects with ServiceError. */
export type ReadsFiles = (paths: readonly string[]) => Promise<ReadFiles>;
export type ReadFiles = { readonly figures: Figures; readonly saver: Saver; close(): void };

/** `reads`: small captures, which another explorer answers from. */
export function createExplorer(f: Figures, saver: Saver, reads: ReadsFiles): Explorer {
  const { gate } = saver;
  const { evidence } = f;
  const { stores, capture, omitted } = evidence;
  const { dialogs, streams, identifiers } = stores;
  const turns = new Turns(() => performance.now());
  // Whoever asks much there must not hold up the capture and /v1.
  const askTurns = new Turns(() => performance.now(), true);
  const reporter = captureReport(f, turns);
  const percentiles = standingPercentiles(dialogs, turns);
  const containers = new Containers(f, turns);
  /** What was made; nothing is where too many wait, or nobody waits for this any more. */
  const orBusy = <T>(made: T | null, signal?: AbortSignal): T => {
    if (made !== null) return made;
    if (signal?.aborted !== true) omitted.refused++;
    throw new Busy();
  };
  /** The document of a dialog, which may go meanwhile. */
  const make = async <T>(
    callId: string,
    signal: AbortSignal | undefined,
    steps: (d: Dialog) => Steps<T>,
  ): Promise<T> => {
    orNotHere(dialogs.get(callId) ?? null);
    return orNotHere(
      orBusy(await turns.document(goneBy(signal), () => ofDialog(stores, callId, steps)), signal).document,
    );
  };
  return {
    dialogs: async (f, signal) => orBusy(await queryDialogs(dialogs, f, capture, turns, goneBy(signal)), signal),
    dialog: (callId, signal) => make(callId, signal, (d) => dialogDocumentSteps(evidence, d)),
    report: (callId, signal) => make(callId, signal, (d) => dialogReportSteps(evidence, d)),
    lint: (callId, signal) => make(callId, signal, (d) => lintSteps(evidence, d)),
    async audio(callId, span, signal) {
      const d = orNotHere(dialogs.get(callId) ?? null);
      const made = await callAudio(evidence, d, turns, goneBy(signal), { span: span ?? null });
      const audio = orBusy(made, signal).document;
      if ('reason' in audio) throw new Cannot('no-audio', audio.reason);
      return audio;
    },
    vcon: async (callId, signal) => orBusy(await containers.read(callId, goneBy(signal)), signal),
    async correlated(callId, maxRows) {
      const d = orNotHere(dialogs.get(callId) ?? null);
      const { legs, total } = correlatedLegs(d, { dialogs, identifiers: orNotHere(identifiers) }, maxRows);
      return toCorrelation(d, legs, total);
    },
    async tree(callId, maxRows, signal) {
      const tied = { dialogs, identifiers: orNotHere(identifiers) };
      return make(callId, signal, (d) => treeSteps(d, tied, capture, maxRows));
    },
    streams: async (f, signal) =>
      orBusy(await queryStreams(streams, f, (s) => streamRow(evidence, s), turns, goneBy(signal)), signal),
    async stream(ssrc) {
      const { stream } = orBusy(await streamBySsrc(streams, ssrc, turns));
      return orNotHere(stream && streamDocument(evidence, stream), 'There is no stream with this SSRC.');
    },
    captureReport: () => reporter.read(),
    stats: async () => toStats(f, await percentiles.read()),
    metrics: () => metricsSnapshot(f),
    ...createAsker(f, saver, askTurns, orBusy, async (paths) => {
      const { figures, saver: unused, close } = await reads(paths);
      return { figures, close, explorerOf: (nameless) => createExplorer(nameless, unused, reads) };
    }),
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
