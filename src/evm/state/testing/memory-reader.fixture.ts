/** A reader over records that a test lists. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { newEntity } from '../new-entity.ts';
import type {
  AccountCounts,
  AddressHex,
  EntityRecord,
  NftRecord,
  PendingAirdropRecord,
  ScheduleRecord,
  TokenRecord,
  TokenRelationRecord,
  WordHex,
} from '../records.ts';
import type { StateReader } from '../state-reader.ts';

export interface MemoryState {
  readonly entities?: readonly EntityRecord[];
  readonly codes?: readonly (readonly [EntityId, Uint8Array])[];
  readonly slots?: readonly (readonly [EntityId, WordHex, WordHex])[];
  readonly tokens?: readonly TokenRecord[];
  readonly relations?: readonly TokenRelationRecord[];
  readonly nfts?: readonly NftRecord[];
  readonly hbarAllowances?: readonly (readonly [ownerId: EntityId, spenderId: EntityId, amount: bigint])[];
  readonly tokenAllowances?: readonly (readonly [
    ownerId: EntityId,
    spenderId: EntityId,
    tokenId: EntityId,
    amount: bigint,
  ])[];
  readonly approvals?: readonly (readonly [ownerId: EntityId, spenderId: EntityId, tokenId: EntityId])[];
  readonly airdrops?: readonly PendingAirdropRecord[];
  readonly schedules?: readonly ScheduleRecord[];
  readonly counts?: readonly (readonly [EntityId, AccountCounts])[];
}

/** An account as the ledger creates it; a token's entity with `type: 'TOKEN'`. */
export const entityRecord = (id: bigint, changes: Partial<EntityRecord> = {}): EntityRecord =>
  newEntity({
    id,
    type: 'ACCOUNT',
    key: new Uint8Array([0x12, 0x20, ...new Uint8Array(32).fill(Number(id & 0xffn))]),
    createdTimestamp: 1_600_000_000_000_000_000n,
    expirySeconds: 4_000_000_000n,
    autoRenewPeriodSeconds: 7_776_000n,
    ...changes,
  });

/** A fungible token without keys and fees. */
export const tokenRecord = (id: bigint, changes: Partial<TokenRecord> = {}): TokenRecord => ({
  id,
  type: 'FUNGIBLE_COMMON',
  name: 'Token',
  symbol: 'TKN',
  decimals: 8,
  totalSupply: 1_000_000n,
  supplyType: 'INFINITE',
  maxSupply: 0n,
  treasuryId: undefined,
  deleted: false,
  paused: false,
  freezeDefault: false,
  kycDefault: false,
  keys: {},
  memo: '',
  metadata: new Uint8Array(),
  createdTimestamp: 1_600_000_000_000_000_000n,
  expirySeconds: 4_000_000_000n,
  autoRenewPeriodSeconds: 7_776_000n,
  autoRenewAccountId: undefined,
  customFees: { fixed: [], fractional: [], royalty: [] },
  ...changes,
});

export const relationRecord = (
  accountId: bigint,
  tokenId: bigint,
  changes: Partial<TokenRelationRecord> = {},
): TokenRelationRecord => ({
  accountId,
  tokenId,
  balance: 0n,
  frozen: false,
  kycGranted: true,
  automaticAssociation: false,
  ...changes,
});

export const nftRecord = (
  tokenId: bigint,
  serialNumber: bigint,
  ownerId: bigint,
  changes: Partial<NftRecord> = {},
): NftRecord => ({
  tokenId,
  serialNumber,
  ownerId,
  spenderId: undefined,
  delegatingSpenderId: undefined,
  createdTimestamp: 1_600_000_000_000_000_000n,
  metadata: new Uint8Array([1, 2, 3]),
  ...changes,
});

const byKey = <V>(entries: Iterable<readonly [string, V]>): Map<string, V> => new Map(entries);

export const memoryReader = (state: MemoryState): StateReader => {
  const entities = new Map(state.entities?.map((entity) => [entity.id, entity]));
  const ids = new Map(
    state.entities?.flatMap(({ id, evmAddress }): [AddressHex, EntityId][] =>
      evmAddress === undefined ? [] : [[evmAddress, id]],
    ),
  );
  const codes = new Map(state.codes);
  const slots = byKey(state.slots?.map(([id, slot, value]) => [`${id} ${slot}`, value] as const) ?? []);
  const tokens = new Map(state.tokens?.map((token) => [token.id, token]));
  const relations = byKey(state.relations?.map((row) => [`${row.accountId} ${row.tokenId}`, row] as const) ?? []);
  const nfts = byKey(state.nfts?.map((row) => [`${row.tokenId} ${row.serialNumber}`, row] as const) ?? []);
  const hbar = byKey(state.hbarAllowances?.map(([a, b, amount]) => [`${a} ${b}`, amount] as const) ?? []);
  const allowances = byKey(
    state.tokenAllowances?.map(([a, b, c, amount]) => [`${a} ${b} ${c}`, amount] as const) ?? [],
  );
  const approvals = new Set(state.approvals?.map((ids) => ids.join(' ')));
  const airdrops = byKey(
    state.airdrops?.map(
      (row) => [`${row.senderId} ${row.receiverId} ${row.tokenId} ${row.serialNumber}`, row] as const,
    ) ?? [],
  );
  const schedules = new Map(state.schedules?.map((schedule) => [schedule.id, schedule]));
  const counts = new Map(state.counts);
  return {
    entity: async (id) => entities.get(id),
    nonce: async ({ nonce }) => nonce,
    idByEvmAddress: async (address) => ids.get(address),
    code: async (id) => codes.get(id),
    slot: async (id, slot) => slots.get(`${id} ${slot}`) ?? '0'.repeat(64),
    token: async (id) => tokens.get(id),
    tokenRelation: async (accountId, tokenId) => relations.get(`${accountId} ${tokenId}`),
    nft: async (tokenId, serialNumber) => nfts.get(`${tokenId} ${serialNumber}`),
    lastSerialNumber: async (tokenId) =>
      (state.nfts ?? []).reduce(
        (last, nft) => (nft.tokenId === tokenId && nft.serialNumber > last ? nft.serialNumber : last),
        0n,
      ),
    hbarAllowance: async (ownerId, spenderId) => hbar.get(`${ownerId} ${spenderId}`) ?? 0n,
    tokenAllowance: async (ownerId, spenderId, tokenId) => allowances.get(`${ownerId} ${spenderId} ${tokenId}`) ?? 0n,
    approvedForAll: async (ownerId, spenderId, tokenId) => approvals.has(`${ownerId} ${spenderId} ${tokenId}`),
    allowanceCount: async (ownerId) =>
      [...(state.hbarAllowances ?? []), ...(state.tokenAllowances ?? []), ...(state.approvals ?? [])].filter(
        ([owner]) => owner === ownerId,
      ).length,
    pendingAirdrop: async (key) => airdrops.get(`${key.senderId} ${key.receiverId} ${key.tokenId} ${key.serialNumber}`),
    schedule: async (id) => schedules.get(id),
    accountCounts: async (id) => counts.get(id) ?? { associations: 0, positiveBalances: 0 },
    lastEntityId: async () => [...entities.keys()].reduce((last, id) => (id > last ? id : last), 0n),
  };
};
