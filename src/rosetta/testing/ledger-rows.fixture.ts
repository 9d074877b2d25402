/** A small ledger: a snapshot of balances, three blocks after it, and one before it. */
import type { Database } from '../../database/connection.ts';

type Queries = Pick<Database, 'query'>;

/** 2024-01-01T00:00:00Z, where a monthly partition begins. */
const MONTH = 1_704_067_200_000_000_000n;
/** Of the balance snapshot. */
export const SNAPSHOT = MONTH + 1_000n;

export const hashOf = (index: number): string => String(index).padStart(2, '0').repeat(48);
export const blockIdentifier = (index: number) => ({ index, hash: `0x${hashOf(index)}` });
export const transactionHash = (number: number): string => number.toString(16).padStart(96, '0');

/** Blocks 10, 11, 12, 13 of a microsecond each; 10 ends before the snapshot, and 11 begins with it. */
export const blockStart = (index: number): bigint => MONTH + BigInt(index - 10) * 1_000n;

export const insertBlocks = async (database: Queries): Promise<void> => {
  for (const index of [10, 11, 12, 13]) {
    const start = blockStart(index);
    await database.query(
      `insert into record_file (consensus_start, consensus_end, "count", digest_algorithm, file_hash, hash, index, load_end,
          load_start, name, prev_hash, version)
        values ($1, $2, 1, 0, '', $3, $4, 1, 1, $4::bigint::text, $5, 6)`,
      [start, start + 500n, hashOf(index), index, hashOf(index - 1)],
    );
  }
};

export const insertBalances = async (database: Queries, balances: Readonly<Record<string, bigint>>): Promise<void> => {
  await database.query('call create_mirror_node_time_partitions()').catch(() => undefined);
  for (const [account, balance] of Object.entries(balances)) {
    await database.query('insert into account_balance (consensus_timestamp, account_id, balance) values ($1, $2, $3)', [
      SNAPSHOT,
      account,
      balance,
    ]);
  }
};

export interface EntityFacts {
  readonly id: bigint;
  readonly alias?: Uint8Array;
  readonly key?: Uint8Array;
  readonly deletedAt?: bigint;
}

export const insertAccount = (database: Queries, { id, alias, key, deletedAt }: EntityFacts): Promise<unknown> =>
  database.query(
    `insert into entity (id, num, realm, shard, type, timestamp_range, created_timestamp, alias, key, deleted)
      values ($1, $1, 0, 0, 'ACCOUNT', int8range($2, null), 1, $3, $4, $5)`,
    [id, deletedAt ?? 1n, alias && Buffer.from(alias), key && Buffer.from(key), deletedAt !== undefined],
  );

type Amounts = readonly (readonly [account: number, amount: bigint])[];

export interface TransactionFacts {
  readonly at: bigint;
  readonly hash: number;
  readonly type?: number;
  readonly result?: number;
  readonly payer?: number;
  readonly entity?: number;
  readonly memo?: string;
  readonly transfers: Amounts;
  readonly spurious?: Amounts;
  readonly itemized?: Amounts;
  readonly rewards?: Amounts;
}

export const insertTransaction = async (database: Queries, facts: TransactionFacts): Promise<void> => {
  const { at, hash, type = 14, result = 22, payer = 1_001, transfers, spurious = [], rewards = [] } = facts;
  const itemized = facts.itemized?.map(
    ([account, amount]) => `{"amount":${amount},"entity_id":${account},"is_approval":false}`,
  );
  await database.query(
    `insert into transaction (consensus_timestamp, entity_id, payer_account_id, result, type, valid_start_ns, memo,
        transaction_hash, itemized_transfer)
      values ($1, $2, $3, $4, $5, $1, $6, $7, $8::jsonb)`,
    [
      at,
      facts.entity ?? null,
      payer,
      result,
      type,
      Buffer.from(facts.memo ?? ''),
      Buffer.from(transactionHash(hash), 'hex'),
      itemized === undefined ? null : `[${itemized.join(',')}]`,
    ],
  );
  for (const [account, amount, errata] of [
    ...transfers.map((pair) => [...pair, null] as const),
    ...spurious.map((pair) => [...pair, 'DELETE'] as const),
  ]) {
    await database.query(
      `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id, errata)
        values ($1, $2, $3, $4, $5::errata_type)`,
      [account, at, amount, payer, errata],
    );
  }
  for (const [account, amount] of rewards) {
    await database.query(
      `insert into staking_reward_transfer (account_id, amount, consensus_timestamp, payer_account_id)
        values ($1, $2, $3, $4)`,
      [account, amount, at, payer],
    );
  }
};
