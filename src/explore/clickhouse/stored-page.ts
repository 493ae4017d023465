/** Makes the page of a call from the store: of what the other questions about it answer, over all hosts. */
import type { AskStream } from '../../contract/index.ts';
import type { Names } from '../../core/names.ts';
import { callPage } from '../../export/page/call-page.ts';
import type { PageAsked } from '../call-questions.ts';
import { MAX_LEGS_SHOWN } from '../limits.ts';
import { documentOf, headOf, ladderOf, messagesOf, qualityOf, storedCalls } from './call-answers.ts';
import type { StoreReader } from './store-reader.ts';
import { storedReport } from './stored-report.ts';
import { traceOf } from './trace.ts';

/** Each agent knows its own losses; the store has no more than their sums. */
const NO_LOSSES = 'What the captures of these hosts lost is not known here: the health of the hub names it.';

/** Null where the first call is not there. */
export async function storedPage(
  reader: StoreReader,
  callIds: readonly string[],
  names: Names,
  { notes, isUtc }: PageAsked,
): Promise<string | null> {
  const [first = ''] = callIds;
  const [document, head, ladder, messages, { messages: traced }] = await Promise.all([
    documentOf(reader, first),
    headOf(reader, first, names),
    ladderOf(reader, callIds, names),
    messagesOf(reader, callIds),
    storedCalls(reader, [first]).then((calls) => traceOf(reader, calls)),
  ]);
  if (document === null || head === null || ladder === null || messages === null) return null;
  const streams: AskStream[][] = [];
  for (const callId of callIds.slice(0, MAX_LEGS_SHOWN)) streams.push((await qualityOf(reader, callId))?.streams ?? []);
  const report = await reader.inTurns(storedReport({ document, head, ladder, messages: traced }));
  const limits = [...notes, NO_LOSSES];
  return reader.inTurns(
    callPage({ document, head, report, ladder, messages, streams, limits, madeUs: Date.now() * 1000, isUtc }),
  );
}
