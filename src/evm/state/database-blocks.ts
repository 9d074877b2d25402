/** Blocks as `record_file` keeps them. */
import type { Queryable } from '../../database/connection.ts';
import { ReadCache } from './read-cache.ts';
import type { BlockChoice, BlockRecord } from './state-source.ts';

interface BlockRow {
  readonly consensus_end: string;
  readonly consensus_start: string;
  readonly hash: string;
  readonly index: string;
}

interface BlockQuery {
  /** Names the statement and, with the value, the kept answer. */
  readonly name: string;
  readonly condition: string;
  readonly value?: bigint | string;
}

const KEPT_BLOCKS = 10_000;

const queries = {
  latest: 'order by consensus_end desc',
  earliest: 'order by index',
  number: 'where index = $1 order by consensus_end desc',
  // "g" comes after every hex digit, so that this is the range of what begins with the given digits.
  hash: `where hash collate "C" >= $1 and hash collate "C" < $1 || 'g' order by hash collate "C"`,
  time: 'where consensus_end >= $1 order by consensus_end',
} as const;

const query = (name: keyof typeof queries, value?: bigint | string): BlockQuery => ({
  name,
  condition: queries[name],
  ...(value === undefined ? {} : { value }),
});

const blockOf = (row: BlockRow): BlockRecord => ({
  index: BigInt(row.index),
  consensusStart: BigInt(row.consensus_start),
  consensusEnd: BigInt(row.consensus_end),
  hash: new Uint8Array(Buffer.from(row.hash, 'hex')),
});

const choiceQuery = (choice: BlockChoice): BlockQuery => {
  switch (choice.kind) {
    case 'number':
      return query('number', choice.number);
    case 'hash':
      return query('hash', choice.hash.toLowerCase());
    default:
      return query(choice.kind);
  }
};

export class BlockReads {
  readonly #db: Queryable;
  readonly #blocks: ReadCache<BlockQuery, BlockRecord | undefined>;

  constructor(db: Queryable) {
    this.#db = db;
    this.#blocks = new ReadCache({
      keyOf: ({ name, value }) => `${name} ${value ?? ''}`,
      load: (asked) => Promise.all(asked.map((each) => this.#find(each))),
      limit: KEPT_BLOCKS,
    });
  }

  chosen(choice: BlockChoice): Promise<BlockRecord | undefined> {
    return this.#blocks.read(choiceQuery(choice));
  }

  /** The block that holds a consensus timestamp, or the first one after it. */
  at(timestamp: bigint): Promise<BlockRecord | undefined> {
    return this.#blocks.read(query('time', timestamp));
  }

  clear(): void {
    this.#blocks.clear();
  }

  async #find({ name, condition, value }: BlockQuery): Promise<BlockRecord | undefined> {
    const [row] = await this.#db.query<BlockRow>(
      `select index, consensus_start, consensus_end, hash from record_file ${condition} limit 1`,
      value === undefined ? [] : [value],
      `evm-block-${name}`,
    );
    return row === undefined ? undefined : blockOf(row);
  }
}
