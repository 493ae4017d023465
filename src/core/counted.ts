/** A number with what it counts, as people read it. */

/** `1 dialog`, `2 dialogs`. */
export function counted(n: number, what: string, plural = `${what}s`): string {
  return `${n} ${n === 1 ? what : plural}`;
}

/** `1 packet was`, `2 packets were`. */
export function countedWere(n: number, what: string): string {
  return `${counted(n, what)} ${n === 1 ? 'was' : 'were'}`;
}

/** `once`, `2 times`. */
export function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}
