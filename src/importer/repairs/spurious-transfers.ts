/** Marks transfers of 2019 that records list although the transaction failed (errata DELETE). */

import { TransactionType } from '../../ledger/transaction-type.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { SPURIOUS_TRANSFERS_END } from '../common/crypto-transfers.ts';
import type { Repair } from './repair.ts';

/** In these two the payer itself would have received the amount. */
const TO_THE_PAYER = [1_570_118_944_399_195_000n, 1_570_120_372_315_307_000n];

/**
 * Without the transaction's body: what a failed transfer credits to someone who takes no fees (node accounts 3 to 27 and
 * 98 do) did not happen, and neither did the debit of the same amount. $1 end of the period, $2 times of transactions.
 */
const MARK = `
with credit as (
  select c.consensus_timestamp, c.entity_id, c.amount
  from transaction t
  join crypto_transfer c using (consensus_timestamp, payer_account_id)
  where t.consensus_timestamp < $1 and t.type = ${TransactionType.CRYPTOTRANSFER} and t.result <> ${ResponseCodeEnum.SUCCESS}
    and c.amount > 0 and c.entity_id <> 98 and c.entity_id not between 3 and 27
    and (c.entity_id <> c.payer_account_id or c.consensus_timestamp = any($2))
), marked as (
  update crypto_transfer m set errata = 'DELETE'
  from credit c
  where m.consensus_timestamp = c.consensus_timestamp and m.errata is null
    and (m.amount = -c.amount or (m.amount = c.amount and m.entity_id = c.entity_id))
  returning 1
)
select count(*)::integer as count from marked`;

/** For what another importer wrote: this one marks them as they come. */
export const spuriousTransfers: Repair = {
  name: 'spurious-transfers',
  setting: 'errataMigration',
  isDue: () => true,
  async run(client) {
    const [marked] = await client.query<{ count: number }>(MARK, [SPURIOUS_TRANSFERS_END, TO_THE_PAYER]);
    return marked?.count ?? 0;
  },
};
