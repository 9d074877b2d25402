/** The worst legal requests of each endpoint over a skewed ledger: what a page is full of lies at the far end of the walk. */
import { formatTimestamp, NANOS_PER_SECOND } from '../src/ledger/timestamp.ts';
import { TransactionType } from '../src/ledger/transaction-type.ts';
import {
  accountPage,
  balancePage,
  balanceSnapshotPage,
  holderPage,
  page,
  pastStatePage,
  type TransactionQuestion,
  tokenPage,
  transactionPage,
} from './reference-statements.ts';
import { skewed, stepOf } from './skewed-ledger.ts';

export interface WorstRequest {
  /** Below `/api/v1`; `limit` is added. */
  readonly path: string;
  /** The statement by which the reference finds the page; absent where it is not known. */
  readonly reference?: string;
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
  const at = (i: number): bigint => start + BigInt(i) * stepOf(n);
  const [newest, hundredth] = [at(n), at(100)];
  const largeBlock = Math.floor(n / 40);
  const inHistory = [`l.consensus_timestamp >= ${start}`, `l.consensus_timestamp <= ${newest}`];
  const key = (table: string, value: string): string => `${table}.public_key = '${value}'`;
  const topicIs = (number: number, value: string): string => `l.topic${number} = decode('${value}', 'hex')`;
  const results = (conditions: readonly string[]): string =>
    page('contract_result r left join entity e on e.id = r.contract_id', conditions, 'r.consensus_timestamp desc');
  const logs = (conditions: readonly string[], order = 'desc'): string =>
    page(
      'contract_log l left join entity e on e.id = l.contract_id',
      conditions,
      `l.consensus_timestamp ${order}, l.index ${order}`,
    );
  const unknownHash = 'ee'.repeat(32);
  const timeOfUnknownHash = `(select consensus_timestamp from transaction_hash
    where substring(hash from 1 for 32) = decode('${unknownHash}', 'hex'))`;
  const schedules = (condition: string): string =>
    page('schedule s join entity e on e.id = s.schedule_id', [`s.creator_account_id ${condition}`], 's.schedule_id');
  const nfts = (conditions: readonly string[], order: string): string =>
    page('nft x left join entity e on e.id = x.token_id', conditions, order);
  const transactions: readonly (readonly [query: string, question: TransactionQuestion])[] = [
    ['account.id=98&transactiontype=tokenmint', { account: '= 98', type: TransactionType.TOKENMINT }],
    ['account.id=98&transactiontype=tokencreation', { account: '= 98', type: TransactionType.TOKENCREATION }],
    ['account.id=98&transactiontype=cryptotransfer', { account: '= 98', type: TransactionType.CRYPTOTRANSFER }],
    ['account.id=98&transactiontype=filecreate', { account: '= 98', type: TransactionType.FILECREATE }],
    [
      'account.id=98&transactiontype=cryptocreateaccount',
      { account: '= 98', type: TransactionType.CRYPTOCREATEACCOUNT },
    ],
    [`account.id=${id(whale)}&transactiontype=tokenmint`, { account: `= ${whale}`, type: TransactionType.TOKENMINT }],
    [
      `account.id=${id(whale)}&transactiontype=tokenmint&order=asc`,
      { account: `= ${whale}`, type: TransactionType.TOKENMINT, order: 'asc' },
    ],
    [
      `account.id=${id(whale)}&transactiontype=filecreate&order=asc`,
      { account: `= ${whale}`, type: TransactionType.FILECREATE, order: 'asc' },
    ],
    [`account.id=${id(whale)}`, { account: `= ${whale}` }],
    [`account.id=${id(minnow)}`, { account: `= ${minnow}` }],
    [`account.id=${id(minnow)}&order=asc`, { account: `= ${minnow}`, order: 'asc' }],
    [
      `account.id=${id(firstAccount + 5)}&timestamp=lte:${last}`,
      { account: `= ${firstAccount + 5}`, times: [`<= ${newest}`] },
    ],
    ['account.id=gte:0.0.98&transactiontype=tokenmint', { account: '>= 98', type: TransactionType.TOKENMINT }],
    [
      'account.id=gte:0.0.98&transactiontype=cryptotransfer',
      { account: '>= 98', type: TransactionType.CRYPTOTRANSFER },
    ],
    [
      `account.id=gt:${id(firstAccount)}&transactiontype=consensussubmitmessage`,
      { account: `> ${firstAccount}`, type: TransactionType.CONSENSUSSUBMITMESSAGE },
    ],
    ['account.id=gte:0.0.200&account.id=lte:0.0.900', { account: 'between 200 and 900' }],
    [
      'account.id=gte:0.0.200&account.id=lte:0.0.900&transactiontype=cryptotransfer',
      { account: 'between 200 and 900', type: TransactionType.CRYPTOTRANSFER },
    ],
    [
      `${someAccounts}&transactiontype=tokenmint`,
      { account: `between ${firstAccount} and ${firstAccount + 999}`, type: TransactionType.TOKENMINT },
    ],
    [someAccounts, { account: `between ${firstAccount} and ${firstAccount + 999}` }],
    [`account.id=${id(whale)}&result=fail`, { account: `= ${whale}`, result: 'fail' }],
    [`account.id=ne:${id(whale)}&result=fail`, { account: `<> ${whale}`, result: 'fail' }],
    [`account.id=${id(whale)}&type=credit`, { account: `= ${whale}`, moved: 'credit' }],
    [
      `account.id=${id(whale)}&type=credit&transactiontype=cryptotransfer`,
      { account: `= ${whale}`, moved: 'credit', type: TransactionType.CRYPTOTRANSFER },
    ],
    [`account.id=ne:${id(whale)}&type=debit`, { account: `<> ${whale}`, moved: 'debit' }],
    ['account.id=98&type=debit', { account: '= 98', moved: 'debit' }],
    ['type=credit&transactiontype=tokenmint', { moved: 'credit', type: TransactionType.TOKENMINT }],
    ['type=credit', { moved: 'credit' }],
    ['result=fail', { result: 'fail' }],
    [`result=fail&${history}`, { result: 'fail', times: [`>= ${start}`, `<= ${newest}`] }],
    ['result=fail&transactiontype=cryptotransfer', { result: 'fail', type: TransactionType.CRYPTOTRANSFER }],
    ['result=success&transactiontype=tokenmint', { result: 'success', type: TransactionType.TOKENMINT }],
    ['transactiontype=tokenmint', { type: TransactionType.TOKENMINT }],
    [`timestamp=ne:${last}&result=fail`, { result: 'fail', times: [`<> ${newest}`] }],
    [`timestamp=lte:${early}`, { times: [`<= ${hundredth}`] }],
  ];
  const ofAccount = (account: number, question: TransactionQuestion): string =>
    transactionPage({ account: `= ${account}`, ...question });
  const publicKeyOf = (table: string): string => key(table, commonKey);
  return [
    ...transactions.map(([query, question]) => ({
      path: `/transactions?${query}`,
      reference: transactionPage(question),
    })),
    {
      path: `/accounts/${id(whale)}?transactiontype=tokenmint`,
      reference: ofAccount(whale, { type: TransactionType.TOKENMINT }),
    },
    {
      path: '/accounts/98?transactiontype=tokenmint',
      reference: ofAccount(98, { type: TransactionType.TOKENMINT }),
    },
    {
      path: '/accounts/98?transactiontype=tokencreation',
      reference: ofAccount(98, { type: TransactionType.TOKENCREATION }),
    },
    {
      path: `/accounts/${id(whale)}?timestamp=lt:${early}`,
      reference: ofAccount(whale, { times: [`< ${hundredth}`] }),
    },
    { path: '/accounts?account.balance=gt:999999', reference: accountPage(['e.balance > 999999']) },
    { path: `/accounts?account.publickey=${commonKey}`, reference: accountPage([publicKeyOf('e')]) },
    { path: `/accounts?account.publickey=${rareKey}`, reference: accountPage([key('e', rareKey)]) },
    { path: `/accounts?account.publickey=${rareKey}&order=desc`, reference: accountPage([key('e', rareKey)], 'desc') },
    {
      path: `/accounts?account.publickey=gt:${commonKey}`,
      reference: accountPage([`e.public_key > '${commonKey}'`]),
    },
    {
      path: `/accounts?account.publickey=ne:${commonKey}&order=desc`,
      reference: accountPage([`e.public_key <> '${commonKey}'`], 'desc'),
    },
    {
      path: `/accounts?account.publickey=${commonKey}&account.balance=gt:999999`,
      reference: accountPage([publicKeyOf('e'), 'e.balance > 999999']),
    },
    {
      path: '/balances?account.balance=gt:999999',
      reference: balancePage(['e.balance > 999999']),
    },
    {
      path: `/balances?account.publickey=${commonKey}`,
      reference: balancePage([publicKeyOf('e')]),
    },
    {
      path: `/balances?account.balance=gt:999999&${past}`,
      reference: balanceSnapshotPage(snapshot - 86_400n * NANOS_PER_SECOND, snapshot, ['b.balance > 999999']),
    },
    {
      path: `/balances?account.publickey=${commonKey}&${past}`,
      reference: balanceSnapshotPage(snapshot - 86_400n * NANOS_PER_SECOND, snapshot, [publicKeyOf('e')]),
    },
    {
      path: `/balances?account.publickey=${commonKey}&account.balance=gt:999999&${past}`,
      reference: balanceSnapshotPage(snapshot - 86_400n * NANOS_PER_SECOND, snapshot, [
        publicKeyOf('e'),
        'b.balance > 999999',
      ]),
    },
    {
      path: `/balances?${past}`,
      reference: balanceSnapshotPage(snapshot - 86_400n * NANOS_PER_SECOND, snapshot, []),
    },
    { path: `/balances?timestamp=ne:${last}` },
    {
      path: `/blocks?block.number=gte:0&timestamp=lte:${early}`,
      reference: page('record_file', ['index >= 0', `consensus_end <= ${hundredth}`], 'index desc'),
    },
    {
      path: `/blocks?timestamp=gte:${first}&block.number=lte:10`,
      reference: page('record_file', [`consensus_end >= ${start}`, 'index <= 10'], 'index desc'),
    },
    {
      path: `/blocks?timestamp=ne:${last}`,
      reference: page('record_file', [`consensus_end <> ${newest}`], 'index desc'),
    },
    {
      path: `/contracts/results?from=${id(minnow)}`,
      reference: results([`r.sender_id = ${minnow}`, 'r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/results?from=gte:${id(minnow)}`,
      reference: results([`r.sender_id >= ${minnow}`, 'r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/results?from=ne:${id(whale)}`,
      reference: results([`r.sender_id <> ${whale}`, 'r.transaction_nonce = 0']),
    },
    {
      path: '/contracts/results?internal=false',
      reference: results(['r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/${id(contract + 1)}/results?from=${id(minnow)}`,
      reference: results([`r.contract_id = ${contract + 1}`, `r.sender_id = ${minnow}`, 'r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/${id(contract + 1)}/results?from=ne:${id(whale)}`,
      reference: results([`r.contract_id = ${contract + 1}`, `r.sender_id <> ${whale}`, 'r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/${id(contract + 1)}/results`,
      reference: results([`r.contract_id = ${contract + 1}`, 'r.transaction_nonce = 0']),
    },
    {
      path: `/contracts/results?block.number=${largeBlock}&from=${id(minnow)}`,
      reference: results([
        `r.consensus_timestamp >= ${at(1)}`,
        `r.consensus_timestamp <= ${at(4 * largeBlock)}`,
        `r.sender_id = ${minnow}`,
        'r.transaction_nonce = 0',
      ]),
    },
    {
      path: `/contracts/results?block.number=${largeBlock}&transaction.index=1`,
      reference: results([
        `r.consensus_timestamp >= ${at(1)}`,
        `r.consensus_timestamp <= ${at(4 * largeBlock)}`,
        'r.transaction_index = 1',
        'r.transaction_nonce = 0',
      ]),
    },
    {
      path: `/contracts/results/logs?topic0=${rareTopic}&${history}`,
      reference: logs([topicIs(0, rareTopic), ...inHistory]),
    },
    {
      path: `/contracts/results/logs?topic0=${rareTopic}&${history}&order=asc`,
      reference: logs([topicIs(0, rareTopic), ...inHistory], 'asc'),
    },
    {
      path: `/contracts/results/logs?topic0=${commonTopic}&topic1=${rareTopic}&${history}`,
      reference: logs([topicIs(0, commonTopic), topicIs(1, rareTopic), ...inHistory]),
    },
    {
      path: `/contracts/${id(contract)}/results/logs?topic0=${rareTopic}&${history}`,
      reference: logs([`l.contract_id = ${contract}`, topicIs(0, rareTopic), ...inHistory]),
    },
    {
      path: `/contracts/${id(contract)}/results/logs?${history}&order=asc`,
      reference: logs([`l.contract_id = ${contract}`, ...inHistory], 'asc'),
    },
    {
      path: `/contracts/results/logs?transaction.hash=0x${unknownHash}`,
      reference: logs([`l.consensus_timestamp = ${timeOfUnknownHash}`]),
    },
    {
      path: `/contracts/${id(contract)}/results/logs?transaction.hash=0x${unknownHash}&${history}`,
      reference: logs([`l.contract_id = ${contract}`, `l.consensus_timestamp = ${timeOfUnknownHash}`, ...inHistory]),
    },
    {
      path: `/contracts/${id(contract)}/state?timestamp=gte:${middle}`,
      reference: pastStatePage(contract, [`>= ${at(n / 2)}`], 'asc'),
    },
    {
      path: `/contracts/${id(contract)}/state?timestamp=gte:${first}&timestamp=lte:${early}&order=desc`,
      reference: pastStatePage(contract, [`>= ${start}`, `<= ${hundredth}`], 'desc'),
    },
    {
      path: `/contracts/${id(contract)}/state?timestamp=lte:${early}&order=desc`,
      reference: pastStatePage(contract, [`<= ${hundredth}`], 'desc'),
    },
    {
      path: '/contracts?order=asc',
      reference: page('entity e left join contract c on c.id = e.id', ["e.type = 'CONTRACT'"], 'e.id asc'),
    },
    { path: `/schedules?account.id=${id(minnow)}`, reference: schedules(`= ${minnow}`) },
    {
      path: `/schedules?account.id=ne:${id(whale)}`,
      reference: schedules(`<> ${whale}`),
    },
    {
      path: `/schedules?account.id=gt:${id(whale)}`,
      reference: schedules(`> ${whale}`),
    },
    {
      path: `/schedules?account.id=${id(whale)}`,
      reference: schedules(`= ${whale}`),
    },
    {
      path: '/tokens?type=NON_FUNGIBLE_UNIQUE&order=desc',
      reference: tokenPage(["t.type = 'NON_FUNGIBLE_UNIQUE'"], undefined, 'desc'),
    },
    {
      path: '/tokens?name=popular',
      reference: tokenPage(["t.name ilike '%popular%'"]),
    },
    {
      path: '/tokens?name=9999',
      reference: tokenPage(["t.name ilike '%9999%'"]),
    },
    {
      path: `/tokens?publickey=${commonKey}`,
      reference: tokenPage([publicKeyOf('e')]),
    },
    {
      path: `/tokens?publickey=gt:${commonKey}`,
      reference: tokenPage([`e.public_key > '${commonKey}'`]),
    },
    {
      path: `/tokens?account.id=${id(whale)}`,
      reference: tokenPage([], whale),
    },
    {
      path: `/tokens?account.id=${id(whale)}&type=NON_FUNGIBLE_UNIQUE`,
      reference: tokenPage(["t.type = 'NON_FUNGIBLE_UNIQUE'"], whale),
    },
    {
      path: `/tokens/${id(heldToken)}/balances?account.balance=gt:999`,
      reference: holderPage(heldToken, ['a.balance > 999']),
    },
    {
      path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}`,
      reference: holderPage(heldToken, [publicKeyOf('e')], true),
    },
    {
      path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}&account.balance=gt:999`,
      reference: holderPage(heldToken, [publicKeyOf('e'), 'a.balance > 999'], true),
    },
    {
      path: `/tokens/${id(leftToken)}/balances?account.publickey=${commonKey}`,
      reference: holderPage(leftToken, [publicKeyOf('e')], true),
    },
    {
      path: `/tokens/${id(leftToken)}/balances`,
      reference: holderPage(leftToken, []),
    },
    { path: `/tokens/${id(heldToken)}/balances?account.balance=gt:999&${past}` },
    { path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}&${past}` },
    { path: `/tokens/${id(heldToken)}/balances?account.publickey=${commonKey}&account.balance=gt:999&${past}` },
    { path: `/tokens/${id(heldToken)}?timestamp=lt:${first}` },
    {
      path: `/tokens/${id(nftToken)}/nfts?account.id=${id(minnow)}`,
      reference: nfts([`x.token_id = ${nftToken}`, `x.account_id = ${minnow}`], 'x.serial_number desc'),
    },
    {
      path: `/tokens/${id(nftToken)}/nfts?account.id=gt:${id(whale)}`,
      reference: nfts([`x.token_id = ${nftToken}`, `x.account_id > ${whale}`], 'x.serial_number desc'),
    },
    {
      path: `/tokens/${id(nftToken)}/nfts?account.id=ne:${id(whale)}`,
      reference: nfts([`x.token_id = ${nftToken}`, `x.account_id <> ${whale}`], 'x.serial_number desc'),
    },
    { path: `/tokens/${id(nftToken)}/nfts/1/transactions` },
    {
      path: `/accounts/${id(whale)}/nfts?spender.id=${id(minnow)}`,
      reference: nfts([`x.account_id = ${whale}`, `x.spender = ${minnow}`], 'x.token_id desc, x.serial_number desc'),
    },
    {
      path: `/accounts/${id(whale)}/nfts?spender.id=gt:${id(whale)}`,
      reference: nfts([`x.account_id = ${whale}`, `x.spender > ${whale}`], 'x.token_id desc, x.serial_number desc'),
    },
    {
      path: `/accounts/${id(whale)}/tokens?order=desc`,
      reference: page(
        'token_account a left join token t using (token_id)',
        [`a.account_id = ${whale}`, 'a.associated'],
        'a.token_id desc',
      ),
    },
    {
      path: `/accounts/${id(whale)}/allowances/crypto`,
      reference: page('crypto_allowance', [`owner = ${whale}`, 'amount > 0'], 'spender'),
    },
    {
      path: `/accounts/${id(whale)}/allowances/tokens`,
      reference: page('token_allowance', [`owner = ${whale}`, 'amount > 0'], 'spender, token_id'),
    },
    {
      path: `/accounts/${id(whale)}/allowances/nfts?order=desc`,
      reference: page('nft_allowance', [`owner = ${whale}`, 'approved_for_all'], 'spender desc, token_id desc'),
    },
    {
      path: `/accounts/${id(whale)}/rewards?timestamp=lte:${early}`,
      reference: page(
        'staking_reward_transfer',
        [`account_id = ${whale}`, `consensus_timestamp <= ${hundredth}`],
        'consensus_timestamp desc',
      ),
    },
    {
      path: `/accounts/${id(whale)}/airdrops/outstanding`,
      reference: page(
        'token_airdrop',
        [`sender_account_id = ${whale}`, "state = 'PENDING'"],
        'receiver_account_id, token_id, serial_number',
      ),
    },
    {
      path: `/accounts/${id(minnow)}/airdrops/pending`,
      reference: page(
        'token_airdrop',
        [`receiver_account_id = ${minnow}`, "state = 'PENDING'"],
        'sender_account_id, token_id, serial_number',
      ),
    },
    {
      path: `/accounts/${id(whale)}/hooks/1/storage`,
      reference: page('hook_storage', [`owner_id = ${whale}`, 'hook_id = 1', 'not deleted'], 'key'),
    },
    {
      path: `/accounts/${id(whale)}/hooks/1/storage?timestamp=lte:${early}&order=desc`,
      reference: `select distinct on (key) key, coalesce(value_written, value_read) from hook_storage_change
        where owner_id = ${whale} and hook_id = 1 and consensus_timestamp <= ${hundredth}
        order by key desc, consensus_timestamp desc limit 25`,
    },
    {
      path: `/accounts/${id(whale)}/hooks?order=asc`,
      reference: page('hook', [`owner_id = ${whale}`], 'hook_id'),
    },
    {
      path: `/topics/${id(topic)}/messages?sequencenumber=gte:1&timestamp=lt:${early}&order=desc`,
      reference: page(
        'topic_message',
        [`topic_id = ${topic}`, 'sequence_number >= 1', `consensus_timestamp < ${hundredth}`],
        'consensus_timestamp desc',
      ),
    },
    {
      path: `/topics/${id(topic)}/messages?timestamp=gte:${first}&sequencenumber=lte:10&order=desc`,
      reference: page(
        'topic_message',
        [`topic_id = ${topic}`, `consensus_timestamp >= ${start}`, 'sequence_number <= 10'],
        'consensus_timestamp desc',
      ),
    },
    { path: `/topics/${id(topic)}/messages?sequencenumber=ne:1&timestamp=ne:${last}` },
    { path: '/network/supply' },
    { path: '/network/nodes' },
    { path: `/network/supply?${past}` },
  ];
};
