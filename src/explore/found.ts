/**
 * Forms of answers: what takes turns, what may not be here, and whether somebody still waits.
 */

/** True when nobody waits for the answer any more. */
export type IsGone = () => boolean;

/** Null when there is no dialog or stream of that name. */
export type Found<T> = { readonly document: T | null };

/** What takes turns may be refused: null when too many are made. */
export type InTurns<T> = Promise<T | null> | T;
