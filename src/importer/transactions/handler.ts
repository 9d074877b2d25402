/**
 * What each transaction type does to the tables: the main entity of the transaction and the rows besides those that every
 * transaction leaves. This file holds the frame that the families share. It does not own the common rows, contract
 * results, the merging of versions, or what files 101 and 102 mean.
 */
import type { Int8Range } from '../../database/column.ts';
import type { RowOf } from '../../database/table.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import type { TransactionReceipt } from '../../protobuf/generated/services/transaction_receipt.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext, PersistSettings, TransactionHandler } from '../transaction-handler.ts';

type Data = NonNullable<TransactionBody['data']>;

/** Name of a transaction body, for example `cryptoCreateAccount`. */
type BodyName = Data['$case'];

type BodyNamed<Name extends BodyName> = Extract<Data, { $case: Name }> extends Record<Name, infer Body> ? Body : never;

/** A transaction that is looked at, and what may be used to look at it. */
export interface Source {
  readonly item: RecordItem;
  readonly context: HandlerContext;
}

/** A transaction that is turned into rows. */
export interface Call<Body = unknown> extends Source {
  readonly body: Body;
  /** Main entity of the transaction; 0n when it has none. */
  readonly entityId: EntityId;
  /** Consensus timestamp of the transaction. */
  readonly timestamp: Nanos;
}

interface Rules<Body> {
  /** Main entity; 0n when left out. */
  readonly entityId?: (source: Source & { readonly body: Body }) => EntityId;
  /** Rows of a successful transaction. */
  readonly success?: (call: Call<Body>) => void;
  /** Columns and rows that are written whatever the result. */
  readonly always?: (call: Call<Body>, transaction: RowOf<'transaction'>) => void;
}

const bodyOf = <Name extends BodyName>(item: RecordItem, name: Name): BodyNamed<Name> | undefined => {
  const { data } = item.body;
  return data?.$case === name ? (data as unknown as Record<Name, BodyNamed<Name>>)[name] : undefined;
};

/** A handler for `type`, which finds its body under `name`; a transaction with another body has no entity and no rows. */
export const defineHandler = <Name extends BodyName>(
  type: number,
  name: Name,
  rules: Rules<BodyNamed<Name>> = {},
): TransactionHandler => {
  const callOf = (item: RecordItem, entityId: EntityId, context: HandlerContext): Call<BodyNamed<Name>> | undefined => {
    const body = bodyOf(item, name);
    return body === undefined ? undefined : { item, context, body, entityId, timestamp: item.consensusTimestamp };
  };
  const { entityId: mainEntity, success, always } = rules;
  return {
    type,
    entityId(item, context) {
      const body = bodyOf(item, name);
      return body === undefined || mainEntity === undefined ? EMPTY_ENTITY_ID : mainEntity({ item, context, body });
    },
    ...(success !== undefined && {
      applySuccess(item, entityId, context) {
        const call = callOf(item, entityId, context);
        if (call !== undefined) success(call);
      },
    }),
    ...(always !== undefined && {
      applyAlways(item, entityId, transaction, context) {
        const call = callOf(item, entityId, context);
        if (call !== undefined) always(call, transaction);
      },
    }),
  };
};

/** The range of a version that begins with this transaction. */
export const rangeFrom = (call: Call): Int8Range => ({ lower: call.timestamp, upper: null });

export const receiptOf = (source: Source): TransactionReceipt | undefined => source.item.record.receipt;

/** Whether the `persist` switch of that name is on. */
export const persists = (source: Source, name: keyof PersistSettings): boolean => source.context.persist[name] === true;

/** Notes entities that the transaction touches besides those of every transaction; unset ones are none. */
export const touch = ({ context }: Source, ...ids: readonly (EntityId | null | undefined)[]): void => {
  for (const id of ids) if (id !== undefined && id !== null) context.touch(id);
};

/** Notes data that is odd but does not stop the import. */
export const problem = (source: Source, message: string): void => source.context.problem(source.item, message);
