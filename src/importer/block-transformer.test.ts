import { describe, expect, it } from 'vitest';
import type { Setting } from '../config/setting.ts';
import { persistSettings } from '../config/settings/importer.ts';
import { keccak256 } from '../ledger/hash.ts';
import { encodeTransaction, transactionOf } from '../ledger/testing/ethereum-transaction.fixture.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import type { RecordFile, RecordFileItem } from '../streams/record-file-content.ts';
import { type BlockStats, BlockTransformer, type BlockTransformerOptions } from './block-transformer.ts';
import { CachedEntityLookup } from './entity-lookup.ts';
import { PrefetchedFileContents } from './file-contents.ts';
import { LedgerBatch } from './ledger-batch.ts';
import { decodeRecordItems } from './record-items.ts';
import { account, amounts, type BodyFields, rawItem, recordFileOf, SECOND, START } from './testing/items.fixture.ts';
import type { PersistSettings, TransactionHandler } from './transaction-handler.ts';
import { transactionHandlers } from './transactions/registry.ts';

const defaults = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

interface Transformed {
  readonly batch: LedgerBatch;
  readonly stats: BlockStats;
}

const transformFile = (file: RecordFile, options: Partial<BlockTransformerOptions> = {}): Transformed => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  const transformer = new BlockTransformer({
    handlers: new Map(),
    lookup,
    files: new PrefetchedFileContents(),
    persist: defaults,
    network: { shard: 0n, realm: 0n },
    ...options,
  });
  const problems: Parameters<BlockTransformer['transform']>[3] & unknown[] = [];
  const items = decodeRecordItems(file, (item, message) => problems.push({ item, message }));
  const stats = transformer.transform({ file, index: 9n, loadStart: 100n, loadEnd: 200n }, items, batch, problems);
  return { batch, stats };
};

const transform = (raw: readonly RecordFileItem[], options: Partial<BlockTransformerOptions> = {}): Transformed =>
  transformFile(recordFileOf(raw), options);

const payment = (approved = false) =>
  ({
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: { transfers: { accountAmounts: amounts([1001n, -1000n, approved], [1002n, 1000n]) } },
    },
  }) as const;

const paid = { transferList: { accountAmounts: amounts([3n, 40n], [98n, 60n], [1001n, -1100n], [1002n, 1000n]) } };
const T = START + 5n;

/** Rows of plain transfers are encoded at once; with the bytes of the transaction there is more to them. */
const withBytes: PersistSettings = { ...defaults, transactionBytes: true };

describe('the rows of every transaction', () => {
  it('state what was asked for and what it cost', () => {
    const { batch, stats } = transform([
      rawItem({
        at: 5,
        body: { ...payment(), memo: 'rent', highVolume: true },
        record: { ...paid, transactionFee: 100n, highVolumePricingMultiplier: 7n },
      }),
    ]);
    expect(batch.rows('transaction')).toEqual([
      {
        consensus_timestamp: T,
        type: 14,
        result: 22,
        payer_account_id: 1001n,
        valid_start_ns: START - 10_000_000_000n + 5n,
        valid_duration_seconds: 120n,
        node_account_id: 3n,
        entity_id: null,
        initial_balance: 0n,
        max_fee: 100_000_000n,
        charged_tx_fee: 100n,
        memo: new Uint8Array(Buffer.from('rent')),
        transaction_hash: new Uint8Array(48).fill(6),
        transaction_bytes: null,
        scheduled: false,
        nonce: 0,
        parent_consensus_timestamp: null,
        errata: null,
        index: 0,
        nft_transfer: null,
        itemized_transfer: null,
        transaction_record_bytes: null,
        max_custom_fees: null,
        batch_key: null,
        inner_transactions: null,
        high_volume: true,
        congestion_pricing_multiplier: null,
        high_volume_pricing_multiplier: 7n,
      },
    ]);
    expect(batch.rows('transaction_hash')).toEqual([
      {
        consensus_timestamp: T,
        hash: new Uint8Array(32).fill(6),
        hash_suffix: new Uint8Array(16).fill(6),
        payer_account_id: 1001n,
      },
    ]);
    expect(stats.transactions).toBe(1);
    expect([...stats.types]).toEqual([['CRYPTOTRANSFER', 1]]);
    expect([...stats.unhandledTypes]).toEqual([['CRYPTOTRANSFER', 1]]);
    expect(stats.errorCount).toBe(0);
  });

  it('report a consensus time that is beyond int64', () => {
    const record = { consensusTimestamp: { seconds: 1_568_376_750_538n, nanos: 0 } };
    const { batch, stats } = transform([rawItem({ body: payment(), record })]);
    expect(batch.rows('transaction')[0]?.consensus_timestamp).toBe(9_223_372_036_854_775_807n);
    expect(stats.errors.map(({ message }) => message)).toEqual([
      'the consensus time does not fit 64 bits of nanoseconds',
    ]);
  });

  it('count unknown types by number and keep their common rows', () => {
    const { batch, stats } = transform([rawItem({ bodyBytes: Uint8Array.from([0xba, 0x06, 0]), record: paid })]);
    expect(batch.rows('transaction').map(({ type }) => type)).toEqual([103]);
    expect(batch.rows('crypto_transfer')).toHaveLength(4);
    expect([...stats.unhandledTypes]).toEqual([['UNKNOWN(103)', 1]]);
  });

  it('find transactions by hash as the settings say', () => {
    const message = { data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: {} } } as const;
    const raw = [rawItem({ at: 1, body: payment() }), rawItem({ at: 2, body: message })];
    const hashed = (persist: Partial<PersistSettings>): bigint[] =>
      transform(raw, { persist: { ...withBytes, ...persist } })
        .batch.rows('transaction_hash')
        .map((row) => row.consensus_timestamp - START);
    expect(hashed({})).toEqual([1n]);
    expect(hashed({ transactionHashTypes: [27] })).toEqual([2n]);
    expect(hashed({ transactionHash: false })).toEqual([]);
    const short = rawItem({ body: payment(), record: { transactionHash: new Uint8Array(20) } });
    const { batch } = transform([short], { persist: withBytes });
    expect(batch.rows('transaction_hash')).toEqual([]);
  });

  it('find Ethereum transactions by their own hash too, whether the record says it or not', () => {
    const raw = encodeTransaction(transactionOf(2));
    const hashes = (ethereumData: Uint8Array, ethereumHash: Uint8Array) => {
      const data = { $case: 'ethereumTransaction', ethereumTransaction: { ethereumData } } as const;
      const { batch } = transform([rawItem({ body: { data }, record: { ethereumHash } })]);
      return batch.rows('transaction_hash').map(({ hash, hash_suffix }) => [hash, hash_suffix]);
    };
    const own = [new Uint8Array(32).fill(1), new Uint8Array(16).fill(1)];
    const recorded = new Uint8Array(32).fill(0xee);
    expect(hashes(raw, recorded)).toEqual([own, [recorded, null]]);
    expect(hashes(raw, new Uint8Array(0))).toEqual([own, [keccak256(raw), null]]);
    expect(hashes(new Uint8Array(3), recorded)).toEqual([own]);
  });

  it('keep raw bytes of node transactions, and of all when asked to', () => {
    const nodeDelete = rawItem({ body: { data: { $case: 'nodeDelete', nodeDelete: {} } } });
    expect(transform([nodeDelete]).batch.rows('transaction')[0]?.transaction_bytes).toEqual(nodeDelete.transaction);
    expect(transform([nodeDelete]).batch.rows('transaction')[0]?.transaction_record_bytes).toEqual(nodeDelete.record);
    const transfer = rawItem({ body: payment() });
    const persist = { ...defaults, transactionBytes: true };
    const [row] = transform([transfer], { persist }).batch.rows('transaction');
    expect(row?.transaction_bytes).toEqual(transfer.transaction);
    expect(row?.transaction_record_bytes).toBeNull();
  });

  it('list the inner transactions of an atomic batch', () => {
    const batchKey = { key: { $case: 'ed25519', ed25519: new Uint8Array(32) } } as const;
    const inner = (at: number, parent: number) =>
      rawItem({
        at,
        body: { ...payment(), batchKey },
        record: { parentConsensusTimestamp: { seconds: SECOND, nanos: parent } },
      });
    const outer = rawItem({ at: 1, body: { data: { $case: 'atomicBatch', atomicBatch: { transactions: [] } } } });
    const { batch, stats } = transform([outer, inner(2, 1), inner(3, 1), inner(4, 77)]);
    const validStart = START - 10_000_000_000n;
    expect(batch.rows('transaction')[0]?.inner_transactions).toEqual([1001n, validStart + 2n, 1001n, validStart + 3n]);
    expect(stats.errors).toEqual([
      {
        consensusTimestamp: START + 4n,
        message: 'the atomic batch of an inner transaction is not in the same batch of rows',
      },
    ]);
  });
});

describe('transfers', () => {
  it('are written with the approval that the body gave and move balances', () => {
    const { batch } = transform([rawItem({ at: 5, body: payment(true), record: paid })]);
    expect(
      batch.rows('crypto_transfer').map(({ entity_id, amount, is_approval }) => [entity_id, amount, is_approval]),
    ).toEqual([
      [3n, 40n, false],
      [98n, 60n, false],
      [1001n, -1100n, false],
      [1002n, 1000n, false],
    ]);
    const exact = { transferList: { accountAmounts: amounts([1001n, -1000n], [1002n, 1000n]) } };
    const approved = transform([rawItem({ at: 5, body: payment(true), record: exact })]).batch;
    expect(approved.rows('crypto_transfer').map(({ is_approval }) => is_approval)).toEqual([true, false]);
    expect(batch.latest('entity', { id: 1001n })).toMatchObject({ balance: -1100n, balance_timestamp: T });
    expect(approved.latest('crypto_allowance', { owner: 1001n, spender: 1001n })).toMatchObject({ amount: -1000n });
  });

  it('of every transaction sum to zero, of failed ones too', () => {
    const { batch } = transform(
      [
        rawItem({ at: 1, body: payment(), record: paid }),
        rawItem({
          at: 2,
          body: payment(),
          status: ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE,
          record: { transferList: { accountAmounts: amounts([98n, 100n], [1001n, -100n]) } },
        }),
      ],
      { persist: withBytes },
    );
    const sums = new Map<bigint, bigint>();
    for (const { consensus_timestamp, amount } of batch.rows('crypto_transfer')) {
      sums.set(consensus_timestamp, (sums.get(consensus_timestamp) ?? 0n) + amount);
    }
    expect([...sums.values()]).toEqual([0n, 0n]);
    expect(batch.rows('crypto_transfer')).toHaveLength(6);
    expect(batch.latest('entity', { id: 98n })).toMatchObject({ balance: 160n });
  });

  it('that did not happen in 2019 are marked', () => {
    const record = {
      consensusTimestamp: { seconds: 1_570_000_000n, nanos: 1 },
      transferList: { accountAmounts: amounts([1001n, -1000n], [1002n, 1000n], [98n, 5n], [1001n, -5n]) },
    };
    const failed = rawItem({ body: payment(), status: ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE, record });
    expect(
      transform([failed])
        .batch.rows('crypto_transfer')
        .map(({ errata }) => errata),
    ).toEqual(['DELETE', 'DELETE', null, null]);
    const succeeded = rawItem({ body: payment(), record });
    expect(
      transform([succeeded])
        .batch.rows('crypto_transfer')
        .every(({ errata }) => errata === null),
    ).toBe(true);
  });

  it('are left out when the settings say so', () => {
    const persist = { ...defaults, cryptoTransferAmounts: false };
    const { batch } = transform([rawItem({ body: payment(), record: paid })], { persist });
    expect(batch.rows('crypto_transfer')).toEqual([]);
    expect(batch.latest('entity', { id: 1001n })).toBeUndefined();
  });

  it('of the body are itemized for successful transactions only when asked for', () => {
    const persist = { ...defaults, itemizedTransfers: true };
    const raw = [
      rawItem({ at: 1, body: payment(true) }),
      rawItem({ at: 2, body: payment(), status: ResponseCodeEnum.INVALID_SIGNATURE }),
    ];
    const rows = transform(raw, { persist }).batch.rows('transaction');
    expect(JSON.parse(rows[0]?.itemized_transfer ?? '')).toEqual([
      { amount: -1000, entity_id: 1001, is_approval: true },
      { amount: 1000, entity_id: 1002, is_approval: false },
    ]);
    expect(rows[1]?.itemized_transfer).toBeNull();
    expect(transform(raw).batch.rows('transaction')[0]?.itemized_transfer).toBeNull();
  });

  it('of the body to unknown accounts are not itemized', () => {
    const persist = { ...defaults, itemizedTransfers: true };
    const unknown = { account: { $case: 'alias', alias: new Uint8Array(20).fill(0xab) } } as const;
    const to = (accountID: object) => ({ accountID, amount: 5n, isApproval: false });
    const transfersTo = (...accounts: object[]) =>
      rawItem({
        body: {
          data: {
            $case: 'cryptoTransfer',
            cryptoTransfer: { transfers: { accountAmounts: accounts.map((one) => to(one)) } },
          } as NonNullable<BodyFields['data']>,
        },
      });
    const { batch, stats } = transform([transfersTo(unknown, account(1002n)), transfersTo(unknown)], { persist });
    expect(batch.rows('transaction').map((row) => row.itemized_transfer)).toEqual([
      '[{"amount":5,"entity_id":1002,"is_approval":false}]',
      null,
    ]);
    expect(stats.errors.map(({ message }) => message)).toEqual(
      Array(2).fill('account of an itemized transfer is unknown'),
    );
  });

  it('include staking rewards, which restart the staking period', () => {
    const { batch } = transform([
      rawItem({ at: 5, body: payment(), record: { paidStakingRewards: amounts([1002n, 33n]) } }),
    ]);
    expect(batch.rows('staking_reward_transfer')).toEqual([
      { account_id: 1002n, amount: 33n, consensus_timestamp: T, payer_account_id: 1001n },
    ]);
    expect(batch.latest('entity', { id: 1002n })).toMatchObject({
      stake_period_start: 19_674n,
      timestamp_range: { lower: T, upper: null },
    });
  });

  it('restart no staking period that the block has begun before', () => {
    const reward = (at: number, body: BodyFields = payment()) =>
      rawItem({ at, body, record: { paidStakingRewards: amounts([1002n, 1n]) } });
    const stake: BodyFields = {
      data: {
        $case: 'cryptoUpdateAccount',
        cryptoUpdateAccount: {
          accountIDToUpdate: account(1002n),
          stakedId: { $case: 'stakedNodeId', stakedNodeId: 3n },
        },
      },
    };
    const versions = (...raw: RecordFileItem[]) => {
      const { batch } = transform(raw, { handlers: transactionHandlers });
      return [...batch.staged('entity').settled()].flatMap((state) =>
        state.versions.map((version) => [
          (version.timestamp_range as { lower: bigint }).lower - START,
          version.stake_period_start,
        ]),
      );
    };
    expect(versions(reward(5), reward(7))).toEqual([[5n, 19_674n]]);
    expect(versions(reward(5), reward(6, stake), reward(7))).toEqual([
      [5n, 19_674n],
      [6n, 19_675n],
    ]);
  });
});

const token = (num: bigint) => ({ shardNum: 0n, realmNum: 0n, tokenNum: num });
const nft = (sender: bigint, receiver: bigint, serial: bigint, isApproval = false) => ({
  senderAccountID: account(sender),
  receiverAccountID: account(receiver),
  serialNumber: serial,
  isApproval,
});

describe('tokens', () => {
  const tokenLists = [
    { token: token(500n), transfers: amounts([1001n, -7n], [1002n, 7n]) },
    { token: token(600n), nftTransfers: [nft(1001n, 1002n, 1n), nft(0n, 1001n, 2n), nft(1002n, 0n, 3n)] },
  ];
  const record = {
    tokenTransferLists: tokenLists,
    automaticTokenAssociations: [{ tokenId: token(500n), accountId: account(1002n) }],
    assessedCustomFees: [
      { amount: 2n, feeCollectorAccountId: account(800n), effectivePayerAccountId: [account(1001n)] },
      { amount: 3n, tokenId: token(500n), feeCollectorAccountId: account(801n) },
    ],
  };
  const body: BodyFields = {
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        tokenTransfers: [
          { token: token(500n), transfers: amounts([1001n, -9n, true], [1002n, 9n]) },
          { token: token(600n), nftTransfers: [nft(1001n, 1002n, 1n, true)] },
        ],
      },
    },
  };

  it.each([
    ['a success', ResponseCodeEnum.SUCCESS],
    ['FAIL_INVALID', ResponseCodeEnum.FAIL_INVALID],
  ])('move, associate and cost fees with %s', (_, status) => {
    const { batch } = transform([rawItem({ at: 5, body, status, record })]);
    expect(batch.rows('token_transfer')).toEqual([
      {
        token_id: 500n,
        account_id: 1001n,
        amount: -7n,
        consensus_timestamp: T,
        is_approval: true,
        payer_account_id: 1001n,
      },
      {
        token_id: 500n,
        account_id: 1002n,
        amount: 7n,
        consensus_timestamp: T,
        is_approval: false,
        payer_account_id: 1001n,
      },
    ]);
    expect(batch.rows('assessed_custom_fee')).toEqual([
      {
        amount: 2n,
        collector_account_id: 800n,
        consensus_timestamp: T,
        token_id: null,
        effective_payer_account_ids: [1001n],
        payer_account_id: 1001n,
      },
      {
        amount: 3n,
        collector_account_id: 801n,
        consensus_timestamp: T,
        token_id: 500n,
        effective_payer_account_ids: [],
        payer_account_id: 1001n,
      },
    ]);
    expect(batch.latest('token_account', { account_id: 1002n, token_id: 500n })).toMatchObject({
      associated: true,
      automatic_association: true,
      balance: 7n,
      created_timestamp: T,
      timestamp_range: { lower: T, upper: null },
    });
    expect(JSON.parse(batch.rows('transaction')[0]?.nft_transfer ?? '')).toEqual([
      { is_approval: true, receiver_account_id: 1002, sender_account_id: 1001, serial_number: 1, token_id: 600 },
      { is_approval: false, receiver_account_id: 1001, sender_account_id: null, serial_number: 2, token_id: 600 },
      { is_approval: false, receiver_account_id: null, sender_account_id: 1002, serial_number: 3, token_id: 600 },
    ]);
    expect(batch.latest('nft', { token_id: 600n, serial_number: 1n })).toMatchObject({ account_id: 1002n });
    expect(batch.latest('nft', { token_id: 600n, serial_number: 3n })).toBeUndefined();
    expect(batch.latest('token_account', { account_id: 1001n, token_id: 600n })).toMatchObject({ balance: 0n });
    expect(batch.latest('token_account', { account_id: 1002n, token_id: 600n })).toMatchObject({ balance: 0n });
    expect(batch.latest('token_allowance', { owner: 1001n, spender: 1001n, token_id: 500n })).toMatchObject({
      amount: -9n,
    });
  });

  it('stay where they are when the transaction failed', () => {
    const status = ResponseCodeEnum.INVALID_SIGNATURE;
    const { batch } = transform([rawItem({ at: 5, body, status, record })]);
    expect(batch.rows('token_transfer')).toEqual([]);
    expect(batch.rows('assessed_custom_fee')).toEqual([]);
    expect(batch.rows('transaction')[0]?.nft_transfer).toBeNull();
    expect(batch.latest('token_account', { account_id: 1002n, token_id: 500n })).toBeUndefined();
    expect(batch.latest('token_allowance', { owner: 1001n, spender: 1001n, token_id: 500n })).toBeUndefined();
  });

  it('pass to a new treasury all at once', () => {
    const { batch } = transform([
      rawItem({
        at: 5,
        body: { data: { $case: 'tokenUpdate', tokenUpdate: {} } },
        record: { tokenTransferLists: [{ token: token(600n), nftTransfers: [nft(50n, 51n, -1n), nft(50n, 51n, 9n)] }] },
      }),
    ]);
    expect(batch.treasuryBarriers.map(({ change }) => change)).toEqual([
      { tokenId: 600n, previousTreasury: 50n, newTreasury: 51n, timestamp: T },
    ]);
    expect(batch.latest('token_account', { account_id: 51n, token_id: 600n })).toBeUndefined();
  });

  it('of a deleted token are left to the database when dissociated', () => {
    const { batch } = transform([
      rawItem({
        at: 5,
        body: { data: { $case: 'tokenDissociate', tokenDissociate: {} } },
        record: { tokenTransferLists: [{ token: token(500n), transfers: amounts([1001n, -4n]) }] },
      }),
    ]);
    expect(batch.rows('token_transfer')).toEqual([]);
    expect(batch.dissociateTransfers).toMatchObject([{ token_id: 500n, account_id: 1001n, amount: -4n }]);
    expect(batch.latest('token', { token_id: 500n })).toMatchObject({ total_supply: -4n });
  });
});

describe('schedules', () => {
  it('are executed by their transaction whatever its result, and keep who signed', () => {
    const scheduleRef = { shardNum: 0n, realmNum: 0n, scheduleNum: 700n };
    const signature = (prefix: number, value: number) => ({
      pubKeyPrefix: new Uint8Array([prefix]),
      signature: { $case: 'ed25519', ed25519: new Uint8Array([value]) } as const,
    });
    const sign: TransactionHandler = { type: 44, entityId: () => 700n };
    const { batch, stats } = transform(
      [
        rawItem({
          at: 1,
          body: { data: { $case: 'scheduleSign', scheduleSign: {} } },
          signatureMap: { sigPair: [signature(1, 10), signature(2, 20), signature(1, 30)] },
        }),
        rawItem({ at: 2, body: payment(), status: ResponseCodeEnum.INVALID_SIGNATURE, record: { scheduleRef } }),
      ],
      { handlers: new Map([[44, sign]]) },
    );
    expect(batch.latest('schedule', { schedule_id: 700n })).toMatchObject({ executed_timestamp: START + 2n });
    expect(batch.rows('transaction').map(({ scheduled, entity_id }) => [scheduled, entity_id])).toEqual([
      [false, 700n],
      [true, null],
    ]);
    expect(
      batch
        .rows('transaction_signature')
        .map((row) => [row.entity_id, row.type, [...row.public_key_prefix], [...row.signature]]),
    ).toEqual([
      [700n, 3, [1], [10]],
      [700n, 3, [2], [20]],
    ]);
    expect([...stats.unhandledTypes]).toEqual([['CRYPTOTRANSFER', 1]]);
  });
});

describe('handlers', () => {
  const calls: string[] = [];
  const handler: TransactionHandler = {
    type: 14,
    entityId: () => 5n,
    applyAlways: (_item, _id, row) => {
      calls.push('always');
      row.initial_balance = 77n;
    },
    applySuccess: () => void calls.push('success'),
  };

  // Approved transfers, because plain ones have no work for a handler.
  it('act on failures and successes', () => {
    const { batch } = transform(
      [
        rawItem({ at: 1, body: payment(true) }),
        rawItem({ at: 2, body: payment(true), status: ResponseCodeEnum.INVALID_SIGNATURE }),
      ],
      { handlers: new Map([[14, handler]]) },
    );
    expect(calls).toEqual(['always', 'success', 'always']);
    expect(batch.rows('transaction').map(({ initial_balance, entity_id }) => [initial_balance, entity_id])).toEqual([
      [77n, 5n],
      [77n, 5n],
    ]);
  });

  it('that fail stop the import with the place named', () => {
    const faulty: TransactionHandler = {
      type: 14,
      entityId: () => 5n,
      applySuccess: () => {
        throw new TypeError('broken');
      },
    };
    expect(() => transform([rawItem({ body: payment(true) })], { handlers: new Map([[14, faulty]]) })).toThrow(
      expect.objectContaining({
        code: 'TRANSACTION_UNTRANSFORMABLE',
        details: expect.objectContaining({ index: 0, type: 14, consensusTimestamp: START }),
      }),
    );
  });
});

describe('the row of a block', () => {
  const contractCall = (at: number, gasUsed: bigint, nonce: number, parent?: number) => {
    const bloom = new Uint8Array(256);
    bloom[at] = at;
    return rawItem({
      at,
      nonce,
      body: { data: { $case: 'contractCall', contractCall: {} } },
      record: {
        body: { $case: 'contractCallResult', contractCallResult: { gasUsed, bloom } },
        ...(parent === undefined ? {} : { parentConsensusTimestamp: { seconds: SECOND, nanos: parent } }),
      },
    });
  };

  it('sums gas and blooms of top-level contract transactions', () => {
    const { batch } = transform([contractCall(1, 100n, 0), contractCall(2, 50n, 1, 1), contractCall(3, 7n, 0)]);
    const [row] = batch.rows('record_file');
    expect(row).toMatchObject({
      name: '2023-11-14T22_13_20.000000001Z.rcd.gz',
      consensus_start: START,
      consensus_end: START + 999n,
      count: 3n,
      digest_algorithm: 0,
      file_hash: '01'.repeat(48),
      gas_used: 107n,
      hapi_version_major: 0,
      hapi_version_minor: 60,
      hapi_version_patch: 1,
      software_version_minor: 60,
      hash: '03'.repeat(48),
      index: 9n,
      load_start: 100n,
      load_end: 200n,
      prev_hash: '04'.repeat(48),
      sidecar_count: 0,
      size: 123,
      version: 6,
      round_start: null,
    });
    const bloom = new Uint8Array(256);
    bloom[1] = 1;
    bloom[3] = 3;
    expect(row?.logs_bloom).toEqual(bloom);
  });

  it('has no gas and an empty bloom without contracts', () => {
    const [row] = transform([rawItem({ body: payment(true) })]).batch.rows('record_file');
    expect(row).toMatchObject({ gas_used: 0n, logs_bloom: new Uint8Array(0), count: 1n });
  });

  it('names its sidecar files, read or not', () => {
    const file = {
      ...recordFileOf([]),
      sidecars: [{ id: 1, types: [1, 3], hash: new Uint8Array([1]) }],
    };
    expect(transformFile(file).batch.rows('sidecar_file')).toEqual([
      {
        bytes: null,
        count: null,
        consensus_end: START + 999n,
        hash: new Uint8Array([1]),
        hash_algorithm: 0,
        id: 1,
        name: '2023-11-14T22_13_20.000000001Z_01.rcd.gz',
        size: null,
        types: [1, 3],
      },
    ]);
  });

  it('counts only what lies in the period, but all gas', () => {
    const { batch, stats } = transform([contractCall(1, 100n, 0), contractCall(2, 50n, 0), contractCall(3, 7n, 0)], {
      period: { from: START + 2n, to: START + 2n },
    });
    expect(batch.rows('transaction').map((row) => row.consensus_timestamp)).toEqual([START + 2n]);
    expect(batch.rows('record_file')[0]).toMatchObject({ count: 1n, gas_used: 157n });
    expect(stats.transactions).toBe(1);
  });
});
