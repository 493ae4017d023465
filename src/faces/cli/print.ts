/**
 * What the offline modes print on standard output.
 */

import { failure } from '../../core/errors.ts';
import type { Explorer } from '../../explore/explorer.ts';
import { callReport } from './call-report.ts';
import { callTable } from './call-table.ts';
import { standardOutput } from './standard-streams.ts';
import { summaryLines } from './summary.ts';
import { mayColor } from './terminal.ts';

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

/** The call table and a summary. Resolves once they are taken. */
export function printTable(explorer: Explorer): Promise<void> {
  const lines = function* (): Generator<string> {
    yield* callTable([...explorer.calls()], mayColor(process.stdout));
    yield '';
    yield* summaryLines(explorer.summary());
  };
  return printLines(lines(), print);
}

/** One JSON object a dialog, oldest first. */
export function printDialogsJson(explorer: Explorer): Promise<void> {
  const lines = function* (): Generator<string> {
    for (const document of explorer.documents()) yield JSON.stringify(document);
  };
  return printLines(lines(), print);
}

/** The report of one call. Throws DIALOG_NOT_FOUND. */
export async function printCallReport(explorer: Explorer, callId: string, markdown: boolean): Promise<void> {
  const report = explorer.callReport(callId);
  if (report === null) throw failure('DIALOG_NOT_FOUND', { callId });
  await printLines(callReport(report, markdown), print);
}

/** One line of figures, for scripts and the benchmark. */
export function printStatsJson(explorer: Explorer, elapsedSec: number): Promise<void> {
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
