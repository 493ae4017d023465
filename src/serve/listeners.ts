/**
 * Opens what the options ask for: the API with all that stands beside it, and the metrics server. All of it, or nothing stays open.
 */

import type { PeerControl } from '../actions/peer/control.ts';
import type { Config } from '../config/config.ts';
import { metricGroupsOf } from '../config/numbers.ts';
import { oneLine } from '../config/option-value.ts';
import { OPTIONS } from '../config/options.ts';
import { faults } from '../core/faults.ts';
import { packageVersion } from '../core/package.ts';
import type { Port } from '../explore/port.ts';
import { createApi } from './api/server.ts';
import { readApiCredentials, readMcpCredentials, readMetricsCredentials } from './auth/configured.ts';
import { createMetricsPage } from './metrics/registry.ts';
import { createMetricsServer } from './metrics/standalone.ts';

export type Listeners = {
  /** What listens where, a line each. The API comes last: whoever waits for its line finds all the rest there. */
  readonly lines: readonly string[];
  /** Ends within two seconds, whatever the clients do. Idempotent. */
  close(): Promise<void>;
};

/** Programs that this one starts must not find its secrets in the environment they inherit. */
function forgetSecretVariables(): void {
  for (const { type, env } of OPTIONS) if (type.kind === 'secret' && env !== undefined) delete process.env[env];
}

/** `say` is given lines for people. Throws ServiceError. */
export async function openListeners(
  config: Config,
  readers: Port,
  peer: PeerControl,
  say: (line: string) => void,
): Promise<Listeners> {
  const open: { close(): Promise<void> }[] = [];
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= Promise.all(open.map((o) => o.close())).then(() => undefined);
    return closed;
  };
  const version = packageVersion();
  const onFault = (error: unknown): void => faults.note('route', error);
  // It may name a call as the wire does.
  const log = (line: string): void => say(oneLine(line));
  try {
    // Before any listener opens: a mistake in one of them must not leave the other serving for a moment.
    const credentials = config.api === null ? null : readApiCredentials(config, log);
    const basic = config.metrics === null ? null : readMetricsCredentials(config);
    forgetSecretVariables();
    const lines: string[] = [];
    const metricsShown = { groups: metricGroupsOf(config), hasExemplars: config.metricsExemplars };
    if (config.metrics !== null) {
      const page = createMetricsPage({
        read: () => readers.metrics(),
        stateCase: 'as-cased',
        version,
        ...metricsShown,
      });
      const metrics = createMetricsServer(page, { onFault, credentials: basic });
      open.push(metrics);
      lines.push(`metrics listening on http://${await metrics.listen(config.metrics)}`);
    }
    if (config.api !== null) {
      const api = await createApi({
        readers,
        peer,
        maxRows: config.apiMaxRows,
        maxConn: config.apiMaxConn,
        ...(config.ask ? { ask: { log } } : {}),
        isHub: config.hub,
        hasConsole: config.console,
        ...(config.mcp ? { mcp: { credentials: readMcpCredentials(config, log), log } } : {}),
        ...(credentials === null ? {} : { credentials }),
        version,
        metrics: metricsShown,
        onFault,
      });
      open.push(api);
      const base = `http://${await api.listen(config.api)}`;
      if (config.console) lines.push(`console at ${base}/console/`);
      lines.push(`api listening on ${base}`);
    }
    return { lines, close };
  } catch (error) {
    await close();
    throw error;
  }
}
