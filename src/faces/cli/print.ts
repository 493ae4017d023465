/**
 * What the offline modes print on standard output.
 */

import type { Config } from '../../config/config.ts';
import type { Call, CallDocument } from '../../contract/index.ts';
import { counted } from '../../core/counted.ts';
import { take } from '../../core/take.ts';
import { safeText } from '../../core/terminal-text.ts';
import type { Explorer, SavedCalls } from '../../explore/port.ts';
import type { Asked } from './asked.ts';
import { callAnswer } from './call-answers.ts';
import { callCsv } from './call-csv.ts';
import { callTable } from './call-table.ts';
import { printLines } from './print-lines.ts';
import { standardError, standardOutput } from './standard-streams.ts';
import { summaryLines } from './summary.ts';

const print = (text: string): Promise<void> => standardOutput.print(text);

/** Prints what an option asks for once the capture has been read; false when none does. Throws ServiceError. */
export async function printAnswer(
  explorer: Explorer,
  config: Config,
  asked: Asked,
  elapsedSec: number,
): Promise<boolean> {
  const { question, form, limit } = asked;
  if (config.statsJson) {
    await printStatsJson(explorer, elapsedSec);
    return true;
  }
  const lines = await callAnswer(explorer, config, asked);
  if (lines !== null) await printLines(lines, print);
  else if (form === 'json') await printDocuments(take(explorer.documents(question), limit));
  else if (form === 'csv') await printCsv(explorer, asked);
  else return false;
  return true;
}

/** The call table and a summary. Resolves once they are taken. */
export function printTable(explorer: Explorer, { question, style, limit }: Asked): Promise<void> {
  const lines = function* (): Generator<string> {
    let rows = 0;
    const counted = function* (): Generator<Call> {
      for (const row of take(explorer.calls(question), limit)) {
        rows++;
        yield row;
      }
    };
    yield* callTable(counted(), style);
    // An empty answer says what could hide the call.
    if (rows === 0) {
      yield 'No call was found.';
      for (const { text } of explorer.hiddenBy(question)) yield `- ${safeText(text)}`;
    }
    yield '';
    const summary = explorer.summary();
    const beside = explorer.beside?.() ?? [];
    yield* beside.map(safeText);
    // Nothing was read where all of it answers.
    if (beside.length > 0 && summary.frames === 0) return;
    const { total } = summary.stats.dialogs;
    if (rows >= limit && rows < total) yield `${rows} of ${total} dialogs are shown (--limit)`;
    else if (question.filter !== null) yield `${rows} of ${total} dialogs match the filter`;
    yield* summaryLines(summary);
  };
  return printLines(lines(), print);
}

function printCsv(explorer: Explorer, { question, style, limit }: Asked): Promise<void> {
  return printLines(callCsv(take(explorer.calls(question), limit), style.columns, style.isUtc), print);
}

/** One JSON object a dialog. */
export function printDocuments(documents: Iterable<CallDocument>): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const document of documents) yield JSON.stringify(document);
  };
  return printLines(lines(), print);
}

/** What went to the file of -O, and what of it could not. */
export function saySaved(saved: SavedCalls | null): void {
  if (saved === null) return;
  const { calls, missedFragments, skippedPairs } = saved;
  const lacks = [
    ...(missedFragments > 0 ? [`${counted(missedFragments, 'fragment')} of media`] : []),
    ...(skippedPairs > 0 ? [`the media of ${counted(skippedPairs, 'pair')} of sockets`] : []),
  ];
  if (calls === 0) standardError.write('calltap: -O: no call matches; the file has no frame\n');
  if (lacks.length > 0) standardError.write(`calltap: -O: it lacks ${lacks.join(' and ')}\n`);
}

/** One line of figures, for scripts and the benchmark. */
function printStatsJson(explorer: Explorer, elapsedSec: number): Promise<void> {
  const { frames: packets, sipMessages, rtp, stats } = explorer.summary();
  return standardOutput.print(
    `${JSON.stringify({
      packets,
      sipMessages,
      dialogs: stats.dialogs.total,
      streams: stats.streams.total,
      rtpPackets: rtp.packets,
      rtpLost: rtp.lost,
      elapsedSec,
      packetsPerSec: Math.round(packets / elapsedSec),
      stats,
    })}\n`,
  );
}
