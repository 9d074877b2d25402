/** Transactions of a block, read in pages, so that a block of any size takes the memory of its answer. */
import type { Queryable } from '../../database/connection.ts';
import { toHex } from '../../ledger/bytes.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import type { AccountNames } from '../accounts/account-names.ts';
import { hbarAmount } from '../amount.ts';
import { GroupedTransaction, type Operation, type TransactionRow, type Transfer } from './operations.ts';

const PAGE_ROWS = 2_000;

type TransferPair = readonly [account: string, amount: string];

interface PageRow {
  readonly consensus_timestamp: string;
  readonly type: number;
  readonly result: number;
  readonly payer_account_id: string;
  readonly entity_id: string | null;
  readonly memo: Buffer | null;
  readonly transaction_hash: Buffer | null;
  /** JSON texts of pairs of texts, so that no amount is rounded. */
  readonly transfers: string;
  readonly itemized: string;
  readonly rewards: string;
}

const rowsSql = (further: string): string => `select t.consensus_timestamp, t.type, t.result, t.payer_account_id,
    t.entity_id, t.memo, t.transaction_hash,
    (
      select coalesce(json_agg(json_build_array(c.entity_id::text, c.amount::text) order by c.entity_id), '[]')
      from crypto_transfer c
      where c.consensus_timestamp = t.consensus_timestamp and (c.errata is null or c.errata <> 'DELETE')
    ) as transfers,
    (
      select coalesce(json_agg(json_build_array(i.entry->>'entity_id', i.entry->>'amount') order by i.position), '[]')
      from jsonb_array_elements(t.itemized_transfer) with ordinality i (entry, position)
    ) as itemized,
    (
      select coalesce(json_agg(json_build_array(s.account_id::text, s.amount::text) order by s.account_id), '[]')
      from staking_reward_transfer s where s.consensus_timestamp = t.consensus_timestamp
    ) as rewards
  from transaction t
  where t.consensus_timestamp between $1 and $2 ${further}
  order by t.consensus_timestamp limit ${PAGE_ROWS}`;

const pageSql = rowsSql('');
const hashSql = rowsSql('and t.transaction_hash = $3');

const transfersOf = (json: string): readonly Transfer[] =>
  json === '[]'
    ? []
    : (JSON.parse(json) as readonly TransferPair[]).map(([account, amount]) => ({ account, amount: BigInt(amount) }));

const rowOf = (row: PageRow): TransactionRow => ({
  type: row.type,
  result: row.result,
  payer: row.payer_account_id,
  entity: row.entity_id,
  memo: row.memo?.toString('utf8') ?? '',
  transfers: transfersOf(row.transfers),
  itemized: transfersOf(row.itemized),
  rewards: transfersOf(row.rewards),
});

export interface TransactionJson {
  readonly transaction_identifier: { readonly hash: string };
  readonly operations: readonly Operation[];
  readonly metadata?: object;
}

export interface BlockTransactions {
  readonly transactions: readonly TransactionJson[];
  /** Hashes of those beyond the most that an answer holds. */
  readonly others: readonly string[];
}

export interface TransactionReader {
  /** @param start and end in nanoseconds, both inclusive */
  readAll(database: Queryable, start: bigint, end: bigint): Promise<BlockTransactions>;
  /** Undefined when no transaction of that time has the hash. */
  readOne(database: Queryable, start: bigint, end: bigint, hash: Uint8Array): Promise<TransactionJson | undefined>;
}

export interface TransactionReaderOptions {
  readonly names: AccountNames;
  /** The account that pays staking rewards, decimal digits of its entity id. */
  readonly rewardAccount: string;
  readonly maxTransactions: number;
}

export const createTransactionReader = (options: TransactionReaderOptions): TransactionReader => {
  const { names, rewardAccount, maxTransactions } = options;

  const shown = async (
    database: Queryable,
    groups: readonly GroupedTransaction[],
  ): Promise<readonly TransactionJson[]> => {
    const accounts = new Set(groups.flatMap(({ movements }) => movements.map(({ account }) => account)));
    const addresses = await names.read(database, accounts);
    return groups.map((group) => {
      const metadata = group.metadata(formatEntityId);
      return {
        transaction_identifier: { hash: group.hash },
        operations: group.movements.map(({ account, amount, type, status }, index) => ({
          operation_identifier: { index },
          type,
          status,
          account: { address: addresses.get(account) ?? formatEntityId(account) },
          amount: hbarAmount(amount),
        })),
        ...(metadata && { metadata }),
      };
    });
  };

  /** Groups by hash, at most `most` of them; the hashes of further ones. */
  const group = async (pages: AsyncIterable<readonly PageRow[]>, most: number) => {
    const groups = new Map<string, GroupedTransaction>();
    const others = new Set<string>();
    for await (const rows of pages) {
      for (const row of rows) {
        const hash = `0x${toHex(row.transaction_hash ?? Buffer.alloc(0))}`;
        let found = groups.get(hash);
        if (found === undefined && groups.size === most) {
          others.add(hash);
          continue;
        }
        const read = rowOf(row);
        found ??= new GroupedTransaction(hash, read);
        groups.set(hash, found);
        found.add(read, rewardAccount);
      }
    }
    for (const found of groups.values()) found.finish();
    return { groups: [...groups.values()], others: [...others] };
  };

  async function* pagesOf(
    database: Queryable,
    start: bigint,
    end: bigint,
    hash?: Uint8Array,
  ): AsyncGenerator<readonly PageRow[]> {
    for (let from = start; from <= end; ) {
      const rows = await (hash === undefined
        ? database.query<PageRow>(pageSql, [from, end], 'rosetta-block-transactions')
        : database.query<PageRow>(hashSql, [from, end, Buffer.from(hash)], 'rosetta-block-transaction'));
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE_ROWS) return;
      from = BigInt(rows.at(-1)?.consensus_timestamp ?? end) + 1n;
    }
  }

  return {
    readAll: async (database, start, end) => {
      const { groups, others } = await group(pagesOf(database, start, end), maxTransactions);
      return { transactions: await shown(database, groups), others };
    },
    readOne: async (database, start, end, hash) => {
      const { groups } = await group(pagesOf(database, start, end, hash), 1);
      const [transaction] = await shown(database, groups);
      return transaction;
    },
  };
};
