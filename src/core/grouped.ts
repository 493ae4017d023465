/** Groups what is alike. Node 20 has no Map.groupBy. */

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
