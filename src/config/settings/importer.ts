import { bigInteger, choice, duration, flag, integer, list, name, text } from '../setting.ts';
import { balanceDownloaderSettings, balanceParserSettings, reconciliationSettings } from './balance-files.ts';
import { historicalBalanceSettings } from './balances.ts';
import { blockSettings } from './block.ts';
import { bucketSettings } from './downloader.ts';
import { parserFilterSettings } from './parser-filter.ts';
import { repairSettings } from './repairs.ts';
import { retentionSettings } from './retention.ts';

/** `...parser.record.entity.persist.*`: which optional rows are written. */
export const persistSettings = {
  claims: flag(false, 'Live hashes (claims) of accounts.'),
  contracts: flag(true, 'Contract rows with their bytecode, and all that contract calls leave.'),
  contractResults: flag(true, 'Results and logs of contract calls.'),
  contractTransaction: flag(true, 'Which contracts took part in each contract transaction.'),
  contractTransactionHash: flag(true, 'Lookup of contract results by Ethereum transaction hash.'),
  cryptoTransferAmounts: flag(true, 'Transfers of tinybars.'),
  entityHistory: flag(true, 'Earlier versions of entities and other rows that change.'),
  entityNftTransactions: flag(false, 'Adds senders and receivers of NFTs to `entityTransactions`.'),
  entityTransactionExclusion: list(
    integer(0, 'Entity number.', { min: 0 }),
    [98, 800, 801, 802],
    'Entities that `entityTransactions` leaves out because nearly every transaction touches them.',
  ),
  entityTransactions: flag(false, 'One row for every entity that a transaction touches.'),
  ethereumTransactions: flag(true, 'Ethereum transactions, decoded.'),
  files: flag(true, 'Contents of ordinary files.'),
  itemizedTransfers: flag(false, 'Transfers as the payer listed them in the transaction body.'),
  pendingReward: flag(true, 'Pending staking rewards, computed at the end of each staking period.'),
  schedules: flag(true, 'Schedules and their signatures.'),
  syntheticContractLogs: flag(true, 'Contract logs derived from token transactions that no contract made.'),
  syntheticContractLogEvmAddressLookup: flag(true, 'EVM addresses instead of long-zero ones in synthetic logs.'),
  syntheticContractLogsMulti: flag(true, 'Synthetic logs also for token transfers with several parties.'),
  syntheticContractResults: flag(false, 'Contract results derived from token transactions.'),
  systemFiles: flag(true, 'Contents of system files: address books, fee schedules, exchange rates.'),
  tokens: flag(true, 'Tokens, associations, NFTs and their transfers.'),
  tokenAirdrops: flag(true, 'Pending airdrops; needs `tokens`.'),
  topics: flag(true, 'Topic messages.'),
  topicMessageLookups: flag(
    false,
    'Spans of sequence numbers and time of each topic and month. For `rest.query.topicMessageLookup`, which then needs ' +
      'it from the first message on.',
  ),
  trackAllowance: flag(true, 'Remaining amounts of allowances, lowered by each approved transfer.'),
  trackBalance: flag(true, 'Balances of accounts and tokens, changed by each transfer.'),
  trackNonce: flag(true, 'Ethereum nonces of accounts.'),
  transactionBytes: flag(false, 'Raw bytes of each transaction.'),
  transactionHash: flag(true, 'Lookup of transactions by hash.'),
  transactionHashTypes: list(
    integer(0, 'Transaction type number.', { min: 0 }),
    [],
    'Transaction types whose hashes are kept; empty: all but consensus messages (27).',
  ),
  transactionRecordBytes: flag(false, 'Raw bytes of each transaction record.'),
  transactionSignatures: list(
    integer(0, 'Transaction type number.', { min: 0 }),
    [42, 44],
    'Transaction types whose signatures are kept.',
  ),
};

/** `hiero.mirror.importer.*`: from stream files to rows. */
export const importerSettings = {
  network: name(
    'demo',
    ['demo', 'mainnet', 'testnet', 'previewnet', 'other'],
    'Network that the streams come from: `demo`, `mainnet`, `testnet`, `previewnet` or `other`; a text after `-` is ' +
      'ignored. Chooses the first address book and the repairs of known faults.',
  ),
  dataPath: text(
    'data',
    'Folder that holds the store of type `LOCAL` (`downloader.cloudProvider`, `downloader.sources`) as its folder ' +
      '`streams`. Relative to the working directory.',
  ),
  initialAddressBook: text(
    '',
    'File with the address book (contents of system file 0.0.102) that proves the first stream files; empty: the one ' +
      'that the network is known for.',
  ),
  startDate: text(
    '',
    'First consensus time to import, in ISO 8601 (`1970-01-01T00:00:00Z`); empty: after the last imported file, and ' +
      'for an empty database everything that a folder holds, or what a public network does from now on (`demo`: all).',
  ),
  endDate: text('', 'Last consensus time to import, in ISO 8601, inclusive; the import ends there. Empty: no end.'),
  startBlockNumber: bigInteger(
    -1n,
    'Number of the first block of an empty database; -1: the earliest that the source has. Files that do not state ' +
      'their number are counted from it, earlier ones that do are left out.',
    { min: -1n },
  ),
  endBlockNumber: bigInteger(-1n, 'Number of the last block to import, inclusive; the import ends there. -1: no end.', {
    min: -1n,
  }),
  block: blockSettings,
  consensusMode: choice(
    'STAKE_IN_ADDRESS_BOOK',
    ['STAKE_IN_ADDRESS_BOOK', 'STAKE', 'EQUAL'],
    'How signatures are weighed: stake of the nodes in the address book, stake of all nodes, or one vote each.',
  ),
  downloader: {
    ...bucketSettings,
    balance: balanceDownloaderSettings,
    consensusRatio: text(
      '1/3',
      'Part of the total stake whose signatures prove a stream file: a fraction or a number from 0 to 1. With 0 any ' +
        'one valid signature is enough.',
    ),
    record: {
      enabled: flag(true, 'Reads record files; `block.enabled` reads blocks in their place.'),
      frequency: duration(500, 'Pause between two looks for new record files.'),
    },
  },
  migration: repairSettings,
  reconciliation: reconciliationSettings,
  retention: retentionSettings,
  parser: {
    ...parserFilterSettings,
    balance: balanceParserSettings,
    record: {
      batch: {
        maxFiles: integer(16, 'Most files that one database transaction takes while catching up.', {
          min: 1,
          max: 10_000,
        }),
        maxItems: integer(20_000, 'Most transactions that one database transaction takes while catching up.', {
          min: 1,
        }),
      },
      retry: {
        minBackoff: duration(500, 'First pause after a database error.'),
        maxBackoff: duration(30_000, 'Longest pause after repeated database errors; each is twice the one before.'),
      },
      entity: { persist: persistSettings },
      historicalBalance: historicalBalanceSettings,
      sidecar: {
        enabled: flag(
          true,
          'Reads sidecar files: contract bytecode, actions, state changes, without which contracts cannot be called, traced or verified. Where nobody sets this, sidecar files that no node has are left out and the import says so; set to true, they are waited for, and `kagami import` ends without them. docs/architecture.md tells what they cost.',
        ),
        persistBytes: flag(false, 'Keeps the raw bytes of sidecar files.'),
        types: list(
          integer(0, '1 state changes, 2 actions, 3 bytecode.', { min: 1, max: 3 }),
          [],
          'Which sidecar records are read; empty: all.',
        ),
      },
    },
  },
};

/** `kagami.source.*`: where stream files come from. */
export const sourceSettings = {
  kind: choice(
    'auto',
    ['auto', 'simulator', 'folder', 'bucket'],
    'Where `kagami start` reads. `auto`: `folder` if it is set; else the bucket, if `bucketName` is set or `network` ' +
      'was given the name of a public network; else the simulated network.',
  ),
  folder: text(
    '',
    'Folder with stream files, in one of the layouts that networks use (`record0.0.3/` per node account, or ' +
      '`<network>/<shard>/<node id>/record/`), or a bucket: `s3://bucket/prefix`, `gs://bucket/prefix`.',
  ),
  bulk: flag(
    false,
    'Loads into tables without secondary indexes and builds these at the end (`kagami import` only): for long ' +
      'histories. Until then requests find their rows slowly. What was cut off is continued by the next import, and ' +
      'the indexes are built before `kagami start` imports further.',
  ),
  acceptGaps: flag(false, 'Goes on where files are missing between two proven ones. Each file is proven all the same.'),
  trustUnsigned: flag(
    false,
    'Imports files that no node signed. Nothing then proves that the ledger is true; only for files that you made.',
  ),
};
