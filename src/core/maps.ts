/** What a Map of Node 20 lacks: to group a list, and to drop the entry that has been there longest. */

/** Lists by what `keyOf` says of each entry: groups in the order of their first entry, entries in their own. */
export function grouped<K, T>(list: Iterable<T>, keyOf: (entry: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const entry of list) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** Removes the entry that has been there longest: a Map walks in the order of insertion. */
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

/** Of a row of a list of calls: a hub lists a call once for each host that saw it. */
export function rowKey({ host = '', call_id }: { readonly host?: string; readonly call_id: string }): string {
  return `${host} ${call_id}`;
}
