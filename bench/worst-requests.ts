/** The worst legal requests of each endpoint over a skewed ledger: what a page is full of lies at the far end of the walk. */
import { formatTimestamp } from '../src/ledger/timestamp.ts';
import { skewed, stepOf } from './skewed-ledger.ts';

export interface WorstRequest {
  /** Below `/api/v1`; `limit` is added. */
  readonly path: string;
  /** The same question as plain SQL, as a yardstick; absent where it would be what the endpoint sends. */
  readonly sql?: string;
}

const id = (num: number): string => `0.0.${num}`;

/** @param n transactions of the ledger */
export const worstRequests = (n: number): readonly WorstRequest[] => {
  const { whale, minnow, firstAccount, contract, topic, heldToken, leftToken, nftToken, start, snapshot } = skewed;
  const { commonKey, rareKey, commonTopic, rareTopic } = skewed;
  const first = formatTimestamp(start);
  const last = formatTimestamp(start + BigInt(n) * stepOf(n));
  const early = formatTimestamp(start + 100n * stepOf(n));
  const middle = formatTimestamp(start + BigInt(n / 2) * stepOf(n));
  const history = `timestamp=gte:${first}&timestamp=lte:${last}`;
  const past = `timestamp=${formatTimestamp(snapshot + 1n)}`;
  const someAccounts = `account.id=gte:${id(firstAccount)}&account.id=lt:${id(firstAccount + 1000)}`;
  const ofAccountAndType = (account: number, type: number): string =>
    `select t.* from transaction t where t.type = ${type} and exists (select from crypto_transfer c
      where c.consensus_timestamp = t.consensus_timestamp and c.entity_id = ${account})
      order by t.consensus_timestamp desc limit 25`;
  const failed =
    'select * from transaction where result <> all (array[22, 104, 220]) order by consensus_timestamp desc limit 25';
  const ofKey = (key: string): string => `select * from entity where public_key = '${key}' order by id limit 25`;
  return [
    {
      path: '/transactions?account.id=98&transactiontype=tokenmint',
      sql: ofAccountAndType(98, 37),
    },
    { path: '/transactions?account.id=98&transactiontype=tokencreation', sql: ofAccountAndType(98, 29) },
    { path: '/transactions?account.id=98&transactiontype=cryptotransfer', sql: ofAccountAndType(98, 14) },
    { path: '/transactions?account.id=98&transactiontype=filecreate', sql: ofAccountAndType(98, 17) },
    { path: '/transactions?account.id=98&transactiontype=cryptocreateaccount', sql: ofAccountAndType(98, 11) },
    { path: `/transactions?account.id=${id(whale)}&transactiontype=tokenmint`, sql: ofAccountAndType(whale, 37) },
    { path: `/transactions?account.id=${id(whale)}&transactiontype=tokenmint&order=asc` },
    {
      path: '/transactions?account.id=gte:0.0.98&transactiontype=tokenmint',
      sql: `select t.* from transaction t where t.type = 37 and exists (select from crypto_transfer c
        where c.consensus_timestamp = t.consensus_timestamp and c.entity_id >= 98)
        order by t.consensus_timestamp desc limit 25`,
    },
    { path: '/transactions?account.id=gte:0.0.98&transactiontype=cryptotransfer' },
    { path: `/transactions?account.id=gte:0.0.200&account.id=lte:0.0.900` },
    { path: `/transactions?account.id=gte:0.0.200&account.id=lte:0.0.900&transactiontype=cryptotransfer` },
    { path: `/transactions?${someAccounts}&transactiontype=tokenmint` },
    { path: `/transactions?${someAccounts}` },
    { path: `/transactions?account.id=${id(whale)}&result=fail` },
    { path: `/transactions?account.id=${id(whale)}&type=credit` },
    { path: `/transactions?account.id=${id(whale)}&type=credit&transactiontype=cryptotransfer` },
    { path: '/transactions?account.id=98&type=debit' },
    { path: '/transactions?type=credit&transactiontype=tokenmint' },
    { path: '/transactions?type=credit' },
    { path: '/transactions?result=fail', sql: failed },
    { path: `/transactions?result=fail&${history}`, sql: failed },
    { path: '/transactions?result=fail&transactiontype=cryptotransfer' },
    { path: '/transactions?result=success&transactiontype=tokenmint' },
    { path: '/transactions?transactiontype=tokenmint' },
    { path: `/transactions?timestamp=ne:${last}&result=fail` },
    { path: `/accounts/${id(whale)}?transactiontype=tokenmint` },
    { path: '/accounts/98?transactiontype=tokenmint' },
    { path: '/accounts/98?transactiontype=tokencreation' },
    { path: `/accounts/${id(whale)}?timestamp=lt:${early}` },
    {
      path: '/accounts?account.balance=gt:999999',
      sql: 'select * from entity where balance > 999999 order by id limit 25',
    },
    { path: `/accounts?account.publickey=${commonKey}`, sql: ofKey(commonKey) },
    { path: `/accounts?account.publickey=${rareKey}`, sql: ofKey(rareKey) },
    { path: `/accounts?account.publickey=gt:${commonKey}` },
    { path: `/accounts?account.publickey=ne:${commonKey}&order=desc` },
    { path: `/accounts?account.publickey=${commonKey}&account.balance=gt:999999` },
    { path: '/balances?account.balance=gt:999999' },
    { path: `/balances?account.publickey=${commonKey}` },
    { path: `/balances?account.balance=gt:999999&${past}` },
    { path: `/balances?account.publickey=${commonKey}&${past}` },
    { path: `/balances?${past}` },
    { path: `/balances?timestamp=ne:${last}` },
    { path: `/blocks?block.number=gte:0&timestamp=lte:${early}` },
    { path: `/blocks?timestamp=gte:${first}&block.number=lte:10` },
    { path: `/blocks?timestamp=ne:${last}` },
    { path: `/contracts/results?from=${id(minnow)}` },
    { path: `/contracts/results?from=gte:${id(minnow)}` },
    { path: `/contracts/results?from=ne:${id(whale)}` },
    { path: '/contracts/results?internal=false' },
    { path: `/contracts/${id(contract + 1)}/results?from=${id(minnow)}` },
    { path: `/contracts/${id(contract + 1)}/results?from=ne:${id(whale)}` },
    { path: `/contracts/${id(contract + 1)}/results` },
    {
      path: `/contracts/results/logs?topic0=${rareTopic}&${history}`,
      sql: `select * from contract_log where topic0 = decode('${rareTopic}', 'hex') order by consensus_timestamp desc, index desc limit 25`,
    },
    { path: `/contracts/results/logs?topic0=${commonTopic}&topic1=${rareTopic}&${history}` },
    { path: `/contracts/${id(contract)}/results/logs?topic0=${rareTopic}&${history}` },
    { path: `/contracts/${id(contract)}/results/logs?${history}&order=asc` },
    { path: `/contracts/${id(contract)}/state?timestamp=gte:${middle}` },
    { path: `/contracts/${id(contract)}/state?timestamp=gte:${first}&timestamp=lte:${early}&order=desc` },
    { path: `/contracts/${id(contract)}/state?timestamp=lte:${early}&order=desc` },
    { path: '/contracts?order=asc' },
    {
      path: `/schedules?account.id=${id(minnow)}`,
      sql: `select * from schedule where creator_account_id = ${minnow} order by schedule_id limit 25`,
    },
    { path: `/schedules?account.id=ne:${id(whale)}` },
    { path: `/schedules?account.id=gt:${id(whale)}` },
    { path: `/schedules?account.id=${id(whale)}` },
    { path: '/tokens?type=NON_FUNGIBLE_UNIQUE&order=desc' },
    { path: '/tokens?name=popular' },
    { path: '/tokens?name=9999' },
    { path: `/tokens?publickey=${commonKey}` },
    { path: `/tokens?publickey=gt:${commonKey}` },
    { path: `/tokens?account.id=${id(whale)}` },
    { path: `/tokens?account.id=${id(whale)}&type=NON_FUNGIBLE_UNIQUE` },
    { path: `/tokens/${id(heldToken)}/balances?account.balance=gt:999` },
    { path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}` },
    { path: `/tokens/${id(leftToken)}/balances?account.publickey=${commonKey}` },
    { path: `/tokens/${id(leftToken)}/balances` },
    { path: `/tokens/${id(heldToken)}/balances?account.balance=gt:999&${past}` },
    { path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}&${past}` },
    { path: `/tokens/${id(heldToken)}?timestamp=lt:${first}` },
    { path: `/tokens/${id(nftToken)}/nfts?account.id=${id(minnow)}` },
    { path: `/tokens/${id(nftToken)}/nfts?account.id=gt:${id(whale)}` },
    { path: `/tokens/${id(nftToken)}/nfts?account.id=ne:${id(whale)}` },
    { path: `/tokens/${id(nftToken)}/nfts/1/transactions` },
    { path: `/accounts/${id(whale)}/nfts?spender.id=${id(minnow)}` },
    { path: `/accounts/${id(whale)}/nfts?spender.id=gt:${id(whale)}` },
    { path: `/accounts/${id(whale)}/tokens?order=desc` },
    { path: `/accounts/${id(whale)}/allowances/crypto` },
    { path: `/accounts/${id(whale)}/allowances/tokens` },
    { path: `/accounts/${id(whale)}/allowances/nfts?order=desc` },
    { path: `/accounts/${id(whale)}/rewards?timestamp=lte:${early}` },
    { path: `/accounts/${id(whale)}/airdrops/outstanding` },
    { path: `/accounts/${id(minnow)}/airdrops/pending` },
    { path: `/accounts/${id(whale)}/hooks/1/storage` },
    { path: `/accounts/${id(whale)}/hooks/1/storage?timestamp=lte:${early}&order=desc` },
    { path: `/topics/${id(topic)}/messages?sequencenumber=gte:1&timestamp=lt:${early}&order=desc` },
    { path: `/topics/${id(topic)}/messages?timestamp=gte:${first}&sequencenumber=lte:10&order=desc` },
    { path: `/topics/${id(topic)}/messages?sequencenumber=ne:1&timestamp=ne:${last}` },
    { path: '/network/supply' },
    { path: '/network/nodes' },
    { path: `/network/supply?${past}` },
  ];
};
