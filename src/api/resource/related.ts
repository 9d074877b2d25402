/** Rows of other tables that belong to the rows of a page. */
import type { CellTable } from '../../database/cell-table.ts';
import type { Related, RelatedRange, RelatedRows } from './field-type.ts';

/** Set by the statement of a page until its transaction ends, read by the statements after it: the keys of its rows. */
const keysSetting = 'kagami.page_keys';

/**
 * A statement that gives the expressions over the rows of a page, and hands their keys on to the statements of
 * `relatedStatement` that follow in the same transaction: what has searched for the page is not run again, and nobody waits for
 * its answer to ask on.
 */
export const keyedStatement = (expressions: readonly string[], key: string, page: string, orderBy: string): string =>
  `with page as materialized (${page})
   select ${expressions.join(', ')},
     (select set_config('${keysSetting}', array_agg(k.${key})::text, true) is null from page k)
   from page p order by ${orderBy}`;

/**
 * A statement that gives the rows that belong to a page, those of one key together: the key, then the expressions. The table
 * is searched by the keys as an array, which the planner takes for a few however large the table is. A page without rows has
 * set nothing.
 */
export const relatedStatement = ({ table, expressions, orderBy }: RelatedRows, key: string): string =>
  `select p.${key}, ${expressions.join(', ')} from ${table} p
   where p.${key} = any (nullif(current_setting('${keysSetting}', true), '')::bigint[]) order by p.${key}, ${orderBy}`;

/** The texts of one expression in the rows that belong to a row. */
export const textsOf = (related: Related, table: string, expression: number): string[] => {
  const range = related.rangeOf(table);
  if (range === undefined) return [];
  return Array.from({ length: range.to - range.from }, (_, i) => range.table.text(range.from + i, 1 + expression));
};

const nothing: Related = { rangeOf: () => undefined };

/** What belongs to the row with a key. */
class KeyedRows implements Related {
  readonly #key: string;
  readonly #ranges: ReadonlyMap<string, ReadonlyMap<string, RelatedRange>>;

  constructor(key: string, ranges: ReadonlyMap<string, ReadonlyMap<string, RelatedRange>>) {
    this.#key = key;
    this.#ranges = ranges;
  }

  rangeOf(table: string): RelatedRange | undefined {
    return this.#ranges.get(table)?.get(this.#key);
  }
}

const rangesOf = (table: CellTable): ReadonlyMap<string, RelatedRange> => {
  const ranges = new Map<string, RelatedRange>();
  const { rows } = table;
  for (let from = 0, to = 0; from < rows; from = to) {
    to = from + 1;
    while (to < rows && table.isSameKey(from, to)) to++;
    ranges.set(table.text(from, 0), { table, from, to });
  }
  return ranges;
};

/** What belongs to a row, by the text of its key. */
export const relatedTo = (names: readonly string[], tables: readonly CellTable[]): ((key: string) => Related) => {
  if (tables.every(({ rows }) => rows === 0)) return () => nothing;
  const ranges = new Map(names.map((name, i) => [name, rangesOf(tables[i] as CellTable)]));
  return (key) => new KeyedRows(key, ranges);
};
