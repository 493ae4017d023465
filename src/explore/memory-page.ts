/** Makes the page of a call from memory: of what the other questions about it answer. */
import type { AskStream } from '../contract/index.ts';
import type { Steps } from '../core/turns.ts';
import { callPage } from '../export/page/call-page.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { askHeadSteps } from '../view/call.ts';
import { messagesSteps } from '../view/call-trace.ts';
import { captureLimits } from '../view/capture-limits.ts';
import { askStreamsSteps, callDocumentSteps } from '../view/documents.ts';
import type { Figures } from '../view/figures.ts';
import { ladderSteps } from '../view/ladder.ts';
import { reportSteps } from '../view/report-input.ts';
import type { PageAsked } from './call-questions.ts';

/** Of the first call, with the others as its legs. `more`: legs beyond those. */
export function* memoryPage(
  f: Figures,
  [d, ...legs]: readonly [Dialog, ...Dialog[]],
  more: number,
  { notes, isUtc }: PageAsked,
): Steps<string> {
  const { evidence } = f;
  const report = yield* reportSteps(evidence, d);
  const all = [d, ...legs];
  const streams = all.map((): AskStream[] => []);
  yield* visitEach(evidence.stores.dialogs, all, function* (leg) {
    streams[all.indexOf(leg)] = yield* askStreamsSteps(evidence, leg);
  });
  return yield* callPage({
    document: yield* callDocumentSteps(evidence, d),
    head: yield* askHeadSteps(evidence, d),
    report,
    ladder: all.length === 1 && more === 0 ? report.ladder : yield* ladderSteps(evidence, all, more),
    messages: yield* messagesSteps(evidence, all, more, { showsSecrets: false }),
    streams,
    limits: [...notes, ...captureLimits(f)],
    madeUs: Date.now() * 1000,
    isUtc,
  });
}
