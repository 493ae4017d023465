/** A number with what it counts, as people read it. */

/** `1 dialog`, `2 dialogs`. */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
