import { expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import type { RecordFileItem } from '../../streams/record-file-content.ts';
import { BlockTransformer } from '../block-transformer.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { PrefetchedFileContents } from '../file-contents.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import { decodeRecordItems } from '../record-items.ts';
import { insertTables } from '../tables/registry.ts';
import { amounts, rawItem, recordFileOf, START } from '../testing/items.fixture.ts';
import { transactionHandlers } from '../transactions/registry.ts';
import { compileItemFilter } from './item-filter.ts';

const NETWORK = { shard: 0n, realm: 0n };

const { importer } = loadSettings({
  cwd: '/',
  env: {
    HIERO_MIRROR_IMPORTER_PARSER_INCLUDE_0_TRANSACTION: 'CONTRACTCALL,CRYPTOTRANSFER',
    HIERO_MIRROR_IMPORTER_PARSER_EXCLUDE_0_ENTITY_0: '0.0.2002',
    HIERO_MIRROR_IMPORTER_PARSER_EXCLUDE_1_EXPRESSION: 'transactionBody.memo == "noise"',
  },
  files: [],
  overrides: [],
  readFile: () => undefined,
}).settings.hiero.mirror;

/** A contract call whose gas and bloom bit tell it apart. */
const contractCall = (at: number, memo = ''): RecordFileItem => {
  const bloom = new Uint8Array(256);
  bloom[at] = at;
  return rawItem({
    at,
    body: { memo, data: { $case: 'contractCall', contractCall: {} } },
    record: { body: { $case: 'contractCallResult', contractCallResult: { gasUsed: BigInt(at), bloom } } },
  });
};

const payment = (at: number, receiver: bigint): RecordFileItem =>
  rawItem({
    at,
    body: { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } },
    record: { transferList: { accountAmounts: amounts([1001n, -9n], [receiver, 9n]) } },
  });

const prng = (at: number): RecordFileItem => rawItem({ at, body: { data: { $case: 'utilPrng', utilPrng: {} } } });

it('leaves out the rows of filtered transactions, which still count for the block and its EVM ordinals', () => {
  const transformer = new BlockTransformer({
    handlers: transactionHandlers,
    lookup: new CachedEntityLookup(NETWORK),
    files: new PrefetchedFileContents(),
    persist: importer.parser.record.entity.persist,
    network: NETWORK,
    filter: compileItemFilter(importer.parser, NETWORK),
  });
  const batch = new LedgerBatch({ entityHistory: true });
  const file = recordFileOf([
    contractCall(1),
    contractCall(2, 'noise'),
    payment(3, 2001n),
    payment(4, 2002n),
    prng(5),
    contractCall(6),
  ]);
  const block = { file, index: 9n, loadStart: 100n, loadEnd: 200n };
  const stats = transformer.transform(
    block,
    decodeRecordItems(file, () => undefined),
    batch,
  );

  expect(batch.rows('transaction').map((row) => [row.consensus_timestamp - START, row.index])).toEqual([
    [1n, 0],
    [3n, 2],
    [6n, 5],
  ]);
  expect(batch.rows('crypto_transfer').map((row) => row.entity_id)).toEqual([1001n, 2001n]);
  expect([...stats.types]).toEqual([
    ['CONTRACTCALL', 2],
    ['CRYPTOTRANSFER', 1],
  ]);
  expect(stats).toMatchObject({ transactions: 3, errorCount: 0 });
  expect(batch.rows('contract_result').map((row) => [row.consensus_timestamp - START, row.transaction_index])).toEqual([
    [1n, 0],
    [6n, 2],
  ]);
  const bloom = new Uint8Array(256);
  for (const bit of [1, 2, 6]) bloom[bit] = bit;
  expect(batch.rows('record_file')).toEqual([expect.objectContaining({ count: 6n, gas_used: 9n, logs_bloom: bloom })]);
  expect(insertTables.filter((table) => batch.rows(table).length > 0).sort()).toEqual([
    'contract_result',
    'contract_transaction',
    'contract_transaction_hash',
    'crypto_transfer',
    'record_file',
    'transaction',
    'transaction_hash',
  ]);
  expect(batch.rows('transaction_hash').length).toBe(3);
});
