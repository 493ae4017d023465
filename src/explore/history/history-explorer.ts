/**
 * The port over the memory of a capture and the ring of files beside it: one list of calls, and each call answered by who has it. The
 * memory wins. What the ring lacks is said.
 */
import type { AskCalls, AskHead, Call, HiddenBy } from '../../contract/index.ts';
import { CallDocument } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { timestampText } from '../../core/timestamp.ts';
import type { Steps, Turns } from '../../core/turns.ts';
import { finish } from '../../core/turns.ts';
import type { IndexedCall } from '../../history/rows.ts';
import { asCaptured } from '../../store/clock-steps.ts';
import { sentencesOf, withLook } from '../../view/explained.ts';
import type { Figures } from '../../view/figures.ts';
import { overviewSteps } from '../../view/overview.ts';
import { explanationIn } from '../clickhouse/stored-document.ts';
import type { Explorer } from '../port.ts';
import type { CallsQuestion } from '../question.ts';
import type { Answer } from '../refusal.ts';
import { Busy, Cannot, goneBy, NotHere } from '../refusal.ts';
import { holds } from '../remote/shapes.ts';
import { callOfRow, plainRow, textOf } from '../stored/call-of-row.ts';
import type { RowAsking } from '../stored/row-filter.ts';
import { mergedCalls, readCursor, writeCursor } from './merged-page.ts';
import type { OldCall } from './old-calls.ts';
import { isSameCall, OldCalls } from './old-calls.ts';
import { mayBeLegsSteps } from './old-legs.ts';
import { withOldTroublesSteps } from './old-troubles.ts';
import type { Ring } from './ring.ts';
import { RingMinutes } from './ring-minutes.ts';
import type { Found, Searched } from './search.ts';
import { searchSteps } from './search.ts';
import type { SmallCaptures } from './small-captures.ts';
import type { Wanted } from './wanted.ts';
import { wantedOf } from './wanted.ts';

export type HistoryParts = {
  readonly memory: Explorer;
  readonly figures: Figures;
  readonly ring: Ring;
  readonly captures: SmallCaptures;
  readonly turns: Turns;
  readonly isUtc: boolean;
  /** Of this run; empty of one that writes no ring. */
  readonly boot: string;
};

/** Calls of one list that is printed: who wants more names a span. @cap */
const HISTORY_PRINTED = 100_000;

export function createHistoryExplorer(parts: HistoryParts): Explorer {
  const { memory, figures, ring, captures, turns, isUtc, boot } = parts;
  const { evidence } = figures;
  const { dialogs } = evidence.stores;
  const { names } = evidence.rules;
  const old = new OldCalls(ring);
  const minutes = new RingMinutes(ring, boot);

  const asking = (): RowAsking => {
    const { clockSteps, nowUs } = evidence.capture;
    const here = asCaptured(clockSteps, nowUs);
    // A run that only asks a ring has captured nothing: the newest call is now.
    const known = [here, ring.endsUs].filter(Number.isFinite);
    return { nowUs: Math.max(...known, 0), isUtc, names };
  };
  const isElsewhere = (call: IndexedCall): boolean => {
    const d = dialogs.get(textOf(call.row['call_id']));
    if (d === undefined) return false;
    const captured = (us: number): number => asCaptured(evidence.capture.clockSteps, us);
    return isSameCall(call, captured(d.createdUs), captured(d.updatedUs));
  };
  const search = (
    question: CallsQuestion,
    limit: number,
    after: Found | null | ReturnType<typeof readCursor>['after'],
  ) =>
    function* (): Steps<Searched> {
      // The time of the newest call is known once the files are.
      yield* ring.filesSteps();
      const nowMs = (): number => performance.now();
      return yield* searchSteps(ring, { question, limit, after, asking: asking(), isElsewhere, nowMs });
    };
  const inTurns = async <T>(signal: AbortSignal | undefined, steps: () => Steps<T>): Promise<T> => {
    const made = await turns.document(goneBy(signal), steps);
    if (made === null) throw new Busy();
    return made.document;
  };
  const toCall = (found: OldCall): Call => {
    old.note(found);
    return { ...callOfRow(plainRow(found.call.row), names), kept_in: 'history' };
  };
  const aboutRing = ({ open }: Pick<Searched, 'open'>): AskCalls['ring'] => {
    const notes = [...lacksOf(ring)];
    if (open > 0)
      notes.push(
        `${counted(open, 'call')} may pass too: the filter asks for what no index has, such as texts of messages.`,
      );
    return {
      ...(Number.isNaN(ring.beginsUs) ? {} : { begins_at: timestampText(ring.beginsUs) }),
      ...(notes.length === 0 ? {} : { notes }),
    };
  };
  const hidden = (): HiddenBy => ({
    what: 'span',
    text: Number.isNaN(ring.beginsUs)
      ? `The ring in ${ring.folder} has no frame yet.`
      : `The ring in ${ring.folder} begins at ${timestampText(ring.beginsUs)}: what came before was removed, or not written.`,
  });

  /** The call, where the memory does not have it; null where it does, or nobody does. */
  const oldCall = async (callId: string, signal: AbortSignal | undefined): Promise<OldCall | null> =>
    dialogs.get(callId) === undefined ? inTurns(signal, () => old.findSteps(callId)) : null;

  /** Asks about calls: the memory where it has the first, else a capture of what the files have of them. */
  const ofCalls = async <T>(
    callIds: readonly string[],
    signal: AbortSignal | undefined,
    question: (explorer: Explorer) => Answer<T>,
  ): Promise<T> => {
    const found: OldCall[] = [];
    for (const callId of callIds) {
      const one = await oldCall(callId, signal);
      if (one !== null) found.push(one);
    }
    const [first] = found;
    if (first === undefined || dialogs.get(callIds[0] ?? '') !== undefined) return question(memory);
    const wanted = found.map((one) => old.wantedOf(one));
    return ofFrames(found, wanted, signal, question);
  };
  /** Asks a capture of what the files have of some calls. */
  const ofFrames = async <T>(
    found: readonly OldCall[],
    wanted: readonly Wanted[],
    signal: AbortSignal | undefined,
    question: (explorer: Explorer) => Answer<T>,
  ): Promise<T> => {
    const plan = await inTurns(signal, () => old.planSteps(found, wanted));
    const names = found.map(({ file, call }) => [file.path, call.startUs, call.row['version'], call.row['call_id']]);
    const key = JSON.stringify([wanted.some(({ media }) => media.length > 0), names]);
    return captures.ask({ key, plan: () => plan, wanted }, goneBy(signal), ({ explorer }) => question(explorer));
  };

  return {
    ...memory,
    async page(question, limit, cursor, signal) {
      const from = readCursor(cursor);
      const [here, there] = await Promise.all([
        from.memory === null ? { ...EMPTY, total: 0 } : memory.page(question, limit, from.memory, signal),
        inTurns(signal, search(question, limit + 1, from.after)),
      ]);
      const { calls, ofMemory, ofRing } = mergedCalls(here.calls, there.found, toCall, question.sort, limit);
      const total =
        (from.memory === null ? (await memory.page(question, 1, '', signal)).total : here.total) +
        from.passed +
        there.passed;
      const answer: AskCalls = { schema_version: 1, total, ring: aboutRing(there) ?? {}, calls };
      if (!there.isWhole) answer.total_is_least = true;
      const isMoreHere = ofMemory < here.calls.length || here.next_cursor !== undefined;
      if (isMoreHere || ofRing.length < there.found.length || !there.isWhole) {
        const isAllHere = ofMemory === here.calls.length;
        // A page that the memory gives only in part is asked for again up to there: that cursor is its own.
        const part =
          isAllHere || ofMemory === 0 ? here : await memory.page(question, ofMemory, from.memory ?? '', signal);
        const next = ofMemory === 0 && here.calls.length > 0 ? from.memory : (part.next_cursor ?? null);
        const last = ofRing.at(-1);
        answer.next_cursor = writeCursor({
          memory: next,
          after: last === undefined ? from.after : { key: last.key, name: last.name },
          passed: from.passed + ofRing.length,
        });
      }
      if (total === 0 && there.isWhole) answer.hidden_by = [...(here.hidden_by ?? []), hidden()];
      return answer;
    },
    *calls(question) {
      yield* listed(question, memory.calls(question), (found) => toCall(found));
    },
    *documents(question) {
      const { calls } = memory;
      const here = [...calls(question)].map(({ call_id }) => call_id);
      yield* memory.documents(question);
      const known = new Set(here);
      for (const found of finish(search(question, HISTORY_PRINTED, null)()).found) {
        if (known.has(textOf(found.call.row['call_id']))) continue;
        const document = old.documentOf(found);
        if (holds(CallDocument, document)) yield document;
      }
    },
    beside() {
      const files = finish(ring.filesSteps());
      const [from, to] = [ring.beginsUs, ring.endsUs].map((us) => (Number.isNaN(us) ? '-' : timestampText(us)));
      const reach = `Ring ${ring.folder}: ${counted(files.length, 'file')} with an index, from ${from} to ${to} (--no-history reads the files instead)`;
      return [reach, ...lacksOf(ring)];
    },
    hiddenBy: (question) => [...memory.hiddenBy(question), hidden()],
    select(selector, question) {
      const found = memory.select(selector, question);
      if ('callId' in found || 'candidates' in found) return found;
      for (const callId of selector.startsWith('id:') ? [selector, selector.slice(3)] : [selector])
        if (finish(old.findSteps(callId)) !== null) return { callId };
      const row = /^row:([1-9]\d{0,5})$/.exec(selector)?.[1];
      if (row === undefined || question === null) return found;
      const call = [...listed(question, memory.calls(question), toCall)][Number(row) - 1];
      return call === undefined ? found : { callId: call.call_id };
    },
    async call(callId, signal) {
      const one = await oldCall(callId, signal);
      if (one === null) return memory.call(callId, signal);
      const document = old.documentOf(one);
      // The frames are there where the index had no room for it.
      return holds(CallDocument, document) ? document : ofCalls([callId], signal, (e) => e.call(callId, signal));
    },
    async head(callId, signal) {
      const one = await oldCall(callId, signal);
      return one === null ? memory.head(callId, signal) : headOf(one, toCall(one));
    },
    async legs(callId, signal) {
      const own = await oldCall(callId, signal);
      if (own === null) return memory.legs(callId, signal);
      const { calls, areMore } = await inTurns(signal, () => mayBeLegsSteps(ring, own));
      if (calls.length === 0) return { callIds: [], probable: [], notes: [] };
      const all = [own, ...calls];
      const found = await ofFrames(all, all.map(messagesOf), signal, (e) => e.legs(callId, signal));
      return areMore ? { ...found, notes: [...found.notes, MORE_LEGS] } : found;
    },
    overview: (asked, signal) =>
      inTurns(signal, function* () {
        const answer = yield* overviewSteps(figures, asked, minutes);
        if (answer.span !== undefined)
          answer.troubles = yield* withOldTroublesSteps(answer.troubles, answer.span, (question, limit) =>
            search(question, limit, null)(),
          );
        return answer;
      }),
    messages: (callIds, asked, signal) => ofCalls(callIds, signal, (e) => e.messages(callIds, asked, signal)),
    ladder: (callIds, signal) => ofCalls(callIds, signal, (e) => e.ladder(callIds, signal)),
    quality: (callId, signal) => ofCalls([callId], signal, (e) => e.quality(callId, signal)),
    async text(callIds, layout, style, signal) {
      const [callId = ''] = callIds;
      // A report names the other legs; a ladder draws those alone that are asked for.
      const own = layout !== 'ladder' && callIds.length === 1 ? await oldCall(callId, signal) : null;
      if (own === null) return ofCalls(callIds, signal, (e) => e.text(callIds, layout, style, signal));
      const { calls } = await inTurns(signal, () => mayBeLegsSteps(ring, own));
      const wanted = [old.wantedOf(own), ...calls.map(messagesOf)];
      return ofFrames([own, ...calls], wanted, signal, (e) => e.text(callIds, layout, style, signal));
    },
    html: (callIds, asked, signal) => ofCalls(callIds, signal, (e) => e.html(callIds, asked, signal)),
    sipp: (callId, showsSecrets, signal) => ofCalls([callId], signal, (e) => e.sipp(callId, showsSecrets, signal)),
    audio: (callId, span, signal) => ofCalls([callId], signal, (e) => e.audio(callId, span, signal)),
    capture: (callIds, isAnonymized, signal) =>
      ofCalls(callIds, signal, (e) => e.capture(callIds, isAnonymized, signal)),
    async compare(a, b, signal) {
      if ([a, b].every((callId) => dialogs.get(callId) !== undefined)) return memory.compare(a, b, signal);
      // The frames of both are in the files, once the call that the memory has is over.
      const found = await inTurns(signal, function* () {
        return [yield* old.findSteps(a), yield* old.findSteps(b)];
      });
      const [first, second] = found;
      if (first && second) {
        const wanted = [first, second].map((one) => old.wantedOf(one));
        return ofFrames([first, second], wanted, signal, (e) => e.compare(a, b, signal));
      }
      if ([a, b].some((callId, i) => dialogs.get(callId) === undefined && found[i] === null)) throw new NotHere();
      throw new Cannot(
        'invalid-parameter',
        'One of these calls left the memory, and the other has no row in the ring yet: ask again some seconds after it has ended.',
      );
    },
  };

  /** Both, the whole list in order. */
  function* listed(question: CallsQuestion, here: Iterable<Call>, shown: (found: Found) => Call): Generator<Call> {
    const { found } = finish(search(question, HISTORY_PRINTED, null)());
    const most = Number.POSITIVE_INFINITY;
    yield* mergedCalls([...here], found, shown, question.sort, most).calls;
  }
}

const EMPTY = { schema_version: 1, calls: [] } as const satisfies Partial<AskCalls>;

const MORE_LEGS = 'Other calls of that time may be legs too: the nearest ones are looked at.';

/** Its messages alone: no leg is told by media. */
function messagesOf({ call }: OldCall): Wanted {
  return { ...wantedOf(call, {}), media: [], mediaTimes: [], missedMedia: false };
}

function headOf({ call: { row } }: OldCall, call: Call): AskHead {
  const explanation = withLook(explanationIn({ explanation: textOf(row['explanation']), hints: [] }));
  const head: AskHead = { schema_version: 1, call, hints: sentencesOf(explanation), explanation };
  if (typeof row['from_display'] === 'string') head.from_display = row['from_display'];
  if (typeof row['to_display'] === 'string') head.to_display = row['to_display'];
  return head;
}

function* lacksOf(ring: Ring): Generator<string> {
  if (ring.trouble !== '') yield `${ring.trouble}.`;
  const left = ring.rowsLeftOut;
  if (left > 0)
    yield `${counted(left, 'call')} in ${ring.folder} ${left === 1 ? 'has' : 'have'} no row: the indexes took their share of the bytes.`;
  const damaged = ring.damagedBlocks;
  if (damaged > 0)
    yield `${counted(damaged, 'block')} of the indexes in ${ring.folder} ${damaged === 1 ? 'is' : 'are'} damaged: calls may be missing.`;
}
