/**
 * Frame pointers: `<source>#<ordinal>@<digest>`, the digest FNV-1a 64 of the captured bytes.
 */
import type { FramePointer } from '../store/dialogs/call-marks.ts';

/** The pointer as text; `sources` are the capture files by number, as given on the command line. */
export function framePointerText(frame: FramePointer, sources: readonly string[]): string | undefined {
  const source = sources[frame.source];
  if (source === undefined) return undefined;
  const hex = (v: number): string => (v >>> 0).toString(16).padStart(8, '0');
  return `${source}#${frame.ordinal}@${hex(frame.digestHigh)}${hex(frame.digestLow)}`;
}
