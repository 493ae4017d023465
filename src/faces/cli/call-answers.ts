/**
 * What options ask about single calls: report, ladder, messages, a comparison, audio. Each names calls by a selector.
 */
import type { Config } from '../../config/config.ts';
import { oneLine, quoted } from '../../config/option-value.ts';
import { failure } from '../../core/errors.ts';
import { take } from '../../core/take.ts';
import type { TextLayout } from '../../explore/call-questions.ts';
import type { Explorer } from '../../explore/port.ts';
import { ifHere } from '../../explore/refusal.ts';
import type { Asked } from './asked.ts';
import { writeAudio, writePage, writeScenarios } from './call-files.ts';
import { comparisonLines } from './comparison.ts';
import type { MessageStyle } from './messages.ts';
import { messageLines, messageStyle, oneMessage } from './messages.ts';
import type { Lines } from './print-lines.ts';
import { qualityLines, qualityRows } from './quality-lines.ts';
import { rowLines } from './rows.ts';
import { SUMS } from './sums.ts';

/** The lines of whatever is asked about calls; null where nothing is. Throws ServiceError and refusals. */
export async function callAnswer(explorer: Explorer, config: Config, asked: Asked): Promise<Lines | null> {
  const find = (option: string) => (selector: string) => callIdOf(explorer, asked, option, selector);
  if (config.callReport !== null) {
    const callId = find('--call-report')(config.callReport);
    if (config.html) return pageOf(explorer, config, asked, callId);
    return textOf(explorer, [callId], config.legs, config.markdown ? 'markdown' : 'text', asked);
  }
  if (config.ladder.length > 0)
    return textOf(explorer, config.ladder.map(find('--ladder')), config.legs, 'ladder', asked);
  if (config.messages !== null) return messagesOf(explorer, config, asked, config.messages);
  if (config.quality !== null) return qualityOf(explorer, asked, find('--quality')(config.quality));
  if (config.show !== null) return (await SUMS[config.show]?.(explorer, asked)) ?? null;
  if (config.compare.length > 0) return comparisonOf(explorer, asked, config.compare.map(find('--compare')));
  if (config.sipp !== null) return writeScenarios(explorer, config, find('--sipp')(config.sipp));
  if (config.wav !== null) return writeAudio(explorer, config, find('--wav')(config.wav));
  return null;
}

/** Throws CALL_NOT_FOUND and CALL_AMBIGUOUS. */
function callIdOf(explorer: Explorer, { question }: Asked, option: string, selector: string): string {
  const selected = explorer.select(selector, question);
  if ('callId' in selected) return selected.callId;
  const shown = oneLine(selector.slice(0, 200));
  if ('none' in selected) {
    const near = selected.near === null ? '' : `; did you mean ${oneLine(selected.near)}?`;
    throw failure('CALL_NOT_FOUND', { option, selector: shown, near });
  }
  const some = selected.candidates.map(quoted).join(', ');
  const list = selected.total > selected.candidates.length ? `${some}, …` : some;
  throw failure('CALL_AMBIGUOUS', { option, selector: shown, total: selected.total, list });
}

/** With --legs the calls and their other legs, and why some may be missing. */
async function withLegs(
  explorer: Explorer,
  callIds: readonly string[],
  hasLegs: boolean,
  isDrawnApart: boolean,
): Promise<{ readonly callIds: readonly string[]; readonly notes: readonly string[] }> {
  const all = new Set(callIds);
  const notes = new Set<string>();
  for (const callId of hasLegs ? callIds : []) {
    const legs = await explorer.legs(callId);
    for (const leg of [...legs.callIds, ...(isDrawnApart ? legs.probable : [])]) all.add(leg);
    for (const note of legs.notes) notes.add(note);
  }
  return { callIds: [...all], notes: [...notes] };
}

/** The text of calls with or without their legs. */
async function* textOf(
  explorer: Explorer,
  callIds: readonly string[],
  legs: boolean,
  layout: TextLayout,
  { style }: Asked,
): AsyncGenerator<string> {
  const all = await withLegs(explorer, callIds, legs, layout === 'ladder');
  yield* await explorer.text(all.callIds, layout, style);
  yield* all.notes;
}

/** The page of a call, with or without its legs: printed, or in the file of --to. */
async function pageOf(explorer: Explorer, config: Config, { style }: Asked, callId: string): Promise<Lines> {
  const { callIds, notes } = await withLegs(explorer, [callId], config.legs, true);
  const page = await explorer.html(callIds, { notes, isUtc: style.isUtc, isAnonymized: config.anonymize !== null });
  return config.to === null ? [page.trimEnd()] : writePage(page, config.to, config.force);
}

/** `SEL`, `SEL#N` for one message, or `all` for those of every call of the question. */
async function messagesOf(
  explorer: Explorer,
  { legs, noBody, raw, showSecrets }: Config,
  asked: Asked,
  selector: string,
): Promise<Lines> {
  const option = '--messages';
  const single = /^(.+)#(\d{1,6})$/s.exec(selector);
  const isWhole = single === null || 'callId' in explorer.select(selector, asked.question);
  const style = messageStyle(asked, { noBody, raw });
  if (selector === 'all') {
    const callIds = [...take(explorer.calls(asked.question), asked.limit)].map(({ call_id }) => call_id);
    return ofEach(explorer, callIds, showSecrets, style);
  }
  const callId = callIdOf(explorer, asked, option, isWhole ? selector : (single?.[1] ?? ''));
  const { callIds, notes } = await withLegs(explorer, [callId], legs && isWhole, false);
  const only = isWhole ? undefined : Number(single?.[2]);
  const document = await explorer.messages(callIds, { showsSecrets: showSecrets, only });
  if (isWhole) return messageLines({ ...document, leg_notes: [...notes] }, style);
  if (document.messages.length === 0) {
    const { steps } = await explorer.ladder([callId]);
    throw failure('MESSAGE_NOT_FOUND', { selector: oneLine(selector), kept: steps.length });
  }
  return messageLines({ ...document, not_kept: 0 }, style);
}

/** Call by call: the texts of all of them may be more than memory takes. */
async function* ofEach(
  explorer: Explorer,
  callIds: readonly string[],
  showsSecrets: boolean,
  style: MessageStyle,
): AsyncGenerator<string> {
  for (const [i, callId] of callIds.entries()) {
    const document = await ifHere(() => explorer.messages([callId], { showsSecrets }));
    for (const m of document?.messages ?? []) yield* oneMessage(m, style, i);
  }
}

async function qualityOf(explorer: Explorer, { style, form, limit }: Asked, callId: string): Promise<Lines> {
  const quality = await explorer.quality(callId);
  return form === 'text' ? qualityLines(quality, style) : rowLines('quality', take(qualityRows(quality), limit), form);
}

async function comparisonOf(
  explorer: Explorer,
  { style, form, limit }: Asked,
  callIds: readonly string[],
): Promise<Lines> {
  const [a = '', b = ''] = callIds;
  const comparison = await explorer.compare(a, b);
  if (form === 'text') return comparisonLines(comparison, style.width, style.color);
  return rowLines('compare', take(comparison.rows, limit), form);
}
