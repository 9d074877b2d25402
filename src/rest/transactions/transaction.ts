/** A transaction as REST shows it. */
import {
  base64,
  digits,
  entityId,
  entityIdJson,
  field,
  int32,
  int64,
  key,
  listEntries,
  listSchema,
  nameOfCode,
  nullable,
  nullableTimestamp,
  numberJson,
  optionalRelatedList,
  plainFlag,
  putting,
  relatedList,
  timestamp,
} from '../../api/resource/field.ts';
import type { Fields } from '../../api/resource/field-type.ts';
import { jsonList, memberText } from '../../api/resource/json-column.ts';
import { transactionTypeSchema } from '../../api/resource/parameter.ts';
import { textsOf } from '../../api/resource/related.ts';
import { type ResourceRow, resource } from '../../api/resource/resource.ts';
import { entityIdSchema, int64Schema, objectSchema } from '../../api/schemas.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { responseCodeName } from '../../ledger/response-code.ts';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { CustomFeeLimit } from '../../protobuf/generated/services/custom_fees.ts';
import { accountIdJson, tokenIdJson } from '../proto-ids.ts';
import { putTransactionId } from './transaction-id-cell.ts';

const isApproval = plainFlag('p.is_approval', 'Whether an allowance was used.');

const transfer = listEntries({
  account: entityId('p.entity_id'),
  amount: int64('p.amount', 'In tinybars; negative for who gave.'),
  is_approval: isApproval,
});

const tokenTransfer = listEntries({
  token_id: entityId('p.token_id'),
  account: entityId('p.account_id'),
  amount: int64('p.amount', 'In the smallest unit of the token; negative for who gave.'),
  is_approval: isApproval,
});

const stakingReward = listEntries({
  account: entityId('p.account_id'),
  amount: int64('p.amount', 'Reward in tinybars.'),
});

const assessedCustomFee = listEntries({
  amount: int64('p.amount', 'In the smallest unit of the token or in tinybars.'),
  collector_account_id: entityId('p.collector_account_id'),
  effective_payer_account_ids: field(
    "array_to_string(p.effective_payer_account_ids, ',')",
    { ...listSchema(entityIdSchema), description: 'Accounts that paid it.' },
    (ids) => `[${ids === '' ? '' : ids.split(',').map(entityIdJson).join(',')}]`,
  ),
  token_id: entityId('p.token_id', 'The token; null for hbar.'),
});

const nftTransfers = jsonList(
  'p.nft_transfer',
  listSchema(
    objectSchema({
      is_approval: isApproval.schema,
      receiver_account_id: { ...entityIdSchema, description: 'Null: burnt or wiped.' },
      sender_account_id: { ...entityIdSchema, description: 'Null: minted.' },
      serial_number: int64Schema('Serial number within the token.', { type: ['integer', 'null'] }),
      token_id: entityIdSchema,
    }),
    'Moved NFTs.',
  ),
  (nft) =>
    `{"is_approval":${memberText(nft, 'is_approval') || 'false'},` +
    `"receiver_account_id":${entityIdJson(memberText(nft, 'receiver_account_id'))},` +
    `"sender_account_id":${entityIdJson(memberText(nft, 'sender_account_id'))},` +
    `"serial_number":${numberJson(memberText(nft, 'serial_number'))},` +
    `"token_id":${entityIdJson(memberText(nft, 'token_id'))}}`,
);

/** [HIP-991](https://hips.hedera.com/hip/hip-991). Each element of the column is a serialized `CustomFeeLimit`. */
const maxCustomFees = field(
  "array_to_string(p.max_custom_fees, ',')",
  listSchema(
    objectSchema({
      account_id: { ...entityIdSchema, description: 'Who limits what they pay.' },
      amount: int64Schema('The limit, in the smallest unit of the token or in tinybars.'),
      denominating_token_id: { ...entityIdSchema, description: 'The token; null for hbar.' },
    }),
    'The most custom fees that the payer accepts.',
  ),
  (cell) => {
    if (cell === '') return '[]';
    const limits = cell.split(',').flatMap((bytes) => {
      const limit = CustomFeeLimit.decode(Buffer.from(bytes.slice(2), 'hex'));
      const account = accountIdJson(limit.accountId);
      return limit.fees.map(
        ({ amount, denominatingTokenId }) =>
          `{"account_id":${account},"amount":${amount},"denominating_token_id":${tokenIdJson(denominatingTokenId)}}`,
      );
    });
    return `[${limits.join(',')}]`;
  },
);

/** The account that pays staking rewards is 800 of its realm. */
const stakingRewardNum = 800n;

const isStakingRewardAccount = (id: string): boolean => decodeEntityId(BigInt(id)).num === stakingRewardNum;

const transferAccount = transfer.expressions.indexOf('p.entity_id');

/** Rewards, which are shown only where the account that pays them has a transfer. */
const stakingRewards = relatedList(
  'staking_reward_transfer',
  'p.account_id',
  stakingReward,
  'Staking rewards paid along with it.',
  { isShown: (related) => textsOf(related, 'crypto_transfer', transferAccount).some(isStakingRewardAccount) },
);

/** Of rows with a payer and a valid start. */
export const transactionId = putting(
  { payer: 'p.payer_account_id', validStart: 'p.valid_start_ns' },
  { type: 'string', description: 'Payer and valid start: shard.realm.num-seconds-nanoseconds.' },
  putTransactionId,
);

const fields: Fields = {
  batch_key: key('p.batch_key', 'Key that the batch around this transaction has to be signed with.'),
  bytes: base64('p.transaction_bytes', 'The whole signed transaction, where the importer keeps it.'),
  charged_tx_fee: nullable(int64('p.charged_tx_fee', 'Fee in tinybars that was taken.')),
  consensus_timestamp: timestamp('p.consensus_timestamp'),
  entity_id: entityId('p.entity_id', 'The entity that the transaction created or is about.'),
  high_volume: plainFlag('p.high_volume', 'Whether the payer chose high-volume pricing.'),
  high_volume_pricing_multiplier: nullable(
    int64('p.high_volume_pricing_multiplier', 'Factor of the fee under high-volume pricing.', { minimum: 0 }),
  ),
  max_custom_fees: maxCustomFees,
  max_fee: digits('p.max_fee', 'Largest fee in tinybars that the payer accepts.'),
  memo_base64: base64('p.memo', 'The memo.'),
  name: nameOfCode('p.type', transactionTypeSchema, transactionTypeName),
  nft_transfers: nftTransfers,
  node: entityId('p.node_account_id', 'Account of the node that the transaction was sent to.'),
  nonce: int32('p.nonce', { minimum: 0, description: 'Not 0: a child of the transaction with this id.' }),
  parent_consensus_timestamp: nullableTimestamp(
    'p.parent_consensus_timestamp',
    'Of the transaction that this one is a child of.',
  ),
  result: nameOfCode('p.result', { type: 'string', description: 'Name of the response code.' }, responseCodeName),
  scheduled: plainFlag('p.scheduled', 'Whether a schedule executed it.'),
  staking_reward_transfers: stakingRewards,
  token_transfers: relatedList(
    'token_transfer',
    'p.token_id, p.account_id, p.amount',
    tokenTransfer,
    'Moved fungible tokens.',
  ),
  transaction_hash: base64('p.transaction_hash', 'SHA-384 hash.'),
  transaction_id: transactionId,
  transfers: relatedList('crypto_transfer', 'p.entity_id, p.amount', transfer, 'Moved hbar, fees included.'),
  valid_duration_seconds: digits(
    'p.valid_duration_seconds',
    'For how long after its valid start the transaction may reach consensus.',
  ),
  valid_start_timestamp: timestamp('p.valid_start_ns'),
};

const keys = {
  consensusTimestamp: 'p.consensus_timestamp',
  type: 'p.type',
  result: 'p.result',
  scheduled: 'p.scheduled',
  /**
   * Payers and valid starts of the transactions in a batch ([HIP-551](https://hips.hedera.com/hip/hip-551)),
   * alternating, separated by commas.
   */
  innerTransactions: "array_to_string(p.inner_transactions, ',')",
};

export const transaction = resource({ name: 'Transaction', fields, keys, relatedBy: 'consensus_timestamp' });

export type TransactionRow = ResourceRow<keyof typeof keys>;

/** A transaction that is asked for alone shows the custom fees as well, where there were any. */
export const transactionDetail = resource({
  name: 'TransactionDetail',
  fields: {
    assessed_custom_fees: optionalRelatedList(
      'assessed_custom_fee',
      'p.collector_account_id, p.amount',
      assessedCustomFee,
      'Custom fees that were taken.',
    ),
    ...fields,
  },
  keys,
  relatedBy: 'consensus_timestamp',
});
