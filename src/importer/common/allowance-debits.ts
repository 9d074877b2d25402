/** What approved transfers take from allowances ([HIP-336](https://hips.hedera.com/hip/hip-336)). */
import type { EntityId } from '../../ledger/entity-id.ts';
import { contractResultOf, type RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { accountIdOf, tokenIdOf } from './ids.ts';

/** A contract spends in the name of whoever called it. */
const spenderOf = (item: RecordItem): EntityId => {
  const sender = accountIdOf(contractResultOf(item)?.senderId);
  return sender === 0n ? item.payer : sender;
};

export const stageCryptoAllowanceDebits = (item: RecordItem, context: HandlerContext): void => {
  const { data } = item.body;
  if (data?.$case !== 'cryptoTransfer') return;
  for (const entry of data.cryptoTransfer.transfers?.accountAmounts ?? []) {
    if (!entry.isApproval || entry.amount >= 0n) continue;
    const owner = context.lookup.account(entry.accountID) ?? 0n;
    if (owner === 0n) {
      context.problem(item, 'owner of an approved hbar transfer is unknown');
      continue;
    }
    context.batch.stage('crypto_allowance', {
      owner,
      spender: spenderOf(item),
      amount: entry.amount,
      payer_account_id: item.payer,
    });
  }
};

export const stageTokenAllowanceDebits = (item: RecordItem, context: HandlerContext): void => {
  const { data } = item.body;
  if (data?.$case !== 'cryptoTransfer') return;
  for (const { token, transfers } of data.cryptoTransfer.tokenTransfers) {
    for (const entry of transfers) {
      if (!entry.isApproval || entry.amount >= 0n) continue;
      const owner = context.lookup.account(entry.accountID) ?? 0n;
      if (owner === 0n) {
        context.problem(item, 'owner of an approved token transfer is unknown');
        continue;
      }
      context.batch.stage('token_allowance', {
        owner,
        spender: spenderOf(item),
        token_id: tokenIdOf(token),
        amount: entry.amount,
        payer_account_id: item.payer,
      });
    }
  }
};
