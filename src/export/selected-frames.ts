/**
 * Which frames of the files that were read belong to some dialogs: those of their messages, and of their media.
 */
import type { FrameSelection } from '../sources/file/frame-selection.ts';
import type { Dialog } from '../store/dialogs/dialog.ts';
import type { Stores } from '../store/stores.ts';
import { mediaFlows } from './media-flows.ts';

export type SelectedFrames = FrameSelection & {
  /** Pairs of sockets beyond a cap: their media is not written. */
  readonly skippedPairs: number;
};

/** `files`: how many were read. The stores must have a ledger of frames, or there are none of messages. */
export function selectFrames(
  dialogs: Iterable<Dialog>,
  stores: Pick<Stores, 'dialogs' | 'streams' | 'stun' | 'frames'>,
  files: number,
): SelectedFrames {
  const chosen = new Set(dialogs);
  const numbers: number[][] = Array.from({ length: files }, () => []);
  for (const { slot } of chosen) stores.frames?.visit(slot, (source, ordinal) => numbers[source]?.push(ordinal));
  const { flows, skipped } = mediaFlows(chosen, stores);
  return { ordinals: numbers.map(inOrder), flows, skippedPairs: skipped };
}

function inOrder(numbers: readonly number[]): Float64Array {
  return Float64Array.from(new Set(numbers)).sort();
}
