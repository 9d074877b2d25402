/** Record items made of a few fields, and what their handler does with them, for tests. */
import type { Setting } from '../../../config/setting.ts';
import { persistSettings } from '../../../config/settings/importer.ts';
import type { RowOf, TableName } from '../../../database/table.ts';
import { fromHex } from '../../../ledger/bytes.ts';
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { Nanos } from '../../../ledger/timestamp.ts';
import type { AccountID, ContractID, FileID } from '../../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { TransactionBody } from '../../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../../protobuf/generated/services/transaction_record.ts';
import { TransactionSidecarRecord } from '../../../protobuf/generated/streams/sidecar_file.ts';
import type { HapiVersion } from '../../../streams/record-file-content.ts';
import { ethereumContentOf } from '../../contracts/ethereum-content.ts';
import { EvmBlock } from '../../contracts/evm-block.ts';
import { LedgerBatch } from '../../ledger-batch.ts';
import type { EntityLookup, FileContents } from '../../lookups.ts';
import { type RecordItem, resultContractNum } from '../../record-item.ts';
import { scheduledBodyOf } from '../../serialized-items.ts';
import type { InsertTable, StagedVersion, UpsertTable } from '../../tables/registry.ts';
import type { HandlerContext, PersistSettings } from '../../transaction-handler.ts';
import { transactionHandlers } from '../registry.ts';

/** 2023-11-14T22:13:20.000000001Z, on day 19675 since 1970. */
export const T: Nanos = 1_700_000_000_000_000_001n;
export const DAY_OF_T = 19_675n;
export const SINCE_T = { lower: T, upper: null };
export const PAYER: EntityId = 1001n;

type BodyData = NonNullable<NonNullable<Parameters<typeof TransactionBody.fromPartial>[0]>['data']>;
type RecordFields = NonNullable<Parameters<typeof TransactionRecord.fromPartial>[0]>;
type SidecarFields = Parameters<typeof TransactionSidecarRecord.fromPartial>[0];

export interface ItemFields {
  readonly data?: BodyData | undefined;
  readonly nonce?: number;
  readonly receipt?: RecordFields['receipt'];
  readonly record?: RecordFields;
  readonly status?: number;
  readonly timestamp?: Nanos;
  readonly hapi?: string;
  readonly parent?: RecordItem;
  readonly sidecars?: readonly SidecarFields[];
}

const fieldNumber = (body: TransactionBody): number => {
  const data = TransactionBody.encode(TransactionBody.fromPartial({ data: body.data })).finish();
  let tag = 0;
  for (let position = 0; ; position++) {
    const byte = data[position] ?? 0;
    tag |= (byte & 127) << (position * 7);
    if (byte < 128) return tag >> 3;
  }
};

const hapiVersion = (text: string): HapiVersion => {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number);
  return { major, minor, patch };
};

const SUCCESSES: readonly number[] = [
  ResponseCodeEnum.SUCCESS,
  ResponseCodeEnum.SUCCESS_BUT_MISSING_EXPECTED_OPERATION,
  ResponseCodeEnum.FEE_SCHEDULE_FILE_PART_UPLOADED,
];

/** A transaction of `PAYER` at `T` with HAPI 0.70.0 and result SUCCESS, unless the fields say otherwise. */
export const itemOf = (fields: ItemFields): RecordItem => {
  const status = fields.status ?? ResponseCodeEnum.SUCCESS;
  const body = TransactionBody.fromPartial({
    transactionID: { accountID: account(PAYER), nonce: fields.nonce ?? 0 },
    data: fields.data,
  });
  const item = {
    consensusTimestamp: fields.timestamp ?? T,
    index: 0,
    type: fieldNumber(body),
    status,
    successful: SUCCESSES.includes(status),
    payer: PAYER,
    body,
    record: TransactionRecord.fromPartial({
      ...fields.record,
      receipt: { ...fields.receipt, status: status as typeof ResponseCodeEnum.SUCCESS },
    }),
    sidecarRecords: (fields.sidecars ?? []).map((sidecar) => TransactionSidecarRecord.fromPartial(sidecar)),
    ethereum: ethereumContentOf(body),
    memo: new Uint8Array(0),
    batchKey: undefined,
    maxCustomFees: [],
    scheduledBody: scheduledBodyOf(TransactionBody.encode(body).finish(), 'fixture'),
    signatures: [],
    transactionBytes: new Uint8Array(0),
    recordBytes: new Uint8Array(0),
    hapiVersion: hapiVersion(fields.hapi ?? '0.70.0'),
    parent: fields.parent,
    previous: fields.parent,
  };
  return { ...item, resultContract: resultContractNum({ ...item, resultContract: undefined }) };
};

/** A row as it was handed over, before the batch merged it with others. */
export interface Handed {
  readonly table: TableName;
  readonly row: Readonly<Record<string, unknown>>;
}

/** The real batch, which also remembers what it was handed. */
export class RecordingBatch extends LedgerBatch {
  readonly handed: Handed[] = [];

  override insert<Table extends InsertTable>(table: Table, row: RowOf<Table>): void {
    this.handed.push({ table, row: { ...row } });
    super.insert(table, row);
  }

  override stage<Table extends UpsertTable>(table: Table, version: StagedVersion<Table>): void {
    this.handed.push({ table, row: onlyGiven(version) });
    super.stage(table, version);
  }
}

/** Undefined columns are as good as absent ones. */
const onlyGiven = (version: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(version).filter(([, value]) => value !== undefined));

const defaultPersist = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as unknown as PersistSettings;

interface HandleOptions {
  readonly persist?: Partial<PersistSettings>;
  /** Entities by lower-case hex of alias or EVM address. */
  readonly known?: Readonly<Record<string, EntityId>>;
  /** Associations as `account token`. */
  readonly associated?: readonly string[];
  /** Contents of files by number. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
  /** Instead of what is known. */
  readonly lookup?: EntityLookup;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const lookupOf = ({ known = {}, associated = [] }: HandleOptions): EntityLookup => ({
  account(id: AccountID | undefined) {
    if (id?.account === undefined) return 0n;
    return id.account.$case === 'accountNum' ? id.account.accountNum : known[hexOf(id.account.alias)];
  },
  contract(id: ContractID | undefined) {
    if (id?.contract === undefined) return 0n;
    return id.contract.$case === 'contractNum' ? id.contract.contractNum : known[hexOf(id.contract.evmAddress)];
  },
  evmAddress: () => undefined,
  isAssociated: (accountId, tokenId) => associated.includes(`${accountId} ${tokenId}`),
});

const filesOf = ({ files = {} }: HandleOptions): FileContents => {
  const contents = ({ fileNum }: FileID) => files[`${fileNum}`];
  return {
    contents,
    hexContents(id) {
      const text = contents(id);
      return text && fromHex(Buffer.from(text).toString('latin1'));
    },
  };
};

interface Handled {
  readonly entityId: EntityId;
  readonly problems: readonly string[];
  /** Entities that the handler touched besides its main one, as it named them. */
  readonly touched: readonly EntityId[];
  /** Columns that the handler set on the transaction's row. */
  readonly transaction: Partial<RowOf<'transaction'>>;
  /** Everything handed to the batch, in order. */
  readonly all: readonly Handed[];
  /** What was handed to one table. */
  rows(table: TableName): readonly Readonly<Record<string, unknown>>[];
}

/** Runs the handler of the item's type as the importer does; gives back the main entity. */
export const applyItem = (
  item: RecordItem,
  context: HandlerContext,
  transaction: Partial<RowOf<'transaction'>> = {},
): EntityId => {
  const handler = transactionHandlers.get(item.type);
  const entityId = handler?.entityId(item, context) ?? 0n;
  handler?.applyAlways?.(item, entityId, transaction as RowOf<'transaction'>, context);
  if (item.successful) handler?.applySuccess?.(item, entityId, context);
  return entityId;
};

/** What handlers may use, over a batch of the caller's. */
export const contextOf = (
  batch: LedgerBatch,
  options: HandleOptions = {},
  problems: string[] = [],
  touched: EntityId[] = [],
): HandlerContext => ({
  batch,
  lookup: options.lookup ?? lookupOf(options),
  files: filesOf(options),
  persist: { ...defaultPersist, ...options.persist },
  network: { shard: 0n, realm: 0n },
  evm: new EvmBlock(),
  touch: (id) => touched.push(id),
  problem: (_, message) => problems.push(message),
});

/** What the handler of the item's type does with it. */
export const handle = (item: RecordItem, options: HandleOptions = {}): Handled => {
  const batch = new RecordingBatch({ entityHistory: true });
  const problems: string[] = [];
  const touched: EntityId[] = [];
  const transaction: Partial<RowOf<'transaction'>> = {};
  const entityId = applyItem(item, contextOf(batch, options, problems, touched), transaction);
  return {
    entityId,
    problems,
    touched,
    transaction,
    all: batch.handed,
    rows: (table) => batch.handed.filter((handed) => handed.table === table).map(({ row }) => row),
  };
};

/** The same fields with a result that failed. */
export const handleFailed = (fields: ItemFields, options: HandleOptions = {}): Handled =>
  handle(itemOf({ ...fields, status: ResponseCodeEnum.INVALID_SIGNATURE }), options);

export const account = (accountNum: bigint) => ({ account: { $case: 'accountNum' as const, accountNum } });
export const alias = (bytes: Uint8Array) => ({ account: { $case: 'alias' as const, alias: bytes } });
export const contract = (contractNum: bigint) => ({ contract: { $case: 'contractNum' as const, contractNum } });
export const evmAddress = (bytes: Uint8Array) => ({ contract: { $case: 'evmAddress' as const, evmAddress: bytes } });
export const token = (tokenNum: bigint) => ({ tokenNum });

export const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** An ed25519 key, its serialized form and its public key. */
export const ED25519 = {
  key: { key: { $case: 'ed25519' as const, ed25519: new Uint8Array(32).fill(0xab) } },
  bytes: bytes(`1220${'ab'.repeat(32)}`),
  publicKey: 'ab'.repeat(32),
};
