/** Two record files of mainnet bear the same block number: the second takes in the first, whose row goes. */
import type { DatabaseClient } from '../../database/connection.ts';
import { BLOOM_LENGTH, uniteBloom } from '../../ledger/bloom.ts';
import { isPast, type Repair } from './repair.ts';

const NUMBER = 44_029_066n;
const FIRST_END = 1_675_962_000_231_859_003n;
const SECOND_END = 1_675_962_001_984_524_003n;

interface BlockRow {
  readonly count: string;
  readonly logs_bloom: Buffer | null;
}

/** Not before a later block is there: the import goes on from the name of the last one. */
export const duplicateBlock: Repair = {
  name: 'duplicate-block',
  setting: 'mergeDuplicateBlocksMigration',
  isDue: (reach) => isPast(SECOND_END, reach),
  async run(client) {
    const first = await blockEnding(client, FIRST_END);
    const second = await blockEnding(client, SECOND_END);
    if (first === undefined || second === undefined) return 0;
    await client.query(
      `update record_file merged set
         consensus_start = first.consensus_start, count = first.count + merged.count,
         gas_used = first.gas_used + merged.gas_used, load_start = first.load_start, logs_bloom = $3, name = first.name,
         prev_hash = first.prev_hash, sidecar_count = first.sidecar_count + merged.sidecar_count,
         size = first.size + merged.size
       from record_file first
       where first.consensus_end = $1 and merged.consensus_end = $2`,
      [FIRST_END, SECOND_END, unitedBloom(first, second)],
    );
    await client.query('delete from record_file where consensus_end = $1', [FIRST_END]);
    const [moved] = await client.query<{ count: number }>(
      `with moved as (
         update transaction set index = index + $3::integer
         where consensus_timestamp > $1 and consensus_timestamp <= $2 returning 1
       )
       select count(*)::integer as count from moved`,
      [FIRST_END, SECOND_END, first.count],
    );
    return 2 + (moved?.count ?? 0);
  },
};

const blockEnding = async (client: DatabaseClient, end: bigint): Promise<BlockRow | undefined> => {
  const rows = await client.query<BlockRow>(
    'select count, logs_bloom from record_file where consensus_end = $1 and index = $2',
    [end, NUMBER],
  );
  return rows[0];
};

const unitedBloom = (first: BlockRow, second: BlockRow): Uint8Array | null => {
  const blooms = [first.logs_bloom, second.logs_bloom].filter((bloom) => bloom?.length === BLOOM_LENGTH);
  if (blooms.length === 0) return second.logs_bloom;
  const united = new Uint8Array(BLOOM_LENGTH);
  for (const bloom of blooms) if (bloom) uniteBloom(united, bloom);
  return united;
};
