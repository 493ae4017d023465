/**
 * Answers the rich questions of the port from memory.
 */
import type { CallTree } from '../analysis/call-tree.ts';
import { callTree } from '../analysis/call-tree.ts';
import type { CorrelationStores } from '../analysis/correlation.ts';
import { ofDialog } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import type { AskCompare, AskQuality } from '../contract/index.ts';
import { MAX_LEGS_COUNTED } from '../core/answer-limits.ts';
import { counted } from '../core/counted.ts';
import { MAX_LEGS_SHOWN } from '../core/item-limits.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { finish, isNeverGone } from '../core/turns.ts';
import { callReport } from '../export/call-report.ts';
import { linesOf, Reports } from '../export/call-text.ts';
import type { OutputFile } from '../export/capture-file.ts';
import { writeDialogs } from '../export/selected-frames.ts';
import type { SippPair } from '../export/sipp.ts';
import { sippScenarios } from '../export/sipp.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { askHeadSteps } from '../view/ask-call.ts';
import { findingsSteps } from '../view/ask-findings.ts';
import { registrationsSteps } from '../view/ask-registrations.ts';
import { toAskSecurity } from '../view/ask-security.ts';
import { trunksSteps } from '../view/ask-trunks.ts';
import { toCallRow } from '../view/call-row.ts';
import { messagesSteps } from '../view/call-trace.ts';
import { compareSteps } from '../view/compare.ts';
import { askStream, callDocument, callDocumentSteps } from '../view/documents.ts';
import type { Figures } from '../view/figures.ts';
import { ladderSteps } from '../view/ladder.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import { ladderLines } from '../view/ladder-text.ts';
import { legNotes } from '../view/leg-notes.ts';
import { reportSteps } from '../view/report-input.ts';
import type { AskPort, OtherLegs, TextLayout } from './ask-port.ts';
import { pageSteps } from './call-page.ts';
import type { ReadsBack } from './captures.ts';
import { callCapture } from './captures.ts';
import { changesSteps } from './changes.ts';
import { chosenSteps } from './chosen.ts';
import type { Found, IsGone } from './found.ts';
import { hiddenBySteps } from './hidden-by.ts';
import { select } from './selector.ts';

/** `notRefused` counts an answer of null, unless whoever asked has gone. */
export function createAsker(
  f: Figures,
  saver: ReadsBack & { readonly file: OutputFile | null },
  turns: Turns,
  notRefused: <T>(made: T | null, isGone?: IsGone) => T | null,
): AskPort {
  const { evidence } = f;
  const { dialogs, identifiers } = evidence.stores;

  const made = async <T>(isGone: IsGone | undefined, steps: () => Steps<T>): Promise<T | null> => {
    const found = notRefused(await turns.document(isGone ?? isNeverGone, steps), isGone);
    return found === null ? null : found.document;
  };
  /**
   * The document of several calls; null for one of none when the first is not here or goes meanwhile. `more`: calls beyond those
   * that one document takes in.
   */
  const ofAll = async <T>(
    callIds: readonly string[],
    isGone: IsGone | undefined,
    steps: (all: readonly Dialog[], more: number) => Steps<T | null>,
  ): Promise<Found<T> | null> => {
    const here = callIds.filter((callId) => dialogs.get(callId) !== undefined);
    const [first, ...others] = here.slice(0, MAX_LEGS_SHOWN);
    if (first === undefined) return { document: null };
    const more = Math.max(0, here.length - MAX_LEGS_SHOWN);
    const all = (d: Dialog): Dialog[] => [d, ...others.flatMap((callId) => dialogs.get(callId) ?? [])];
    return notRefused(
      await turns.document(isGone ?? isNeverGone, () => ofDialog(evidence.stores, first, (d) => steps(all(d), more))),
      isGone,
    );
  };
  const ofOne = <T>(callId: string, isGone: IsGone | undefined, steps: (d: Dialog) => Steps<T>) =>
    ofAll([callId], isGone, ([d]) => steps(d as Dialog));

  return {
    *calls(question) {
      for (const d of finish(chosenSteps(evidence, question)).dialogs) yield toCallRow(evidence, d);
    },
    *documents(question) {
      for (const d of finish(chosenSteps(evidence, question)).dialogs) yield callDocument(evidence, d);
    },
    page: (question, limit, cursor, isGone) => made(isGone, () => pageSteps(f, question, limit, cursor)),
    hiddenBy: (question) => finish(hiddenBySteps(f, question)),
    select: (selector, question) => select(evidence, selector, question),
    call: (callId, isGone) => ofOne(callId, isGone, (d) => callDocumentSteps(evidence, d)),
    head: (callId, isGone) => ofOne(callId, isGone, (d) => askHeadSteps(evidence, d)),
    legs(callId, isGone) {
      if (identifiers === null) return { document: { callIds: [], notes: [] } };
      return ofOne(callId, isGone, (d) => legsSteps(d, { dialogs, identifiers }));
    },
    messages: (callIds, showsSecrets, isGone, only) =>
      ofAll(callIds, isGone, (all, more) => messagesSteps(evidence, all, more, { showsSecrets, only })),
    ladder: (callIds, isGone) => ofAll(callIds, isGone, (all, more) => ladderSteps(evidence, all, more)),
    compare: (callIdA, callIdB, isGone) =>
      ofAll([callIdA, callIdB], isGone, ([a, b]) => compareOrNothing(evidence, a, b)),
    quality: (callId, isGone) => ofOne(callId, isGone, (d) => qualitySteps(evidence, d)),
    sipp: (callId, showsSecrets, isGone) => ofOne(callId, isGone, (d) => sippSteps(evidence, d, showsSecrets)),
    text: (callIds, layout, style, isGone) =>
      ofAll(callIds, isGone, (all, more) => textSteps(evidence, all, more, layout, style)),
    async save(question, hasLegs) {
      const { file } = saver;
      if (file === null || f.file === null) return null;
      const chosen = new Set(finish(chosenSteps(evidence, question)).dialogs);
      if (hasLegs && identifiers !== null)
        for (const d of [...chosen]) for (const leg of finish(legDialogs(d, { dialogs, identifiers }))) chosen.add(leg);
      return {
        calls: chosen.size,
        ...(await writeDialogs(chosen, evidence.stores, f.file, file, evidence.capture.clockSteps)),
      };
    },
    async capture(callIds, isGone = isNeverGone) {
      // Before that a call lacks frames, and may still give way to others.
      await f.file?.whenRead();
      if (isGone()) return null;
      const here = callIds.flatMap((callId) => dialogs.get(callId) ?? []);
      const chosen = here.slice(0, MAX_LEGS_SHOWN);
      if (chosen.length === 0) return { document: null };
      const made = await callCapture(f, chosen, saver, turns, isGone);
      if (made === null || 'reason' in made || here.length === chosen.length) return made && { document: made };
      const legs = counted(here.length - chosen.length, 'leg');
      return { document: { ...made, lack: made.lack === '' ? legs : `${made.lack}, ${legs}` } };
    },
    trunks: (asked, isGone) => made(isGone, () => trunksSteps(f, asked)),
    security: () => toAskSecurity(f),
    changes: (since) => made(undefined, () => changesSteps(evidence, since)),
    findings: (question, isGone) =>
      made(isGone, function* () {
        return yield* findingsSteps(f, (yield* chosenSteps(evidence, question)).dialogs);
      }),
    registrations: (question, isGone) =>
      made(isGone, function* () {
        return yield* registrationsSteps(evidence, (yield* chosenSteps(evidence, question)).dialogs);
      }),
  };
}

/** The legs of a call but itself, tied by identifiers; guesses are none. */
function* legDialogs(d: Dialog, stores: CorrelationStores): Steps<Dialog[]> {
  return legsIn(yield* callTree(d, stores, MAX_LEGS_COUNTED, false), d);
}

function legsIn({ nodes }: CallTree, d: Dialog): Dialog[] {
  return nodes.flatMap(({ dialog }) => (dialog === d ? [] : [dialog]));
}

function* legsSteps(d: Dialog, stores: CorrelationStores): Steps<OtherLegs> {
  const tree = yield* callTree(d, stores, MAX_LEGS_COUNTED, false);
  return { callIds: legsIn(tree, d).map(({ callId }) => callId), notes: legNotes(tree, stores.identifiers) };
}

/** Two calls that are one, or gone, make no comparison. */
function* compareOrNothing(e: Evidence, a: Dialog | undefined, b: Dialog | undefined): Steps<AskCompare | null> {
  return a === undefined || b === undefined ? null : yield* compareSteps(e, [a, b]);
}

function* qualitySteps(e: Evidence, d: Dialog): Steps<AskQuality> {
  const streams: AskQuality['streams'] = [];
  for (const stream of e.stores.streams.ownedBy(d)) {
    const document = askStream(e, stream);
    if (document !== null) streams.push(document);
    yield;
  }
  return { schema_version: 1, call_id: d.callId, streams };
}

const NO_SCENARIO = {
  no_request: 'no request of the call is kept',
  no_replayable_request: 'the call has no request that SIPp can send',
} as const;

function* sippSteps(e: Evidence, d: Dialog, showSecrets: boolean): Steps<SippPair | { readonly reason: string }> {
  const made = yield* sippScenarios(d, e.stores.log, { showSecrets });
  return made.ok ? made.value : { reason: NO_SCENARIO[made.reason] };
}

function* textSteps(
  e: Evidence,
  all: readonly Dialog[],
  more: number,
  layout: TextLayout,
  style: LadderStyle,
): Steps<string[] | null> {
  if (layout === 'ladder') return yield* linesOf(ladderLines(yield* ladderSteps(e, all, more), style));
  const reports = new Reports();
  for (const d of all)
    if (reports.hasRoom) yield* reports.add(callReport(yield* reportSteps(e, d), layout === 'markdown', style));
  return reports.finish(all.length + more);
}
