/**
 * What tables say about balances, as SQL from their definitions: amounts that were moved, and balances that are held. Each
 * text selects `account`, `token` (null for hbars), `expected` and `actual`.
 */
import { tableNamed } from '../../database/table.ts';
import type { Holding } from '../tables/definition.ts';
import { tableDefinitions } from '../tables/registry.ts';

type Unit = Holding['of'];

const tokenOf = (unit: Unit): string => (unit === 'tokens' ? 'token_id' : 'null::bigint');

const union = (parts: readonly string[]): string => parts.join('\n   union all\n   ');

/** Rows that were added to or taken from the record of the network (`errata`); some tables have none. */
export type Errata = 'INSERT' | 'DELETE';

/** Amounts of the transactions that meet a condition, expected; without those of one kind of errata. */
export const movedAmounts = (unit: Unit, condition: string, leftOut: Errata): string =>
  union(
    tableDefinitions.flatMap(({ table, moves }) => {
      if (moves === undefined || moves === 'nothing' || moves.of !== unit) return [];
      const errata = 'errata' in tableNamed(table).columns ? ` and errata is distinct from '${leftOut}'` : '';
      return [
        `select ${moves.account} as account, ${tokenOf(unit)} as token, amount as expected, 0 as actual ` +
          `from ${table} where ${condition}${errata}`,
      ];
    }),
  );

/** Balances of rows that meet a condition, as what is expected or what is actual. */
export const heldBalances = (unit: Unit, at: Holding['at'], condition: string, side: 'expected' | 'actual'): string =>
  union(
    tableDefinitions.flatMap(({ table, holds }) =>
      holds === undefined || holds.of !== unit || holds.at !== at
        ? []
        : [
            `select ${holds.account} as account, ${tokenOf(unit)} as token, ` +
              `${side === 'expected' ? 'balance' : '0'} as expected, ${side === 'actual' ? 'balance' : '0'} as actual ` +
              `from ${table} where ${condition}`,
          ],
    ),
  );
