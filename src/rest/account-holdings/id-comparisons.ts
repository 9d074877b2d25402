/** Filters by ids of entities as comparisons of numbers. */
import type { Comparison } from '../../api/bounds.ts';
import { type HomeRealm, readEntityReference } from '../../api/entity-reference.ts';
import type { Filter } from '../../api/query.ts';

export interface IdComparison extends Comparison {
  readonly key: string;
}

export interface IdComparisons {
  /** In the order of the query. */
  readonly comparisons: readonly IdComparison[];
  /** Whether one of them names an EVM address that is no id, to which nothing compares. */
  readonly unmatched: boolean;
}

/** The filters of some keys that hold ids, read. @throws HttpProblem 400 */
export const idComparisons = (filters: readonly Filter[], keys: readonly string[], home: HomeRealm): IdComparisons => {
  let unmatched = false;
  const comparisons = filters
    .filter(({ key }) => keys.includes(key))
    .map(({ key, operator, value }) => {
      const reference = readEntityReference(value, home);
      if (!('id' in reference)) unmatched = true;
      return { key, operator, value: 'id' in reference ? reference.id : 0n };
    });
  return { comparisons, unmatched };
};
