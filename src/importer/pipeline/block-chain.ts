/**
 * Keeps in `kagami.block_chain` where the chain of blocks stands, in the transaction of the block itself: a restarted import
 * then holds against the next block what an uninterrupted one would.
 */
import type { Queryable } from '../../database/connection.ts';
import { fromHex } from '../../ledger/bytes.ts';
import { START_OF_CHAIN } from '../../streams/block/chain.ts';
import type { ChainState } from '../../streams/block/verdict.ts';
import { type ChainPosition, isBlockStream } from './chain-position.ts';

type Kept = Pick<ChainPosition, 'index' | 'consensusEnd'> & { readonly chain: ChainState };

/** Keeps where the chain stands behind a block; its number in the chain must be the one that its row has. */
export const keepBlockChain = async (database: Queryable, { index, consensusEnd, chain }: Kept): Promise<void> => {
  const { last, tree } = chain;
  if (last?.number !== index) return;
  await database.query(
    `insert into kagami.block_chain (index, consensus_end, root_hashes, tree) values ($1, $2, $3, $4)
     on conflict (only_row) do update set index = excluded.index, consensus_end = excluded.consensus_end,
       root_hashes = excluded.root_hashes, tree = excluded.tree`,
    [index, consensusEnd, last.rootHashes.map(bufferOf), tree?.count === index ? tree.pending.map(bufferOf) : null],
    'keep-block-chain',
  );
};

/** Where the chain stands behind the last block of the database, as far as that is known. */
export const readBlockChain = async (database: Queryable, last: ChainPosition | undefined): Promise<ChainState> => {
  if (last === undefined) return START_OF_CHAIN;
  const [kept] = await database.query<{ root_hashes: Buffer[]; tree: Buffer[] | null }>(
    'select root_hashes, tree from kagami.block_chain where index = $1 and consensus_end = $2',
    [last.index, last.consensusEnd],
  );
  const hash = fromHex(last.hash) ?? new Uint8Array(0);
  const ofStream = isBlockStream(last);
  return {
    last: {
      number: last.index,
      rootHashes: kept?.root_hashes ?? (ofStream ? [hash] : []),
      recordHash: ofStream ? null : hash,
    },
    tree: kept?.tree ? { count: last.index, pending: kept.tree } : null,
  };
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
