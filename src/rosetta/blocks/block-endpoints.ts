/** `/block` and `/block/transaction`. */
import type { Database } from '../../database/connection.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { Endpoint } from '../endpoint.ts';
import { rosettaError } from '../rosetta-error.ts';
import type { BlockLookup } from './block-lookup.ts';
import type { TransactionReader } from './block-transactions.ts';
import { fullIdentifier, requiredPartialIdentifier, transactionHashText } from './identifiers.ts';

export interface BlockEndpointOptions {
  readonly database: Pick<Database, 'transaction'>;
  readonly blocks: BlockLookup;
  readonly transactions: TransactionReader;
}

/** What one answer says belongs to one state of the database. */
const oneState = { isolation: 'repeatable read', readOnly: true } as const;

export const blockEndpoints = ({ database, blocks, transactions }: BlockEndpointOptions): readonly Endpoint[] => [
  {
    paths: ['/block'],
    offline: false,
    serve: (request) => {
      const identifier = requiredPartialIdentifier(request);
      return database.transaction(async (client) => {
        const block = await blocks.find(client, identifier);
        const { transactions: shown, others } = await transactions.readAll(client, block.start, block.end);
        return {
          block: {
            block_identifier: block.identifier,
            parent_block_identifier: block.parent,
            timestamp: Number(block.start / 1_000_000n),
            transactions: shown,
          },
          ...(others.length === 0 ? {} : { other_transactions: others.map((hash) => ({ hash })) }),
        };
      }, oneState);
    },
  },
  {
    paths: ['/block/transaction'],
    offline: false,
    serve: (request) => {
      const identifier = fullIdentifier(request);
      const hash = fromHex(transactionHashText(request));
      if (hash === undefined || hash.length === 0) throw rosettaError('invalidTransactionIdentifier');
      return database.transaction(async (client) => {
        const { start, end } = await blocks.find(client, identifier);
        const transaction = await transactions.readOne(client, start, end, hash);
        if (transaction === undefined) throw rosettaError('transactionNotFound');
        return { transaction };
      }, oneState);
    },
  },
];
