/**
 * Speaks the agent protocol on standard input and output over a capture, or over a running service, until the other side
 * closes or a signal comes.
 */

import type { Config } from '../config/config.ts';
import { faults } from '../core/faults.ts';
import type { Explorer } from '../explore/port.ts';
import { openService } from '../faces/cli/running-service.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import { speakOnStdio } from '../serve/mcp/stdio.ts';
import type { Capturing } from './read-files.ts';
import type { Session } from './session.ts';
import type { StopSignal } from './stop-signal.ts';
import { limitEnd } from './stop-signal.ts';

/** Nobody else asks, and what is read is told by who answers. */
const ALONE = { log: () => undefined } as const;

function say(line: string): void {
  standardError.write(`calltap: ${line}\n`);
}

/** The exit code. Throws ServiceError. */
export async function serveAgent(
  session: Session,
  readers: Explorer,
  { apiMaxRows: maxRows }: Config,
  capture: Capturing,
  stop: StopSignal,
): Promise<number> {
  const reading = capture(() => undefined);
  // An answer of half a file would be taken for the whole; whoever waits for the reading hears why it failed.
  const ended = reading.then(
    () => undefined,
    () => undefined,
  );
  const whenReady = session.figures.evidence.capture.isLive ? Promise.resolve() : ended;
  const speech = speakOnStdio({ ...ALONE, readers, maxRows, whenReady }, say);
  faults.run('face', () => speech.ended.then(() => stop.end()));
  try {
    await Promise.race([reading, stop.came]);
    await stop.came;
    await reading;
  } finally {
    await speech.close();
    session.outputs.close();
    session.close();
    limitEnd();
  }
  return stop.exitCode;
}

/** The same over what --connect names. A signal ends the process by itself: nothing is to be put away. */
export async function serveAgentOver(config: Config): Promise<number> {
  const { port: readers } = await openService(config);
  const speech = speakOnStdio({ ...ALONE, readers, maxRows: config.apiMaxRows }, say);
  await speech.ended;
  await speech.close();
  readers.close();
  return 0;
}
