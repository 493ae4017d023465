/**
 * Chooses the frames that belong to some dialogs, in the files that were read: those of their messages, and of their media.
 * A second pass over the files writes them.
 */
import type { FileSource } from '../sources/file/file-source.ts';
import type { FrameSelection } from '../sources/file/frame-selection.ts';
import type { WrittenFrames } from '../sources/file/second-pass.ts';
import { NEVER_SET, spanAsCaptured } from '../store/clock-steps.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stores } from '../store/stores.ts';
import type { OutputFile } from './capture-file.ts';
import { mediaFlows } from './media-flows.ts';

export type SelectionStores = Pick<Stores, 'dialogs' | 'streams' | 'stun' | 'frames'>;

export type SelectedFrames = FrameSelection & {
  /** Pairs of sockets beyond a cap: their media is not written. */
  readonly skippedPairs: number;
};

/** `files`: how many were read. The stores must have a ledger of frames, or there are none of messages. */
export function selectFrames(
  dialogs: Iterable<Dialog>,
  stores: SelectionStores,
  files: number,
  steps = NEVER_SET,
): SelectedFrames {
  const chosen = new Set(dialogs);
  const numbers: number[][] = Array.from({ length: files }, () => []);
  for (const { slot } of chosen) stores.frames?.visit(slot, (source, ordinal) => numbers[source]?.push(ordinal));
  const { flows, skipped } = mediaFlows(chosen, stores);
  // The files have the time of the host's clock.
  const asRead = flows.map((flow) => ({ ...flow, ...spanAsCaptured(steps, flow.fromUs, flow.toUs) }));
  return { ordinals: numbers.map(inOrder), flows: asRead, skippedPairs: skipped };
}

/**
 * Reads the files of `source` once more and writes what belongs to the dialogs, in the order of time. Rejects with
 * ServiceError where a file cannot be read twice, or has changed.
 */
export async function writeDialogs(
  dialogs: Iterable<Dialog>,
  stores: SelectionStores,
  source: FileSource,
  output: OutputFile,
  steps = NEVER_SET,
): Promise<WrittenFrames & { readonly skippedPairs: number }> {
  const selection = selectFrames(dialogs, stores, source.fileCount, steps);
  const written = await source.writeSelected(selection, output.id);
  return { ...written, skippedPairs: selection.skippedPairs };
}

function inOrder(numbers: readonly number[]): Float64Array {
  return Float64Array.from(new Set(numbers)).sort();
}
