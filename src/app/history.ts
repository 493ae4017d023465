/**
 * The calls of a ring of files, beside those in memory: of the files that -O writes, or of a folder that is named. Small captures of
 * old calls are runs of their own, which write and send nothing.
 */
import { Outputs } from '../actions/outputs.ts';
import type { Config } from '../config/config.ts';
import { isServed } from '../config/run-kind.ts';
import { faults } from '../core/faults.ts';
import { isNeverGone, Turns } from '../core/turns.ts';
import { createHistoryExplorer } from '../explore/history/history-explorer.ts';
import type { Ring } from '../explore/history/ring.ts';
import { SmallCaptures } from '../explore/history/small-captures.ts';
import type { ReadsFiles } from '../explore/memory-explorer.ts';
import type { Explorer } from '../explore/port.ts';
import type { Session, SessionOptions } from './session.ts';
import { createSession } from './session.ts';

export type WithHistory = { readonly explorer: Explorer; close(): void };

export function withHistory(
  ring: Ring,
  memory: Explorer,
  { figures, outputs }: Pick<Session, 'figures' | 'outputs'>,
  config: Config,
  reads: ReadsFiles,
): WithHistory {
  const captures = new SmallCaptures(reads);
  const turns = new Turns(() => performance.now(), true);
  const explorer = createHistoryExplorer({
    ...{ memory, figures, ring, captures, turns, isUtc: config.utc },
    boot: outputs.history?.boot ?? '',
  });
  // Whoever stays reads what stands at the end of each index before somebody asks.
  if (isServed(config) || config.interactive)
    faults.run('file', () => turns.document(isNeverGone, () => ring.warmSteps()));
  return { explorer, close: () => captures.close() };
}

/** Reads small captures. `options`: of a session of these options. */
export function readerOf(config: Config, options: (config: Config) => SessionOptions): ReadsFiles {
  const alone: Config = {
    ...config,
    ...{ output: null, split: null, keep: null, ship: null, hepSend: [], hepSpool: null },
    ...{ device: [], hepListen: null, uprobe: [], filter: null, calls: false, bpf: null },
  };
  const own: SessionOptions = {
    ...options(alone),
    ...{
      counting: null,
      numbers: null,
      observesQuality: false,
      keepsFrames: true,
      writesLater: false,
      correlates: true,
    },
  };
  const nobody = { live: null, listener: null, tls: null, security: null, hooks: null, telling: null };
  return async (paths) => {
    const outputs = new Outputs(alone, () => undefined);
    const parts = { options: own, outputs, hepAuth: config.hepAuth, sayIdentity: null, sayTrunk: null, meters: [] };
    const session = createSession({ ...parts, ...nobody });
    try {
      await session.read(paths, () => undefined);
      return { figures: session.figures, saver: outputs, close: () => session.close() };
    } catch (error) {
      session.close();
      throw error;
    }
  };
}
