/**
 * Answers the rich questions of the port from memory.
 */
import type { CallTree } from '../analysis/call-tree.ts';
import { callTree } from '../analysis/call-tree.ts';
import type { CorrelationStores } from '../analysis/correlation.ts';
import { ofDialog } from '../analysis/dialog-facts.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { probableLegs } from '../analysis/probable-legs.ts';
import type { AskCompare, AskQuality } from '../contract/index.ts';
import { counted } from '../core/counted.ts';
import type { Steps, Turns } from '../core/turns.ts';
import { finish } from '../core/turns.ts';
import { callReport } from '../export/call-report.ts';
import { linesOf, Reports } from '../export/call-text.ts';
import type { OutputFile } from '../export/capture-file.ts';
import { writeDialogs } from '../export/selected-frames.ts';
import { sippScenarios } from '../export/sipp.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import { visitEach } from '../store/dialogs/live-dialogs.ts';
import { findingsSteps } from '../view/ask-findings.ts';
import { registrationsSteps } from '../view/ask-registrations.ts';
import { toAskSecurity } from '../view/ask-security.ts';
import { trunksSteps } from '../view/ask-trunks.ts';
import { askHeadSteps, callOf } from '../view/call.ts';
import { messagesSteps } from '../view/call-trace.ts';
import { compareSteps } from '../view/compare.ts';
import { askStreamsSteps, callDocumentSteps } from '../view/documents.ts';
import type { Figures } from '../view/figures.ts';
import { ladderSteps } from '../view/ladder.ts';
import type { LadderStyle } from '../view/ladder-text.ts';
import { ladderLines } from '../view/ladder-text.ts';
import { legNotes } from '../view/leg-notes.ts';
import { overviewSteps } from '../view/overview.ts';
import { callReports } from '../view/phone-reports.ts';
import { reportSteps } from '../view/report-input.ts';
import type { PageParts } from './anonymized-page.ts';
import { anonymizedPage } from './anonymized-page.ts';
import { pageSteps } from './call-page.ts';
import type { TextLayout } from './call-questions.ts';
import type { CallCapture, ReadsBack } from './captures.ts';
import { anonymizedMessages, callCapture } from './captures.ts';
import { changesSteps } from './changes.ts';
import { chosenSteps } from './chosen.ts';
import { hiddenBySteps } from './hidden-by.ts';
import { MAX_LEGS_SHOWN } from './limits.ts';
import { memoryPage } from './memory-page.ts';
import { missedMedia } from './missed-media.ts';
import type { Explorer } from './port.ts';
import type { OtherLegs } from './question-row.ts';
import { Busy, Cannot, goneBy, NotHere, orNotHere } from './refusal.ts';
import { select } from './selector.ts';

/** Other legs of a call that are counted where `MAX_LEGS_SHOWN` of them are shown. @cap */
const MAX_LEGS_COUNTED = 1_000;

/** `orBusy` gives what was made; it throws Busy and counts that where nothing was, unless whoever asked has gone. */
export function createAsker(
  f: Figures,
  saver: ReadsBack & { readonly file: OutputFile | null },
  turns: Turns,
  orBusy: <T>(made: T | null, signal?: AbortSignal) => T,
  read: PageParts['read'],
) {
  const { evidence } = f;
  const { dialogs, identifiers } = evidence.stores;

  const made = async <T>(signal: AbortSignal | undefined, steps: () => Steps<T>): Promise<T> =>
    orBusy(await turns.document(goneBy(signal), steps), signal).document;
  /** The document of several calls, the first of which may go meanwhile. `more`: calls beyond those that one document takes in. */
  const ofAll = async <T>(
    callIds: readonly string[],
    signal: AbortSignal | undefined,
    steps: (all: readonly [Dialog, ...Dialog[]], more: number) => Steps<T | null>,
  ): Promise<T> => {
    const here = callIds.filter((callId) => dialogs.get(callId) !== undefined);
    const [first, ...others] = here.slice(0, MAX_LEGS_SHOWN);
    if (first === undefined) throw new NotHere();
    const more = Math.max(0, here.length - MAX_LEGS_SHOWN);
    const all = (d: Dialog): [Dialog, ...Dialog[]] => [d, ...others.flatMap((callId) => dialogs.get(callId) ?? [])];
    return orNotHere(await made(signal, () => ofDialog(evidence.stores, first, (d) => steps(all(d), more))));
  };
  const ofOne = <T>(callId: string, signal: AbortSignal | undefined, steps: (d: Dialog) => Steps<T>) =>
    ofAll([callId], signal, ([d]) => steps(d));
  const chosenOf = (callIds: readonly string[]): { readonly here: Dialog[]; readonly chosen: Dialog[] } => {
    const here = callIds.flatMap((callId) => dialogs.get(callId) ?? []);
    if (here.length === 0) throw new NotHere();
    return { here, chosen: here.slice(0, MAX_LEGS_SHOWN) };
  };
  const capture: Explorer['capture'] = async (callIds, isAnonymized = false, signal) => {
    // Before that a call lacks frames, and may still give way to others.
    await f.file?.whenRead();
    const isGone = goneBy(signal);
    if (isGone()) throw new Busy();
    const { here, chosen } = chosenOf(callIds);
    const made = await callCapture(f, chosen, saver, turns, isGone, isAnonymized);
    if (made === null) throw new Busy();
    if (here.length === chosen.length) return made;
    const legs = counted(here.length - chosen.length, 'leg');
    return { ...made, lack: made.lack === '' ? legs : `${made.lack}, ${legs}` };
  };

  return {
    *calls(question) {
      for (const d of finish(chosenSteps(evidence, question)).dialogs) yield callOf(evidence, d);
    },
    *documents(question) {
      for (const d of finish(chosenSteps(evidence, question)).dialogs) yield finish(callDocumentSteps(evidence, d));
    },
    page: (question, limit, cursor, signal) => made(signal, () => pageSteps(f, question, limit, cursor)),
    hiddenBy: (question) => finish(hiddenBySteps(f, question)),
    select: (selector, question) => select(evidence, selector, question),
    call: (callId, signal) => ofOne(callId, signal, (d) => callDocumentSteps(evidence, d)),
    head: (callId, signal) => ofOne(callId, signal, (d) => askHeadSteps(evidence, d)),
    legs(callId, signal) {
      if (identifiers === null) return { callIds: [], probable: [], notes: [] };
      return ofOne(callId, signal, (d) => legsSteps(evidence, d, { dialogs, identifiers }));
    },
    messages: (callIds, asked, signal) =>
      ofAll(callIds, signal, (all, more) => messagesSteps(evidence, all, more, asked)),
    ladder: (callIds, signal) => ofAll(callIds, signal, (all, more) => ladderSteps(evidence, all, more)),
    compare: (callIdA, callIdB, signal) =>
      ofAll([callIdA, callIdB], signal, ([a, b]) => compareOrNothing(evidence, a, b)),
    quality: (callId, signal) => ofOne(callId, signal, (d) => qualitySteps(evidence, d)),
    async sipp(callId, showsSecrets, signal) {
      const pair = await ofOne(callId, signal, (d) =>
        sippScenarios(d, evidence.stores.log, { showSecrets: showsSecrets }),
      );
      if (!pair.ok) throw new Cannot('no-scenario', NO_SCENARIO[pair.reason]);
      return pair.value;
    },
    text: (callIds, layout, style, signal) =>
      ofAll(callIds, signal, (all, more) => textSteps(evidence, all, more, layout, style)),
    async html(callIds, asked, signal) {
      if (asked.isAnonymized !== true) return ofAll(callIds, signal, (all, more) => memoryPage(f, all, more, asked));
      const as = saver.anonymizing();
      const { chosen } = chosenOf(callIds);
      const known = {
        messages: chosen[0]?.msgCount ?? 0,
        missesMedia: chosen.some((d) => missedMedia(callOf(evidence, d).findings ?? [])),
      };
      const page = async (made: CallCapture | null): Promise<string | null> => {
        if (made === null) throw new Busy();
        return anonymizedPage(made, callIds, known, { as, isUtc: asked.isUtc, read });
      };
      const made =
        (await page(await capture(callIds, true, signal))) ??
        (await page(await anonymizedMessages(f, chosen, as, turns, goneBy(signal))));
      return orNotHere(made, 'No message of this call can be read once it is anonymized.');
    },
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
    capture,
    trunks: (asked, signal) => made(signal, () => trunksSteps(f, asked)),
    overview: (asked, signal) => made(signal, () => overviewSteps(f, asked)),
    security: () => toAskSecurity(f),
    changes: (since) => made(undefined, () => changesSteps(evidence, since)),
    findings: (question, signal) =>
      made(signal, function* () {
        return yield* findingsSteps(f, (yield* chosenSteps(evidence, question)).dialogs);
      }),
    registrations: (question, signal) =>
      made(signal, function* () {
        return yield* registrationsSteps(evidence, (yield* chosenSteps(evidence, question)).dialogs);
      }),
  } satisfies Partial<Explorer>;
}

/** The legs of a call but itself, tied by identifiers; guesses are none. */
function* legDialogs(d: Dialog, stores: CorrelationStores): Steps<Dialog[]> {
  return legsIn(yield* callTree(d, stores, MAX_LEGS_COUNTED, false), d);
}

function legsIn({ nodes }: CallTree, d: Dialog): Dialog[] {
  return nodes.flatMap(({ dialog }) => (dialog === d ? [] : [dialog]));
}

function* legsSteps(e: Evidence, d: Dialog, stores: CorrelationStores): Steps<OtherLegs> {
  const tree = yield* callTree(d, stores, MAX_LEGS_COUNTED, false);
  return {
    callIds: legsIn(tree, d).map(({ callId }) => callId),
    probable: probableLegs(d, e).map(({ dialog }) => dialog.callId),
    notes: legNotes(tree, stores.identifiers),
  };
}

/** Two calls that are one, or gone, make no comparison. */
function* compareOrNothing(e: Evidence, a: Dialog | undefined, b: Dialog | undefined): Steps<AskCompare | null> {
  return a === undefined || b === undefined ? null : yield* compareSteps(e, [a, b]);
}

function* qualitySteps(e: Evidence, d: Dialog): Steps<AskQuality> {
  const streams = yield* askStreamsSteps(e, d);
  const { phone_reports: reports } = callReports(e, d);
  return {
    schema_version: 1,
    call_id: d.callId,
    streams,
    ...(reports === undefined ? {} : { phone_reports: reports }),
  };
}

const NO_SCENARIO = {
  no_request: 'no request of the call is kept',
  no_replayable_request: 'the call has no request that SIPp can send',
} as const;

/** The text of calls for people; null where none of them is there any more. */
export function* textSteps(
  e: Evidence,
  all: readonly Dialog[],
  more: number,
  layout: TextLayout,
  style: LadderStyle,
): Steps<string[] | null> {
  if (layout === 'ladder') return yield* linesOf(ladderLines(yield* ladderSteps(e, all, more), style));
  const reports = new Reports();
  const addReport = function* (d: Dialog): Steps<void> {
    yield* reports.add(callReport(yield* reportSteps(e, d), layout === 'markdown', style));
  };
  yield* visitEach(e.stores.dialogs, all, (d) => (reports.hasRoom ? addReport(d) : false));
  return reports.finish(all.length + more);
}
