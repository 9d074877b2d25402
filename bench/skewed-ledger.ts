/**
 * A ledger as unevenly distributed as a legal one may be, made by SQL: an account in every transaction, types and results
 * of which there are a few at the far end of history, a token that everybody holds, a topic and a contract that have
 * everything, lists of which nearly every row is spent. Ids stand in `skewed`, counts follow from the scale.
 */
import type { Database } from '../src/database/connection.ts';
import { responseCodeNumber } from '../src/ledger/response-code.ts';
import { NANOS_PER_SECOND } from '../src/ledger/timestamp.ts';
import { TransactionType } from '../src/ledger/transaction-type.ts';
import { fillTables } from './fill-tables.ts';

export const skewed = {
  /** Pays for every other transaction, holds every token, has made every schedule but one. */
  whale: 1001,
  /** The one that others send airdrops to, give allowances to, and that has made one schedule. */
  minnow: 1002,
  firstAccount: 10_000,
  contract: 5000,
  topic: 800,
  /** Everybody holds it. */
  heldToken: 700,
  /** Nearly everybody was associated with it. */
  leftToken: 701,
  /** Nearly all of its NFTs are the whale's. */
  nftToken: 702,
  firstToken: 10_000_000,
  firstSchedule: 20_000_000,
  /** The key of all accounts but one, and the key of that one. */
  commonKey: 'aa'.repeat(32),
  rareKey: 'bb'.repeat(32),
  commonTopic: '11'.repeat(32),
  rareTopic: '22'.repeat(32),
  /** Nanoseconds; the history ends less than seven days later. */
  start: 1_600_000_000n * NANOS_PER_SECOND,
  /** Of balances, in nanoseconds; early in the month of the history. */
  snapshot: 1_598_918_700n * NANOS_PER_SECOND,
} as const;

/** Nanoseconds between two transactions of a ledger of that many. */
export const stepOf = (transactions: number): bigint => (6n * 86_400n * NANOS_PER_SECOND) / BigInt(transactions);

const tables = [
  'account_balance',
  'contract',
  'contract_log',
  'contract_result',
  'contract_state',
  'contract_state_change',
  'crypto_allowance',
  'crypto_transfer',
  'entity',
  'entity_history',
  'hook',
  'hook_storage',
  'hook_storage_change',
  'nft',
  'nft_allowance',
  'nft_history',
  'record_file',
  'schedule',
  'staking_reward_transfer',
  'token',
  'token_account',
  'token_airdrop',
  'token_allowance',
  'token_balance',
  'token_history',
  'token_transfer',
  'topic',
  'topic_message',
  'transaction',
  'transaction_hash',
];

const code = responseCodeNumber;

/** Statements that fill the tables; `n` transactions, `at(i)` the time of the i-th of them. */
const fillings = (n: number): readonly string[] => {
  const { whale, minnow, firstAccount, contract, topic, heldToken, leftToken, nftToken, firstToken } = skewed;
  const { firstSchedule, commonKey, rareKey, commonTopic, rareTopic, start, snapshot } = skewed;
  const at = (i: string): string => `(${start} + (${i})::bigint * ${stepOf(n)})`;
  const end = at(String(n));
  const account = `${firstAccount} + (i % ${n})`;
  const some = Math.floor(n / 5);
  const half = Math.floor(n / 2);
  const few = 4 * Math.floor(n / 40);
  const oldest = Math.max(5, Math.floor(n / 200));
  const isCall = 'i % 4 = 1';
  const entity = (id: string, type: string, key = 'null', balance = '0'): string =>
    `insert into entity (id, num, realm, shard, type, public_key, balance, balance_timestamp, created_timestamp,
       timestamp_range, deleted, evm_address) select ${id}, ${id}, 0, 0, '${type}', ${key}, ${balance}, ${end}, ${start}, int8range(${start}, null), false,
       null`;
  const token = (id: string, type: string, name: string): string =>
    `insert into token (token_id, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id, type,
       timestamp_range, freeze_status, kyc_status)
     select ${id}, ${start}, 0, 1, ${name}, 'S', ${whale}, '${type}', int8range(${start}, null), 0, 0`;
  const holding = (accountId: string, tokenId: string, associated: string): string =>
    `insert into token_account (account_id, token_id, associated, balance, balance_timestamp, created_timestamp,
       timestamp_range)
     select ${accountId}, ${tokenId}, ${associated}, case when i = 1 then 1000000000 else 1 end, ${end}, ${start},
       int8range(${start}, null)`;
  const series = (count: number): string => `from generate_series(1, ${count}) i`;
  return [
    `insert into transaction (consensus_timestamp, valid_start_ns, payer_account_id, type, result, nonce,
       charged_tx_fee, max_fee, valid_duration_seconds, node_account_id, entity_id, transaction_hash)
     select ${at('i')}, ${at('i')} - 10, case when i % 2 = 0 then ${whale} else ${account} end,
       case when i <= 5 then ${TransactionType.TOKENMINT} when i <= ${oldest} then ${TransactionType.TOKENCREATION}
         when i % 20000 = 7 then ${TransactionType.FILECREATE}
         when ${isCall} then ${TransactionType.CONTRACTCALL}
         when i % 4 = 2 then ${TransactionType.CONSENSUSSUBMITMESSAGE} else ${TransactionType.CRYPTOTRANSFER} end,
       case when i <= 10 then ${code('INSUFFICIENT_PAYER_BALANCE')} else ${code('SUCCESS')} end, 0, 3, 10, 120, 3,
       case when i % 4 = 2 then ${topic} when ${isCall} then ${contract} end,
       decode(lpad(to_hex(i), 96, 'c'), 'hex') ${series(n)}`,
    `insert into transaction_hash (consensus_timestamp, hash, payer_account_id, hash_suffix)
     select ${at('i')}, decode(lpad(to_hex(i), 64, 'c'), 'hex'), ${whale}, null ${series(n)}`,
    // The whale pays, but for the oldest, where it receives.
    `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id, is_approval)
     select m.id, ${at('i')}, m.amount, ${whale}, false ${series(n)}
     cross join lateral (values (${whale}, case when i <= 5 then 3 else -3 end), (3, 1), (98, 2),
       (${account}, case when i <= 5 then -6 else 0 end)) m(id, amount) where m.amount <> 0`,
    `insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id, is_approval)
     select ${heldToken}, m.id, ${at('i')}, m.amount, ${whale}, false ${series(n)}
     cross join lateral (values (${whale}, -1), (${account}, 1)) m(id, amount) where i % 4 = 3`,
    `${entity('i', 'ACCOUNT')} ${series(100)}`,
    `${entity('i', 'ACCOUNT', `'${commonKey}'`, '5')} from (values (${whale}), (${minnow})) v(i)`,
    `${entity(`${firstAccount} + i`, 'ACCOUNT', `case when i = ${half} then '${rareKey}' else '${commonKey}' end`, `case when i = ${half} then 1000000000000 else 1 end`)}
     from generate_series(0, ${n} - 1) i`,
    `${entity(`${contract} + i`, 'CONTRACT', 'null', '7')} from generate_series(0, 9) i`,
    `insert into contract (id) select ${contract} + i from generate_series(0, 9) i`,
    `${entity('i', 'TOPIC')} from (values (${topic})) v(i)`,
    `insert into topic (id, created_timestamp, timestamp_range) values (${topic}, ${start}, int8range(${start}, null))`,
    `${entity('i', 'TOKEN')} from (values (${heldToken}), (${leftToken}), (${nftToken})) v(i)`,
    `${entity(`${firstToken} + i`, 'TOKEN', `'${commonKey}'`)} from generate_series(0, ${few} - 1) i`,
    `${token('i', 'FUNGIBLE_COMMON', `'Held'`)} from (values (${heldToken}), (${leftToken})) v(i)`,
    `${token('i', 'NON_FUNGIBLE_UNIQUE', `'Art'`)} from (values (${nftToken})) v(i)`,
    `${token(`${firstToken} + i`, 'FUNGIBLE_COMMON', `'Popular token ' || i`)} from generate_series(0, ${few} - 1) i`,
    `${holding(`${firstAccount} + i`, String(heldToken), 'true')} from generate_series(0, ${n} - 1) i`,
    `${holding(`${firstAccount} + i`, String(leftToken), 'i = 1')} from generate_series(0, ${half} - 1) i`,
    `${holding(String(whale), `${firstToken} + i`, 'i = 1')} from generate_series(0, ${few} - 1) i`,
    `insert into nft (serial_number, token_id, account_id, spender, created_timestamp, timestamp_range, deleted, metadata)
     select i, ${nftToken}, case when i = 1 then ${minnow} else ${whale} end, case when i = 2 then ${minnow} end, ${start},
       int8range(${start}, null), false, '' ${series(half)}`,
    `insert into nft_history (serial_number, token_id, account_id, created_timestamp, timestamp_range, deleted, metadata)
     select 1, ${nftToken}, ${whale}, ${start}, int8range(${at('i')}, ${at('i + 1')}), false, '' ${series(few)}`,
    `insert into nft_allowance (approved_for_all, owner, payer_account_id, spender, timestamp_range, token_id)
     select i = 1, ${whale}, ${whale}, ${firstAccount} + i, int8range(${start}, null), ${nftToken} ${series(some)}`,
    `insert into crypto_allowance (amount_granted, owner, payer_account_id, spender, timestamp_range, amount)
     select 10, ${whale}, ${whale}, ${firstAccount} + i, int8range(${start}, null), case when i = 1 then 10 else 0 end
     ${series(some)}`,
    `insert into token_allowance (amount_granted, owner, payer_account_id, spender, timestamp_range, token_id, amount)
     select 10, ${whale}, ${whale}, ${firstAccount} + i, int8range(${start}, null), ${heldToken},
       case when i = ${some} then 10 else 0 end ${series(some)}`,
    `insert into token_airdrop (amount, receiver_account_id, sender_account_id, serial_number, state, timestamp_range, token_id)
     select 1, ${firstAccount} + i, ${whale}, 0, (case when i = ${some} then 'PENDING' else 'CLAIMED' end)::airdrop_state,
       int8range(${start}, null), ${heldToken} ${series(some)}`,
    `insert into token_airdrop (amount, receiver_account_id, sender_account_id, serial_number, state, timestamp_range, token_id)
     select 1, ${minnow}, ${firstAccount} + i, 0, (case when i = ${some} then 'PENDING' else 'CLAIMED' end)::airdrop_state,
       int8range(${start}, null), ${heldToken} ${series(some)}`,
    `insert into schedule (consensus_timestamp, creator_account_id, payer_account_id, schedule_id, transaction_body)
     select ${at('i')}, case when i = ${some} then ${minnow} else ${whale} end, ${whale}, ${firstSchedule} + i, '' ${series(some)}`,
    `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id, payer_account_id,
       running_hash_version, chunk_num, chunk_total)
     select ${at('i')}, '\\x6d', decode(repeat('00', 48), 'hex'), i, ${topic}, ${whale}, 3, null, null ${series(n)}`,
    // The newer half were caused by others; one sender, but for the oldest call.
    `insert into contract_result (function_parameters, gas_limit, gas_used, consensus_timestamp, contract_id, payer_account_id,
       transaction_result, transaction_nonce, transaction_index, sender_id, transaction_hash)
     select '', 100000, 90000, ${at('i')}, ${contract} + i % 2, ${whale}, ${code('SUCCESS')}, case when i > ${half} then 1 else 0 end, 0,
       case when i < 10 then ${minnow} else ${whale} end, decode(lpad(to_hex(i), 96, 'c'), 'hex') ${series(n)} where ${isCall}`,
    `insert into contract_log (bloom, consensus_timestamp, contract_id, data, index, payer_account_id, topic0, transaction_hash,
       transaction_index)
     select '', ${at('i')}, ${contract}, '\\x01', l, ${whale},
       decode(case when i < 10 then '${rareTopic}' else '${commonTopic}' end, 'hex'), decode(lpad(to_hex(i), 96, 'c'), 'hex'), 0
     ${series(n)} cross join generate_series(0, 3) l where ${isCall}`,
    `insert into contract_state (contract_id, created_timestamp, modified_timestamp, slot, value)
     select ${contract}, ${start}, ${end}, decode(lpad(to_hex(i), 64, '0'), 'hex'), '\\x01' ${series(half)}`,
    `insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read, value_written)
     select ${at('i')}, ${contract}, ${whale}, decode(lpad(to_hex(i), 6, '0'), 'hex'), '\\x01', '\\x02' ${series(half)}`,
    `insert into hook (hook_id, owner_id, contract_id, created_timestamp, timestamp_range)
     values (1, ${whale}, ${contract}, ${start}, int8range(${start}, null))`,
    `insert into hook (hook_id, owner_id, contract_id, created_timestamp, timestamp_range, deleted)
     select i, ${whale}, ${contract}, ${start}, int8range(${start}, null), true from generate_series(2, ${some}) i`,
    `insert into hook_storage (created_timestamp, hook_id, modified_timestamp, owner_id, key, value, deleted)
     select ${start}, 1, ${end}, ${whale}, decode(lpad(to_hex(i), 64, '0'), 'hex'), '\\x01', i <> ${some} ${series(some)}`,
    `insert into hook_storage_change (consensus_timestamp, hook_id, owner_id, key, value_read, value_written)
     select ${at('i')}, 1, ${whale}, decode(lpad(to_hex(i), 64, '0'), 'hex'), '\\x01', '\\x02' ${series(some)}`,
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index, gas_used, size)
     select to_char(i, 'FM000000000') || '.rcd', 0, 0, lpad(to_hex(i), 96, 'd'), lpad(to_hex(i - 1), 96, 'd'), ${at('4 * i - 3')},
       ${at('4 * i')}, 4, 0, 6, lpad(to_hex(i), 96, 'e'), i, 90000, 1000 from generate_series(${few / 4 + 1}, ${Math.floor(n / 4)}) i`,
    // A tenth of all transactions in one block.
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index, gas_used, size)
     values ('large.rcd', 0, 0, '${'d'.repeat(96)}', '${'0'.repeat(96)}', ${at('1')}, ${at(String(few))}, ${few}, 0, 6,
       '${'e'.repeat(96)}', ${few / 4}, 90000, 1000)`,
    `insert into staking_reward_transfer (account_id, amount, consensus_timestamp, payer_account_id)
     select ${whale}, 5, ${at('i')}, ${whale} ${series(some)}`,
    `insert into account_balance (account_id, balance, consensus_timestamp)
     select a, case when a = ${firstAccount + half} then 1000000000000 else 1 end, ${snapshot}
     from (select 2 union all select ${whale} union all select ${firstAccount} + i from generate_series(0, ${n} - 1) i) s(a)`,
    `insert into token_balance (account_id, balance, token_id, consensus_timestamp)
     select ${firstAccount} + i, case when i = ${half} then 1000000000 else 1 end, ${heldToken}, ${snapshot}
     from generate_series(0, ${n} - 1) i`,
    `insert into entity_history (id, num, realm, shard, type, balance, created_timestamp, timestamp_range)
     select ${whale}, ${whale}, 0, 0, 'ACCOUNT', i, ${start}, int8range(${at(`i - ${n}`)}, ${at(`i + 1 - ${n}`)})
     ${series(few)}`,
    `insert into token_history (token_id, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id, type,
       timestamp_range, freeze_status, kyc_status)
     select ${heldToken}, ${start}, 0, 1, 'Held', 'S', ${whale}, 'FUNGIBLE_COMMON',
       int8range(${at(`i - ${n}`)}, ${at(`i + 1 - ${n}`)}), 0, 0 ${series(few)}`,
  ];
};

export const fillSkewedLedger = (database: Database, transactions: number): Promise<void> =>
  fillTables(database, tables, fillings(transactions));
