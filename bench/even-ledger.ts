/**
 * A ledger of any size as a public network's might be, made by SQL in seconds per million transactions: a thousand accounts
 * that make most of the transactions and many that make few, four hbar transfers in each, tokens, NFTs, topic messages
 * and contract calls among them.
 */
import type { Database } from '../src/database/connection.ts';
import { responseCodeNumber } from '../src/ledger/response-code.ts';
import { NANOS_PER_SECOND } from '../src/ledger/timestamp.ts';
import { TransactionType } from '../src/ledger/transaction-type.ts';
import { fillTables } from './fill-tables.ts';

const FIRST_ACCOUNT = 10_000;
const FIRST_TOKEN = 5_000_000_000;
const FIRST_TOPIC = 1_001;
const FIRST_CONTRACT = 2_001;
/** Make four of five transactions. */
const BUSY_ACCOUNTS = 1_000;
const PER_BLOCK = 100;
/** 2020-09-13T12:26:40Z */
const START = 1_600_000_000n * NANOS_PER_SECOND;
/** A thousand transactions a second. */
const STEP = 1_000_000n;
/** Of balances: the start of the month. */
const SNAPSHOT = 1_598_918_700n * NANOS_PER_SECOND;

const tables = [
  'account_balance',
  'contract',
  'contract_log',
  'contract_result',
  'crypto_transfer',
  'entity',
  'nft',
  'record_file',
  'token',
  'token_account',
  'token_balance',
  'token_transfer',
  'topic',
  'topic_message',
  'transaction',
  'transaction_hash',
];

const fillings = (n: number): readonly string[] => {
  const accounts = Math.max(BUSY_ACCOUNTS, Math.floor(n / 10));
  const tokens = 1_000;
  const success = responseCodeNumber('SUCCESS');
  const at = (i: string): string => `(${START} + (${i})::bigint * ${STEP})`;
  const hash = (i: string, bytes: number): string =>
    `decode(lpad(to_hex((${i})::bigint * 2654435761), ${bytes * 2}, '5c'), 'hex')`;
  const series = (count: number): string => `from generate_series(1, ${count}) i`;
  const scattered = (i: string, prime: number): string => `((${i})::bigint * ${prime})`;
  const payer = `(${FIRST_ACCOUNT} + case when i % 5 = 0 then ${scattered('i', 104_729)} % ${accounts} else ${scattered('i', 7_919)} % ${BUSY_ACCOUNTS} end)`;
  const receiver = `(${FIRST_ACCOUNT} + ${scattered('i', 15_485_863)} % ${accounts})`;
  const kind = 'i % 100';
  const isTokenTransfer = `${kind} between 60 and 69`;
  const isMessage = `${kind} between 70 and 84`;
  const isCall = `${kind} between 85 and 87`;
  const topic = `${FIRST_TOPIC} + (i / 100) % 10`;
  const contract = `${FIRST_CONTRACT} + (i / 100) % 20`;
  const token = `${FIRST_TOKEN} + (i / 100) % ${tokens}`;
  const entity = (id: string, type: string): string =>
    `insert into entity (id, num, realm, shard, type, key, public_key, balance, balance_timestamp, created_timestamp,
       timestamp_range, deleted, evm_address, memo, max_automatic_token_associations, auto_renew_period)
     select ${id}, ${id}, 0, 0, '${type}', '\\x1220' || sha256(int8send(${id})), encode(sha256(int8send(${id})), 'hex'), i, ${at(String(n))},
       ${START} + i, int8range(${START} + i, null), false, substring(sha256(int8send(${id} + 1)) for 20), '', -1, 7776000`;
  const topics = Array.from({ length: 3 }, (_, i) => `sha256(int8send(${kind} + ${i}))`);
  return [
    `insert into transaction (consensus_timestamp, valid_start_ns, payer_account_id, type, result, nonce,
       charged_tx_fee, max_fee, valid_duration_seconds, node_account_id, entity_id, transaction_hash, memo, index)
     select ${at('i')}, ${at('i')} - 2000000000 + i % 1000, ${payer},
       case when ${isMessage} then ${TransactionType.CONSENSUSSUBMITMESSAGE}
         when ${isCall} then ${TransactionType.CONTRACTCALL} else ${TransactionType.CRYPTOTRANSFER} end,
       ${success}, 0, 70000 + i % 1000, 100000000, 120, 3 + i % 20,
       case when ${isMessage} then ${topic} when ${isCall} then ${contract} end, ${hash('i', 48)}, '\\x70617965642077697468', i % ${PER_BLOCK}
     ${series(n)}`,
    `insert into transaction_hash (consensus_timestamp, hash, payer_account_id, hash_suffix)
     select ${at('i')}, substring(${hash('i', 48)} for 32), ${payer}, substring(${hash('i', 48)} from 33) ${series(n)}`,
    `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id, is_approval)
     select m.id, ${at('i')}, m.amount, ${payer}, false ${series(n)}
     cross join lateral (values (3 + i % 20, 3000), (98, 67000), (${payer}, -1070000), (${receiver}, 1000000)) m(id, amount)`,
    `insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id, is_approval)
     select ${token}, m.id, ${at('i')}, m.amount, ${payer}, false ${series(n)}
     cross join lateral (values (${payer}, -10), (${receiver}, 10)) m(id, amount) where ${isTokenTransfer}`,
    `${entity(`${FIRST_ACCOUNT} + i - 1`, 'ACCOUNT')} ${series(accounts)}`,
    `${entity('i', 'ACCOUNT')} ${series(100)}`,
    `${entity(`${FIRST_TOPIC} + i - 1`, 'TOPIC')} ${series(10)}`,
    `${entity(`${FIRST_CONTRACT} + i - 1`, 'CONTRACT')} ${series(20)}`,
    `${entity(`${FIRST_TOKEN} + i - 1`, 'TOKEN')} ${series(tokens)}`,
    `insert into contract (id, runtime_bytecode) select ${FIRST_CONTRACT} + i - 1, '\\x60016001' ${series(20)}`,
    `insert into topic (id, created_timestamp, timestamp_range)
     select ${FIRST_TOPIC} + i - 1, ${START}, int8range(${START}, null) ${series(10)}`,
    `insert into token (token_id, created_timestamp, decimals, initial_supply, total_supply, name, symbol, treasury_account_id,
       type, timestamp_range, freeze_status, kyc_status)
     select ${FIRST_TOKEN} + i - 1, ${START}, 2, 1000000, 1000000, 'Token ' || i, 'T' || i, ${FIRST_ACCOUNT},
       (case when i % 2 = 0 then 'NON_FUNGIBLE_UNIQUE' else 'FUNGIBLE_COMMON' end)::token_type, int8range(${START}, null), 0, 0
     ${series(tokens)}`,
    `insert into token_account (account_id, token_id, associated, automatic_association, balance, balance_timestamp,
       created_timestamp, timestamp_range)
     select ${FIRST_ACCOUNT} + (i - 1) % ${accounts}, ${FIRST_TOKEN} + (i * 7 + (i - 1) / ${accounts}) % ${tokens}, true, false, i,
       ${at(String(n))}, ${START}, int8range(${START}, null) ${series(accounts * 2)}`,
    `insert into nft (serial_number, token_id, account_id, created_timestamp, timestamp_range, deleted, metadata)
     select 1 + (i - 1) / ${tokens / 2}, ${FIRST_TOKEN} + 1 + 2 * ((i - 1) % ${tokens / 2}), ${receiver}, ${START} + i,
       int8range(${START} + i, null), false, '\\x697066733a2f2f62616679' ${series(accounts)}`,
    `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id, payer_account_id,
       running_hash_version)
     select time, decode(repeat('6d', 100), 'hex'), decode(repeat('ab', 48), 'hex'),
       row_number() over (partition by topic order by time), topic, payer, 3
     from (select ${at('i')} as time, ${topic} as topic, ${payer} as payer ${series(n)} where ${isMessage}) m`,
    `insert into contract_result (function_parameters, gas_limit, gas_used, consensus_timestamp, contract_id, payer_account_id,
       transaction_result, transaction_nonce, transaction_index, sender_id, transaction_hash, call_result, amount)
     select decode(repeat('a9', 68), 'hex'), 100000, 80000, ${at('i')}, ${contract}, ${payer}, ${success}, 0, i % ${PER_BLOCK}, ${payer},
       ${hash('i', 32)}, decode(repeat('00', 32), 'hex'), 0 ${series(n)} where ${isCall}`,
    `insert into contract_log (bloom, consensus_timestamp, contract_id, data, index, payer_account_id, topic0, topic1, topic2,
       transaction_hash, transaction_index)
     select decode(repeat('00', 256), 'hex'), ${at('i')}, ${contract}, decode(repeat('00', 32), 'hex'), l, ${payer}, ${topics.join(', ')},
       ${hash('i', 32)}, i % ${PER_BLOCK} ${series(n)} cross join generate_series(0, 1) l where ${isCall}`,
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index, gas_used, size, hapi_version_major, hapi_version_minor, hapi_version_patch,
       logs_bloom)
     select '2020-09-13T12_26_' || i || '.rcd', 0, 0, encode(sha384(int8send(i)), 'hex'), encode(sha384(int8send(i - 1)), 'hex'),
       ${at(`i * ${PER_BLOCK} - ${PER_BLOCK - 1}`)}, ${at(`i * ${PER_BLOCK}`)}, ${PER_BLOCK}, 0, 6, encode(sha384(int8send(i)), 'hex'), i,
       240000, 50000, 0, 71, 0, decode(repeat('00', 256), 'hex') ${series(Math.floor(n / PER_BLOCK))}`,
    `insert into account_balance (account_id, balance, consensus_timestamp)
     select 2, 1, ${SNAPSHOT} union all select ${FIRST_ACCOUNT} + i - 1, i, ${SNAPSHOT} ${series(accounts)}`,
    `insert into token_balance (account_id, balance, token_id, consensus_timestamp)
     select ${FIRST_ACCOUNT} + i - 1, i, ${FIRST_TOKEN} + (i * 7) % ${tokens}, ${SNAPSHOT} ${series(accounts)}`,
  ];
};

export const fillEvenLedger = (database: Database, transactions: number): Promise<void> =>
  fillTables(database, tables, fillings(transactions));
