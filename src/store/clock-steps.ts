/**
 * Records when somebody set the clock of the capturing host, and by how much.
 *
 * calltap shifts what follows a step back by it (native/file/steady_frames.h). So it judges a whole capture in one time: the
 * time of its beginning. Code that shows a time, or finds a frame by its time, converts it back to the captured one.
 */

export type ClockStep = {
  /** When, in the time of the capture. */
  readonly atUs: number;
  /** By how much; above 0 it was set forward. */
  readonly sizeUs: number;
};

/** Of interfaces, and of what a store has. */
export const NEVER_SET: readonly ClockStep[] = [];

/** What the host's clock showed at a time of the capture; the oldest step comes first. */
export function asCaptured(steps: readonly ClockStep[], us: number): number {
  let shown = us;
  for (const { atUs, sizeUs } of steps) if (us >= atUs) shown += sizeUs;
  return shown;
}

/** The least and the most that it showed within a span of that time. */
export function spanAsCaptured(
  steps: readonly ClockStep[],
  fromUs: number,
  toUs: number,
): { readonly fromUs: number; readonly toUs: number } {
  let [least, most] = [asCaptured(steps, fromUs), asCaptured(steps, toUs)];
  for (const { atUs, sizeUs } of steps) {
    if (atUs <= fromUs || atUs > toUs) continue;
    const behind = asCaptured(steps, atUs);
    least = Math.min(least, behind);
    most = Math.max(most, behind - sizeUs);
  }
  return { fromUs: least, toUs: most };
}
