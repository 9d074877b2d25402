/**
 * How versions of a table's rows combine in memory before they are written, and the usual rules, from which tables depart
 * in their definitions (`tables/`). The SQL side is `write/merge-sql.ts`.
 */
import { toHex } from '../../ledger/bytes.ts';
import { type Combination, idKey, type MergeRules, pairKey, type Ranged, type VersionKey } from './staged-table.ts';

export const isGiven = <X>(value: X): value is NonNullable<X> => value !== undefined && value !== null;

/** `target` takes every column of `source` that it lacks itself. */
export const fill = <V extends object>(target: V, source: V): void => {
  for (const column in source) if (!isGiven(target[column])) target[column] = source[column];
};

/** `target` takes every column of `source` whose value counts as given. */
export const overwriteWhere =
  (counts: (value: unknown) => boolean) =>
  <V extends object>(target: V, source: V): void => {
    for (const column in source) if (counts(source[column])) target[column] = source[column];
  };

/** `target` takes the columns of `source` that it lacks, except those that a version must say itself. */
export const fillExcept =
  (own: readonly string[]) =>
  <V extends object>(target: V, source: V): void => {
    for (const column in source) {
      if (!isGiven(target[column]) && !own.includes(column)) target[column] = source[column];
    }
  };

type Amount = bigint | null | undefined;

/** The sum of what is given. */
export const sum = (left: Amount, right: Amount): bigint | undefined => {
  if (!isGiven(left)) return right ?? undefined;
  return isGiven(right) ? left + right : left;
};

/** When a change begins. */
export const beginOf = ({ timestamp_range: range }: Ranged): bigint => {
  if (!isGiven(range)) throw new TypeError('A change has a timestamp range');
  return range.lower;
};

const endsWhereNextBegins = (previous: Ranged, next: Ranged): bigint | null => {
  const begin = beginOf(next);
  return beginOf(previous) === begin ? null : begin;
};

const noDeltas = (): void => {
  throw new TypeError('Only changes with a timestamp range can be staged for this table');
};

const keyText = (value: unknown): string => (value instanceof Uint8Array ? toHex(value) : String(value));

/** Reads the key columns of a version; one bigint column is its own key, several are joined. */
const keyReader = <K extends object>(columns: readonly (keyof K)[]): ((version: K) => VersionKey) => {
  const [first, second, third, fourth] = columns;
  if (first === undefined) throw new TypeError('A merged table has a key');
  if (second === undefined) {
    return (version) => {
      const value = version[first];
      return typeof value === 'bigint' ? idKey(value) : keyText(value);
    };
  }
  if (third === undefined) {
    return (version) => {
      const left = version[first];
      const right = version[second];
      if (typeof left === 'bigint' && typeof right === 'bigint') return pairKey(left, right);
      return `${keyText(left)} ${keyText(right)}`;
    };
  }
  if (fourth === undefined) {
    return (version) => `${keyText(version[first])} ${keyText(version[second])} ${keyText(version[third])}`;
  }
  return (version) => columns.map((column) => keyText(version[column])).join(' ');
};

export interface MergedColumns<K> {
  readonly key: readonly (keyof K)[];
  readonly keepsVersions: boolean;
  readonly insertOnly: readonly string[];
}

/** The usual rules for a table, and the table's own ones in place of them. A delta folds as it is applied if nothing else is said. */
export const mergeRules = <K extends object, V extends K & Ranged>(
  { key, keepsVersions, insertOnly }: MergedColumns<K>,
  own: Partial<Combination<V>>,
): MergeRules<K, V> => ({
  keyOf: keyReader(key),
  keepsVersions,
  nothingInserted: Object.fromEntries(insertOnly.map((column) => [column, undefined])),
  inherit: fill,
  repeat: overwriteWhere(isGiven),
  applyDelta: noDeltas,
  absorbDelta: noDeltas,
  foldDelta: own.applyDelta ?? noDeltas,
  deltaCarriesForward: false,
  endOf: endsWhereNextBegins,
  ...own,
});
