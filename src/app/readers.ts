/**
 * What the API reads of a session: the stores through the views.
 */
import { callTree } from '../analysis/call-tree.ts';
import { correlatedLegs } from '../analysis/correlation.ts';
import type { ApiReaders } from '../api/readers.ts';
import { toCallTree, toCorrelation } from '../view/correlation.ts';
import { queryDialogs } from '../view/dialog-query.ts';
import { toLintResult } from '../view/lint.ts';
import { PddPercentiles } from '../view/pdd-percentiles.ts';
import { queryStreams, streamBySsrc } from '../view/stream-query.ts';
import { Turns } from '../view/turns.ts';
import { callAudio } from './audio.ts';
import { CaptureReporter } from './capture-report.ts';
import type { CaptureSession } from './capture-session.ts';
import { dialogDocument, dialogLint, dialogReport, streamDocument, streamRow } from './documents.ts';
import { metricsSnapshot } from './metrics.ts';
import { toStats } from './stats.ts';
import { dialogVcon } from './vcon.ts';

export function createReaders(session: CaptureSession): ApiReaders {
  const { dialogs, streams } = session;
  const turns = new Turns(() => performance.now());
  const reporter = new CaptureReporter(session, turns);
  const percentiles = new PddPercentiles(dialogs, turns);
  return {
    dialogs: (f, isGone) => queryDialogs(dialogs, f, session.sources, turns, isGone),
    dialog(callId) {
      const d = dialogs.get(callId);
      return d === undefined ? null : dialogDocument(session, d);
    },
    report(callId) {
      const d = dialogs.get(callId);
      return d === undefined ? null : dialogReport(session, d);
    },
    lint(callId) {
      const d = dialogs.get(callId);
      return d === undefined ? null : toLintResult(d, dialogLint(session, d));
    },
    async audio(callId) {
      const d = dialogs.get(callId);
      return d === undefined ? null : callAudio(session, d);
    },
    async vcon(callId) {
      const d = dialogs.get(callId);
      if (d === undefined) return null;
      const audio = session.payloads === null ? null : await callAudio(session, d);
      return dialogVcon(session, d, Date.now(), audio);
    },
    correlated(callId, maxRows) {
      const d = dialogs.get(callId);
      if (d === undefined || session.identifiers === null) return null;
      const { legs, total } = correlatedLegs(d, { dialogs, identifiers: session.identifiers }, maxRows);
      return toCorrelation(d, legs, total);
    },
    tree(callId, maxRows) {
      const d = dialogs.get(callId);
      if (d === undefined || session.identifiers === null) return null;
      return toCallTree(d, callTree(d, { dialogs, identifiers: session.identifiers }, maxRows));
    },
    streams: (f, isGone) => queryStreams(streams, f, (s) => streamRow(session, s), turns, isGone),
    async stream(ssrc) {
      const found = await streamBySsrc(streams, ssrc, turns);
      return found && { stream: found.stream && streamDocument(session, found.stream) };
    },
    captureReport: () => reporter.report(),
    stats: async () => toStats(session, await percentiles.read()),
    metrics: () => metricsSnapshot(session),
    persistence: () => session.outputs.gate.state(),
    setPersistence: (isEnabled) => session.outputs.gate.request(isEnabled),
  };
}
