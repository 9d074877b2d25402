/** Transactions as REST shows them, written from the texts of transaction-page.ts. */
import { base64Json, entityIdJson, keyObjectJson, timestampJson } from '../../api/json.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { responseCodeName } from '../../ledger/response-code.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { CustomFeeLimit } from '../../protobuf/generated/services/custom_fees.ts';
import { accountIdJson, tokenIdJson } from '../proto-ids.ts';
import type { PackedTransaction } from './transaction-page.ts';

const approvedMark = 't'.charCodeAt(0);

/** `amount` or `amountt`, the mark standing for an approval, as the last two members of a transfer. */
const amountJson = (text: string, from: number, to: number): string =>
  text.charCodeAt(to - 1) === approvedMark
    ? `"amount":${text.slice(from, to - 1)},"is_approval":true}`
    : `"amount":${text.slice(from, to)},"is_approval":false}`;

/** From `account amount[t]`, separated by commas. */
const transfersJson = (text: string): string => {
  let json = '';
  for (let from = 0; from < text.length; ) {
    const space = text.indexOf(' ', from);
    const comma = text.indexOf(',', space);
    const end = comma < 0 ? text.length : comma;
    json += `${from === 0 ? '' : ','}{"account":${entityIdJson(text.slice(from, space))},${amountJson(text, space + 1, end)}`;
    from = end + 1;
  }
  return json;
};

/** From `token account amount[t]`, separated by commas. */
const tokenTransfersJson = (text: string): string => {
  let json = '';
  for (let from = 0; from < text.length; ) {
    const first = text.indexOf(' ', from);
    const second = text.indexOf(' ', first + 1);
    const comma = text.indexOf(',', second);
    const end = comma < 0 ? text.length : comma;
    json +=
      `${from === 0 ? '' : ','}{"token_id":${entityIdJson(text.slice(from, first))},` +
      `"account":${entityIdJson(text.slice(first + 1, second))},${amountJson(text, second + 1, end)}`;
    from = end + 1;
  }
  return json;
};

/** From `account amount`, separated by commas. */
const rewardsJson = (text: string): string =>
  text
    .split(',')
    .map((reward) => {
      const [account = '', paid] = reward.split(' ');
      return `{"account":${entityIdJson(account)},"amount":${paid}}`;
    })
    .join(',');

/** From `amount collector token payer|payer`, separated by commas; the token is empty for hbar. */
const assessedFeesJson = (text: string): string =>
  text
    .split(',')
    .map((fee) => {
      const [assessed, collector = '', token = '', payers = ''] = fee.split(' ');
      const payerIds = payers === '' ? '' : payers.split('|').map(entityIdJson).join(',');
      return (
        `{"amount":${assessed},"collector_account_id":${entityIdJson(collector)},` +
        `"effective_payer_account_ids":[${payerIds}],"token_id":${entityIdJson(token || null)}}`
      );
    })
    .join(',');

/** Text of a scalar member of a flat JSON object: digits, `true`, `false`; null when it is null or missing. */
const member = (object: string, name: string): string | null =>
  new RegExp(`"${name}":\\s*(-?\\d+|true|false)`).exec(object)?.[1] ?? null;

/** Read member by member: a JSON parser would round 64-bit ids and serial numbers. */
const nftTransfersJson = (text: string): string =>
  (text.match(/\{[^{}]*\}/g) ?? [])
    .map(
      (nft) =>
        `{"is_approval":${member(nft, 'is_approval') ?? 'false'},` +
        `"receiver_account_id":${entityIdJson(member(nft, 'receiver_account_id'))},` +
        `"sender_account_id":${entityIdJson(member(nft, 'sender_account_id'))},` +
        `"serial_number":${member(nft, 'serial_number') ?? 'null'},` +
        `"token_id":${entityIdJson(member(nft, 'token_id'))}}`,
    )
    .join(',');

/** From an array of bytea as PostgreSQL writes it: `{"\\x0a","\\x0b"}`. */
const maxCustomFeesJson = (text: string): string =>
  (text.match(/x[0-9a-f]+/g) ?? [])
    .flatMap((hex) => {
      const limit = CustomFeeLimit.decode(Buffer.from(hex.slice(1), 'hex'));
      const account = accountIdJson(limit.accountId);
      return limit.fees.map(
        (fee) =>
          `{"account_id":${account},"amount":${fee.amount},` +
          `"denominating_token_id":${tokenIdJson(fee.denominatingTokenId)}}`,
      );
    })
    .join(',');

/** Rewards are paid by the staking reward account, so without a transfer of it there are none to show. */
const hasTransferOf = (account: EntityId, transfers: string): boolean => {
  const id = `${account} `;
  return transfers.startsWith(id) || transfers.includes(`,${id}`);
};

const idOrNull = (id: string): string => (id === '' ? 'null' : entityIdJson(id));
const numberOrNull = (digits: string): string => digits || 'null';
const digitsOrNull = (digits: string): string => (digits === '' ? 'null' : `"${digits}"`);
const bytesOf = (hex: string): Buffer | null => (hex === '' ? null : Buffer.from(hex.slice(2), 'hex'));
const base64OrNull = (hex: string): string => (hex === '\\x' ? '""' : base64Json(bytesOf(hex)));
const flag = (text: string): string => (text === 't' ? 'true' : 'false');

/** `stakingRewardAccount`: 800 in the network's shard and realm. */
export const transactionJson = (transaction: PackedTransaction, stakingRewardAccount: EntityId): string => {
  const t = transaction;
  const validStart = formatTimestamp(t.validStart);
  const showsRewards = t.rewards !== '' && hasTransferOf(stakingRewardAccount, t.transfers);
  return (
    `{${t.assessedFees === '' ? '' : `"assessed_custom_fees":[${assessedFeesJson(t.assessedFees)}],`}` +
    `"batch_key":${keyObjectJson(bytesOf(t.batchKey))},"bytes":${base64OrNull(t.bytes)},` +
    `"charged_tx_fee":${numberOrNull(t.chargedFee)},"consensus_timestamp":"${formatTimestamp(t.consensusTimestamp)}",` +
    `"entity_id":${idOrNull(t.entityId)},"high_volume":${flag(t.highVolume)},` +
    `"high_volume_pricing_multiplier":${numberOrNull(t.highVolumePricingMultiplier)},` +
    `"max_custom_fees":[${t.maxCustomFees === '' ? '' : maxCustomFeesJson(t.maxCustomFees)}],` +
    `"max_fee":${digitsOrNull(t.maxFee)},"memo_base64":${base64OrNull(t.memo)},` +
    `"name":"${transactionTypeName(Number(t.type))}",` +
    `"nft_transfers":[${t.nftTransfers === '' ? '' : nftTransfersJson(t.nftTransfers)}],` +
    `"node":${idOrNull(t.nodeAccountId)},"nonce":${t.nonce},` +
    `"parent_consensus_timestamp":${timestampJson(t.parentConsensusTimestamp || null)},` +
    `"result":"${responseCodeName(Number(t.result))}","scheduled":${flag(t.scheduled)},` +
    `"staking_reward_transfers":[${showsRewards ? rewardsJson(t.rewards) : ''}],` +
    `"token_transfers":[${tokenTransfersJson(t.tokenTransfers)}],"transaction_hash":${digitsOrNull(t.hash)},` +
    `"transaction_id":"${formatEntityId(t.payerAccountId)}-${validStart.replace('.', '-')}",` +
    `"transfers":[${transfersJson(t.transfers)}],"valid_duration_seconds":${digitsOrNull(t.validDuration)},` +
    `"valid_start_timestamp":"${validStart}"}`
  );
};
