import type { EntityId } from '../../../ledger/entity-id.ts';
import { newEntity } from '../../state/new-entity.ts';
import type { CustomFees, TokenKeyName, TokenRecord } from '../../state/records.ts';
import { MAX_TOKEN_AMOUNT } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { checkCustomFees, collectorsInOwnToken } from './custom-fee-checks.ts';
import { expiryOfNew, type RequestedExpiry } from './token-expiry.ts';
import { checkTexts } from './token-texts.ts';

export interface TokenCreation {
  readonly type: TokenRecord['type'];
  readonly name: string;
  readonly symbol: string;
  readonly memo: string;
  readonly metadata: Uint8Array;
  readonly decimals: number;
  readonly initialSupply: bigint;
  readonly supplyType: TokenRecord['supplyType'];
  readonly maxSupply: bigint;
  readonly treasuryId: EntityId;
  readonly freezeDefault: boolean;
  /** Serialized HAPI keys. */
  readonly keys: Readonly<Partial<Record<TokenKeyName, Uint8Array>>>;
  readonly expiry: RequestedExpiry;
  /** Fees in the token itself name it by the id that is passed in. */
  readonly customFees: (tokenId: EntityId) => CustomFees;
}

const checkSupply = (creation: TokenCreation): void => {
  const { type, initialSupply, decimals, supplyType, maxSupply, keys } = creation;
  if (initialSupply < 0n || initialSupply > MAX_TOKEN_AMOUNT) refuse('INVALID_TOKEN_INITIAL_SUPPLY');
  if (decimals < 0) refuse('INVALID_TOKEN_DECIMALS');
  if (type === 'NON_FUNGIBLE_UNIQUE') {
    if (initialSupply !== 0n) refuse('INVALID_TOKEN_INITIAL_SUPPLY');
    if (decimals !== 0) refuse('INVALID_TOKEN_DECIMALS');
    if (keys.supply === undefined) refuse('TOKEN_HAS_NO_SUPPLY_KEY');
  }
  if (supplyType === 'FINITE' ? maxSupply <= 0n : maxSupply !== 0n) refuse('INVALID_TOKEN_MAX_SUPPLY');
  if (supplyType === 'FINITE' && initialSupply > maxSupply) refuse('INVALID_TOKEN_INITIAL_SUPPLY');
  if (creation.freezeDefault && keys.freeze === undefined) refuse('TOKEN_HAS_NO_FREEZE_KEY');
};

/**
 * Creates a token (TokenCreate): its entity, its relation with the treasury, which gets the initial supply, and with
 * those who collect fees in it. Gives its id.
 */
export const createToken = async (context: OperationContext, creation: TokenCreation): Promise<EntityId> => {
  const { world } = context;
  checkSupply(creation);
  if (creation.symbol === '') refuse('MISSING_TOKEN_SYMBOL');
  if (creation.name === '') refuse('MISSING_TOKEN_NAME');
  checkTexts(creation);
  if ((await world.entity(creation.treasuryId)) === undefined) refuse('INVALID_TREASURY_ACCOUNT_FOR_TOKEN');
  const expiry = await expiryOfNew(context, creation.expiry);
  const id = await world.newEntityId();
  const customFees = creation.customFees(id);
  await checkCustomFees(context, { id, type: creation.type }, customFees, { isNew: true });

  const { memo } = creation;
  world.putEntity(
    newEntity({ id, type: 'TOKEN', key: creation.keys.admin, memo, createdTimestamp: context.now, ...expiry }),
  );
  world.putToken({
    id,
    type: creation.type,
    name: creation.name,
    symbol: creation.symbol,
    decimals: creation.decimals,
    totalSupply: creation.initialSupply,
    supplyType: creation.supplyType,
    maxSupply: creation.maxSupply,
    treasuryId: creation.treasuryId,
    deleted: false,
    paused: false,
    freezeDefault: creation.freezeDefault,
    kycDefault: creation.keys.kyc === undefined,
    keys: creation.keys,
    memo,
    metadata: creation.metadata,
    createdTimestamp: context.now,
    customFees,
    ...expiry,
  });
  // Neither frozen by default nor without KYC: the treasury and the collectors must be able to hold the token.
  for (const accountId of new Set([creation.treasuryId, ...collectorsInOwnToken(id, customFees)])) {
    const counts = await world.accountCounts(accountId);
    world.putAccountCounts(accountId, { ...counts, associations: counts.associations + 1 });
    const relation = {
      accountId,
      tokenId: id,
      balance: 0n,
      frozen: false,
      kycGranted: true,
      automaticAssociation: false,
    };
    const balance = accountId === creation.treasuryId ? creation.initialSupply : 0n;
    await setBalance(world, relation, balance);
  }
  return id;
};
