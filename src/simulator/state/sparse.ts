/**
 * Collections that are empty in most of the objects that have them. Those share one empty collection, which takes the
 * place of a few hundred bytes each, until something comes in; so they are changed by these functions alone.
 */

const NOTHING: ReadonlyMap<never, never> = new Map<never, never>();
const NOBODY: ReadonlySet<never> = new Set<never>();

export const noEntries = <K, V>(): ReadonlyMap<K, V> => NOTHING as ReadonlyMap<K, V>;

export const noMembers = <T>(): ReadonlySet<T> => NOBODY;

/** The map with the entry, which may be the same one. */
export const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  map.size === 0 ? new Map([[key, value]]) : (map as Map<K, V>).set(key, value);

/** The map without the entry, which may be the same one. */
export const withoutEntry = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> => {
  if (map.size === 1 && map.has(key)) return noEntries();
  if (map.size > 1) (map as Map<K, V>).delete(key);
  return map;
};

/** The set with the member, which may be the same one. */
export const withMember = <T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> =>
  set.size === 0 ? new Set([member]) : (set as Set<T>).add(member);

/** The set without the member, which may be the same one. */
export const withoutMember = <T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> => {
  if (set.size === 1 && set.has(member)) return noMembers();
  if (set.size > 1) (set as Set<T>).delete(member);
  return set;
};
