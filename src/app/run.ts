/**
 * Runs a capture in one of its modes: the call table, JSON, one call's report, statistics, or serving.
 */

import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config/config.ts';
import { looksForScanners } from '../config/config.ts';
import { oneLine } from '../config/option-value.ts';
import { counted } from '../core/counted.ts';
import { sayClocks } from '../faces/cli/hep-clock-lines.ts';
import { ProgressBar } from '../faces/cli/progress.ts';
import { dataLines, outliveReaders, standardError } from '../faces/cli/standard-streams.ts';
import type { FileEnd, FilesEnd } from '../sources/file/file-source.ts';
import { loadNative } from '../sources/native.ts';
import type { SessionOptions } from './capture-session.ts';
import { CaptureSession } from './capture-session.ts';
import { hurry } from './hurry.ts';
import { limitEnd, StopSignal } from './stop-signal.ts';

/** Captures of so many bytes take longer than a rehearsal. */
const REHEARSED_BYTES = 32 * 1024 * 1024;

/** What to say about a file that did not end cleanly; null when it did. */
function endWarning(path: string, end: FileEnd): string | null {
  if (end.end === 'ok' || end.end === 'stopped') return null;
  if (end.end === 'empty') return `calltap: ${path}: the file is empty; left out`;
  const why = {
    truncated: 'ends in the middle of a record (cut off, or still being written)',
    corrupt: 'has a record that cannot be right',
    io: 'could not be read further',
  }[end.end];
  return `calltap: ${path}: ${why}; used the ${counted(end.frames, 'frame')} before it`;
}

/** What to say about captures that were not read one after the other as given; null when they were. */
export function orderLine(files: number, { overlapping, isReordered }: FilesEnd): string | null {
  if (overlapping > 0) return `calltap: ${overlapping} of ${files} captures overlap in time: merged packet by packet`;
  return isReordered ? `calltap: the ${files} captures were read by the time of their packets, not as given` : null;
}

/** The part of the configuration that a session reads. */
export function sessionOptions(config: Config): SessionOptions {
  return {
    sipPorts: config.portrange,
    wsPorts: config.wsPortrange,
    maxDialogs: config.maxDialogs,
    maxStreams: config.maxStreams,
    messageLogBytes: config.messageLogBytes,
    windowSec: config.qualityIntervalSecs,
    thresholds: config.thresholds,
    ...(config.stirShaken ? { captureLog: (line: string) => standardError.write(`${line}\n`) } : {}),
    espNull: config.decodeEspNull,
    hep: config.hepDecode,
    outputs: config,
    // The table of files asks for it only where media is missing, and finds it out then (linked-media.ts).
    correlates: config.api !== null || config.json || config.callReport !== null || isLive(config),
    lintSuppress: config.lintSuppress,
    audioBytes: config.retainAudio ? config.audioBytes : 0,
    callIdHeaders: config.callIdHeaders,
    endsWithFiles: !goesOn(config),
  };
}

/** Exit code of the run. Throws ServiceError for what stops it. */
export async function runCapture(config: Config): Promise<number> {
  if (config.lintSuppress.length > 0) {
    const { refuseUnknownRules } = await import('../analysis/lint/known-rules.ts');
    refuseUnknownRules(config.lintSuppress);
  }
  if (goesOn(config)) outliveReaders();
  const stop = new StopSignal();
  const session = await openSession(config);
  void stop.came.then(() => session.stopReading());
  if (goesOn(config) || config.output !== null) process.on('SIGHUP', () => session.outputs.reopen());
  await watchForAttackers(session, config);
  if (config.onDialogExec !== null || config.onQualityExec !== null) {
    const { Hooks } = await import('../actions/hooks/event-hooks.ts');
    session.hooks = new Hooks(config, (line) => standardError.write(`calltap: ${line}\n`));
  }
  const startedMs = performance.now();
  const print = () => printAnswer(session, config, (performance.now() - startedMs) / 1000);
  if (config.api !== null || config.metrics !== null) {
    // The heap grows by a quarter between collections: all caps full, 1.1 GiB would be resident instead of 0.9.
    setFlagsFromString('--heap-growing-percent=25');
    const { serve } = await import('./serve.ts');
    const reading: Parameters<typeof serve>[2] = (ready, done) => read(session, config, stop, ready, done);
    return serve(session, config, reading, print, stop);
  }
  // Live, and with no API, there is little garbage and what is kept is kept for good: a young generation that grows to
  // its usual 48 MiB would only hold memory. The collector reads these flags each time it works.
  if (isLive(config)) setFlagsFromString('--semi-space-growth-factor=1');
  else hurry();
  const bar = new ProgressBar('reading', () => session.file?.progress() ?? 0);
  let failed = false;
  let isCut = false;
  try {
    isCut = await read(
      session,
      config,
      stop,
      () => undefined,
      (bad) => {
        failed ||= bad;
      },
    );
  } finally {
    bar.close();
  }
  // Commands that run get their time; a second signal does not wait for them.
  if (!isLive(config)) {
    await session.hooks?.drain();
    failed = saysUnwritten(session) || failed;
  }
  // What was captured is in its file before a reader is waited for.
  session.outputs.close();
  try {
    if (!(await print())) {
      const { printTable } = await import('../faces/cli/print.ts');
      await printTable(session);
    } else if (config.json && session.isLive) {
      const { summary } = await import('../faces/cli/print.ts');
      standardError.write(`${summary(session).join('\n')}\n`);
    }
  } finally {
    session.close();
  }
  if (session.isLive) limitEnd();
  if (isCut) return stop.exitCode;
  return failed ? 1 : 0;
}

/** Prints what an option asks for once the capture has been read; false when none does. Throws ServiceError. */
async function printAnswer(session: CaptureSession, config: Config, elapsedSec: number): Promise<boolean> {
  if (config.statsJson) {
    const { printStatsJson } = await import('../faces/cli/print-stats.ts');
    await printStatsJson(session, elapsedSec);
    return true;
  }
  if (!config.json && config.callReport === null) return false;
  const { printCallReport, printDialogsJson } = await import('../faces/cli/print.ts');
  if (config.callReport === null) await printDialogsJson(session);
  else await printCallReport(session, config.callReport, config.markdown);
  return true;
}

/** True when what was read could not all be written to the file of -O, of which it tells. */
function saysUnwritten({ outputs: { file }, source }: CaptureSession): boolean {
  const trouble = file?.trouble ?? null;
  if (file === null || trouble === null) return false;
  const missing = source.counter('frames') - file.counter('frames');
  standardError.write(
    `${oneLine(`calltap: -O ${file.name}: cannot be written (${trouble}); ${counted(missing, 'frame')} ${missing === 1 ? 'is' : 'are'} not in it`)}\n`,
  );
  return true;
}

/** It reads files, prints, and has nothing else open. */
export function onlyPrints(config: Config): boolean {
  return !goesOn(config) && !watches(config) && config.output === null && config.hepSend === null;
}

/** It captures or serves, and what it prints is the least of it. */
function goesOn(config: Config): boolean {
  return isLive(config) || config.api !== null || config.metrics !== null;
}

function watches(config: Config): boolean {
  return looksForScanners(config) || config.fraud;
}

/** Starts the detection of scanners when an option asks for it. Throws ServiceError. */
async function watchForAttackers(session: CaptureSession, config: Config): Promise<void> {
  if (!watches(config)) return;
  const { Security } = await import('../security/detection.ts');
  const sinks = {
    native: loadNative(),
    pid: process.pid,
    out: dataLines,
    say: (line: string) => standardError.write(`calltap: ${line}\n`),
  };
  session.security = new Security(config, sinks, isLive(config));
}

function isLive(config: Config): boolean {
  return config.devices.length > 0 || config.hepListen !== null || config.uprobe.length > 0;
}

/** The stores and their source, opened. Throws ServiceError. */
async function openSession(config: Config): Promise<CaptureSession> {
  if (!isLive(config)) return new CaptureSession(sessionOptions(config));
  const { openLiveSession } = await import('./live.ts');
  return openLiveSession(config, sessionOptions(config));
}

/**
 * Reads all files, or captures until a signal. `ready` is called when everything is open, `done` is told whether one file
 * gave nothing readable. True when the reading of files was cut short.
 */
async function read(
  session: CaptureSession,
  config: Config,
  stop: StopSignal,
  ready: () => void,
  done: (failed: boolean) => void,
): Promise<boolean> {
  if (isLive(config)) {
    const { capture } = await import('./live.ts');
    await capture(session, config, ready, stop);
    done(false);
    return false;
  }
  let failed = false;
  const onEnd = (path: string, end: FileEnd): void => {
    const warning = endWarning(path, end);
    if (warning !== null) standardError.write(`${oneLine(warning)}\n`);
    if (end.end !== 'ok' && end.end !== 'empty' && end.frames === 0) failed = true;
  };
  const rehearsal = isLarge(config.input) ? await import('./rehearsal.ts') : null;
  sayClocks(session.clocks);
  const end = await session.read(config.input, onEnd, () => rehearsal?.rehearse(session.options), ready);
  const line = end === null ? null : orderLine(config.input.length, end);
  if (line !== null) standardError.write(`${line}\n`);
  done(failed);
  return end?.isStopped === true;
}

/** What is no file has no size, and may be of any; what is wrong with a name is said by who opens it. */
function isLarge(paths: readonly string[]): boolean {
  const bytes = (path: string): number => {
    try {
      return statSync(path).size;
    } catch {
      return 0;
    }
  };
  return paths.reduce((sum, path) => sum + bytes(path), 0) >= REHEARSED_BYTES;
}
