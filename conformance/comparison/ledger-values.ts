/**
 * Values that exist in a ledger, for each route in rows whose columns are parameters of the route (path and query), so that
 * a request made of one row finds something.
 */
import type { Queryable } from '../../src/database/connection.ts';
import { TransactionType } from '../../src/ledger/transaction-type.ts';

/** Values by parameter, as text; a parameter that the row says nothing about is absent. */
export type Scene = Readonly<Record<string, string>>;

export interface LedgerValues {
  /** By the route's path template. */
  readonly scenes: ReadonlyMap<string, readonly Scene[]>;
  /** Other ways to write an id: `0.0.n` to EVM addresses and aliases. */
  readonly spellings: ReadonlyMap<string, readonly string[]>;
}

/** Rows that are drawn from each query. */
const MOST_ROWS = 500;

const id = (column: string): string => `'0.0.' || ${column}`;
const time = (column: string): string =>
  `${column} / 1000000000 || '.' || lpad((${column} % 1000000000)::text, 9, '0')`;
const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
const transactionId = (payer: string, start: string): string =>
  `'0.0.' || ${payer} || '-' || ${start} / 1000000000 || '-' || lpad((${start} % 1000000000)::text, 9, '0')`;

const typeNames = `(values ${Object.entries(TransactionType)
  .map(([name, number]) => `(${number}, '${name}')`)
  .join(', ')}) as type_name (type, name)`;

const timesOfBlocks = `select ${time('consensus_end')} as timestamp from record_file`;
const account = (column: string): string => `${id(column)} as "idOrAliasOrEvmAddress"`;
const contract = (column: string): string => `${id(column)} as "contractIdOrAddress"`;
const accounts = '/api/v1/accounts/{idOrAliasOrEvmAddress}';
const contracts = '/api/v1/contracts/{contractIdOrAddress}';
const tokens = '/api/v1/tokens/{tokenId}';
const topics = '/api/v1/topics/{topicId}';
const results = '/api/v1/contracts/results';

const resultColumns = `${id('r.sender_id')} as "from", ${time('r.consensus_timestamp')} as timestamp,
  r.transaction_index::text as "transaction.index", b.index::text as "block.number", '0x' || b.hash as "block.hash"`;
const resultTables = `contract_result r
  join record_file b on r.consensus_timestamp between b.consensus_start and b.consensus_end`;
const logColumns = `index::text as index, ${time('consensus_timestamp')} as timestamp,
  ${hex('topic0')} as topic0, ${hex('topic1')} as topic1, ${hex('topic2')} as topic2, ${hex('topic3')} as topic3,
  ${hex('transaction_hash')} as "transaction.hash"`;
const referencesOfResults = [
  `select ${transactionId('t.payer_account_id', 't.valid_start_ns')} as "transactionIdOrHash", t.nonce::text as nonce,
     a.index::text as index
   from contract_result r join transaction t using (consensus_timestamp) left join contract_action a using (consensus_timestamp)`,
  `select ${hex('hash')} as "transactionIdOrHash" from contract_transaction_hash`,
  `select ${hex('hash')} as "transactionIdOrHash" from ethereum_transaction`,
];

const queries: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/accounts': [
    `select ${id('id')} as "account.id", balance::text as "account.balance", public_key as "account.publickey"
     from entity where type in ('ACCOUNT', 'CONTRACT')`,
  ],
  [accounts]: [
    `select ${account('t.payer_account_id')}, ${time('t.consensus_timestamp')} as timestamp, name as transactiontype
     from transaction t join ${typeNames} using (type)`,
    `select ${account('c.entity_id')}, ${time('c.consensus_timestamp')} as timestamp, name as transactiontype
     from crypto_transfer c join transaction t using (consensus_timestamp) join ${typeNames} using (type)`,
    `select ${account('id')}, ${time('created_timestamp')} as timestamp from entity`,
    `select ${account('id')}, ${time('upper(timestamp_range)')} as timestamp from entity_history`,
    `select ${account('account_id')}, ${time('consensus_timestamp')} as timestamp from account_balance`,
  ],
  [`${accounts}/airdrops/outstanding`]: [
    `select ${account('sender_account_id')}, ${id('receiver_account_id')} as "receiver.id", ${id('token_id')} as "token.id",
       nullif(serial_number, 0)::text as serialnumber from token_airdrop`,
  ],
  [`${accounts}/airdrops/pending`]: [
    `select ${account('receiver_account_id')}, ${id('sender_account_id')} as "sender.id", ${id('token_id')} as "token.id",
       nullif(serial_number, 0)::text as serialnumber from token_airdrop`,
  ],
  [`${accounts}/allowances/crypto`]: [
    `select ${account('owner')}, ${id('spender')} as "spender.id" from crypto_allowance`,
  ],
  [`${accounts}/allowances/nfts`]: [
    `select ${account('owner')}, ${id('spender')} as "account.id", ${id('token_id')} as "token.id", 'true' as owner
     from nft_allowance`,
    `select ${account('spender')}, ${id('owner')} as "account.id", ${id('token_id')} as "token.id", 'false' as owner
     from nft_allowance`,
  ],
  [`${accounts}/allowances/tokens`]: [
    `select ${account('owner')}, ${id('spender')} as "spender.id", ${id('token_id')} as "token.id" from token_allowance`,
  ],
  [`${accounts}/hooks`]: [`select ${account('owner_id')}, hook_id::text as "hook.id" from hook`],
  [`${accounts}/hooks/{hookId}/storage`]: [
    `select ${account('owner_id')}, hook_id::text as "hookId", ${hex('key')} as key, ${time('modified_timestamp')} as timestamp
     from hook_storage`,
    `select ${account('owner_id')}, hook_id::text as "hookId", ${hex('key')} as key, ${time('consensus_timestamp')} as timestamp
     from hook_storage_change`,
  ],
  [`${accounts}/nfts`]: [
    `select ${account('account_id')}, ${id('token_id')} as "token.id", serial_number::text as serialnumber,
       ${id('nullif(spender, 0)')} as "spender.id" from nft`,
  ],
  [`${accounts}/rewards`]: [
    `select ${account('account_id')}, ${time('consensus_timestamp')} as timestamp from staking_reward_transfer`,
  ],
  [`${accounts}/tokens`]: [`select ${account('account_id')}, ${id('token_id')} as "token.id" from token_account`],
  '/api/v1/balances': [
    `select ${id('b.account_id')} as "account.id", b.balance::text as "account.balance",
       ${time('b.consensus_timestamp')} as timestamp, e.public_key as "account.publickey"
     from account_balance b join entity e on e.id = b.account_id`,
    `select ${id('id')} as "account.id", balance::text as "account.balance", public_key as "account.publickey" from entity
     where type in ('ACCOUNT', 'CONTRACT')`,
  ],
  '/api/v1/blocks': [
    `select index::text as "block.number", ${time('consensus_end')} as timestamp from record_file`,
    `select index::text as "block.number", ${time('consensus_start')} as timestamp from record_file`,
  ],
  '/api/v1/blocks/{hashOrNumber}': [
    'select index::text as "hashOrNumber" from record_file',
    `select '0x' || hash as "hashOrNumber" from record_file`,
  ],
  '/api/v1/contracts': [`select ${id('id')} as "contract.id" from entity where type = 'CONTRACT'`],
  [results]: [`select ${resultColumns} from ${resultTables}`],
  [`${results}/logs`]: [`select ${logColumns} from contract_log`],
  [`${results}/{transactionIdOrHash}`]: referencesOfResults,
  [`${results}/{transactionIdOrHash}/actions`]: referencesOfResults,
  [`${results}/{transactionIdOrHash}/opcodes`]: referencesOfResults,
  [contracts]: [
    `select ${contract('id')}, ${time('created_timestamp')} as timestamp from entity where type = 'CONTRACT'`,
    `select ${contract('id')}, ${time('lower(timestamp_range)')} as timestamp from entity_history where type = 'CONTRACT'`,
  ],
  [`${contracts}/results`]: [`select ${contract('r.contract_id')}, ${resultColumns} from ${resultTables}`],
  [`${contracts}/results/logs`]: [`select ${contract('contract_id')}, ${logColumns} from contract_log`],
  [`${contracts}/results/{timestamp}`]: [
    `select ${contract('contract_id')}, ${time('consensus_timestamp')} as timestamp from contract_result`,
  ],
  [`${contracts}/state`]: [
    `select ${contract('contract_id')}, ${hex('slot')} as slot, ${time('modified_timestamp')} as timestamp from contract_state`,
    `select ${contract('contract_id')}, ${hex('slot')} as slot, ${time('consensus_timestamp')} as timestamp
     from contract_state_change`,
  ],
  '/api/v1/network/exchangerate': [timesOfBlocks, `select ${time('consensus_timestamp')} as timestamp from file_data`],
  '/api/v1/network/fees': [timesOfBlocks, `select ${time('consensus_timestamp')} as timestamp from file_data`],
  '/api/v1/network/nodes': [
    `select node_id::text as "node.id", ${id('b.file_id')} as "file.id"
     from address_book_entry e join address_book b on b.start_consensus_timestamp = e.consensus_timestamp`,
  ],
  '/api/v1/network/registered-nodes': ['select registered_node_id::text as "registerednode.id" from registered_node'],
  '/api/v1/network/stake': [],
  '/api/v1/network/supply': [timesOfBlocks, `select ${time('consensus_timestamp')} as timestamp from account_balance`],
  '/api/v1/schedule/{scheduleId}': [`select ${id('schedule_id')} as "scheduleId" from schedule`],
  '/api/v1/schedules': [
    `select ${id('creator_account_id')} as "account.id", ${id('schedule_id')} as "schedule.id" from schedule`,
  ],
  '/api/v1/schedules/{scheduleId}': [`select ${id('schedule_id')} as "scheduleId" from schedule`],
  '/api/v1/tokens': [
    `select ${id('t.token_id')} as "token.id", t.name, t.type::text as type, e.public_key as publickey,
       ${id('a.account_id')} as "account.id"
     from token t join entity e on e.id = t.token_id left join token_account a using (token_id)`,
  ],
  [tokens]: [
    `select ${id('token_id')} as "tokenId", ${time('created_timestamp')} as timestamp from token`,
    `select ${id('token_id')} as "tokenId", ${time('lower(timestamp_range)')} as timestamp from token`,
    `select ${id('token_id')} as "tokenId", ${time('lower(timestamp_range)')} as timestamp from token_history`,
  ],
  [`${tokens}/balances`]: [
    `select ${id('a.token_id')} as "tokenId", ${id('a.account_id')} as "account.id", a.balance::text as "account.balance",
       e.public_key as "account.publickey" from token_account a join entity e on e.id = a.account_id`,
    `select ${id('b.token_id')} as "tokenId", ${id('b.account_id')} as "account.id", b.balance::text as "account.balance",
       ${time('b.consensus_timestamp')} as timestamp from token_balance b`,
  ],
  [`${tokens}/nfts`]: [
    `select ${id('token_id')} as "tokenId", ${id('account_id')} as "account.id", serial_number::text as serialnumber from nft`,
  ],
  [`${tokens}/nfts/{serialNumber}`]: [
    `select ${id('token_id')} as "tokenId", serial_number::text as "serialNumber" from nft`,
  ],
  [`${tokens}/nfts/{serialNumber}/transactions`]: [
    `select ${id('token_id')} as "tokenId", serial_number::text as "serialNumber",
       ${time('lower(timestamp_range)')} as timestamp from nft`,
    `select ${id('token_id')} as "tokenId", serial_number::text as "serialNumber",
       ${time('lower(timestamp_range)')} as timestamp from nft_history`,
  ],
  '/api/v1/topics/messages/{timestamp}': [`select ${time('consensus_timestamp')} as timestamp from topic_message`],
  [topics]: [`select ${id('id')} as "topicId" from topic`],
  [`${topics}/messages`]: [
    `select ${id('topic_id')} as "topicId", sequence_number::text as sequencenumber,
       ${time('consensus_timestamp')} as timestamp from topic_message`,
  ],
  [`${topics}/messages/{sequenceNumber}`]: [
    `select ${id('topic_id')} as "topicId", sequence_number::text as "sequenceNumber" from topic_message`,
  ],
  '/api/v1/transactions': [
    `select ${id('t.payer_account_id')} as "account.id", ${time('t.consensus_timestamp')} as timestamp,
       name as transactiontype from transaction t join ${typeNames} using (type)`,
    `select ${id('c.entity_id')} as "account.id", ${time('c.consensus_timestamp')} as timestamp,
       name as transactiontype
     from crypto_transfer c join transaction t using (consensus_timestamp) join ${typeNames} using (type)`,
    `select ${id('c.account_id')} as "account.id", ${time('c.consensus_timestamp')} as timestamp,
       name as transactiontype
     from token_transfer c join transaction t using (consensus_timestamp) join ${typeNames} using (type)`,
  ],
  '/api/v1/transactions/{transactionId}': [
    `select distinct on (type) ${transactionId('payer_account_id', 'valid_start_ns')} as "transactionId",
       nonce::text as nonce, scheduled::text as scheduled from transaction`,
    `select ${transactionId('payer_account_id', 'valid_start_ns')} as "transactionId", nonce::text as nonce,
       scheduled::text as scheduled from transaction`,
    `select ${transactionId('payer_account_id', 'valid_start_ns')} as "transactionId", nonce::text as nonce,
       scheduled::text as scheduled from transaction where nonce > 0 or scheduled or inner_transactions is not null`,
    `select ${hex('transaction_hash')} as "transactionId" from transaction`,
    `select translate(encode(transaction_hash, 'base64'), E'+/\\n', '-_') as "transactionId" from transaction`,
  ],
};

/** Paths that there are values for. */
export const knownPaths: ReadonlySet<string> = new Set(Object.keys(queries));

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (bytes: Uint8Array): string => {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
};

const readSpellings = async (database: Queryable): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = await database.query<{ id: string; alias: Uint8Array | null; evm_address: Uint8Array | null }>(
    'select id, alias, evm_address from entity',
  );
  return new Map(
    rows.map(({ id: num, alias, evm_address }) => {
      const longZero = BigInt(num).toString(16).padStart(40, '0');
      const spellings = [num, `0.${num}`, `0x${longZero}`, longZero];
      if (alias !== null) spellings.push(base32(alias), base32(alias));
      if (evm_address !== null) {
        const address = Buffer.from(evm_address).toString('hex');
        spellings.push(`0x${address}`, address, `0x${address.toUpperCase()}`);
      }
      return [`0.0.${num}`, spellings];
    }),
  );
};

/** Reads them, in an order that is the same for the same rows. */
export const readLedgerValues = async (database: Queryable): Promise<LedgerValues> => {
  const scenes = new Map<string, readonly Scene[]>();
  for (const [path, statements] of Object.entries(queries)) {
    const found: Scene[] = [];
    for (const statement of statements) {
      const rows = await database.query<Record<string, string | null>>(
        `select * from (${statement}) scene order by md5(scene::text) limit ${MOST_ROWS}`,
      );
      for (const row of rows) {
        found.push(
          Object.fromEntries(Object.entries(row).filter((entry): entry is [string, string] => entry[1] !== null)),
        );
      }
    }
    scenes.set(path, found);
  }
  return { scenes, spellings: await readSpellings(database) };
};
