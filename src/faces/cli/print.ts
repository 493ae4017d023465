/**
 * What the offline modes print on standard output.
 */

import type { Config } from '../../config/config.ts';
import { failure } from '../../core/errors.ts';
import type { Explorer } from '../../explore/explorer.ts';
import type { Asked } from './asked.ts';
import { callCsv } from './call-csv.ts';
import { callReport } from './call-report.ts';
import { callTable } from './call-table.ts';
import { standardOutput } from './standard-streams.ts';
import { summaryLines } from './summary.ts';

/** Characters that are worth a write. */
const FLUSH_AT = 64 * 1024;

/**
 * Lines as they are made, so many at a time as are worth a write, and no more before `print` has taken them: a table may
 * be longer than a text can be.
 */
export async function printLines(lines: Iterable<string>, print: (text: string) => Promise<void>): Promise<void> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < FLUSH_AT) continue;
    // A server answers meanwhile.
    await print(text);
    text = '';
  }
  if (text !== '') await print(text);
}

const print = (text: string): Promise<void> => standardOutput.print(text);

/** Prints what an option asks for once the capture has been read; false when none does. Throws ServiceError. */
export async function printAnswer(
  explorer: Explorer,
  config: Config,
  asked: Asked,
  elapsedSec: number,
): Promise<boolean> {
  const { json, csv, callReport, statsJson } = config;
  if (statsJson) await printStatsJson(explorer, elapsedSec);
  else if (json) await printDialogsJson(explorer, asked);
  else if (csv) await printCsv(explorer, asked);
  else if (callReport !== null) await printCallReport(explorer, callReport, config.markdown);
  else return false;
  return true;
}

/** The call table and a summary. Resolves once they are taken. */
export function printTable(explorer: Explorer, { question, style }: Asked): Promise<void> {
  const lines = function* (): Generator<string> {
    yield* callTable(explorer.calls(question), style);
    yield '';
    yield* summaryLines(explorer.summary());
  };
  return printLines(lines(), print);
}

function printCsv(explorer: Explorer, { question, style }: Asked): Promise<void> {
  return printLines(callCsv(explorer.calls(question), style.columns, style.isUtc), print);
}

/** One JSON object a dialog, oldest first. */
function printDialogsJson(explorer: Explorer, { question }: Asked): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const document of explorer.documents(question)) yield JSON.stringify(document);
  };
  return printLines(lines(), print);
}

/** The report of one call. Throws DIALOG_NOT_FOUND. */
async function printCallReport(explorer: Explorer, callId: string, markdown: boolean): Promise<void> {
  const report = explorer.callReport(callId);
  if (report === null) throw failure('DIALOG_NOT_FOUND', { callId });
  await printLines(callReport(report, markdown), print);
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
