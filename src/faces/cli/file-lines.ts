/** Lines about capture files that were read: what was odd about them. */
import { counted } from '../../core/counted.ts';
import type { FileEnd, FilesEnd } from '../../sources/file/file-source.ts';

/** What to say about a file that did not end cleanly; null when it did. */
export function endWarning(path: string, end: FileEnd): string | null {
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
