import type { EntityId } from '../../../ledger/entity-id.ts';
import type { TokenKeyName, TokenRecord } from '../../state/records.ts';
import { associateAutomatically } from '../associate.ts';
import { type OperationContext, refuse, type Status } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { relationOf } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';
import { expiryAfterUpdate, type RequestedExpiry } from './token-expiry.ts';
import { checkTexts } from './token-texts.ts';

/** Empty texts, no treasury, no key and zeros leave things as they are. */
export interface TokenUpdate {
  readonly tokenId: EntityId;
  readonly name: string;
  readonly symbol: string;
  readonly memo: string;
  readonly metadata: Uint8Array;
  readonly treasuryId: EntityId | undefined;
  /** Serialized HAPI keys. */
  readonly keys: Readonly<Partial<Record<TokenKeyName, Uint8Array>>>;
  readonly expiry: RequestedExpiry;
}

const missingKey: Readonly<Record<TokenKeyName, Status>> = {
  admin: 'TOKEN_IS_IMMUTABLE',
  kyc: 'TOKEN_HAS_NO_KYC_KEY',
  freeze: 'TOKEN_HAS_NO_FREEZE_KEY',
  wipe: 'TOKEN_HAS_NO_WIPE_KEY',
  supply: 'TOKEN_HAS_NO_SUPPLY_KEY',
  feeSchedule: 'TOKEN_HAS_NO_FEE_SCHEDULE_KEY',
  pause: 'TOKEN_HAS_NO_PAUSE_KEY',
  metadata: 'TOKEN_HAS_NO_METADATA_KEY',
};

const needsAdmin = (update: TokenUpdate): boolean =>
  update.name !== '' ||
  update.symbol !== '' ||
  update.memo !== '' ||
  update.treasuryId !== undefined ||
  update.expiry.autoRenewAccountId !== undefined ||
  update.expiry.autoRenewPeriod !== 0n;

/** Hands everything that the old treasury holds to the new one. */
const moveTreasury = async (context: OperationContext, token: TokenRecord, treasuryId: EntityId): Promise<void> => {
  const { world } = context;
  if ((await world.entity(treasuryId)) === undefined) refuse('INVALID_TREASURY_ACCOUNT_FOR_TOKEN');
  if ((await world.tokenRelation(treasuryId, token.id)) === undefined) {
    await associateAutomatically(context, treasuryId, token);
  }
  const to = await relationOf(context, treasuryId, token.id);
  if (token.treasuryId === undefined) return;
  const from = await relationOf(context, token.treasuryId, token.id);
  if (token.type === 'NON_FUNGIBLE_UNIQUE') {
    let left = from.balance;
    const last = await world.lastSerialNumber(token.id);
    for (let serialNumber = 1n; serialNumber <= last && left > 0n; serialNumber++) {
      const nft = await world.nft(token.id, serialNumber);
      if (nft?.ownerId !== token.treasuryId) continue;
      world.putNft({ ...nft, ownerId: treasuryId, spenderId: undefined, delegatingSpenderId: undefined });
      left--;
    }
  }
  await setBalance(world, from, 0n);
  await setBalance(world, to, to.balance + from.balance);
};

/** Changes a token (TokenUpdate): keys only where the token has one of their kind. */
export const updateToken = async (context: OperationContext, update: TokenUpdate): Promise<void> => {
  const { world } = context;
  const { treasuryId } = update;
  checkTexts(update);
  const token = await usableToken(context, update.tokenId);
  if (token.keys.admin === undefined && needsAdmin(update)) refuse('TOKEN_IS_IMMUTABLE');
  for (const name of Object.keys(update.keys) as TokenKeyName[]) {
    if (token.keys[name] === undefined) refuse(missingKey[name]);
  }
  if (update.metadata.length > 0 && token.keys.metadata === undefined && token.keys.admin === undefined) {
    refuse('TOKEN_HAS_NO_METADATA_KEY');
  }
  const expiry = await expiryAfterUpdate(context, token, update.expiry);
  if (treasuryId !== undefined && treasuryId !== token.treasuryId) await moveTreasury(context, token, treasuryId);

  const keys = { ...token.keys, ...update.keys };
  const memo = update.memo === '' ? token.memo : update.memo;
  world.putToken({
    ...token,
    name: update.name === '' ? token.name : update.name,
    symbol: update.symbol === '' ? token.symbol : update.symbol,
    memo,
    metadata: update.metadata.length === 0 ? token.metadata : update.metadata,
    treasuryId: treasuryId ?? token.treasuryId,
    keys,
    ...expiry,
  });
  const entity = await world.entity(token.id);
  if (entity !== undefined) world.putEntity({ ...entity, key: keys.admin, memo, ...expiry });
};
