/**
 * The kernel of the table descriptions: what a column is called in SQL, how it travels in binary COPY, and which
 * JavaScript value a writer hands over for it. Owns no table; those are in `tables/`.
 */

/** Binary representation of a column on the wire; `encoders.ts` has one encoder for each. */
export type WireType =
  | 'bool'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'text'
  | 'bytea'
  | 'jsonb'
  | 'int8range'
  | 'timestamptz'
  | 'int2[]'
  | 'int4[]'
  | 'int8[]'
  | 'bytea[]';

/** `[lower, upper)`, and `[lower,)` when `upper` is null. Bounds are nanoseconds or sequence numbers. */
export interface Int8Range {
  readonly lower: bigint;
  readonly upper: bigint | null;
}

declare const writtenValue: unique symbol;

/** A column; `Value` is the type that a row for writing carries under the column's name. */
export interface Column<Value = unknown> {
  /** The type as PostgreSQL's `format_type` prints it, for example `character varying(100)`. */
  readonly type: string;
  readonly wire: WireType;
  readonly nullable: boolean;
  /** The default as PostgreSQL's `pg_get_expr` prints it. */
  readonly default: string | null;
  readonly [writtenValue]?: Value;
}

export type Columns = Readonly<Record<string, Column>>;

/** One table: its columns in the order of the catalogue, and its primary key (empty when it has none). */
export interface Table<Name extends string = string, C extends Columns = Columns> {
  readonly name: Name;
  readonly columns: C;
  readonly primaryKey: readonly (keyof C & string)[];
}

type ValueOf<C> = C extends { readonly [writtenValue]?: infer V } ? V : never;

/** The row object that a writer hands over: every column, explicitly. */
export type RowOfTable<T> = T extends { readonly columns: infer C } ? { [K in keyof C]: ValueOf<C[K]> } : never;

const column = <Value>(type: string, wire: WireType): Column<Value> => ({
  type,
  wire,
  nullable: false,
  default: null,
});

export const bool = column<boolean>('boolean', 'bool');
export const int2 = column<number>('smallint', 'int2');
export const int4 = column<number>('integer', 'int4');
export const int8 = column<bigint>('bigint', 'int8');
export const text = column<string>('text', 'text');
/** `character varying(length)`; without a length, unbounded. PostgreSQL rejects longer values. */
export const varchar = (length?: number): Column<string> =>
  column<string>(length === undefined ? 'character varying' : `character varying(${length})`, 'text');
export const bytea = column<Uint8Array>('bytea', 'bytea');
/** JSON text; PostgreSQL checks it. */
export const jsonb = column<string>('jsonb', 'jsonb');
export const int8range = column<Int8Range>('int8range', 'int8range');
/** Nanoseconds since 1970; PostgreSQL keeps microseconds, the rest is cut off. */
export const timestamptz = column<bigint>('timestamp with time zone', 'timestamptz');
export const int2Array = column<readonly number[]>('smallint[]', 'int2[]');
export const int4Array = column<readonly number[]>('integer[]', 'int4[]');
export const int8Array = column<readonly bigint[]>('bigint[]', 'int8[]');
export const byteaArray = column<readonly Uint8Array[]>('bytea[]', 'bytea[]');

/** Domains over bigint: an encoded entity id, an amount of tinybars, nanoseconds since 1970. */
export const entityId = column<bigint>('entity_id', 'int8');
export const hbarTinybars = column<bigint>('hbar_tinybars', 'int8');
export const nanosTimestamp = column<bigint>('nanos_timestamp', 'int8');

/** Enum types with their labels in the catalogue's order. */
export const enums = {
  airdrop_state: ['CANCELLED', 'CLAIMED', 'PENDING'],
  entity_type: ['UNKNOWN', 'ACCOUNT', 'CONTRACT', 'FILE', 'TOPIC', 'TOKEN', 'SCHEDULE'],
  errata_type: ['INSERT', 'DELETE'],
  hook_extension_point: ['ACCOUNT_ALLOWANCE_HOOK'],
  hook_type: ['EVM'],
  token_pause_status: ['NOT_APPLICABLE', 'PAUSED', 'UNPAUSED'],
  token_supply_type: ['INFINITE', 'FINITE'],
  token_type: ['FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'],
} as const;

export type EnumName = keyof typeof enums;
export type EnumLabel<Name extends EnumName> = (typeof enums)[Name][number];

/** An enum travels as its label, exactly like text. */
export const enumOf = <Name extends EnumName>(name: Name): Column<EnumLabel<Name>> =>
  column<EnumLabel<Name>>(name, 'text');

export const nullable = <Value>(of: Column<Value>): Column<Value | null> =>
  ({ ...of, nullable: true }) as Column<Value | null>;

/** A column with a default. Writers still say the value: the default matters to merges and to other people's INSERTs. */
export const withDefault = <Value>(of: Column<Value>, expression: string): Column<Value> => ({
  ...of,
  default: expression,
});

export const table = <const Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  primaryKey: readonly (keyof C & string)[] = [],
): Table<Name, C> => ({ name, columns, primaryKey });

/** The table that keeps the superseded versions of `current`: the same columns, no key. */
export const historyOf = <Name extends string, C extends Columns>(
  current: Table<Name, C>,
): Table<`${Name}_history`, C> => ({
  name: `${current.name}_history`,
  columns: current.columns,
  primaryKey: [],
});
