/**
 * Finds entities by alias or EVM address without waiting: `prefetch` asks the database about a block's unknown aliases
 * and addresses before the block is handled, and entities that are staged meanwhile are known at once. Owns the cache of
 * what was found; never caches that something was not found beyond the block.
 */
import type { Queryable } from '../database/connection.ts';
import { toHex } from '../ledger/bytes.ts';
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { EVM_ADDRESS_LENGTH, numOfLongZeroAddress } from '../ledger/evm-address.ts';
import { evmAddressOfAlias } from '../ledger/key.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import type { AccountID, ContractID } from '../protobuf/generated/services/basic_types.ts';
import type { CryptoTransferTransactionBody } from '../protobuf/generated/services/crypto_transfer.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { EntityLookup } from './lookups.ts';
import { contractResultOf, type RecordItem } from './record-item.ts';
import type { StagedVersion } from './tables/registry.ts';

export interface EntityLookupOptions {
  readonly shard: bigint;
  readonly realm: bigint;
  /** Most aliases and addresses kept after a block; 100,000 by default. */
  readonly capacity?: number;
  /** Most entities whose EVM addresses are kept after a block; 500,000 by default. */
  readonly evmAddressCapacity?: number;
  /** Looks up the accounts of all hbar transfers too (`persist.itemizedTransfers`). */
  readonly itemizedTransfers?: boolean;
}

const DEFAULT_CAPACITY = 100_000;
const DEFAULT_EVM_ADDRESS_CAPACITY = 500_000;

/** Neither body nor record of these holds aliases or EVM addresses that are looked up. */
const MESSAGE_TYPES_WITHOUT_ALIASES: ReadonlySet<number> = new Set([
  TransactionType.CONSENSUSSUBMITMESSAGE,
  TransactionType.CRYPTOCREATEACCOUNT,
  TransactionType.FILEAPPEND,
  TransactionType.FILECREATE,
  TransactionType.FILEUPDATE,
  TransactionType.ATOMICBATCH,
]);

/** Bodies of these may hold aliases, but contracts in their records come by number. */
const TYPES_WITHOUT_CONTRACT_RESULT: ReadonlySet<number> = new Set([TransactionType.CRYPTOTRANSFER]);

export class CachedEntityLookup implements EntityLookup {
  readonly #options: EntityLookupOptions;
  readonly #capacity: number;
  /** Entity by lower-case hex of alias or EVM address; the order of the map is that of last use. */
  readonly #entities = new Map<string, EntityId>();
  /**
   * EVM address by entity, null for none: an entity keeps what it was inserted with. Ordered as `#entities`. Holds
   * nothing else, unlike the reference's, which can put the long-zero address of a contract into topics in full length.
   */
  readonly #evmAddresses = new Map<EntityId, Uint8Array | null>();
  /** Entities that neither the batch had nor the database has, which only this batch can change. */
  readonly #absent = new Set<EntityId>();
  /** Associations that the database holds, of those that the block asks about: `account token`. */
  readonly #associations = new Set<string>();
  #batch: LedgerBatch | undefined;

  constructor(options: EntityLookupOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? DEFAULT_CAPACITY;
  }

  /** The batch whose staged rows count as known. */
  useBatch(batch: LedgerBatch): void {
    this.#batch = batch;
    this.#absent.clear();
  }

  /** Makes a staged entity findable: to be given to the batch as `entityStaged`. */
  readonly entityStaged = (version: StagedVersion<'entity'>): void => {
    if (version.deleted === true) return;
    if (version.alias) this.#remember(toHex(version.alias), version.id);
    if (version.evm_address) this.#remember(toHex(version.evm_address), version.id);
  };

  account(id: AccountID | undefined): EntityId | undefined {
    const account = id?.account;
    if (id === undefined || account === undefined) return EMPTY_ENTITY_ID;
    if (account.$case === 'accountNum') return numbered(id.shardNum, id.realmNum, account.accountNum);
    return this.#byAlias(account.alias);
  }

  contract(id: ContractID | undefined): EntityId | undefined {
    if (id === undefined) return EMPTY_ENTITY_ID;
    const { contract } = id;
    if (contract === undefined) return isDefaultContract(id) ? EMPTY_ENTITY_ID : undefined;
    if (contract.$case === 'contractNum') return numbered(id.shardNum, id.realmNum, contract.contractNum);
    return this.#byEvmAddress(contract.evmAddress);
  }

  evmAddress(id: EntityId): Uint8Array | null | undefined {
    const staged = this.#batch?.latest('entity', { id })?.evm_address;
    if (staged) return staged;
    const known = this.#evmAddresses.get(id);
    if (known === undefined) return this.#absent.has(id) ? null : undefined;
    this.#rememberAddress(id, known);
    return known;
  }

  isAssociated(accountId: EntityId, tokenId: EntityId): boolean {
    const staged = this.#batch?.latest('token_account', { account_id: accountId, token_id: tokenId })?.associated;
    return staged ?? this.#associations.has(`${accountId} ${tokenId}`);
  }

  /**
   * Asks the database about the aliases, addresses and associations that the items mention and that are not known yet.
   * One query for each kind at most; none when there is nothing to ask.
   */
  async prefetch(client: Queryable, items: readonly RecordItem[]): Promise<void> {
    this.#evict();
    const wanted = new Wanted();
    for (const item of items) this.#collect(item, wanted);
    await this.#fetchEntities(client, 'alias', wanted.aliases);
    await this.#fetchEntities(client, 'evm_address', wanted.addresses);
    await this.#fetchAssociations(client, items);
  }

  /**
   * Asks the database for the EVM addresses of entities, which `evmAddress` knows from then on; for those that are not
   * there, until the next batch.
   */
  async fetchEvmAddresses(client: Queryable, ids: readonly EntityId[]): Promise<void> {
    const rows = await client.query<{ id: string; evm_address: Buffer | null }>(
      'select id, evm_address from entity where id = any ($1)',
      [ids],
      'lookup_evm_addresses',
    );
    for (const { id, evm_address } of rows) {
      // A copy: the driver's bytes are a view of all that the answer held.
      this.#rememberAddress(BigInt(id), evm_address?.length ? new Uint8Array(evm_address) : null);
    }
    for (const id of ids) if (!this.#evmAddresses.has(id)) this.#absent.add(id);
  }

  #byAlias(alias: Uint8Array): EntityId | undefined {
    if (alias.length === EVM_ADDRESS_LENGTH) return this.#byEvmAddress(alias);
    const known = this.#known(toHex(alias));
    if (known !== undefined) return known;
    const address = evmAddressOfAlias(alias);
    return address === undefined ? undefined : this.#byEvmAddress(address);
  }

  #byEvmAddress(address: Uint8Array): EntityId | undefined {
    const num = numOfLongZeroAddress(address);
    if (num !== undefined) return numbered(this.#options.shard, this.#options.realm, num);
    return this.#known(toHex(address));
  }

  #known(hex: string): EntityId | undefined {
    const id = this.#entities.get(hex);
    if (id !== undefined) this.#remember(hex, id);
    return id;
  }

  #remember(hex: string, id: EntityId): void {
    this.#entities.delete(hex);
    this.#entities.set(hex, id);
  }

  #rememberAddress(id: EntityId, address: Uint8Array | null): void {
    this.#evmAddresses.delete(id);
    this.#evmAddresses.set(id, address);
  }

  #evict(): void {
    dropOldest(this.#entities, this.#capacity);
    dropOldest(this.#evmAddresses, this.#options.evmAddressCapacity ?? DEFAULT_EVM_ADDRESS_CAPACITY);
  }

  #collect(item: RecordItem, wanted: Wanted): void {
    if (MESSAGE_TYPES_WITHOUT_ALIASES.has(item.type) || this.#isPlain(item)) return;
    this.#collectFromItem(item, wanted);
    item.release?.();
  }

  /** A plain transfer needs no lookups, except where its body shows in a row. */
  #isPlain(item: RecordItem): boolean {
    return !this.#options.itemizedTransfers && item.isPlainTransfer === true;
  }

  #collectFromItem(item: RecordItem, wanted: Wanted): void {
    const { data } = item.body;
    if (data === undefined) return;
    if (data.$case === 'cryptoTransfer') {
      this.#collectFromTransfers(data.cryptoTransfer, wanted);
    } else {
      this.#collectFrom(data, wanted);
    }
    if (TYPES_WITHOUT_CONTRACT_RESULT.has(item.type)) return;
    this.#collectFrom(item.record.receipt?.contractID, wanted);
    const result = contractResultOf(item);
    if (result !== undefined) {
      this.#collectFrom(result.contractID, wanted);
      this.#collectFrom(result.createdContractIDs, wanted);
      for (const { contractID } of result.logInfo) this.#collectFrom(contractID, wanted);
    }
  }

  /** Owners of allowances and of hooks; other parties of a transfer are known by number. */
  #collectFromTransfers({ transfers, tokenTransfers }: CryptoTransferTransactionBody, wanted: Wanted): void {
    const { itemizedTransfers } = this.#options;
    for (const { accountID, isApproval, hookCall } of transfers?.accountAmounts ?? []) {
      if (isApproval || itemizedTransfers || hookCall !== undefined) this.#collectFrom(accountID, wanted);
    }
    for (const list of tokenTransfers) {
      for (const { accountID, isApproval, hookCall } of list.transfers) {
        if (isApproval || hookCall !== undefined) this.#collectFrom(accountID, wanted);
      }
      for (const nft of list.nftTransfers) {
        if (nft.senderAllowanceHookCall !== undefined) this.#collectFrom(nft.senderAccountID, wanted);
        if (nft.receiverAllowanceHookCall !== undefined) this.#collectFrom(nft.receiverAccountID, wanted);
      }
    }
  }

  /** Walks a decoded message for AccountIDs with an alias and ContractIDs with an EVM address. */
  #collectFrom(value: unknown, wanted: Wanted): void {
    if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return;
    if (Array.isArray(value)) {
      for (const element of value) this.#collectFrom(element, wanted);
      return;
    }
    const union = value as { readonly $case?: string; readonly alias?: unknown; readonly evmAddress?: unknown };
    if (union.$case === 'alias' && union.alias instanceof Uint8Array) this.#wantAlias(union.alias, wanted);
    else if (union.$case === 'evmAddress' && union.evmAddress instanceof Uint8Array) {
      this.#wantAddress(union.evmAddress, wanted);
    } else {
      for (const name in value) {
        if (name !== '_unknownFields') this.#collectFrom((value as Record<string, unknown>)[name], wanted);
      }
    }
  }

  #wantAlias(alias: Uint8Array, wanted: Wanted): void {
    if (alias.length !== EVM_ADDRESS_LENGTH) {
      const hex = toHex(alias);
      if (this.#entities.has(hex)) return;
      wanted.aliases.set(hex, alias);
    }
    const address = evmAddressOfAlias(alias);
    if (address !== undefined) this.#wantAddress(address, wanted);
  }

  #wantAddress(address: Uint8Array, wanted: Wanted): void {
    if (address.length === 0 || numOfLongZeroAddress(address) !== undefined) return;
    const hex = toHex(address);
    if (!this.#entities.has(hex)) wanted.addresses.set(hex, address);
  }

  async #fetchEntities(
    client: Queryable,
    column: 'alias' | 'evm_address',
    wanted: ReadonlyMap<string, Uint8Array>,
  ): Promise<void> {
    if (wanted.size === 0) return;
    const rows = await client.query<{ id: string; address: Buffer }>(
      `select id, ${column} as address from entity where ${column} = any ($1) and deleted <> true order by id`,
      [[...wanted.values()].map((bytes) => Buffer.from(bytes))],
      `lookup_${column}`,
    );
    for (const { id, address } of rows) this.#remember(toHex(address), BigInt(id));
  }

  /** Claims of airdrops associate the receiver unless it is already; ids are resolved by now. */
  async #fetchAssociations(client: Queryable, items: readonly RecordItem[]): Promise<void> {
    this.#associations.clear();
    const accounts: bigint[] = [];
    const tokens: bigint[] = [];
    for (const item of items) {
      if (item.type !== TransactionType.TOKENCLAIMAIRDROP) continue;
      const { data } = item.body;
      if (data?.$case !== 'tokenClaimAirdrop') continue;
      for (const { receiverId, tokenReference } of data.tokenClaimAirdrop.pendingAirdrops) {
        const account = this.account(receiverId);
        const token =
          tokenReference?.$case === 'fungibleTokenType'
            ? tokenReference.fungibleTokenType
            : tokenReference?.nonFungibleToken.tokenID;
        if (account === undefined || token === undefined) continue;
        accounts.push(account);
        tokens.push(numbered(token.shardNum, token.realmNum, token.tokenNum) ?? 0n);
      }
    }
    if (accounts.length === 0) return;
    const rows = await client.query<{ account_id: string; token_id: string }>(
      'select t.account_id, t.token_id from unnest($1::bigint[], $2::bigint[]) as w (account_id, token_id) ' +
        'join token_account t on t.account_id = w.account_id and t.token_id = w.token_id where t.associated',
      [accounts, tokens],
      'lookup_associations',
    );
    for (const { account_id, token_id } of rows) this.#associations.add(`${account_id} ${token_id}`);
  }
}

const dropOldest = <Key>(cache: Map<Key, unknown>, capacity: number): void => {
  let excess = cache.size - capacity;
  for (const key of cache.keys()) {
    if (excess-- <= 0) return;
    cache.delete(key);
  }
};

/** What a block asks the database about, by hex. */
class Wanted {
  readonly aliases = new Map<string, Uint8Array>();
  readonly addresses = new Map<string, Uint8Array>();
}

const numbered = (shard: bigint, realm: bigint, num: bigint): EntityId | undefined => {
  try {
    return encodeEntityId(shard, realm, num);
  } catch {
    return undefined;
  }
};

/** A ContractID that says nothing clears; one that names a shard but no contract is a fault. */
const isDefaultContract = (id: ContractID): boolean => id.shardNum === 0n && id.realmNum === 0n;
