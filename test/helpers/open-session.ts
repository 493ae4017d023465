/**
 * Opens a session as the command line would: the options are parsed by the program's own parser. Nothing is read yet.
 */
import assert from 'node:assert/strict';
import { Outputs } from '../../src/actions/outputs.ts';
import { readerOf } from '../../src/app/history.ts';
import { sessionOptions } from '../../src/app/run.ts';
import type { Session, SessionOptions, SessionParts } from '../../src/app/session.ts';
import { createSession } from '../../src/app/session.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/config.ts';
import { createExplorer } from '../../src/explore/memory-explorer.ts';
import type { Explorer } from '../../src/explore/port.ts';

/** A session, and what tests look at in it. */
export type OpenSession = Session &
  Pick<Session['figures'], 'evidence' | 'source' | 'file'> &
  Pick<Session['ingest']['stores'], 'dialogs' | 'streams' | 'log'> & { readonly explorer: Explorer };

export function configOf(argv: readonly string[]): Config {
  const loaded = loadConfig({ argv, env: {} });
  assert.ok(loaded.ok, `the options of a case must parse: ${argv.join(' ')}`);
  return loaded.value.config;
}

export function openSession(
  argv: readonly string[],
  options: Partial<SessionOptions> = {},
  parts: Partial<SessionParts> = {},
): OpenSession {
  const config = configOf(argv);
  const session = createSession({
    options: { ...sessionOptions(config), observesQuality: false, ...options },
    outputs: new Outputs(config, () => undefined),
    hepAuth: config.hepAuth,
    ...{
      live: null,
      listener: null,
      tls: null,
      security: null,
      hooks: null,
      sayIdentity: null,
      sayTrunk: null,
      telling: null,
      meters: [],
    },
    ...parts,
  });
  const { figures, ingest, outputs } = session;
  const { evidence, source, file } = figures;
  const { dialogs, streams, log } = ingest.stores;
  const explorer = createExplorer(figures, outputs, readerOf(config, sessionOptions));
  return { ...session, evidence, source, file, dialogs, streams, log, explorer };
}
