/**
 * Serves the API and the metrics while the capture is read and after, until a signal ends it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createPeerControl } from '../actions/peer/control.ts';
import type { Config } from '../config/config.ts';
import { failure } from '../core/errors.ts';
import type { Explorer } from '../explore/port.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import { summaryLines } from '../faces/cli/summary.ts';
import type { Listeners } from '../serve/listeners.ts';
import { openListeners } from '../serve/listeners.ts';
import type { Capturing } from './read-files.ts';
import type { Session } from './session.ts';
import type { StopSignal } from './stop-signal.ts';
import { limitEnd, STOP_MS } from './stop-signal.ts';

/**
 * Serves until a signal came; `capture` tells when everything that was asked for is open, `print` is for when all is
 * read. The exit code. Throws ServiceError: before it reports any listener, when it is one of what the options ask for.
 */
export async function serve(
  session: Session,
  explorer: Explorer,
  config: Config,
  capture: Capturing,
  print: () => Promise<unknown>,
  { came }: StopSignal,
): Promise<number> {
  const { isLive } = session.figures.evidence.capture;
  let listeners: Listeners | null = null;
  const peer = createPeerControl({
    ctl: config.peerCtl,
    db: config.peerDb,
    searchPath: process.env['PATH'] ?? '',
  });
  try {
    const opened = await openListeners(config, explorer, peer, (line) => standardError.write(`calltap: ${line}\n`));
    listeners = opened;
    const reading = capture(() => {
      for (const line of opened.lines) standardError.write(`${line}\n`);
    });
    const read = await Promise.race([reading, came.then(() => null)]);
    if (read?.failed === true) throw failure('CAPTURE_READ_FAILED', {});
    // Of a file all is printed as soon as it was read.
    const printing = read !== null && !isLive ? print() : null;
    await Promise.race([printing, came]);
    await came;
    // The same signal ends the capture: what it still holds is counted before the summary.
    await Promise.race([Promise.all([reading, opened.close()]), sleep(STOP_MS, null, { ref: false })]);
    session.outputs.close();
    await (printing ?? print());
    if (isLive) standardError.write(`${summaryLines(explorer.summary()).join('\n')}\n`);
  } finally {
    limitEnd();
    session.close();
    peer.close();
    await listeners?.close();
  }
  return 0;
}
