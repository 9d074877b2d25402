/**
 * The state that one run sees and changes: changes over memoised reads over a reader.
 *
 * Owns checkpoints and the numbers of new entities. Knows no EVM rule and no HAPI rule: `engine` decides what a
 * contract sees, `hapi` what an operation may do.
 */
import { decodeEntityId, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { LONG_ZERO_PREFIX, longZeroHexOf } from '../../ledger/evm-address.ts';
import { Journal, JournaledTable } from './journal.ts';
import { newEntity } from './new-entity.ts';
import type {
  AccountCounts,
  AddressHex,
  EntityRecord,
  NftRecord,
  PendingAirdropKey,
  PendingAirdropRecord,
  ScheduleRecord,
  TokenRecord,
  TokenRelationRecord,
  WordHex,
} from './records.ts';
import type { StateReader } from './state-reader.ts';

/** Distance of the first new entity from the newest stored one, so that ids don't collide with those given meanwhile. */
const ENTITY_NUMBER_BUFFER = 1_000n;

export interface WorldOptions {
  readonly shard: bigint;
  readonly realm: bigint;
  /** How far the numbers of new entities are ahead of the newest one; left out: 1,000. */
  readonly entityNumBuffer?: bigint;
}

const LEAST_NEW_NUMBER = 1_001n;

const LAST_SYSTEM_NUMBER = 999n;

/** Whether an address is the long-zero form of a number. */
export const isLongZero = (address: AddressHex): boolean => address.startsWith(LONG_ZERO_PREFIX);

/** Long-zero form of an entity's address: its num, without shard and realm. */
export const longZeroHex = (id: EntityId): AddressHex => longZeroHexOf(decodeEntityId(id).num);

/** The address by which contracts know the entity: its alias of 20 bytes, else the long-zero form. */
export const addressOf = (entity: Pick<EntityRecord, 'id' | 'evmAddress'>): AddressHex =>
  entity.evmAddress ?? longZeroHex(entity.id);

const pairKey = (a: EntityId, b: EntityId): string => `${a} ${b}`;
const idsOf = (key: string): EntityId[] => key.split(' ').map(BigInt);

const airdropKey = ({ senderId, receiverId, tokenId, serialNumber }: PendingAirdropKey): string =>
  `${senderId} ${receiverId} ${tokenId} ${serialNumber}`;

export class World {
  readonly shard: bigint;
  readonly realm: bigint;
  readonly #entityNumBuffer: bigint;
  readonly #journal = new Journal();
  readonly #reader: StateReader;
  readonly #entities: JournaledTable<EntityId, EntityRecord | undefined>;
  readonly #ids: JournaledTable<AddressHex, EntityId | undefined>;
  readonly #codes: JournaledTable<EntityId, Uint8Array | undefined>;
  readonly #slots = new Map<EntityId, JournaledTable<WordHex, WordHex>>();
  readonly #emptyStorage = new Set<EntityId>();
  readonly #tokens: JournaledTable<EntityId, TokenRecord | undefined>;
  readonly #relations: JournaledTable<string, TokenRelationRecord | undefined>;
  readonly #nfts: JournaledTable<string, NftRecord | undefined>;
  readonly #lastSerials: JournaledTable<EntityId, bigint>;
  readonly #hbarAllowances: JournaledTable<string, bigint>;
  readonly #tokenAllowances: JournaledTable<string, bigint>;
  readonly #approvals: JournaledTable<string, boolean>;
  readonly #storedAllowanceCounts: JournaledTable<EntityId, number>;
  readonly #moreAllowances: JournaledTable<EntityId, number>;
  readonly #airdrops: JournaledTable<string, PendingAirdropRecord | undefined>;
  readonly #schedules: JournaledTable<EntityId, ScheduleRecord | undefined>;
  readonly #counts: JournaledTable<EntityId, AccountCounts>;
  #nextNumber: bigint | undefined;

  constructor(reader: StateReader, network: WorldOptions) {
    this.#entityNumBuffer = network.entityNumBuffer ?? ENTITY_NUMBER_BUFFER;
    this.#reader = reader;
    this.shard = network.shard;
    this.realm = network.realm;
    const table = <K, V>(read: (key: K) => Promise<V>): JournaledTable<K, V> => new JournaledTable(this.#journal, read);
    this.#entities = table(async (id) => (await reader.entity(id)) ?? this.#systemAccount(id));
    this.#ids = table((address) => reader.idByEvmAddress(address));
    this.#codes = table((id) => reader.code(id));
    this.#tokens = table((id) => reader.token(id));
    this.#relations = table((key) => {
      const [accountId = 0n, tokenId = 0n] = idsOf(key);
      return reader.tokenRelation(accountId, tokenId);
    });
    this.#nfts = table((key) => {
      const [tokenId = 0n, serialNumber = 0n] = idsOf(key);
      return reader.nft(tokenId, serialNumber);
    });
    this.#lastSerials = table((id) => reader.lastSerialNumber(id));
    this.#hbarAllowances = table((key) => {
      const [ownerId = 0n, spenderId = 0n] = idsOf(key);
      return reader.hbarAllowance(ownerId, spenderId);
    });
    this.#tokenAllowances = table((key) => {
      const [ownerId = 0n, spenderId = 0n, tokenId = 0n] = idsOf(key);
      return reader.tokenAllowance(ownerId, spenderId, tokenId);
    });
    this.#approvals = table((key) => {
      const [ownerId = 0n, spenderId = 0n, tokenId = 0n] = idsOf(key);
      return reader.approvedForAll(ownerId, spenderId, tokenId);
    });
    this.#storedAllowanceCounts = table((id) => reader.allowanceCount(id));
    this.#moreAllowances = table(async () => 0);
    this.#airdrops = table((key) => {
      const [senderId = 0n, receiverId = 0n, tokenId = 0n, serialNumber = 0n] = idsOf(key);
      return reader.pendingAirdrop({ senderId, receiverId, tokenId, serialNumber });
    });
    this.#schedules = table((id) => reader.schedule(id));
    this.#counts = table((id) => reader.accountCounts(id));
  }

  get depth(): number {
    return this.#journal.depth;
  }

  checkpoint(): void {
    this.#journal.checkpoint();
  }

  commit(): void {
    this.#journal.commit();
  }

  revert(): void {
    this.#journal.revert();
  }

  /** Encoded id of the entity with this number in the network's own shard and realm. */
  idOf(num: bigint): EntityId {
    return encodeEntityId(this.shard, this.realm, num);
  }

  entity(id: EntityId): Promise<EntityRecord | undefined> {
    return this.#entities.get(id);
  }

  /** The entity with its nonce of this moment. */
  async withNonce(entity: EntityRecord): Promise<EntityRecord> {
    if (entity.nonceMayBeLater !== true) return entity;
    return { ...entity, nonce: await this.#reader.nonce(entity), nonceMayBeLater: false };
  }

  putEntity(entity: EntityRecord): void {
    this.#entities.put(entity.id, entity);
    if (entity.evmAddress !== undefined) this.#ids.put(entity.evmAddress, entity.id);
  }

  removeEntity(id: EntityId): void {
    const evmAddress = this.#entities.peek(id)?.evmAddress;
    if (evmAddress !== undefined) this.#ids.put(evmAddress, undefined);
    this.#entities.put(id, undefined);
  }

  /**
   * The entity that an address names, in either form. A long-zero address names an entity also when it has an alias;
   * what the EVM makes of that is the engine's business.
   */
  async entityAt(address: AddressHex): Promise<EntityRecord | undefined> {
    const id = await this.idAt(address);
    return id === undefined ? undefined : this.entity(id);
  }

  /** Like `entityAt`, without asking whether a long-zero address's entity exists; undefined for an unknown alias. */
  async idAt(address: AddressHex): Promise<EntityId | undefined> {
    if (!isLongZero(address)) return this.#ids.get(address);
    const num = BigInt(`0x${address}`);
    return num >= 1n << 38n ? undefined : this.idOf(num);
  }

  code(contractId: EntityId): Promise<Uint8Array | undefined> {
    return this.#codes.get(contractId);
  }

  putCode(contractId: EntityId, code: Uint8Array): void {
    this.#codes.put(contractId, code);
  }

  slot(contractId: EntityId, slot: WordHex): Promise<WordHex> {
    return this.#storageOf(contractId).get(slot);
  }

  /** The slot's value if it needs no read. */
  knownSlot(contractId: EntityId, slot: WordHex): WordHex | undefined {
    return this.#slots.get(contractId)?.peek(slot);
  }

  putSlot(contractId: EntityId, slot: WordHex, value: WordHex): void {
    this.#storageOf(contractId).put(slot, value);
  }

  /** From now on slots that were not put read zero, whatever is stored: for overrides of a whole storage. */
  forgetStoredSlots(contractId: EntityId): void {
    this.#emptyStorage.add(contractId);
  }

  /** Slots put by this run, by contract. */
  *changedSlots(): Generator<readonly [contractId: EntityId, slot: WordHex, value: WordHex]> {
    for (const [contractId, slots] of this.#slots) {
      for (const slot of slots.changedKeys()) yield [contractId, slot, slots.peek(slot) as WordHex];
    }
  }

  token(id: EntityId): Promise<TokenRecord | undefined> {
    return this.#tokens.get(id);
  }

  putToken(token: TokenRecord): void {
    this.#tokens.put(token.id, token);
  }

  tokenRelation(accountId: EntityId, tokenId: EntityId): Promise<TokenRelationRecord | undefined> {
    return this.#relations.get(pairKey(accountId, tokenId));
  }

  putTokenRelation(relation: TokenRelationRecord): void {
    this.#relations.put(pairKey(relation.accountId, relation.tokenId), relation);
  }

  removeTokenRelation(accountId: EntityId, tokenId: EntityId): void {
    this.#relations.put(pairKey(accountId, tokenId), undefined);
  }

  nft(tokenId: EntityId, serialNumber: bigint): Promise<NftRecord | undefined> {
    return this.#nfts.get(pairKey(tokenId, serialNumber));
  }

  putNft(nft: NftRecord): void {
    this.#nfts.put(pairKey(nft.tokenId, nft.serialNumber), nft);
  }

  removeNft(tokenId: EntityId, serialNumber: bigint): void {
    this.#nfts.put(pairKey(tokenId, serialNumber), undefined);
  }

  lastSerialNumber(tokenId: EntityId): Promise<bigint> {
    return this.#lastSerials.get(tokenId);
  }

  putLastSerialNumber(tokenId: EntityId, serialNumber: bigint): void {
    this.#lastSerials.put(tokenId, serialNumber);
  }

  hbarAllowance(ownerId: EntityId, spenderId: EntityId): Promise<bigint> {
    return this.#hbarAllowances.get(pairKey(ownerId, spenderId));
  }

  putHbarAllowance(ownerId: EntityId, spenderId: EntityId, amount: bigint): void {
    this.#hbarAllowances.put(pairKey(ownerId, spenderId), amount);
  }

  tokenAllowance(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId): Promise<bigint> {
    return this.#tokenAllowances.get(`${ownerId} ${spenderId} ${tokenId}`);
  }

  putTokenAllowance(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId, amount: bigint): void {
    this.#tokenAllowances.put(`${ownerId} ${spenderId} ${tokenId}`, amount);
  }

  approvedForAll(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId): Promise<boolean> {
    return this.#approvals.get(`${ownerId} ${spenderId} ${tokenId}`);
  }

  putApprovedForAll(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId, approved: boolean): void {
    this.#approvals.put(`${ownerId} ${spenderId} ${tokenId}`, approved);
  }

  /** How many allowances an owner has given. */
  async allowanceCount(ownerId: EntityId): Promise<number> {
    return (await this.#storedAllowanceCounts.get(ownerId)) + (await this.#moreAllowances.get(ownerId));
  }

  /** Notes allowances that came or went, without asking how many there are. */
  async changeAllowanceCount(ownerId: EntityId, by: number): Promise<void> {
    if (by !== 0) this.#moreAllowances.put(ownerId, (await this.#moreAllowances.get(ownerId)) + by);
  }

  pendingAirdrop(key: PendingAirdropKey): Promise<PendingAirdropRecord | undefined> {
    return this.#airdrops.get(airdropKey(key));
  }

  putPendingAirdrop(airdrop: PendingAirdropRecord): void {
    this.#airdrops.put(airdropKey(airdrop), airdrop);
  }

  removePendingAirdrop(key: PendingAirdropKey): void {
    this.#airdrops.put(airdropKey(key), undefined);
  }

  schedule(id: EntityId): Promise<ScheduleRecord | undefined> {
    return this.#schedules.get(id);
  }

  putSchedule(schedule: ScheduleRecord): void {
    this.#schedules.put(schedule.id, schedule);
  }

  accountCounts(accountId: EntityId): Promise<AccountCounts> {
    return this.#counts.get(accountId);
  }

  putAccountCounts(accountId: EntityId, counts: AccountCounts): void {
    this.#counts.put(accountId, counts);
  }

  /** Takes the number of a new entity; given back when the checkpoint is reverted. */
  async newEntityId(): Promise<EntityId> {
    let num = this.#nextNumber;
    if (num === undefined) {
      const last = decodeEntityId(await this.#reader.lastEntityId()).num;
      num = this.#nextNumber ?? last + this.#entityNumBuffer + 1n;
      if (num < LEAST_NEW_NUMBER) num = LEAST_NEW_NUMBER;
    }
    const taken = num;
    this.#journal.note(() => {
      this.#nextNumber = taken;
    });
    this.#nextNumber = taken + 1n;
    return this.idOf(taken);
  }

  /** The lowest numbers are accounts of the network, also where nothing of them is stored. */
  #systemAccount(id: EntityId): EntityRecord | undefined {
    const { num } = decodeEntityId(id);
    const isReserved = num > 0n && num <= LAST_SYSTEM_NUMBER && id === this.idOf(num);
    return isReserved ? newEntity({ id, type: 'ACCOUNT' }) : undefined;
  }

  #storageOf(contractId: EntityId): JournaledTable<WordHex, WordHex> {
    let slots = this.#slots.get(contractId);
    if (slots === undefined) {
      slots = new JournaledTable<WordHex, WordHex>(this.#journal, (slot) =>
        this.#emptyStorage.has(contractId) ? Promise.resolve('0'.repeat(64)) : this.#reader.slot(contractId, slot),
      );
      this.#slots.set(contractId, slots);
    }
    return slots;
  }
}
