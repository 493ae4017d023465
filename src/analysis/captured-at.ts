/**
 * Where and when a message was captured, as text: RFC 3339 with microseconds, and `<source>#<ordinal>@<digest>`.
 */
import { hexWord } from '../core/fixed-digits.ts';
import { timestampText } from '../core/timestamp.ts';
import { asCaptured, type ClockStep } from '../store/clock-steps.ts';
import type { FramePointer } from '../store/dialogs/call-marks.ts';

/** A time of the capture in microseconds, as the clock of its host showed it. */
export function capturedText(us: number, steps: readonly ClockStep[]): string {
  return timestampText(asCaptured(steps, us));
}

/** The frame pointer as text, its digest FNV-1a 64 of the captured bytes; `sources` are the capture files by number, as given on the command line. */
export function framePointerText(frame: FramePointer, sources: readonly string[]): string | undefined {
  const source = sources[frame.source];
  if (source === undefined) return undefined;
  return `${source}#${frame.ordinal}@${hexWord(frame.digestHigh)}${hexWord(frame.digestLow)}`;
}
