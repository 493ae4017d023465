/**
 * How long the windows of a picture last: the step between neighbours that comes most often, of equals the shortest.
 * Silences make longer ones, and a change of codec ends a window early.
 */
export function usualStepMs(starts: Iterable<readonly number[]>, otherwiseMs: number): number {
  const times = new Map<number, number>();
  for (const list of starts)
    for (let i = 1; i < list.length; i++) {
      // Times are told to the microsecond: a window of five seconds is never exactly that long.
      const step = Math.round(((list[i] ?? 0) - (list[i - 1] ?? 0)) / 10) * 10;
      if (step > 0) times.set(step, (times.get(step) ?? 0) + 1);
    }
  let [usual, most] = [otherwiseMs, 0];
  for (const [step, n] of times) if (n > most || (n === most && step < usual)) [usual, most] = [step, n];
  return usual;
}
