/** Token balances as accounts show them, and expressions that give those of one account, up to a limit. */
import type { Order } from '../../api/page.ts';
import { entityId, int64, listEntries } from '../../api/resource/field.ts';

export const tokenBalance = listEntries({
  token_id: entityId('p.token_id'),
  balance: int64('p.balance', 'In the smallest unit of the token; of NFTs, how many.'),
});

const packed = (order: Order): string => tokenBalance.packed(`p.token_id ${order}`);

/**
 * What an account holds now, of the tokens it is associated with. Walks the primary key of `token_account`.
 * @param account expression for the account's id
 * @param limit placeholder
 */
export const currentTokenBalances = (account: string, order: Order, limit: string): string =>
  `(select ${packed(order)} from (select token_id, balance from token_account
    where account_id = ${account} and associated order by token_id ${order} limit ${limit}) p)`;

/**
 * What an account held at a snapshot: for each token the newest row of `token_balance` since the full snapshot before it.
 * Goes from token to token by the primary key, so that its cost does not grow with the number of snapshots.
 * @param account expression for the account's id
 * @param within conditions on `consensus_timestamp`
 * @param limit placeholder
 */
export const tokenBalancesAt = (account: string, order: Order, within: string, limit: string): string => {
  const first = (beyond: string): string =>
    `(select token_id from token_balance where account_id = ${account}${beyond} and ${within}
      order by token_id ${order}, consensus_timestamp ${order} limit 1)`;
  const newest = `select balance from token_balance where account_id = ${account} and token_id = held.token_id
    and ${within} order by consensus_timestamp desc limit 1`;
  return `(select ${packed(order)} from (
    with recursive held as (
      ${first('')}
      union all
      select following.token_id from held
      cross join lateral ${first(` and token_id ${order === 'asc' ? '>' : '<'} held.token_id`)} following
    )
    select held.token_id, newest.balance from held cross join lateral (${newest}) newest limit ${limit}) p)`;
};
