/** When nothing of a stream had to come here: holds, and drops of this capture itself. A picture of its quality draws them. */
import { capturedText } from '../analysis/captured-at.ts';
import type { Evidence } from '../analysis/evidence.ts';
import { heldSpans, type Span } from '../analysis/media/held-spans.ts';
import type { StreamQuality } from '../analysis/stream-quality.ts';
import type { StreamSpan } from '../contract/index.ts';
import type { Stream } from '../store/media/stream.ts';

/** Spans of a kind that the document of a stream names: the first ones. @cap */
const MAX_SPANS = 64;

export function spanRows({ capture }: Evidence, stream: Stream, { snapshot }: StreamQuality): StreamSpan[] {
  // A hold that never ended goes on until the call did.
  const untilUs = Number.isNaN(stream.dialog?.endedUs)
    ? capture.quality.nowUs
    : (stream.dialog?.endedUs ?? snapshot.lastUs);
  const rows = (kind: StreamSpan['kind'], spans: readonly Span[], toUs: number): StreamSpan[] =>
    spans
      .filter((span) => span.toUs >= snapshot.firstUs && span.fromUs <= toUs)
      .slice(0, MAX_SPANS)
      .map((span) => ({
        kind,
        from: capturedText(Math.max(span.fromUs, snapshot.firstUs), capture.clockSteps),
        to: capturedText(Math.min(span.toUs, toUs), capture.clockSteps),
      }));
  const held = stream.dialog === null ? [] : heldSpans(stream.dialog, stream);
  return [...rows('held', held, untilUs), ...rows('dropped', capture.quality.dropsOf(stream.source), snapshot.lastUs)];
}
