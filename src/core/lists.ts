/**
 * Lists that stay short, made to measure.
 */

/**
 * The list with one more; the one given is not used again. A list that grows by push, or from a spread, reserves room
 * for 17 at the second item: for each of a hundred thousand calls that is more than the items themselves.
 */
export function appended<T>(list: readonly T[] | null, item: T): T[] {
  if (list === null || list.length === 0) return [item];
  // The casts only say that an index below the length holds an item.
  if (list.length === 1) return [list[0] as T, item];
  if (list.length === 2) return [list[0] as T, list[1] as T, item];
  if (list.length === 3) return [list[0] as T, list[1] as T, list[2] as T, item];
  const grown = list as T[];
  grown.push(item);
  return grown;
}
