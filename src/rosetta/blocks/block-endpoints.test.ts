import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { fromHex } from '../../ledger/bytes.ts';
import {
  blockIdentifier,
  blockStart,
  hashOf,
  insertAccount,
  insertBalances,
  insertBlocks,
  insertTransaction,
  SNAPSHOT,
  transactionHash,
} from '../testing/ledger-rows.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from '../testing/rosetta.fixture.ts';

const ALIAS = '1220eba8cc093a83a4ca5e813e30d8c503babb35c22d57d34b6ec5ac0303a6aaba77';

let target: TestDatabase;
let rosetta: RosettaFixture;

beforeAll(async () => {
  target = await createTestDatabase();
  rosetta = await openRosetta(target.database);
  const { database } = target;
  await insertBlocks(database);
  await insertBalances(database, { 2: 5_000n, 1001: 1_000n });
  await insertAccount(database, { id: 1_002n, alias: fromHex(ALIAS) as Uint8Array });
  // An alias that is an EVM address has no form here.
  await insertAccount(database, { id: 1_003n, alias: new Uint8Array(20).fill(7) });
  // At the snapshot itself, so before the genesis block.
  await insertTransaction(database, { at: SNAPSHOT, hash: 1, transfers: [[1_001, -1n]] });
  await insertTransaction(database, {
    at: SNAPSHOT + 1n,
    hash: 2,
    memo: 'hi',
    entity: 77,
    transfers: [
      [3, 4n],
      [98, 6n],
      [1_001, -110n],
      [1_002, 100n],
    ],
    itemized: [
      [1_001, -100n],
      [1_002, 100n],
      [9_999, 5n],
    ],
  });
  // Between blocks 12 and 13, so in 12: failed, with transfers in its record that did not happen.
  await insertTransaction(database, {
    at: blockStart(12) + 700n,
    hash: 3,
    result: 28,
    transfers: [
      [3, 10n],
      [1_001, -10n],
    ],
    spurious: [[1_001, -500n]],
    itemized: [
      [1_001, -500n],
      [1_003, 500n],
    ],
  });
  // A child and its parent have one hash; the parent gets a staking reward.
  await insertTransaction(database, {
    at: blockStart(12) + 800n,
    hash: 4,
    type: 11,
    entity: 1_004,
    transfers: [
      [3, 1n],
      [1_001, -1n],
    ],
  });
  await insertTransaction(database, {
    at: blockStart(12) + 801n,
    hash: 4,
    entity: 1_005,
    transfers: [
      [3, 2n],
      [800, -9n],
      [1_001, 7n],
    ],
    rewards: [[1_001, 9n]],
  });
  await insertTransaction(database, { at: blockStart(12) + 802n, hash: 3, result: 11, transfers: [] });
});

afterAll(async () => {
  await rosetta?.stop();
  await target?.drop();
});

const operation = (index: number, address: string, value: string, type: string, status = 'SUCCESS') => ({
  operation_identifier: { index },
  type,
  status,
  account: { address },
  amount: hbar(value),
});

const genesis = {
  block_identifier: blockIdentifier(11),
  parent_block_identifier: blockIdentifier(11),
  timestamp: 1_704_067_200_000,
  transactions: [
    {
      transaction_identifier: { hash: `0x${transactionHash(2)}` },
      operations: [
        operation(0, '0.0.1001', '-100', 'CRYPTOTRANSFER'),
        operation(1, `0x${ALIAS}`, '100', 'CRYPTOTRANSFER'),
        operation(2, '0.0.3', '4', 'FEE'),
        operation(3, '0.0.98', '6', 'FEE'),
        operation(4, '0.0.1001', '-10', 'FEE'),
      ],
      metadata: { entity_id: '0.0.77', memo: 'hi' },
    },
  ],
};

const failed = {
  transaction_identifier: { hash: `0x${transactionHash(3)}` },
  operations: [
    operation(0, '0.0.3', '10', 'FEE'),
    operation(1, '0.0.1001', '-10', 'FEE'),
    operation(2, '0.0.1001', '0', 'CRYPTOTRANSFER', 'INSUFFICIENT_ACCOUNT_BALANCE'),
  ],
};

const grouped = {
  transaction_identifier: { hash: `0x${transactionHash(4)}` },
  operations: [
    operation(0, '0.0.3', '1', 'FEE'),
    operation(1, '0.0.1001', '-1', 'FEE'),
    operation(2, '0.0.3', '2', 'FEE'),
    operation(3, '0.0.1001', '-2', 'FEE'),
    operation(4, '0.0.1001', '9', 'CRYPTOTRANSFER'),
    operation(5, '0.0.800', '-9', 'CRYPTOTRANSFER'),
  ],
  metadata: { entity_id: '0.0.1005' },
};

const block = (block_identifier?: object) => rosetta.ask('/block', block_identifier && { block_identifier });

describe('/block', () => {
  it('begins with the block after the first snapshot, which is its own parent', async () => {
    expect(await block({ index: 11 })).toEqual({ status: 200, body: { block: genesis } });
  });

  it('takes in what comes before the next block, one transaction for each hash', async () => {
    expect(await block({ index: 12 })).toEqual({
      status: 200,
      body: {
        block: {
          block_identifier: blockIdentifier(12),
          parent_block_identifier: blockIdentifier(11),
          timestamp: 1_704_067_200_000,
          transactions: [failed, grouped],
        },
      },
    });
  });

  it('finds by hash, with and without 0x, by both, and the latest', async () => {
    for (const identifier of [
      { hash: hashOf(11) },
      { hash: `0x${hashOf(11)}` },
      { hash: `0x${hashOf(11)}`, index: 11 },
    ]) {
      expect((await block(identifier)).body).toEqual({ block: genesis });
    }
    expect((await block({})).body).toMatchObject({
      block: { block_identifier: blockIdentifier(13), transactions: [] },
    });
  });

  it('is refused for blocks that are not there', async () => {
    const notFound = { status: 500, body: { code: 101, message: 'Block not found', retriable: true } };
    for (const identifier of [
      { index: 10 },
      { index: 14 },
      { hash: hashOf(10) },
      { hash: hashOf(14) },
      { hash: hashOf(11), index: 12 },
      { index: 9_007_199_254_740_991 },
    ]) {
      expect(await block(identifier)).toEqual(notFound);
    }
    expect((await block({ hash: '' })).body).toEqual({ code: 124, message: 'Invalid argument', retriable: false });
    expect((await block()).body).toMatchObject({ code: 0, message: 'PartialBlockIdentifier is nil' });
    expect((await block({ index: -1 })).body).toMatchObject({ code: 0, message: 'BlockIdentifier.Index is negative' });
    expect((await block({ index: '11' })).body).toMatchObject({ code: 0, message: 'json: index must be an integer' });
  });

  it('lists the hashes of transactions beyond the most of an answer', async () => {
    const short = await openRosetta(target.database, { settings: { response: { maxTransactionsInBlock: 1 } } });
    expect((await short.ask('/block', { block_identifier: { index: 12 } })).body).toMatchObject({
      block: { transactions: [failed] },
      other_transactions: [{ hash: `0x${transactionHash(4)}` }],
    });
    await short.stop();
  });

  it('reads a block of more than a page', async () => {
    const start = blockStart(13);
    await target.database.query(
      `insert into transaction (consensus_timestamp, payer_account_id, result, type, valid_start_ns, transaction_hash)
        select $1::bigint + i % 500, 2, 22, 14, i, decode(lpad(to_hex(i % 450), 96, '0'), 'hex')
        from generate_series(0, 499) i`,
      [start],
    );
    await target.database.query(
      `insert into transaction (consensus_timestamp, payer_account_id, result, type, valid_start_ns, transaction_hash)
        select $1::bigint + 501 + i, 2, 22, 14, i, decode(lpad(to_hex(i % 450), 96, '0'), 'hex')
        from generate_series(0, 3999) i`,
      [start],
    );
    await target.database.query('update record_file set consensus_end = $1 where index = 13', [start + 10_000n]);
    const { body } = await block({ index: 13 });
    expect((body as { block: { transactions: unknown[] } }).block.transactions).toHaveLength(450);
  });
});

describe('/block/transaction', () => {
  const ask = (index: number, hash: string, block_identifier: object = blockIdentifier(index)) =>
    rosetta.ask('/block/transaction', { block_identifier, transaction_identifier: { hash } });

  it('gives a transaction as the block does', async () => {
    expect(await ask(12, `0x${transactionHash(4)}`)).toEqual({ status: 200, body: { transaction: grouped } });
    expect((await ask(11, transactionHash(2))).body).toEqual({ transaction: genesis.transactions[0] });
  });

  it('is refused for hashes that are none, or of other blocks', async () => {
    expect((await ask(12, 'xyz')).body).toEqual({
      code: 108,
      message: 'Invalid Transaction Identifier provided',
      retriable: false,
    });
    expect((await ask(12, transactionHash(2))).body).toEqual({
      code: 119,
      message: 'Transaction not found',
      retriable: true,
    });
    // Before the snapshot.
    expect((await ask(11, transactionHash(1))).body).toMatchObject({ code: 119 });
    expect((await ask(14, transactionHash(2))).body).toMatchObject({ code: 101 });
    expect((await ask(12, '')).body).toMatchObject({ code: 0, message: 'TransactionIdentifier.Hash is missing' });
    expect((await ask(12, '00', { index: 12 })).body).toMatchObject({
      code: 0,
      message: 'BlockIdentifier.Hash is missing',
    });
    expect((await rosetta.ask('/block/transaction')).body).toMatchObject({
      code: 0,
      message: 'BlockIdentifier is nil',
    });
    expect((await rosetta.ask('/block/transaction', { block_identifier: blockIdentifier(12) })).body).toMatchObject({
      code: 0,
      message: 'TransactionIdentifier is nil',
    });
  });
});
