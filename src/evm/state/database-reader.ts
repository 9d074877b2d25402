/** A `StateReader` over the tables of the ledger: each kind of read through a cache of its own. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { loadAirdrops } from './database-airdrops.ts';
import {
  type AllowanceKey,
  loadAllowanceCounts,
  loadApprovals,
  loadHbarAllowances,
  loadTokenAllowances,
} from './database-allowances.ts';
import type { CodeReads } from './database-code.ts';
import { loadCounts } from './database-counts.ts';
import { loadEntities, loadIds, readLastEntityId } from './database-entities.ts';
import { loadLastSerials, loadNfts, type NftKey } from './database-nfts.ts';
import { loadNonces } from './database-nonces.ts';
import { loadRelations, type RelationKey } from './database-relations.ts';
import { loadSchedules } from './database-schedules.ts';
import { StorageReads } from './database-storage.ts';
import { loadTokens } from './database-tokens.ts';
import type { HotSlots } from './hot-slots.ts';
import type { Moment } from './moment.ts';
import { ReadCache } from './read-cache.ts';
import type { EntityRecord, PendingAirdropKey } from './records.ts';
import type { StateReader } from './state-reader.ts';

export interface CacheLimits {
  readonly slots: number;
  /** Of each other kind. */
  readonly records: number;
}

/** What readers of all moments share. */
export interface SharedReads {
  readonly code: CodeReads;
  readonly hotSlots: HotSlots;
}

export interface CachedReader extends StateReader {
  /** Forgets what was read. */
  clear(): void;
}

const ONLY = '';

export const databaseReader = (moment: Moment, { code, hotSlots }: SharedReads, limits: CacheLimits): CachedReader => {
  const cleared: { clear(): void }[] = [];
  const cache = <K, V>(
    keyOf: (key: K) => string | bigint,
    load: (moment: Moment, keys: readonly K[]) => Promise<readonly V[]>,
  ): ReadCache<K, V> => {
    const reads = new ReadCache<K, V>({ keyOf, load: (keys) => load(moment, keys), limit: limits.records });
    cleared.push(reads);
    return reads;
  };
  const byId = (id: EntityId): bigint => id;
  const allowanceName = ({ ownerId, spenderId, tokenId }: AllowanceKey): string => `${ownerId} ${spenderId} ${tokenId}`;

  const storage = new StorageReads(moment, hotSlots, limits.slots);
  cleared.push(storage);
  const entities = cache(byId, loadEntities);
  const nonces = cache(({ id }: EntityRecord) => id, loadNonces);
  const ids = cache((address: string) => address, loadIds);
  const tokens = cache(byId, loadTokens);
  const relations = cache(({ accountId, tokenId }: RelationKey) => `${accountId} ${tokenId}`, loadRelations);
  const nfts = cache(({ tokenId, serialNumber }: NftKey) => `${tokenId} ${serialNumber}`, loadNfts);
  const serials = cache(byId, loadLastSerials);
  const hbarAllowances = cache(allowanceName, loadHbarAllowances);
  const tokenAllowances = cache(allowanceName, loadTokenAllowances);
  const approvals = cache(allowanceName, loadApprovals);
  const allowanceCounts = cache(byId, loadAllowanceCounts);
  const airdrops = cache(
    ({ senderId, receiverId, tokenId, serialNumber }: PendingAirdropKey) =>
      `${senderId} ${receiverId} ${tokenId} ${serialNumber}`,
    loadAirdrops,
  );
  const schedules = cache(byId, loadSchedules);
  const counts = cache(byId, loadCounts);
  const lastIds = cache(
    () => ONLY,
    async (_moment, keys: readonly undefined[]) => {
      const last = await readLastEntityId(moment);
      return keys.map(() => last);
    },
  );

  return {
    entity: (id) => entities.read(id),
    nonce: (entity) => nonces.read(entity),
    idByEvmAddress: (address) => ids.read(address),
    code: (contractId) => code.read(contractId),
    slot: (contractId, slot) => storage.read(contractId, slot),
    token: (id) => tokens.read(id),
    tokenRelation: (accountId, tokenId) => relations.read({ accountId, tokenId }),
    nft: (tokenId, serialNumber) => nfts.read({ tokenId, serialNumber }),
    lastSerialNumber: (tokenId) => serials.read(tokenId),
    hbarAllowance: (ownerId, spenderId) => hbarAllowances.read({ ownerId, spenderId, tokenId: 0n }),
    tokenAllowance: (ownerId, spenderId, tokenId) => tokenAllowances.read({ ownerId, spenderId, tokenId }),
    approvedForAll: (ownerId, spenderId, tokenId) => approvals.read({ ownerId, spenderId, tokenId }),
    allowanceCount: (ownerId) => allowanceCounts.read(ownerId),
    pendingAirdrop: ({ senderId, receiverId, tokenId, serialNumber }) =>
      airdrops.read({ senderId, receiverId, tokenId, serialNumber }),
    schedule: (id) => schedules.read(id),
    accountCounts: (id) => counts.read(id),
    lastEntityId: () => lastIds.read(undefined),
    clear: () => {
      for (const reads of cleared) reads.clear();
    },
  };
};
