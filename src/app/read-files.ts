/**
 * Reads the capture files of a run, and says what was odd about them.
 */
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { oneLine } from '../config/option-value.ts';
import { asksRing, isLive, keepsHistory } from '../config/run-kind.ts';
import { counted } from '../core/counted.ts';
import { hasIndexes } from '../explore/history/ring.ts';
import { endWarning, orderLine } from '../faces/cli/file-lines.ts';
import { sayClocks } from '../faces/cli/hep-lines.ts';
import { standardError } from '../faces/cli/standard-streams.ts';
import type { FileEnd } from '../sources/file/file-source.ts';
import { expandInputs } from '../sources/file/inputs.ts';
import type { Session } from './session.ts';

export type FilesRead = {
  /** One file gave nothing readable. */
  readonly failed: boolean;
  readonly isCut: boolean;
};

/** Reads all files, or captures until a signal; `ready` is called when everything is open. */
export type Capturing = (ready: () => void) => Promise<FilesRead>;

/** The folder of the ring of files that answers besides the memory; null without one. */
export function ringOf(config: Config): string | null {
  if (isLive(config)) return config.output !== null && keepsHistory(config) ? dirname(config.output) : null;
  const [folder] = config.input;
  return folder !== undefined && asksRing(config) && hasIndexes(folder) ? folder : null;
}

/** `onOpened` is called once the files are known to be captures. Throws ServiceError for one that cannot be read at all. */
export async function readFiles(session: Session, config: Config, onOpened: () => void): Promise<FilesRead> {
  let failed = false;
  const onEnd = (path: string, end: FileEnd): void => {
    const warning = endWarning(path, end);
    if (warning !== null) standardError.write(`${oneLine(warning)}\n`);
    if (end.end !== 'ok' && end.end !== 'empty' && end.frames === 0) failed = true;
  };
  // What indexes answer is not read.
  const { paths, skipped } = ringOf(config) === null ? expandInputs(config.input) : { paths: [], skipped: [] };
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
