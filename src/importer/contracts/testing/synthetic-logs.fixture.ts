/** Blocks of token transactions and the rows that they become, for tests of synthetic logs. */
import type { Setting } from '../../../config/setting.ts';
import { persistSettings } from '../../../config/settings/importer.ts';
import type { RecordFile, RecordFileItem } from '../../../streams/record-file-content.ts';
import { BlockTransformer } from '../../block-transformer.ts';
import { CachedEntityLookup } from '../../entity-lookup.ts';
import { PrefetchedFileContents } from '../../file-contents.ts';
import { LedgerBatch } from '../../ledger-batch.ts';
import { decodeRecordItems } from '../../record-items.ts';
import {
  account,
  amounts,
  type BodyFields,
  type RawItemFields,
  type RecordFields,
  rawItem,
  recordFileOf,
  SECOND,
} from '../../testing/items.fixture.ts';
import type { PersistSettings } from '../../transaction-handler.ts';
import { transactionHandlers } from '../../transactions/registry.ts';

export const defaultPersist = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

interface Options {
  readonly persist?: Partial<PersistSettings>;
  readonly hapi?: RecordFile['hapiVersion'];
}

/** The rows of a block, without EVM addresses of anyone. */
export const transform = (raw: readonly RecordFileItem[], options: Options = {}): LedgerBatch => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  const transformer = new BlockTransformer({
    handlers: transactionHandlers,
    lookup,
    files: new PrefetchedFileContents(),
    persist: { ...defaultPersist, ...options.persist },
    network: { shard: 0n, realm: 0n },
  });
  const file = recordFileOf(raw);
  const block = options.hapi === undefined ? file : { ...file, hapiVersion: options.hapi };
  const items = decodeRecordItems(block, () => undefined);
  transformer.transform({ file: block, index: 1n, loadStart: 1n, loadEnd: 2n }, items, batch);
  return batch;
};

export const hex = (bytes: Uint8Array | null | undefined): string | null =>
  bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString('hex');

const NAMES: Readonly<Record<string, string>> = { ddf252ad: 'Transfer', '8c5be1e5': 'Approval', '17307eab': 'ForAll' };

/** Logs in short: event, token, topics 1 to 3, data. */
export const logsOf = (batch: LedgerBatch): (string | bigint | null)[][] =>
  batch
    .rows('contract_log')
    .map((log) => [
      NAMES[(hex(log.topic0) as string).slice(0, 8)] ?? hex(log.topic0),
      log.contract_id,
      hex(log.topic1),
      hex(log.topic2),
      hex(log.topic3),
      hex(log.data),
    ]);

export const token = (tokenNum: bigint) => ({ shardNum: 0n, realmNum: 0n, tokenNum });
export const list = (tokenNum: bigint, ...entries: readonly (readonly [bigint, bigint])[]) => ({
  token: token(tokenNum),
  transfers: amounts(...entries),
});
export const nfts = (tokenNum: bigint, ...moves: readonly (readonly [bigint, bigint, bigint])[]) => ({
  token: token(tokenNum),
  nftTransfers: moves.map(([sender, receiver, serialNumber]) => ({
    senderAccountID: account(sender),
    receiverAccountID: account(receiver),
    serialNumber,
  })),
});

const TRANSFER: BodyFields = { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } };
/** A transfer whose record has these lists, unless `more` has another body. */
export const transferItem = (
  tokenTransferLists: readonly (ReturnType<typeof list> | ReturnType<typeof nfts>)[],
  more: RawItemFields = {},
): RecordFileItem =>
  rawItem({ body: TRANSFER, ...more, record: { ...more.record, tokenTransferLists } as RecordFields });

export const contractNum = (num: bigint) =>
  ({ shardNum: 0n, realmNum: 0n, contract: { $case: 'contractNum', contractNum: num } }) as const;

export const callResult = (num: bigint) =>
  ({
    $case: 'contractCallResult',
    contractCallResult: { contractID: contractNum(num) },
  }) as const;

/** A call of contract 700, which passed it on to contract 701. */
export const call = (at: number): RecordFileItem =>
  rawItem({
    at,
    body: { data: { $case: 'contractCall', contractCall: { contractID: contractNum(700n) } } },
    record: { body: callResult(701n), receipt: { contractID: contractNum(700n) } },
  });

/** What makes a record that of a child. */
export const childOf = (parent: number) => ({ parentConsensusTimestamp: { seconds: SECOND, nanos: parent } });
