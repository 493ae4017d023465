/**
 * Runs a capture in one of its modes: the call table, JSON, one call's report, statistics, or serving.
 */

import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { Built } from '../actions/history/index-builder.ts';
import { forBuilding, IndexBuilder } from '../actions/history/index-builder.ts';
import { Hooks } from '../actions/hooks/event-hooks.ts';
import { Outputs } from '../actions/outputs.ts';
import type { Config } from '../config/config.ts';
import { configErrorLine } from '../config/config.ts';
import { namesOf } from '../config/names.ts';
import { numbersOfConfig } from '../config/numbers.ts';
import { filterOf, isLive, isServed, keepsHistory, looksForScanners } from '../config/run-kind.ts';
import { trunkBoundsOf, trunksOfConfig } from '../config/trunks.ts';
import { ServiceError } from '../core/errors.ts';
import { faults } from '../core/faults.ts';
import { steerHeapGrowth } from '../core/heap-growth.ts';
import type { Trunks } from '../core/trunks.ts';
import { Ring } from '../explore/history/ring.ts';
import type { ReadsFiles } from '../explore/memory-explorer.ts';
import { createExplorer } from '../explore/memory-explorer.ts';
import type { Explorer } from '../explore/port.ts';
import type { Asked } from '../faces/cli/asked.ts';
import { readAsked } from '../faces/cli/asked.ts';
import { liveAnswer } from '../faces/cli/live-answers.ts';
import { logTo } from '../faces/cli/log-file.ts';
import { printAnswer, printDocuments, printTable, saySaved } from '../faces/cli/print.ts';
import { ProgressBar } from '../faces/cli/progress.ts';
import { dataLines, ignoreClosedReaders, lineLosses, standardError } from '../faces/cli/standard-streams.ts';
import { StatusLine } from '../faces/cli/status-line.ts';
import { summaryLines } from '../faces/cli/summary.ts';
import { Security } from '../security/detection.ts';
import { watchLoopTurns } from '../sources/loop-watch.ts';
import { loadNative } from '../sources/native.ts';
import { refuseUnknownRules } from '../view/lint.ts';
import type { Telling } from '../view/live-documents.ts';
import { needsNumbers } from '../watch/numbers/numbers.ts';
import { beforeCrash } from './crash.ts';
import type { LiveSession } from './live.ts';
import type { Capturing, FilesRead } from './read-files.ts';
import { readFiles, reportUnwritten, ringOf } from './read-files.ts';
import type { Session, SessionOptions, SessionParts } from './session.ts';
import { createSession } from './session.ts';
import { limitEnd, StopSignal } from './stop-signal.ts';

/** A live capture that ends gives the store so long to take the last rows. */
const LAST_ROWS_MS = 1_000;

/** The part of the configuration that a session reads. */
export function sessionOptions(config: Config): SessionOptions {
  const trunks = trunksOfConfig(config, config.device.length > 0 || config.uprobe.length > 0);
  return {
    sipPorts: config.portrange,
    wsPorts: config.wsPortrange,
    maxDialogs: config.maxDialogs,
    maxStreams: config.maxStreams,
    messageLogBytes: config.messageLogBytes,
    windowSec: config.qualityInterval,
    thresholds: config.thresholds,
    espNull: config.decodeEspNull,
    bpf: config.bpf,
    handsFrames: config.split?.isByCall === true,
    hep: config.hepDecode,
    // The table of files asks for it only where media is missing, and finds it out then (ingest/late-identifiers.ts).
    correlates:
      config.api !== null ||
      config.json ||
      config.callReport !== null ||
      config.legs ||
      filterOf(config) !== null ||
      config.interactive ||
      config.mcpStdio ||
      // Calls are judged while others come: to find it out anew for each would read all of them each time.
      config.ship !== null ||
      keepsHistory(config) ||
      isLive(config),
    lintSuppress: config.lintSuppress,
    audioBytes: config.retainAudio ? config.audioBytes : 0,
    callIdHeaders: config.callIdHeader,
    names: namesOf(config),
    host: config.shipHost ?? hostname(),
    trunks,
    counting: countsTrunks(config, trunks) ? { downAfter: config.trunkDownAfter, bounds: trunkBoundsOf(config) } : null,
    // /ask/…/capture reads the files once more.
    writesLater: choosesFrames(config),
    keepsFrames:
      choosesFrames(config) ||
      ((config.ask || config.interactive) && !isLive(config)) ||
      (config.html && config.anonymize !== null),
    observesQuality: isServed(config),
    ...numberOptions(config, trunks),
  };
}

/** What the metrics count beside what everybody counts; only who serves them needs it. */
function numberOptions(config: Config, trunks: Trunks): Pick<SessionOptions, 'numbers' | 'countsCodes'> {
  const numbers = numbersOfConfig(config, trunks.names);
  if (!isServed(config) || !needsNumbers(numbers.groups)) return { numbers: null, countsCodes: false };
  return { numbers, countsCodes: numbers.groups.has('codes') };
}

/** Values of --show that rest on what was counted of trunks and of all calls. */
const COUNTED: ReadonlySet<string> = new Set(['trunks', 'findings', 'overview']);

/** Whoever can be asked for trunks counts them, and who finds those that are down or learns the addresses of their domains. */
function countsTrunks(config: Config, trunks: Trunks): boolean {
  const isShown = COUNTED.has(config.show ?? '') || config.onTrunkExec !== null;
  const isShipped = config.ship !== null;
  const isAsked = config.interactive || config.mcpStdio || isServed(config);
  return isShown || isShipped || isAsked || (filterOf(config) !== null && trunks.hasDomains);
}

const say = (line: string): void => standardError.write(`calltap: ${line}\n`);

/** Exit code of the run. Throws ServiceError for what stops it. */
export async function runCapture(config: Config): Promise<number> {
  if (config.lintSuppress.length > 0) refuseUnknownRules(config.lintSuppress);
  if (staysRunning(config)) {
    ignoreClosedReaders();
    // Before anything is opened.
    steerHeapGrowth();
    // A young generation that grows holds 21 to 31 MiB more at 100,000 mirrored messages a second, and gains nothing there.
    if (!isServed(config)) setFlagsFromString('--semi-space-growth-factor=1');
  }
  const asked = readAsked(config);
  const log = config.log === null ? null : logTo(config.log);
  const live = isLive(config) ? liveAnswer(config, asked) : null;
  // Files that options name may be slow pipes: a signal ends that at once.
  const parts = sessionParts(config, live?.telling ?? null);
  const stop = new StopSignal();
  if (live !== null) faults.run('face', () => live.enough.then(() => stop.end()));
  const { session, capture: reads } = await open(config, parts, stop);
  // Whoever only prints answers nobody meanwhile; the start is over when all is open.
  const capture: Capturing = (ready) =>
    reads(() => {
      ready();
      if (config.for !== null) stop.endAfter(config.for);
      if (staysRunning(config)) watchLoopTurns(say);
    });
  if (staysRunning(config) || config.output !== null || log !== null)
    process.on('SIGHUP', () => {
      session.outputs.reopen();
      log?.reopen();
      renewCertificate(session);
    });
  const startedMs = performance.now();
  const readsSmall: ReadsFiles = async (paths) =>
    (await import('./history.ts')).readerOf(config, sessionOptions)(paths);
  const memory = createExplorer(session.figures, session.outputs, readsSmall);
  const { explorer, close } = await withRing(memory, readsSmall, session, config, say);
  let isPrinted = config.interactive || config.mcpStdio;
  const print = async (): Promise<boolean> => {
    isPrinted = true;
    const { watched } = session;
    // What was told while it happened is not told again.
    const rest = watched === null ? null : (live?.restOf(watched.rest()) ?? null);
    if (rest !== null) {
      await printDocuments(rest);
      return true;
    }
    return printAnswer(explorer, config, asked, (performance.now() - startedMs) / 1000);
  };
  const printAll = async (): Promise<unknown> => (await print()) || (await printTable(explorer, asked));
  beforeCrash(async () => {
    session.outputs.close();
    if (!isPrinted) await (isServed(config) ? print() : printAll());
  });
  try {
    if (isServed(config)) {
      const { serve } = await import('./serve.ts');
      return await serve(session, explorer, config, capture, print, stop);
    }
    if (config.interactive) {
      const { interact } = await import('./interact.ts');
      return await interact(session, explorer, config, asked, capture, stop);
    }
    if (config.mcpStdio) {
      const { serveAgent } = await import('./agent.ts');
      return await serveAgent(session, explorer, config, capture, stop);
    }
    return await printed(session, explorer, config, asked, capture, printAll, stop);
  } finally {
    close();
  }
}

/** What answers: the memory, and the ring of files beside it. */
async function withRing(
  memory: Explorer,
  reads: ReadsFiles,
  session: Session,
  config: Config,
  say: (line: string) => void,
) {
  const folder = ringOf(config);
  if (folder === null) return { explorer: memory, close: () => undefined };
  const { withHistory } = await import('./history.ts');
  const ring = new Ring(folder);
  if (!isLive(config)) {
    const { completeRing } = await import('../actions/history/complete-ring.ts');
    await completeRing(ring, (paths) => buildIndexes(config, paths), say);
  }
  return withHistory(ring, memory, session, config, reads);
}

/** SIGHUP: a certificate that cannot be read leaves the one of before in use. */
function renewCertificate({ figures }: Session): void {
  try {
    const line = figures.listener?.renewCertificate() ?? null;
    if (line !== null) standardError.write(`calltap: ${line}\n`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    standardError.write(`${configErrorLine(error)}; calltap keeps the certificate that it has\n`);
  }
}

/** Captures, prints and ends; the exit code. */
async function printed(
  session: Session,
  explorer: Explorer,
  config: Config,
  asked: Asked,
  capture: Capturing,
  print: () => Promise<unknown>,
  stop: StopSignal,
): Promise<number> {
  const { file } = session.figures;
  const bar =
    file === null
      ? new StatusLine(() => explorer.pulse(), !config.json && config.messages !== 'all')
      : new ProgressBar('reading', () => file.progress());
  let done: FilesRead;
  try {
    done = await capture(() => undefined);
  } finally {
    bar.close();
  }
  let { failed } = done;
  // Commands that run get their time; a second signal does not wait for them.
  if (!isLive(config)) {
    await session.hooks?.drain();
    if (choosesFrames(config) && !done.isCut) saySaved(await explorer.save(asked.question, config.legs));
    failed = reportUnwritten(session) || failed;
  }
  // What was captured is in its file before a reader is waited for.
  session.outputs.close();
  try {
    await print();
    if (config.json && isLive(config)) standardError.write(`${summaryLines(explorer.summary()).join('\n')}\n`);
  } finally {
    session.close();
  }
  if (isLive(config)) limitEnd();
  if (done.isCut) return stop.exitCode;
  return failed ? 1 : 0;
}

/** -O gets the frames of some calls of files alone: they are chosen once all is read. */
function choosesFrames(config: Config): boolean {
  return filterOf(config) !== null && config.output !== null && !isLive(config);
}

/** It captures or serves, and what it prints is the least of it. */
function staysRunning(config: Config): boolean {
  return isLive(config) || isServed(config);
}

/** Everything that the options name, opened. Throws ServiceError. */
async function open(
  config: Config,
  parts: FirstParts,
  stop: StopSignal,
): Promise<{ readonly session: Session; readonly capture: Capturing }> {
  if (!isLive(config)) {
    const session = createSession({ ...parts, ...NOT_LIVE });
    faults.run('file', () => stop.came.then(() => session.stopReading()));
    return { session, capture: (ready) => readFiles(session, config, ready) };
  }
  const { openLiveSession } = await import('./live.ts');
  const live: LiveSession = await openLiveSession(config, parts);
  return {
    session: live.session,
    capture: async (ready) => {
      await live.capture(ready, stop.came);
      await live.session.outputs.endShipping(LAST_ROWS_MS);
      return { failed: false, isCut: false };
    },
  };
}

/** Builds the indexes of captures that have none (src/history), given in the order of their time. Throws ServiceError. */
export async function buildIndexes(config: Config, paths: readonly string[]): Promise<readonly Built[]> {
  const builder = new IndexBuilder(paths, config.shipHost);
  const { options, ...parts } = sessionParts(forBuilding(config), null, builder);
  const session = createSession({ ...parts, options: { ...options, correlates: true }, ...NOT_LIVE });
  try {
    return await builder.built(session.read(builder.paths, () => undefined));
  } finally {
    session.close();
  }
}

type FirstParts = Omit<SessionParts, 'live' | 'listener' | 'tls'>;

const NOT_LIVE = { live: null, listener: null, tls: null };

function sessionParts(config: Config, telling: Telling | null, builder: IndexBuilder | null = null): FirstParts {
  const { hepAuth } = config;
  return {
    options: sessionOptions(config),
    outputs: new Outputs(config, say, builder),
    hepAuth,
    security: detection(config),
    hooks: hooksOf(config),
    sayIdentity: config.stirShaken ? (line) => standardError.write(`${line}\n`) : null,
    sayTrunk: isLive(config) ? say : null,
    telling,
    meters: [lineLosses],
  };
}

/** What looks for attackers; null when no option asks for that. Throws ServiceError. */
function detection(config: Config): Security | null {
  if (!looksForScanners(config) && !config.fraud) return null;
  return new Security(config, { native: loadNative(), pid: process.pid, out: dataLines, say }, isLive(config));
}

function hooksOf(config: Config): Hooks | null {
  const commands = [config.onDialogExec, config.onQualityExec, config.onTrunkExec];
  return commands.every((command) => command === null) ? null : new Hooks(config, say);
}
