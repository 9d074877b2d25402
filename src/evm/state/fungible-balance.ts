/** SQL for amounts of fungible tokens at a past moment: of the snapshot, and what was transferred since. */

/**
 * What an account held of a token at `$2`.
 * @param account expression
 * @param token expression
 * @param snapshot placeholder of the snapshot's time, null without one
 * @param within condition on rows of `token_balance` (`withinSnapshot`)
 */
export const fungibleBalanceAt = (account: string, token: string, snapshot: string, within: string): string => `
  (select coalesce(b.balance, 0) + coalesce((
      select sum(amount) from token_transfer
      where account_id = ${account} and token_id = ${token}
        and consensus_timestamp > coalesce(b.consensus_timestamp, ${snapshot}, 0) and consensus_timestamp <= $2
    ), 0)
    from (select) one left join lateral (
      select balance, consensus_timestamp from token_balance
      where account_id = ${account} and token_id = ${token} and ${within}
      order by consensus_timestamp desc limit 1
    ) b on true)`;

/** How many serials of a token an account owned at `$2`. */
export const ownedSerialsAt = (account: string, token: string): string => `
  ((select count(*) from nft
      where account_id = ${account} and token_id = ${token} and deleted is not true and lower(timestamp_range) <= $2)
    + (select count(*) from nft_history
      where account_id = ${account} and token_id = ${token} and deleted is not true
        and timestamp_range @> $2::bigint))`;
