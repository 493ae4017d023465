/**
 * Serves the API and the metrics while the capture is read and after, until a signal ends it.
 */

import { createApi } from '../api/server.ts';
import { readApiCredentials, readMetricsCredentials } from '../auth/configured.ts';
import type { Config } from '../config/config.ts';
import { OPTIONS } from '../config/options.ts';
import { ServiceError } from '../core/error.ts';
import { createMetricsPage } from '../metrics/registry.ts';
import { createMetricsServer } from '../metrics/standalone.ts';
import { createPeerControl } from '../peer/control.ts';
import type { CaptureSession } from './capture-session.ts';
import { summary } from './output.ts';
import { createReaders } from './readers.ts';
import { standardError } from './standard-streams.ts';
import { packageVersion } from './version.ts';

/** A second signal, or this long after the first, ends the program whatever still runs. */
const STOP_MS = 1_900;

type Closable = { close(): Promise<void> };

function fault(error: unknown): void {
  standardError.write(`calltap: fault while answering: ${String(error)}\n`);
}

function warn(line: string): void {
  standardError.write(`calltap: ${line}\n`);
}

/** Programs that this one starts must not find its secrets in the environment they inherit. */
function forgetSecretVariables(): void {
  for (const { type, env } of OPTIONS) if (type.kind === 'secret' && env !== undefined) delete process.env[env];
}

/**
 * Serves until SIGINT or SIGTERM; `read` tells when everything that was asked for is open, `print` is for when all is
 * read. The exit code. Throws ServiceError: before any listener is told of, when it is one of what the options ask for.
 */
export async function serve(
  session: CaptureSession,
  config: Config,
  read: (ready: () => void, done: (failed: boolean) => void) => Promise<void>,
  print: () => Promise<unknown>,
): Promise<number> {
  const version = packageVersion();
  session.observesQuality = true;
  const readers = createReaders(session);
  const open: Closable[] = [];
  const peer = createPeerControl({
    ctl: config.peerCtl,
    db: config.peerDb,
    searchPath: process.env['PATH'] ?? '',
  });
  let isSaid = false;
  const sayOnce = () => {
    if (session.isLive && !isSaid) standardError.write(`${summary(session).join('\n')}\n`);
    isSaid = true;
  };
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  try {
    // Before any listener opens: a mistake in one of them must not leave the other serving for a moment.
    const credentials = config.api === null ? null : readApiCredentials(config, warn);
    const basic = config.metrics === null ? null : readMetricsCredentials(config);
    forgetSecretVariables();
    const listening: string[] = [];
    if (config.metrics !== null) {
      const page = createMetricsPage({ read: () => readers.metrics(), stateCase: 'as-cased', version });
      const metrics = createMetricsServer(page, { onFault: fault, credentials: basic });
      open.push(metrics);
      listening.push(`metrics listening on http://${await metrics.listen(config.metrics)}\n`);
    }
    if (config.api !== null) {
      const api = await createApi({
        readers,
        peer,
        maxRows: config.apiMaxRows,
        maxConn: config.apiMaxConn,
        ...(credentials === null ? {} : { credentials }),
        version,
        onFault: fault,
      });
      open.push(api);
      // The last line of a start: whoever waits for it finds all the rest there.
      listening.push(`api listening on http://${await api.listen(config.api)}\n`);
    }
    let failed = false;
    const reading = read(
      () => {
        for (const line of listening) standardError.write(line);
      },
      (bad) => {
        failed = bad;
      },
    );
    const isRead = await Promise.race([reading.then(() => true), stopped.then(() => false)]);
    if (failed) throw new ServiceError('CAPTURE_READ_FAILED', 'nothing in the capture could be read');
    if (isRead && !session.isLive) await Promise.race([print(), stopped]);
    await stopped;
    limitStop(sayOnce);
    if (session.isLive) {
      // The same signal ends it: what it still holds is counted before the summary.
      await reading;
      session.outputs.close();
      await print();
    }
    sayOnce();
  } finally {
    limitStop(() => undefined);
    session.close();
    peer.close();
    await Promise.all(open.map((o) => o.close()));
  }
  return 0;
}

/** Once a stop has begun; `say` is what is said in any case. */
function limitStop(say: () => void): void {
  setTimeout(() => {
    say();
    // Without a code of its own, so that a failed start keeps the one it ends with.
    process.exit();
  }, STOP_MS).unref();
}
