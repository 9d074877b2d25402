/** Filters by the public keys of entities. */
import { publicKeyDigits } from './parameter-checks.ts';
import type { Filter, Operator } from './query.ts';

export interface PublicKeyFilters {
  /** Lower-case hex of keys, any of which; empty: any key. */
  readonly equal: readonly string[];
  readonly others: readonly { readonly operator: Exclude<Operator, 'eq'>; readonly value: string }[];
}

export const publicKeyFilters = (filters: readonly Pick<Filter, 'operator' | 'value'>[]): PublicKeyFilters => {
  const equal = new Set<string>();
  const others: { readonly operator: Exclude<Operator, 'eq'>; readonly value: string }[] = [];
  for (const { operator, value } of filters) {
    const digits = publicKeyDigits(value);
    if (operator === 'eq') equal.add(digits);
    else others.push({ operator, value: digits });
  }
  return { equal: [...equal], others };
};
