/**
 * Token transfers outside of contracts leave logs, marked synthetic, but no result. Where results are listed, such a
 * transaction gets one made from its first log: the payer called the token, without gas.
 */

// In the subqueries below `offset 0` keeps the planner from joining whole tables: each log is probed for itself, so that
// a page costs as much as its rows.

/** The topic of a transfer of all serials at once (-1), which is no transfer that Ethereum tools know. */
const allSerials = `'\\xffffffffffffffff'::bytea`;

/** Holds for logs of that alias that are shown. */
export const isShown = (alias: string): string =>
  `(${alias}.synthetic is not true or ${alias}.topic3 is distinct from ${allSerials})`;

/** Holds for a synthetic log `l` of a transaction without a result. */
export const lacksResult = `l.synthetic is true
    and not exists (select from contract_result c where c.consensus_timestamp = l.consensus_timestamp offset 0)`;

/** Holds for the first of the shown logs `l` of such a transaction. */
export const standsForResult = `${lacksResult} and ${isShown('l')}
    and not exists (select from contract_log f
      where f.consensus_timestamp = l.consensus_timestamp and f.index < l.index and f.synthetic is true
        and ${isShown('f')} offset 0)`;

/** Holds for logs `l` of a transaction that was submitted, not caused by another. */
export const isOfSubmitted = `not exists (
      select from transaction x where x.consensus_timestamp = l.consensus_timestamp and x.nonce > 0 offset 0)`;
