/**
 * Serves the API and the metrics while the capture is read and after, until a signal ends it.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createPeerControl } from '../actions/peer/control.ts';
import type { Config } from '../config/config.ts';
import { oneLine } from '../config/option-value.ts';
import { OPTIONS } from '../config/options.ts';
import { failure } from '../core/errors.ts';
import { packageVersion } from '../core/package.ts';
import type { Explorer } from '../explore/explorer.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import { summaryLines } from '../faces/cli/summary.ts';
import { createApi } from '../serve/api/server.ts';
import { readApiCredentials, readMcpCredentials, readMetricsCredentials } from '../serve/auth/configured.ts';
import { createMetricsPage } from '../serve/metrics/registry.ts';
import { createMetricsServer } from '../serve/metrics/standalone.ts';
import type { Capturing } from './read-files.ts';
import type { Session } from './session.ts';
import type { StopSignal } from './stop-signal.ts';
import { limitEnd, STOP_MS } from './stop-signal.ts';

type Closable = { close(): Promise<void> };

function fault(error: unknown): void {
  standardError.write(`calltap: fault while answering: ${String(error)}\n`);
}

function warn(line: string): void {
  // It may name a call as the wire does.
  standardError.write(`calltap: ${oneLine(line)}\n`);
}

/** Programs that this one starts must not find its secrets in the environment they inherit. */
function forgetSecretVariables(): void {
  for (const { type, env } of OPTIONS) if (type.kind === 'secret' && env !== undefined) delete process.env[env];
}

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
  const version = packageVersion();
  const { isLive } = session.figures;
  const open: Closable[] = [];
  let closed: Promise<unknown> | null = null;
  const closeAll = (): Promise<unknown> => {
    closed ??= Promise.all(open.map((o) => o.close()));
    return closed;
  };
  const peer = createPeerControl({
    ctl: config.peerCtl,
    db: config.peerDb,
    searchPath: process.env['PATH'] ?? '',
  });
  try {
    // Before any listener opens: a mistake in one of them must not leave the other serving for a moment.
    const credentials = config.api === null ? null : readApiCredentials(config, warn);
    const basic = config.metrics === null ? null : readMetricsCredentials(config);
    forgetSecretVariables();
    const listening: string[] = [];
    if (config.metrics !== null) {
      const page = createMetricsPage({ read: () => explorer.metrics(), stateCase: 'as-cased', version });
      const metrics = createMetricsServer(page, { onFault: fault, credentials: basic });
      open.push(metrics);
      listening.push(`metrics listening on http://${await metrics.listen(config.metrics)}\n`);
    }
    if (config.api !== null) {
      const api = await createApi({
        readers: explorer,
        peer,
        maxRows: config.apiMaxRows,
        maxConn: config.apiMaxConn,
        ...(config.ask ? { ask: { log: warn } } : {}),
        hasConsole: config.console,
        ...(config.mcp ? { mcp: { credentials: readMcpCredentials(config, warn), log: warn } } : {}),
        ...(credentials === null ? {} : { credentials }),
        version,
        onFault: fault,
      });
      open.push(api);
      const base = `http://${await api.listen(config.api)}`;
      if (config.console) listening.push(`console at ${base}/console/\n`);
      // The last line of a start: whoever waits for it finds all the rest there.
      listening.push(`api listening on ${base}\n`);
    }
    const reading = capture(() => {
      for (const line of listening) standardError.write(line);
    });
    const read = await Promise.race([reading, came.then(() => null)]);
    if (read?.failed === true) throw failure('CAPTURE_READ_FAILED', {});
    // Of a file all is printed as soon as it was read.
    const printing = read !== null && !isLive ? print() : null;
    await Promise.race([printing, came]);
    await came;
    // The same signal ends the capture: what it still holds is counted before the summary.
    await Promise.race([Promise.all([reading, closeAll()]), sleep(STOP_MS, null, { ref: false })]);
    session.outputs.close();
    await (printing ?? print());
    if (isLive) standardError.write(`${summaryLines(explorer.summary()).join('\n')}\n`);
  } finally {
    limitEnd();
    session.close();
    peer.close();
    await closeAll();
  }
  return 0;
}
