/**
 * Serves the answers of the store of many agents, and of these agents, until a signal ends it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPeerControl } from '../actions/peer/control.ts';
import type { Config } from '../config/config.ts';
import { namesOf } from '../config/names.ts';
import { failure } from '../core/errors.ts';
import { steerHeapGrowth } from '../core/heap-growth.ts';
import { Agents } from '../explore/agents/agents.ts';
import { agentTargets } from '../explore/agents/targets.ts';
import { storeOf } from '../explore/clickhouse/place.ts';
import type { OpenStore } from '../explore/clickhouse/store-explorer.ts';
import { openStoreExplorer } from '../explore/clickhouse/store-explorer.ts';
import { createHubExplorer } from '../explore/hub/hub-explorer.ts';
import { runMigrate } from '../faces/cli/migrate.ts';
import { ignoreClosedReaders, standardError } from '../faces/cli/standard-streams.ts';
import { RemoteFailure } from '../net/failures.ts';
import type { Listeners } from '../serve/listeners.ts';
import { openListeners } from '../serve/listeners.ts';
import { watchLoopTurns } from '../sources/loop-watch.ts';
import { limitEnd, STOP_MS, StopSignal } from './stop-signal.ts';

/**
 * Makes the tables of the store, or serves. One file for both: each file that is loaded later divides the program into more
 * parts, and a start opens all that it needs at once. The exit code. Throws ServiceError.
 */
export function runHub(config: Config): Promise<number> {
  return config.migrate ? runMigrate(config) : serveHub(config);
}

/** Throws before it reports any listener. */
async function serveHub(config: Config): Promise<number> {
  ignoreClosedReaders();
  steerHeapGrowth();
  const names = namesOf(config);
  const agents = new Agents(agentTargets(config));
  const stop = new StopSignal();
  // No program of a peer stands beside a hub.
  const peer = createPeerControl({ ctl: null, db: null, searchPath: '' });
  let store: OpenStore | null = null;
  let listeners: Listeners | null = null;
  try {
    const opening = openStore(config, names);
    const opened = await Promise.race([opening, stop.came.then(() => null)]);
    if (opened === null) return 0;
    store = opened;
    listeners = await openListeners(config, createHubExplorer(store, agents), peer, say);
    for (const line of listeners.lines) standardError.write(`${line}\n`);
    watchLoopTurns(say);
    await stop.came;
  } finally {
    limitEnd();
    agents.close();
    peer.close();
    const closing = Promise.all([listeners?.close(), store?.close()]);
    await Promise.race([closing, sleep(STOP_MS, null, { ref: false })]);
  }
  return 0;
}

function say(line: string): void {
  standardError.write(`calltap: ${line}\n`);
}

async function openStore(config: Config, names: ReturnType<typeof namesOf>): Promise<OpenStore> {
  const { place, login } = storeOf(config);
  try {
    return await openStoreExplorer(place, login, { names, callIdHeaders: config.callIdHeader });
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw failure('CONNECT_FAILED', { option: '--store', url: place.url, reason: error.message, remedy: error.remedy });
  }
}
