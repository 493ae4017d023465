/** Which entry of a full map goes: a Map walks in the order of insertion. */

/** Removes the entry that has been there longest. */
export function dropOldest<K, V>(map: Map<K, V>): boolean {
  for (const key of map.keys()) return map.delete(key);
  return false;
}

/**
 * Of a map whose entries are put in again at each use: removes the one that was used longest ago if that was before `us`,
 * and returns it. Else nobody goes, so that a flood of new ones takes no place of what is in use.
 */
export function dropSilent<K, V extends { readonly lastUs: number }>(map: Map<K, V>, us: number): V | null {
  for (const [key, value] of map) {
    if (!(value.lastUs < us)) return null;
    map.delete(key);
    return value;
  }
  return null;
}
