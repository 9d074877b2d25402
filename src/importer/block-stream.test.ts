import { describe, expect, it } from 'vitest';
import { type BlockRecordFile, recordFileOfBlock } from '../blocks/block-record-file.ts';
import {
  account,
  accountState,
  blockOf,
  bytes,
  contract,
  type Executed,
  executed,
  roundHeader,
  T as SECONDS,
  stateItem,
  tokenState,
  update,
} from '../blocks/testing/block.fixture.ts';
import { recordFileOfWrappedBlock } from '../blocks/wrapped-block.ts';
import type { Setting } from '../config/setting.ts';
import { persistSettings } from '../config/settings/importer.ts';
import { readBlock } from '../streams/block/read-block.ts';
import { hasRealStreams, readReal, realManifest } from '../streams/testing/real-streams.fixture.ts';
import { type BlockStats, BlockTransformer } from './block-transformer.ts';
import { sidecarRecordsOf } from './contracts/sidecar-records.ts';
import { CachedEntityLookup } from './entity-lookup.ts';
import { PrefetchedFileContents } from './file-contents.ts';
import { LedgerBatch } from './ledger-batch.ts';
import { decodeRecordItems } from './record-items.ts';
import type { PersistSettings } from './transaction-handler.ts';
import { transactionHandlers } from './transactions/registry.ts';

const defaults = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

const ROOT_HASH = new Uint8Array(48).fill(7);
const START = SECONDS * 1_000_000_000n;

interface Transformed {
  readonly batch: LedgerBatch;
  readonly stats: BlockStats;
}

/** `persist.transactionBytes` keeps plain transfers from being encoded at once, so that their rows can be looked at. */
const transformFile = (file: BlockRecordFile, network = { shard: 0n, realm: 0n }): Transformed => {
  const lookup = new CachedEntityLookup(network);
  const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  const files = new PrefetchedFileContents();
  files.useBatch(batch);
  const persist = { ...defaults, transactionBytes: true };
  const transformer = new BlockTransformer({ handlers: transactionHandlers, lookup, files, persist, network });
  const problems: Parameters<BlockTransformer['transform']>[3] & unknown[] = [];
  const { recordFile, sidecars, genesis } = file;
  const items = decodeRecordItems(
    recordFile,
    (item, message) => problems.push({ item, message }),
    sidecarRecordsOf(sidecars, []),
  );
  const block = { file: recordFile, index: recordFile.blockNumber ?? 0n, loadStart: 1n, loadEnd: 2n, genesis };
  return { batch, stats: transformer.transform(block, items, batch, problems) };
};

const transform = (...transactions: readonly Executed[]): Transformed =>
  transformFile(recordFileOfBlock(blockOf([roundHeader(4n), ...transactions.flatMap(executed)]), ROOT_HASH));

const rowsOf = (batch: LedgerBatch, table: 'entity' | 'token' | 'nft' | 'node'): unknown[] =>
  [...batch.staged(table).settled()].flatMap(({ delta, versions }) =>
    delta === undefined ? versions : [delta, ...versions],
  );

const TRANSFER = { $case: 'cryptoTransfer', cryptoTransfer: {} };

describe('the rows of a block', () => {
  it('have what only blocks tell', () => {
    const { batch } = transform(
      { data: TRANSFER, at: 1, result: { congestionPricingMultiplier: 7n } },
      { data: TRANSFER, at: 2 },
    );
    expect(batch.rows('transaction').map((row) => row.congestion_pricing_multiplier)).toEqual([7n, 0n]);
    expect(batch.rows('record_file')).toMatchObject([
      {
        name: '0000000000000000005.blk',
        index: 5n,
        version: 7,
        hash: '07'.repeat(48),
        prev_hash: '00'.repeat(48),
        file_hash: '',
        count: 2n,
        consensus_start: START + 1n,
        consensus_end: START + 2n,
        hapi_version_minor: 78,
        hapi_version_patch: 0,
        software_version_minor: 78,
        software_version_patch: 1,
        round_start: 4n,
        round_end: 4n,
        sidecar_count: 0,
        wrapped_record_block_hash: null,
        previous_wrapped_record_block_hash: null,
      },
    ]);
    expect(batch.rows('sidecar_file')).toEqual([]);
  });

  it('are those of record files otherwise: a contract with trace, storage and code', () => {
    const result = { evmTransactionResult: { contractId: contract(90n), gasUsed: 500n, senderId: account(1_001n) } };
    const trace = {
      contractActions: [
        {
          callType: 2,
          caller: { $case: 'callingAccount', callingAccount: account(1_001n) },
          gas: 900n,
          gasUsed: 500n,
          resultData: { $case: 'output', output: bytes('') },
        },
      ],
      contractSlotUsages: [
        {
          contractId: contract(90n),
          slotReads: [{ identifier: { $case: 'index', index: 0 }, readValue: bytes('') }],
          writtenSlotKeys: { keys: [bytes('01')] },
        },
      ],
      executedInitcode: { initcode: { $case: 'explicitInitcode', explicitInitcode: bytes('6000') } },
      logs: [{ contractId: contract(90n), topics: [bytes('05')], data: bytes('06') }],
    };
    const { batch, stats } = transform({
      data: {
        $case: 'contractCreateInstance',
        contractCreateInstance: { gas: 900n, initcodeSource: { $case: 'fileID', fileID: { fileNum: 8n } } },
      },
      at: 1,
      outputs: [{ $case: 'contractCreate', contractCreate: result }],
      traces: [{ $case: 'evmTraceData', evmTraceData: trace }],
      state: [
        update(
          { $case: 'slotKeyKey', slotKeyKey: { contractID: contract(90n), key: bytes('01') } },
          { $case: 'slotValueValue', slotValueValue: { value: bytes('2a') } },
        ),
        update(
          { $case: 'contractIdKey', contractIdKey: contract(90n) },
          { $case: 'bytecodeValue', bytecodeValue: { code: bytes('6001') } },
        ),
      ],
    });
    expect(stats.errors).toEqual([]);
    expect(batch.rows('contract')).toEqual([
      { id: 90n, file_id: 8n, initcode: bytes('6000'), runtime_bytecode: bytes('6001') },
    ]);
    expect(batch.rows('contract_result')).toMatchObject([
      { contract_id: 90n, gas_used: 500n, gas_limit: 900n, created_contract_ids: [90n], transaction_index: 0 },
    ]);
    expect(batch.rows('contract_action')).toMatchObject([{ gas: 900n, gas_used: 500n }]);
    expect(batch.rows('contract_log')).toMatchObject([{ contract_id: 90n, topic0: bytes('05'), data: bytes('06') }]);
    expect(batch.rows('contract_state_change')).toMatchObject([
      {
        contract_id: 90n,
        slot: bytes('01'),
        value_read: new Uint8Array(),
        value_written: bytes('2a'),
        migration: false,
      },
    ]);
    expect(rowsOf(batch, 'entity')).toContainEqual(
      expect.objectContaining({ id: 90n, type: 'CONTRACT', evm_address: bytes(`${'00'.repeat(19)}5a`) }),
    );
  });

  it('have call data that an Ethereum transaction keeps in a file, and tinybars', () => {
    const fields = `018502540be400830186a094${'aa'.repeat(20)}850ba43b740080820274a0${'11'.repeat(32)}a0${'22'.repeat(32)}`;
    const ethereumData = bytes(`f8${(fields.length / 2).toString(16)}${fields}`);
    const file = update({ $case: 'fileIdKey', fileIdKey: { fileNum: 8n } }, { $case: 'fileValue', fileValue: {} });
    const result = { contractId: contract(90n), gasUsed: 500n };
    const { batch } = transform(
      { data: { $case: 'fileCreate', fileCreate: { contents: Buffer.from('0xdeadbeef') } }, at: 1, state: [file] },
      {
        data: { $case: 'ethereumTransaction', ethereumTransaction: { ethereumData, callData: { fileNum: 8n } } },
        at: 2,
        outputs: [
          {
            $case: 'ethereumCall',
            ethereumCall: {
              transactionResult: { $case: 'evmCallTransactionResult', evmCallTransactionResult: result },
            },
          },
        ],
      },
    );
    expect(batch.rows('contract_result')).toMatchObject([
      { amount: 5n, gas_limit: 100_000n, function_parameters: bytes('deadbeef') },
    ]);
    expect(batch.rows('ethereum_transaction')[0]?.hash).toHaveLength(32);
  });

  it('have the nonce of accounts that delegate their code', () => {
    const { batch } = transform({
      data: {
        $case: 'cryptoCreateAccount',
        cryptoCreateAccount: { delegationAddress: bytes('ab'.repeat(20)) },
      },
      at: 1,
      outputs: [{ $case: 'accountCreate', accountCreate: { createdAccountId: account(9n) } }],
      state: [accountState(9n, { ethereumNonce: 4n })],
    });
    expect(rowsOf(batch, 'entity')).toMatchObject([{ id: 9n, ethereum_nonce: 4n }]);
  });
});

it('finds contracts that logs name by their addresses', () => {
  const result = { evmTransactionResult: { contractId: contract(90n), gasUsed: 500n } };
  const address = { contract: { $case: 'evmAddress', evmAddress: bytes('ab'.repeat(20)) } };
  const { batch, stats } = transform(
    {
      data: { $case: 'contractCreateInstance', contractCreateInstance: {} },
      at: 1,
      outputs: [{ $case: 'contractCreate', contractCreate: result }],
      state: [accountState(90n, { alias: bytes('ab'.repeat(20)), smartContract: true })],
    },
    {
      data: { $case: 'contractCall', contractCall: {} },
      at: 2,
      outputs: [{ $case: 'contractCall', contractCall: result }],
      traces: [{ $case: 'evmTraceData', evmTraceData: { logs: [{ contractId: address }] } }],
    },
  );
  expect(stats.errors).toEqual([]);
  expect(batch.rows('contract_log')).toMatchObject([{ contract_id: 90n, root_contract_id: 90n }]);
});

describe('what a block does not tell', () => {
  it('is left out and noted; everything else is kept', () => {
    const minted = [{ token: { tokenNum: 50n }, nftTransfers: [{ receiverAccountID: account(3n), serialNumber: 1n }] }];
    const { batch, stats } = transform(
      {
        data: { $case: 'tokenMint', tokenMint: { token: { tokenNum: 50n }, metadata: [bytes('0a')] } },
        at: 1,
        result: { tokenTransferLists: minted },
      },
      { data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID: { topicNum: 60n } } }, at: 2 },
      { data: { $case: 'nodeCreate', nodeCreate: {} }, at: 3 },
      { data: { $case: 'registeredNodeCreate', registeredNodeCreate: {} }, at: 4 },
      { data: { $case: 'tokenCreation', tokenCreation: {} }, at: 5 },
      {
        data: { $case: 'tokenBurn', tokenBurn: { token: { tokenNum: 50n }, amount: 1n } },
        at: 6,
        state: [tokenState(50n, 9n)],
      },
    );
    expect(stats.errors.map(({ consensusTimestamp, message }) => [consensusTimestamp - START, message])).toEqual([
      [1n, 'the token supply is unknown: no state change tells the supply of token 50'],
      [2n, 'the running hash is unknown: neither trace data nor a state of the topic tells it'],
      [3n, 'the node id is unknown: no state change creates one'],
      [4n, 'the registered node id is unknown: no state change creates one'],
      [5n, 'the token id is unknown: no state change creates one'],
    ]);
    expect(rowsOf(batch, 'token')).toMatchObject([{ token_id: 50n, total_supply: 9n }]);
    expect(rowsOf(batch, 'nft')).toMatchObject([{ token_id: 50n, serial_number: 1n, metadata: bytes('0a') }]);
    expect(rowsOf(batch, 'node')).toEqual([]);
    expect(batch.rows('topic_message')).toEqual([]);
    expect(batch.rows('transaction')).toHaveLength(6);
  });
});

describe('the genesis state', () => {
  it('fills accounts, contracts, files and balances, to which transfers add', () => {
    const key = { key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(9) } };
    const state = [
      accountState(2n, {
        tinybarBalance: 1_000n,
        key,
        memo: 'treasury',
        expirationSecond: 5n,
        autoRenewSeconds: 6n,
        autoRenewAccountId: account(98n),
        maxAutoAssociations: -1,
        receiverSigRequired: true,
      }),
      accountState(90n, { smartContract: true, deleted: true }),
      update(
        { $case: 'contractIdKey', contractIdKey: contract(90n) },
        { $case: 'bytecodeValue', bytecodeValue: { code: bytes('6001') } },
      ),
      update(
        { $case: 'fileIdKey', fileIdKey: { fileNum: 111n } },
        { $case: 'fileValue', fileValue: { fileId: { fileNum: 111n }, contents: bytes('0a0b') } },
      ),
    ];
    const accountAmounts = [
      { accountID: account(2n), amount: -30n },
      { accountID: account(3n), amount: 30n },
    ];
    const items = [
      stateItem(state, 0),
      ...executed({ data: TRANSFER, at: 4, result: { transferList: { accountAmounts } } }),
    ];
    const { batch } = transformFile(recordFileOfBlock(blockOf(items, { number: 0n }), ROOT_HASH));
    const time = START + 4n;
    expect(rowsOf(batch, 'entity')).toMatchObject([
      {
        id: 2n,
        type: 'ACCOUNT',
        balance: 970n,
        balance_timestamp: time,
        memo: 'treasury',
        expiration_timestamp: 5_000_000_000n,
        auto_renew_period: 6n,
        auto_renew_account_id: 98n,
        max_automatic_token_associations: -1,
        receiver_sig_required: true,
        deleted: false,
        public_key: '09'.repeat(32),
        timestamp_range: { lower: time, upper: null },
      },
      { id: 90n, type: 'CONTRACT', balance: 0n, deleted: true },
      { id: 3n, balance: 30n },
    ]);
    expect(rowsOf(batch, 'entity')[0]).not.toHaveProperty('created_timestamp');
    expect(batch.rows('contract')).toEqual([
      { id: 90n, file_id: null, initcode: null, runtime_bytecode: bytes('6001') },
    ]);
    expect(batch.rows('file_data')).toEqual([
      { consensus_timestamp: time, entity_id: 111n, file_data: bytes('0a0b'), transaction_type: 19 },
    ]);
  });
});

describe.skipIf(!hasRealStreams)('real blocks', () => {
  it('become rows without an error', () => {
    const paths = realManifest().filter(({ kind }) => kind === 'block' || kind === 'wrapped-record-block');
    expect(paths).toHaveLength(29);
    for (const { path } of paths) {
      const block = readBlock(path, readReal(path));
      const isWrapped = block.recordFile !== null;
      const file = isWrapped ? recordFileOfWrappedBlock(block, ROOT_HASH) : recordFileOfBlock(block, ROOT_HASH);
      const network =
        path.includes('mainnet') || path.includes('alpha') ? { shard: 0n, realm: 0n } : { shard: 11n, realm: 12n };
      const { batch, stats } = transformFile(file, network);
      expect({ path, errors: stats.errors.slice(0, 3) }).toEqual({ path, errors: [] });
      expect(batch.rows('transaction')).toHaveLength(file.recordFile.items.length);
      const [row] = batch.rows('record_file');
      expect(row?.version).toBe(isWrapped ? file.recordFile.version : 7);
      expect(row?.wrapped_record_block_hash).toEqual(isWrapped ? ROOT_HASH : null);
      expect(row?.index).toBe(block.number);
    }
  });
});
