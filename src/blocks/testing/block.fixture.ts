/** Blocks built from protobuf messages, and what comes of them. */
import { BlockItem as BlockItemMessage } from '../../protobuf/generated/block/stream/block_item.ts';
import type { StateChange } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import type { TransactionOutput } from '../../protobuf/generated/block/stream/output/transaction_output.ts';
import { TransactionResult } from '../../protobuf/generated/block/stream/output/transaction_result.ts';
import type { TraceData } from '../../protobuf/generated/block/stream/trace/trace_data.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import type { Block, BlockItem } from '../../streams/block/block.ts';
import { WireReader } from '../../streams/wire.ts';
import { type BlockRecordFile, recordFileOfBlock } from '../block-record-file.ts';

type Item = NonNullable<BlockItemMessage['item']>;
type Data = NonNullable<TransactionBody['data']>;

export const PAYER = 1_001n;
export const T = 1_700_000_000n;

export const at = (nanos: number) => ({ seconds: T, nanos });
export const account = (accountNum: bigint) => ({ account: { $case: 'accountNum' as const, accountNum } });
export const alias = (bytes: Uint8Array) => ({ account: { $case: 'alias' as const, alias: bytes } });
export const contract = (contractNum: bigint) => ({ contract: { $case: 'contractNum' as const, contractNum } });
export const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

const partial = <T>(value: unknown): T => value as T;

export const itemOf = (item: unknown): BlockItem => {
  const message = BlockItemMessage.encode(BlockItemMessage.fromPartial({ item: partial<Item>(item) })).finish();
  const fields = new WireReader(message, 'fixture');
  fields.next();
  return { field: fields.field, bytes: message, payload: fields.slice() };
};

/** The SignedTransaction of a body with the id of transaction `validStart`. */
export const signedOf = (
  data: unknown,
  id: { start?: number; nonce?: number; scheduled?: boolean } = {},
): Uint8Array => {
  const body = TransactionBody.fromPartial({
    transactionID: {
      accountID: account(PAYER),
      transactionValidStart: at(id.start ?? 0),
      nonce: id.nonce ?? 0,
      scheduled: id.scheduled ?? false,
    },
    memo: 'memo',
    data: partial<Data>(data),
  });
  return SignedTransaction.encode(
    SignedTransaction.fromPartial({ bodyBytes: TransactionBody.encode(body).finish() }),
  ).finish();
};

export interface Executed {
  /** Body; left out for an inner transaction of a batch, which has no item of its own. */
  readonly data?: unknown;
  readonly id?: { start?: number; nonce?: number; scheduled?: boolean };
  /** Nanoseconds within the second. */
  readonly at: number;
  readonly parentAt?: number;
  readonly status?: number;
  readonly result?: Parameters<typeof TransactionResult.fromPartial>[0];
  readonly outputs?: readonly unknown[];
  readonly traces?: readonly unknown[];
  /** Undefined: no item of state changes. */
  readonly state?: readonly unknown[];
}

/** The items of one executed transaction in stream order. */
export const executed = (transaction: Executed): BlockItem[] => {
  const status = (transaction.status ?? ResponseCodeEnum.SUCCESS) as typeof ResponseCodeEnum.SUCCESS;
  const consensusTimestamp = at(transaction.at);
  return [
    ...(transaction.data === undefined
      ? []
      : [itemOf({ $case: 'signedTransaction', signedTransaction: signedOf(transaction.data, transaction.id) })]),
    itemOf({
      $case: 'transactionResult',
      transactionResult: TransactionResult.fromPartial({
        status,
        consensusTimestamp,
        ...(transaction.parentAt !== undefined && { parentConsensusTimestamp: at(transaction.parentAt) }),
        ...transaction.result,
      }),
    }),
    ...(transaction.outputs ?? []).map((output) =>
      itemOf({ $case: 'transactionOutput', transactionOutput: partial<TransactionOutput>({ transaction: output }) }),
    ),
    ...(transaction.traces ?? []).map((data) =>
      itemOf({ $case: 'traceData', traceData: partial<TraceData>({ data }) }),
    ),
    ...(transaction.state === undefined ? [] : [stateItem(transaction.state, transaction.at)]),
  ];
};

export const stateItem = (changes: readonly unknown[], nanos: number): BlockItem =>
  itemOf({
    $case: 'stateChanges',
    stateChanges: { consensusTimestamp: at(nanos), stateChanges: partial<StateChange[]>(changes) },
  });

/** A change of a key in a map of the state. */
export const update = (key: unknown, value: unknown, identical = false): unknown => ({
  changeOperation: {
    $case: 'mapUpdate',
    mapUpdate: { key: { keyChoice: key }, value: { valueChoice: value }, identical },
  },
});

export const removal = (key: unknown): unknown => ({
  changeOperation: { $case: 'mapDelete', mapDelete: { key: { keyChoice: key } } },
});

export const tokenState = (tokenNum: bigint, totalSupply: bigint): unknown =>
  update({ $case: 'tokenIdKey', tokenIdKey: { tokenNum } }, { $case: 'tokenValue', tokenValue: { totalSupply } });

export const accountState = (accountNum: bigint, value: object): unknown =>
  update(
    { $case: 'accountIdKey', accountIdKey: account(accountNum) },
    { $case: 'accountValue', accountValue: { accountId: account(accountNum), ...value } },
  );

export const eventHeader = (): BlockItem => itemOf({ $case: 'eventHeader', eventHeader: {} });
export const roundHeader = (roundNumber: bigint): BlockItem =>
  itemOf({ $case: 'roundHeader', roundHeader: { roundNumber } });

const ROOT_HASH = new Uint8Array(48).fill(7);
const NO_HASH = new Uint8Array(48);

export const blockOf = (items: readonly BlockItem[], block: Partial<Block> = {}): Block => {
  const header = itemOf({ $case: 'blockHeader', blockHeader: { number: 5n } });
  return {
    name: '0000000000000000005.blk',
    number: 5n,
    hapiVersion: { major: 0, minor: 78, patch: 0 },
    softwareVersion: { major: 0, minor: 78, patch: 1 },
    timestamp: T * 1_000_000_000n,
    timestampBytes: new Uint8Array(),
    items: [header, ...items],
    header,
    recordFile: null,
    footer: { previousRootHash: NO_HASH, allPreviousRootsHash: NO_HASH, startStateRootHash: NO_HASH },
    proofs: [],
    size: 1_000,
    uncompressedSize: 2_000,
    compression: 'none',
    ...block,
  };
};

export interface Rebuilt extends BlockRecordFile {
  readonly records: readonly TransactionRecord[];
  /** What the block does not contain about each item. */
  readonly unknown: readonly (readonly string[])[];
  readonly sidecarRecords: readonly TransactionSidecarRecord[];
}

/** What comes of a block of these transactions. */
export const rebuilt = (...transactions: readonly Executed[]): Rebuilt => rebuiltBlock(transactions.flatMap(executed));

export const rebuiltBlock = (items: readonly BlockItem[], block: Partial<Block> = {}): Rebuilt => {
  const file = recordFileOfBlock(blockOf(items, block), ROOT_HASH);
  return {
    ...file,
    records: file.recordFile.items.map(({ record }) => TransactionRecord.decode(record)),
    unknown: file.recordFile.items.map(({ ofBlock }) => (ofBlock?.unknown ?? []).map(({ part }) => part)),
    sidecarRecords: file.sidecars.flatMap(({ records }) =>
      records.map((record) => TransactionSidecarRecord.decode(record.bytes)),
    ),
  };
};
