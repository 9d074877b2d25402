/** Writes one balance file into `account_balance`, `token_balance` and `account_balance_file`, all or nothing. */
import { advisoryLockSpace, advisoryLocks } from '../../database/advisory-locks.ts';
import type { Database, DatabaseClient } from '../../database/connection.ts';
import { copyRows } from '../../database/copy.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { createPartitionsAhead } from '../../database/partitions.ts';
import type { RowOf } from '../../database/table.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { AccountHoldings } from '../../streams/balance-entry.ts';
import { type BalanceFile, readBalanceFile } from '../../streams/balance-file.ts';
import { equalBytes } from '../../streams/equal-bytes.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { TimeOffsetOf } from './time-offset.ts';

const UNIQUE_VIOLATION = '23505';

export interface BalanceFileSource {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The hash that nodes agreed on; null for a file that is trusted unsigned. */
  readonly fileHash: Uint8Array | null;
}

export interface BalanceFileTarget {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly shard: bigint;
  readonly timeOffsetOf: TimeOffsetOf;
  /** Most balances held in memory before they are written. */
  readonly batchSize: number;
}

/**
 * Imports one file in one database transaction.
 * @throws KagamiError STREAM_FILE_HASH_MISMATCH when the file isn't the signed one, STREAM_MALFORMED when it lists an
 * account twice, WRITER_FENCED, and what `readBalanceFile` throws.
 */
export const importBalanceFile = async (source: BalanceFileSource, target: BalanceFileTarget): Promise<BalanceFile> => {
  try {
    return await target.database.transaction(async (client) => {
      await target.lease.check(client);
      return await writeFile(client, source, target);
    });
  } catch (fault) {
    if (isKagamiError(fault) && fault.details.sqlState === UNIQUE_VIOLATION) {
      const rule = `an account is listed twice: ${fault.details.detail ?? fault.message}`;
      throw streamError('STREAM_MALFORMED', { file: source.name, rule }, fault);
    }
    throw fault;
  }
};

const writeFile = async (
  client: DatabaseClient,
  { name, chunks, fileHash }: BalanceFileSource,
  { shard, timeOffsetOf, batchSize }: BalanceFileTarget,
): Promise<BalanceFile> => {
  const loadStart = secondsNow();
  const batch = new BalanceBatch(client, name, batchSize);
  const file = await readBalanceFile(name, chunks, (accounts, timestamp) => batch.add(accounts, timestamp), { shard });
  await batch.write();
  if (fileHash !== null && !equalBytes(file.fileHash, fileHash)) {
    const rule = 'its hash is not the one that nodes signed';
    throw streamError('STREAM_FILE_HASH_MISMATCH', { file: name, rule });
  }
  await copyRows(client, 'account_balance_file', [
    {
      consensus_timestamp: file.consensusTimestamp,
      count: BigInt(file.accounts),
      load_start: loadStart,
      load_end: secondsNow(),
      file_hash: toHex(file.fileHash),
      name: file.name,
      bytes: null,
      time_offset: timeOffsetOf(file.consensusTimestamp),
      synthetic: false,
    },
  ]);
  return file;
};

/** Seconds since 1970, as load times are kept. */
const secondsNow = (): bigint => BigInt(Math.floor(Date.now() / 1_000));

/** Rows on their way into the two tables. */
class BalanceBatch {
  readonly #client: DatabaseClient;
  readonly #file: string;
  readonly #size: number;
  #accounts: RowOf<'account_balance'>[] = [];
  #tokens: RowOf<'token_balance'>[] = [];
  #partitionsReady = false;

  constructor(client: DatabaseClient, file: string, size: number) {
    this.#client = client;
    this.#file = file;
    this.#size = size;
  }

  async add(accounts: readonly AccountHoldings[], timestamp: Nanos): Promise<void> {
    if (!this.#partitionsReady) {
      await ensurePartitions(this.#client, this.#file, timestamp);
      this.#partitionsReady = true;
    }
    for (const { accountId, balance, tokens } of accounts) {
      this.#accounts.push({ account_id: accountId, balance, consensus_timestamp: timestamp });
      for (const { tokenId, balance: held } of tokens) {
        this.#tokens.push({ account_id: accountId, token_id: tokenId, balance: held, consensus_timestamp: timestamp });
      }
    }
    if (this.#accounts.length + this.#tokens.length >= this.#size) await this.write();
  }

  async write(): Promise<void> {
    await copyRows(this.#client, 'account_balance', this.#accounts);
    await copyRows(this.#client, 'token_balance', this.#tokens);
    this.#accounts = [];
    this.#tokens = [];
  }
}

/** @throws KagamiError STREAM_MALFORMED for a time so far in the future that no partition is due for it. */
const ensurePartitions = async (client: DatabaseClient, file: string, timestamp: Nanos): Promise<void> => {
  if (await hasPartitions(client, timestamp)) return;
  await client.query('select pg_advisory_xact_lock($1, $2)', [advisoryLockSpace, advisoryLocks.migration]);
  await createPartitionsAhead(client);
  if (await hasPartitions(client, timestamp)) return;
  throw streamError('STREAM_MALFORMED', { file, rule: 'the balances are of a time more than a month from now' });
};

const hasPartitions = async (client: DatabaseClient, timestamp: Nanos): Promise<boolean> => {
  const rows = await client.query(
    `select from mirror_node_time_partitions
     where parent in ('account_balance', 'token_balance') and from_timestamp <= $1 and to_timestamp > $1`,
    [timestamp],
  );
  return rows.length === 2;
};
