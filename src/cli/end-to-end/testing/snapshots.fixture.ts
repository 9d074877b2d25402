/** Bodies and records that network tests left (one JSON file per suite, one list of items per test), as ledgers. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Database } from '../../../database/connection.ts';
import { BlockPreparation } from '../../../importer/pipeline/block-preparation.ts';
import { defaultImporterSettings } from '../../../importer/pipeline/testing/import-run.fixture.ts';
import { transactionHandlers } from '../../../importer/transactions/registry.ts';
import { writeBatch } from '../../../importer/write/ledger-writer.ts';
import { Transaction, TransactionBody } from '../../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../../../protobuf/generated/services/transaction_record.ts';
import type { RecordFile, RecordFileItem } from '../../../streams/record-file-content.ts';
import { realStreams } from '../../../streams/testing/real-streams.fixture.ts';

export interface Snapshot {
  /** `suite/test` */
  readonly name: string;
  readonly items: readonly RecordFileItem[];
  /** Nanoseconds. */
  readonly times: readonly bigint[];
}

interface SuiteFile {
  readonly specSnapshots: Readonly<
    Record<string, { readonly encodedItems: readonly { readonly b64Body: string; readonly b64Record: string }[] }>
  >;
}

const folder = `${realStreams}/snapshots`;
const contractCases: ReadonlySet<string | undefined> = new Set([
  'contractCall',
  'contractCreateInstance',
  'ethereumTransaction',
]);

/** The tests that ran contracts. */
export const contractSnapshots = (): Snapshot[] => {
  const snapshots: Snapshot[] = [];
  for (const file of readdirSync(folder).toSorted()) {
    const suite = basename(file, '.json');
    const { specSnapshots } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as SuiteFile;
    for (const [test, spec] of Object.entries(specSnapshots)) {
      const { encodedItems } = spec;
      const bodies = encodedItems.map(({ b64Body }) => Buffer.from(b64Body, 'base64'));
      if (!bodies.some((body) => contractCases.has(TransactionBody.decode(body).data?.$case))) continue;
      const records = encodedItems.map(({ b64Record }) => Buffer.from(b64Record, 'base64'));
      const items = bodies.map((bodyBytes, index) => ({
        transaction: Transaction.encode(
          Transaction.fromPartial({
            signedTransactionBytes: SignedTransaction.encode(SignedTransaction.fromPartial({ bodyBytes })).finish(),
          }),
        ).finish(),
        record: records[index] as Uint8Array,
      }));
      const times = records.map((record) => {
        const { consensusTimestamp } = TransactionRecord.decode(record);
        return (consensusTimestamp?.seconds ?? 0n) * 1_000_000_000n + BigInt(consensusTimestamp?.nanos ?? 0);
      });
      snapshots.push({ name: `${suite}/${test}`, items, times });
    }
  }
  return snapshots;
};

/** Tables that the tests of one network would fill with the entities of another. */
const FILLED = [
  'account_balance',
  'assessed_custom_fee',
  'contract',
  'contract_action',
  'contract_log',
  'contract_result',
  'contract_state',
  'contract_state_change',
  'contract_transaction',
  'contract_transaction_hash',
  'crypto_allowance',
  'crypto_allowance_history',
  'crypto_transfer',
  'custom_fee',
  'custom_fee_history',
  'entity',
  'entity_history',
  'entity_transaction',
  'ethereum_transaction',
  'file_data',
  'nft',
  'nft_allowance',
  'nft_allowance_history',
  'nft_history',
  'record_file',
  'schedule',
  'token',
  'token_account',
  'token_account_history',
  'token_airdrop',
  'token_airdrop_history',
  'token_allowance',
  'token_allowance_history',
  'token_history',
  'token_transfer',
  'topic_message',
  'transaction',
  'transaction_signature',
];

/** Minor releases whose EVM rules tests ran with, where those were not the rules of the day. */
const MINORS: ReadonlyMap<string, number> = new Map([
  ['ExtCodeHashOperation/VerifiesExistence', 46],
  ['PushZeroOperation/pushZeroDisabledInV034', 34],
]);
/** Networks charged for call data from then on: 2023-12-21T00:00:00Z, in nanoseconds. */
const CHARGES_FOR_DATA_SINCE = 1_703_116_800_000_000_000n;
const MINOR_OF_THE_DAY = 45;
const MINOR_BEFORE = 44;

const HASH = new Uint8Array(48).fill(7);

const minorOf = (name: string, times: readonly bigint[]): number =>
  MINORS.get(name) ?? ((times[0] ?? 0n) < CHARGES_FOR_DATA_SINCE ? MINOR_BEFORE : MINOR_OF_THE_DAY);

/** The block that the items would be in, had the network had only them. */
const blockOf = ({ name, items, times }: Snapshot): RecordFile => ({
  name: '2024-01-01T00_00_00.000000000Z.rcd.gz',
  version: 6,
  hapiVersion: { major: 0, minor: minorOf(name, times), patch: 0 },
  fileHash: HASH,
  metadataHash: HASH,
  hash: HASH,
  previousHash: HASH,
  blockNumber: 1n,
  items,
  sidecars: [],
  consensusStart: times[0] ?? 0n,
  consensusEnd: times.at(-1) ?? 0n,
  outOfOrder: false,
  size: 1,
  uncompressedSize: 1,
  compression: 'gzip',
});

/** Puts a snapshot in place of what the database holds. */
export const loadSnapshot = async (database: Database, snapshot: Snapshot): Promise<void> => {
  const { record } = defaultImporterSettings.parser;
  const preparation = new BlockPreparation({
    handlers: transactionHandlers,
    persist: { ...record.entity.persist, syntheticContractLogs: false },
    persistSidecarBytes: false,
    network: { shard: 0n, realm: 0n },
  });
  for (const table of FILLED) await database.query(`delete from ${table}`);
  const recordFile = blockOf(snapshot);
  const file = {
    recordFile,
    bytes: new Uint8Array(),
    node: { nodeId: 0n, accountId: 3n, place: 'snapshots' },
    signers: [],
    tally: null,
    sidecars: [],
    missingSidecars: [],
    faults: [],
    linked: true,
  };
  const { batch } = await preparation.prepare([file], undefined, database);
  await database.transaction((client) => writeBatch(client, batch));
};
