/**
 * The rows of one or several consecutive blocks, collected while their transactions are handled and written together
 * (`write/ledger-writer.ts`). Plain rows are kept in order; rows with successive versions are merged by key as they come,
 * so that the database sees each key once per version. Owns no database access.
 */
import { EncodedRows } from '../database/encoded-rows.ts';
import type { NumericRowOf, RowOf } from '../database/table.ts';
import { decodeEntityId, type EntityId } from '../ledger/entity-id.ts';
import type { Nanos } from '../ledger/timestamp.ts';
import { idKey, pairKey, type StagedRows } from './state/staged-table.ts';
import {
  emptyRows,
  emptyStaged,
  type GrowingTable,
  growingTables,
  type InsertRows,
  type InsertTable,
  type StagedKey,
  type StagedTables,
  type StagedVersion,
  type UpsertTable,
  upsertTables,
} from './tables/registry.ts';

/** All NFTs of a token pass from one treasury account to another at `timestamp`. */
export interface TreasuryChange {
  readonly tokenId: EntityId;
  readonly previousTreasury: EntityId;
  readonly newTreasury: EntityId;
  readonly timestamp: Nanos;
}

/**
 * The one fungible entry in the record of a dissociation from a deleted token. If the token turns out to be
 * non-fungible, the account's NFTs are gone; otherwise it is an ordinary transfer.
 */
export type DissociateTransfer = RowOf<'token_transfer'>;

/** Bytecode of a contract that a state migration reveals. */
export interface ContractMigration {
  readonly contractId: EntityId;
  readonly runtimeBytecode: Uint8Array;
}

/** A treasury change moves what these tables hold. */
export const treasuryTables = ['token', 'token_account', 'nft'] as const satisfies readonly UpsertTable[];

/** The staged rows that have to be in the database before a treasury change is carried out. */
export interface TreasuryBarrier {
  readonly staged: Pick<StagedTables, (typeof treasuryTables)[number]>;
  readonly change: TreasuryChange;
}

export interface LedgerBatchOptions {
  /** `persist.entityHistory`; false ignores changes of entities that do not create them. */
  readonly entityHistory: boolean;
  /** Told about every entity version that carries an alias or EVM address, so that lookups in the same block find it. */
  readonly entityStaged?: (version: StagedVersion<'entity'>) => void;
}

type EncodedTables = { [T in InsertTable]?: EncodedRows<T> };

interface Balance {
  balance?: bigint | null | undefined;
  balance_timestamp?: bigint | null | undefined;
}

const addAmount = (target: Balance, amount: bigint, timestamp: Nanos): void => {
  const { balance } = target;
  target.balance = balance === undefined || balance === null ? amount : balance + amount;
  target.balance_timestamp = timestamp;
};

export class LedgerBatch {
  readonly #options: LedgerBatchOptions;
  readonly #rows: InsertRows = emptyRows();
  readonly #encoded: EncodedTables = {};
  readonly #staged: StagedTables = emptyStaged(upsertTables);
  /** What is noted or completed before a version is staged; false leaves the version out. */
  readonly #beforeStaging: { readonly [T in UpsertTable]?: (version: StagedVersion<T>) => boolean } = {
    entity: (version) => this.#takeEntity(version),
  };
  readonly #treasuryBarriers: TreasuryBarrier[] = [];
  readonly #dissociateTransfers: DissociateTransfer[] = [];
  readonly #contractMigrations: ContractMigration[] = [];
  readonly #batchTransactions = new Map<Nanos, RowOf<'transaction'>>();
  readonly #openRows = new Set<object>();
  readonly #stakePeriodStarts = new Map<EntityId, bigint>();
  #block = 0;

  constructor(options: LedgerBatchOptions) {
    this.#options = options;
  }

  /** Everything from here on belongs to the next block. */
  beginBlock(): void {
    this.#block++;
    this.#stakePeriodStarts.clear();
  }

  /** Day on which the entity's staking period begins, by what was staged last in this block; undefined when nothing was. */
  stakePeriodStart(entityId: EntityId): bigint | undefined {
    return this.#stakePeriodStarts.get(entityId);
  }

  /**
   * Adds a row to a table that only gets new rows. The batch keeps the object: changes to it until the next `encodeRows`
   * are written, later ones too for an atomic batch's transaction.
   */
  insert<T extends InsertTable>(table: T, row: RowOf<T>): void {
    this.#rows[table].push(row);
  }

  /** Adds a row as COPY's bytes; its object remains the caller's. Such rows are written before those of `insert`. */
  insertEncoded<T extends GrowingTable>(table: T, row: NumericRowOf<T>): void {
    this.#encodedTable(table).add(row);
  }

  /**
   * Adds a version of a row. The batch keeps the object and may change it. Versions of one key come in the order of
   * consensus. For entities, num, realm and shard follow from the id.
   */
  stage<T extends UpsertTable>(table: T, version: StagedVersion<T>): void {
    const taken = this.#beforeStaging[table]?.(version) ?? true;
    if (taken) this.#staged[table].stage(version, this.#block);
  }

  /** The delta of an account's balance that each transfer of tinybars makes; `stage` without a range, but cheaper. */
  addBalance(entityId: EntityId, amount: bigint, timestamp: Nanos): void {
    this.#addBalance(idKey(entityId), amount, timestamp);
  }

  /** The same with an id that a number holds exactly. */
  addBalanceOf(entityId: number, amount: number, timestamp: Nanos): void {
    this.#addBalance(entityId, BigInt(amount), timestamp);
  }

  /** The same for an account's balance of a token. */
  addTokenBalance(accountId: EntityId, tokenId: EntityId, amount: bigint, timestamp: Nanos): void {
    const { token_account: table } = this.#staged;
    const open = table.openDelta(pairKey(accountId, tokenId), this.#block);
    if (open !== undefined) addAmount(open, amount, timestamp);
    else {
      const delta = { account_id: accountId, token_id: tokenId, balance: amount, balance_timestamp: timestamp };
      table.stage(delta, this.#block);
    }
  }

  /** What the batch knows about a row after all that was staged so far; undefined when nothing was. Not to be changed. */
  latest<T extends UpsertTable>(table: T, key: StagedKey<T>): Readonly<StagedVersion<T>> | undefined {
    let before: StagedVersion<T> | undefined;
    for (const barrier of this.#treasuryBarriers) {
      const staged: Partial<StagedTables> = barrier.staged;
      before = staged[table]?.latest(key, before) ?? before;
    }
    return this.#staged[table].latest(key, before);
  }

  /**
   * Moves all NFTs of a token from one treasury to another (serial number -1 in a record). What was staged of tokens,
   * associations and NFTs so far is written before.
   */
  changeTreasury(change: TreasuryChange): void {
    const { token, token_account, nft } = this.#staged;
    const staged = { token, token_account, nft };
    Object.assign(this.#staged, emptyStaged(treasuryTables));
    this.#treasuryBarriers.push({ staged, change });
  }

  /** Leaves it to the database what a dissociation from a deleted token moved: fungible units or NFTs. */
  dissociate(transfer: DissociateTransfer): void {
    this.#dissociateTransfers.push(transfer);
  }

  /** Sets the bytecode of a contract, known or not, and makes its entity a contract in all versions. */
  migrateContract(migration: ContractMigration): void {
    this.#contractMigrations.push(migration);
  }

  /** Makes the row of an atomic batch findable for its inner transactions. */
  registerBatchTransaction(row: RowOf<'transaction'>): void {
    this.#batchTransactions.set(row.consensus_timestamp, row);
    this.#openRows.add(row);
  }

  batchTransaction(consensusTimestamp: Nanos): RowOf<'transaction'> | undefined {
    return this.#batchTransactions.get(consensusTimestamp);
  }

  /**
   * Turns the rows of growing tables into what COPY sends, so that their objects don't live until then. Rows of atomic
   * batches still wait for those of their inner transactions.
   * @throws KagamiError ROW_INVALID when a value does not fit its column
   */
  encodeRows(): void {
    for (const table of growingTables) this.#encodeTable(table);
  }

  /** Rows that `encodeRows` has not turned into bytes. */
  rows<T extends InsertTable>(table: T): readonly RowOf<T>[] {
    return this.#rows[table];
  }

  /** Rows that it has. */
  encodedRows<T extends InsertTable>(table: T): EncodedRows<T> | undefined {
    return this.#encoded[table];
  }

  staged(table: UpsertTable): StagedRows {
    return this.#staged[table];
  }

  get treasuryBarriers(): readonly TreasuryBarrier[] {
    return this.#treasuryBarriers;
  }

  get dissociateTransfers(): readonly DissociateTransfer[] {
    return this.#dissociateTransfers;
  }

  get contractMigrations(): readonly ContractMigration[] {
    return this.#contractMigrations;
  }

  #addBalance(key: number | bigint, amount: bigint, timestamp: Nanos): void {
    const open = this.#staged.entity.openDelta(key, this.#block);
    if (open !== undefined) addAmount(open, amount, timestamp);
    else this.#staged.entity.stage({ id: BigInt(key), balance: amount, balance_timestamp: timestamp }, this.#block);
  }

  #encodedTable<T extends InsertTable>(table: T): EncodedRows<T> {
    this.#encoded[table] ??= new EncodedRows(table) as EncodedTables[T];
    return this.#encoded[table] as EncodedRows<T>;
  }

  #encodeTable<T extends InsertTable>(table: T): void {
    const rows: RowOf<T>[] = this.#rows[table];
    if (rows.length === 0) return;
    const encoded = this.#encodedTable(table);
    const open = this.#openRows;
    let kept = 0;
    for (const row of rows) {
      if (open.size > 0 && open.has(row)) rows[kept++] = row;
      else encoded.add(row);
    }
    rows.length = kept;
  }

  #takeEntity(version: StagedVersion<'entity'>): boolean {
    const isChange = version.timestamp_range !== undefined && version.timestamp_range !== null;
    if (isChange) {
      if (!this.#options.entityHistory && (version.created_timestamp ?? null) === null) return false;
      if (version.num === undefined || version.num === null) {
        const { shard, realm, num } = decodeEntityId(version.id);
        version.shard = shard;
        version.realm = realm;
        version.num = num;
      }
    }
    const { stake_period_start } = version;
    if (stake_period_start !== undefined && stake_period_start !== null) {
      this.#stakePeriodStarts.set(version.id, stake_period_start);
    }
    if (version.alias || version.evm_address) this.#options.entityStaged?.(version);
    return true;
  }
}
