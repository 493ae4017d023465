/**
 * Reads the capture files of a run, and says what was odd about them.
 */
import type { Built } from '../actions/history/index-builder.ts';
import { HISTORY_BUILT_FILES, IndexBuilder } from '../actions/history/index-builder.ts';
import { Outputs } from '../actions/outputs.ts';
import { shipperOf } from '../actions/ship/key.ts';
import type { Config } from '../config/config.ts';
import { oneLine } from '../config/option-value.ts';
import { counted } from '../core/counted.ts';
import { sayClocks } from '../faces/cli/hep-lines.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import type { FileEnd, FilesEnd } from '../sources/file/file-source.ts';
import { expandInputs } from '../sources/file/inputs.ts';
import type { Session, SessionOptions } from './session.ts';
import { createSession } from './session.ts';

/** What to say about a file that did not end cleanly; null when it did. */
function endWarning(path: string, end: FileEnd): string | null {
  if (end.end === 'ok' || end.end === 'stopped') return null;
  if (end.end === 'empty') return `calltap: ${path}: the file is empty; skipped`;
  const used = `used the ${counted(end.frames, 'frame')} before it`;
  if (end.lack !== undefined) return `calltap: ${path}: ${end.lack}; ${used}`;
  const why = {
    truncated: 'ends in the middle of a record (cut off, or still being written)',
    corrupt: 'has a record that cannot be right',
    io: 'could not be read further',
  }[end.end];
  return `calltap: ${path}: ${why}; ${used}`;
}

/** What to say about captures that were not read one after the other as given; null when they were. */
export function orderLine(files: number, { overlapping, isReordered }: FilesEnd): string | null {
  if (overlapping > 0) return `calltap: ${overlapping} of ${files} captures overlap in time: merged packet by packet`;
  return isReordered ? `calltap: the ${files} captures are not in time order: merged packet by packet` : null;
}

export type FilesRead = {
  /** One file gave nothing readable. */
  readonly failed: boolean;
  readonly isCut: boolean;
};

/** Reads all files, or captures until a signal; `ready` is called when everything is open. */
export type Capturing = (ready: () => void) => Promise<FilesRead>;

/** `onOpened` is called once the files are known to be captures. Throws ServiceError for one that cannot be read at all. */
export async function readFiles(session: Session, config: Config, onOpened: () => void): Promise<FilesRead> {
  let failed = false;
  const onEnd = (path: string, end: FileEnd): void => {
    const warning = endWarning(path, end);
    if (warning !== null) standardError.write(`${oneLine(warning)}\n`);
    if (end.end !== 'ok' && end.end !== 'empty' && end.frames === 0) failed = true;
  };
  const { paths, skipped } = expandInputs(config.input);
  for (const { path, cause } of skipped) {
    const why = { empty: 'the file is empty', damaged: 'cannot unpack it' }[cause] ?? `cannot open it (${cause})`;
    standardError.write(`${oneLine(`calltap: ${path}: ${why}; skipped`)}\n`);
  }
  sayClocks(session.ingest.clocks);
  const end = await session.read(paths, onEnd, onOpened);
  const line = end === null ? null : orderLine(paths.length, end);
  if (line !== null) standardError.write(`${line}\n`);
  const unfit = session.figures.source.counter('bpf_unfit');
  if (unfit > 0)
    standardError.write(`calltap: --bpf: skipped ${counted(unfit, 'frame')} of a link type that it cannot be for\n`);
  return { failed, isCut: end?.isStopped === true };
}

/**
 * Builds the indexes of capture files (src/history), which are given in the order of their time and have none that can be used.
 * What came of each; those beyond HISTORY_BUILT_FILES are left for the next call. Throws ServiceError for what is no capture.
 */
export async function buildIndexes(
  config: Config,
  options: SessionOptions,
  paths: readonly string[],
): Promise<readonly Built[]> {
  const builder = new IndexBuilder(paths, shipperOf(config.shipHost, Date.now()));
  const off = { output: null, split: null, keep: null, ship: null, hepSend: [], hepSpool: null };
  const parts = { live: null, listener: null, tls: null, security: null, hooks: null, telling: null, meters: [] };
  const session = createSession({
    ...parts,
    options: { ...options, correlates: true, writesLater: false, keepsFrames: false, handsFrames: false },
    outputs: new Outputs({ ...config, ...off }, () => undefined, builder),
    ...{ hepAuth: config.hepAuth, sayIdentity: null, sayTrunk: null },
  });
  try {
    const end = await session.read(paths.slice(0, HISTORY_BUILT_FILES), () => undefined);
    return await builder.finish(end?.isStopped !== true);
  } finally {
    await builder.finish(false);
    session.close();
  }
}

/** True when what -O names lacks some of what was read; says so on standard error. */
export function reportUnwritten({ figures, outputs: { file, callFiles } }: Session): boolean {
  callFiles?.flush();
  const trouble = file?.trouble ?? callFiles?.trouble ?? null;
  if (trouble === null) return false;
  const name = file?.name ?? callFiles?.path ?? '';
  const unwritten = file === null ? 0 : figures.source.counter('frames') - file.counter('frames');
  const missing = callFiles?.counters.get('lost') ?? unwritten;
  standardError.write(
    `${oneLine(`calltap: -O ${name}: cannot write (${trouble}); ${counted(missing, 'frame')} ${missing === 1 ? 'is' : 'are'} not in it`)}\n`,
  );
  return true;
}
