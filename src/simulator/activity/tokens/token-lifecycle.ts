import { protobufKey } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { addToHolding, associate } from '../../state/account-book.ts';
import type { Account, Token, TokenFee } from '../../state/ledger-entities.ts';
import { remember, removeFrom } from '../../state/ledger-state.ts';
import { type Activity, chooseToken, chooseUser } from '../choose.ts';
import { automaticAssociations, recordTransfers } from './token-record.ts';

const HBAR = 100_000_000n;
const MAX_TOKENS = 300;
const KEPT_TOKENS = 3;
const MAX_DELETED_TOKENS = 100;
const AUTO_RENEW = { seconds: 7_776_000n };
const WORDS = ['Amber', 'Birch', 'Cobalt', 'Dune', 'Ember', 'Fjord', 'Garnet', 'Harbor', 'Indigo', 'Juniper', 'Krill'];

/** Custom fees as HAPI writes them. */
const protobufFees = (fees: readonly TokenFee[], token: bigint) =>
  fees.map((fee) => {
    const frame = {
      feeCollectorAccountId: accountId(fee.collector),
      allCollectorsAreExempt: fee.allExempt === true,
    };
    if (fee.kind === 'fixed') {
      const denomination = fee.inOwnToken === true ? { denominatingTokenId: tokenId(token) } : {};
      return { ...frame, fee: { $case: 'fixedFee' as const, fixedFee: { amount: fee.amount, ...denomination } } };
    }
    const fraction = { numerator: fee.numerator, denominator: fee.denominator };
    if (fee.kind === 'royalty') {
      const { fallback } = fee;
      const fallbackFee = fallback && {
        amount: fallback.amount,
        ...(fallback.token && { denominatingTokenId: tokenId(fallback.token.num) }),
      };
      return {
        ...frame,
        fee: {
          $case: 'royaltyFee' as const,
          royaltyFee: { exchangeValueFraction: fraction, ...(fallbackFee && { fallbackFee }) },
        },
      };
    }
    return {
      ...frame,
      fee: {
        $case: 'fractionalFee' as const,
        fractionalFee: {
          fractionalAmount: fraction,
          minimumAmount: fee.minimum,
          maximumAmount: fee.maximum,
          netOfTransfers: fee.netOfTransfers === true,
        },
      },
    };
  });

/** Fees that a new or changed token charges; the treasury collects them. */
const chooseFees = ({ random }: BlockBuilder, nft: boolean, collector: bigint): readonly TokenFee[] => {
  if (nft) {
    if (random.chance(0.5)) return [];
    const fallback = random.chance(0.3) ? { fallback: { amount: HBAR } } : {};
    return [{ kind: 'royalty', numerator: 5n, denominator: 100n, collector, ...fallback }];
  }
  if (random.chance(0.25)) {
    const inOwnToken = random.chance(0.3);
    return [{ kind: 'fixed', amount: inOwnToken ? 10n : 1_000_000n, inOwnToken, collector }];
  }
  if (random.chance(0.25)) {
    const fraction = { numerator: 1n, denominator: 100n, minimum: 1n, maximum: 1_000n };
    return [{ kind: 'fractional', ...fraction, netOfTransfers: random.chance(0.3), collector }];
  }
  return [];
};

/** What a token is made with instead of what chance decides; with fees of its own it is kept. */
export interface TokenTraits {
  /** Of the token with this treasury; absent: as chance decides. */
  readonly fees?: (collector: bigint) => readonly TokenFee[];
  readonly frozenAtFirst?: boolean;
  readonly maxSupply?: bigint;
}

const FINITE = 1;

/** Submits a TokenCreate; payer, treasury, fee collector and holder of all keys are one account. */
export const createTokenFor = (
  builder: BlockBuilder,
  treasury: Account,
  nft: boolean,
  traits: TokenTraits = {},
): Token => {
  const { random, state } = builder;
  const num = builder.takeNum();
  const word = WORDS[random.below(WORDS.length)] as string;
  const decimals = nft ? 0 : random.below(9);
  const supply = nft ? 0n : BigInt(random.between(1_000_000, 1_000_000_000));
  const token: Token = {
    num,
    nft,
    decimals,
    treasury,
    name: `${word} ${num}`,
    memo: nft ? 'a simulated collection' : 'a simulated currency',
    hasFreezeKey: random.chance(0.5) || traits.frozenAtFirst === true,
    hasKycKey: random.chance(0.25) && traits.fees === undefined,
    frozenAtFirst: traits.frozenAtFirst === true,
    kept: traits.fees !== undefined,
    maxSupply: traits.maxSupply,
    supply,
    paused: false,
    deleted: false,
    fees: traits.fees?.(treasury.num) ?? chooseFees(builder, nft, treasury.num),
    holders: [],
    owners: new Map(),
    nextSerial: 1n,
    metadata: new Map(),
    spenders: new Map(),
  };
  const key = treasury.key === undefined ? undefined : protobufKey(treasury.key);
  associate(treasury, token).balance = supply;
  builder.submit({
    payer: treasury,
    fee: fees.tokenCreate,
    data: {
      $case: 'tokenCreation',
      tokenCreation: {
        name: token.name,
        symbol: `${word.slice(0, 3).toUpperCase()}${num}`,
        decimals,
        initialSupply: supply,
        treasury: accountId(treasury.num),
        tokenType: nft ? 1 : 0,
        autoRenewAccount: accountId(treasury.num),
        autoRenewPeriod: AUTO_RENEW,
        memo: token.memo,
        customFees: protobufFees(token.fees, num),
        freezeDefault: token.frozenAtFirst,
        ...(token.maxSupply !== undefined && { supplyType: FINITE, maxSupply: token.maxSupply }),
        metadata: Buffer.from(`metadata of ${num}`),
        ...(key && {
          adminKey: key,
          supplyKey: key,
          wipeKey: key,
          pauseKey: key,
          feeScheduleKey: key,
          metadataKey: key,
        }),
        ...(key && token.hasFreezeKey && { freezeKey: key }),
        ...(key && token.hasKycKey && { kycKey: key }),
      },
    },
    receipt: { tokenID: tokenId(num) },
    record: {
      tokenTransferLists: supply === 0n ? [] : [recordTransfers(token, [{ account: treasury, amount: supply }])],
      automaticTokenAssociations: automaticAssociations(token, [treasury]),
    },
  });
  treasury.pinned = true;
  (nft ? state.nfts : state.fungible).push(token);
  return token;
};

export const createToken: Activity = (builder) => {
  const { state } = builder;
  const treasury = chooseUser(builder, 50n * HBAR);
  if (treasury === undefined || state.fungible.length + state.nfts.length >= MAX_TOKENS) return false;
  createTokenFor(builder, treasury, builder.random.chance(0.4));
  return true;
};

export const updateToken: Activity = (builder) => {
  const token = chooseToken(builder);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  const word = WORDS[builder.random.below(WORDS.length)] as string;
  const name = `${word} ${token.num}`;
  const memo = `renamed to ${word}`;
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: { $case: 'tokenUpdate', tokenUpdate: { token: tokenId(token.num), name, memo } },
  });
  token.name = name;
  token.memo = memo;
  return true;
};

export const updateTokenFees: Activity = (builder) => {
  const token = chooseToken(builder);
  if (token === undefined || token.kept || token.treasury.balance < HBAR) return false;
  const changed = chooseFees(builder, token.nft, token.treasury.num);
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: {
      $case: 'tokenFeeScheduleUpdate',
      tokenFeeScheduleUpdate: { tokenId: tokenId(token.num), customFees: protobufFees(changed, token.num) },
    },
  });
  token.fees = changed;
  return true;
};

/** Pauses a token, or more often ends a pause. */
export const pauseToken: Activity = (builder) => {
  const { random, state } = builder;
  const tokens = random.chance(0.5) ? state.fungible : state.nfts;
  const token = tokens.find((candidate) => candidate.paused) ?? random.pick(tokens);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  const id = { token: tokenId(token.num) };
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: token.paused ? { $case: 'tokenUnpause', tokenUnpause: id } : { $case: 'tokenPause', tokenPause: id },
  });
  token.paused = !token.paused;
  return true;
};

export const deleteToken: Activity = (builder) => {
  const { state } = builder;
  const tokens = builder.random.chance(0.5) ? state.fungible : state.nfts;
  const token = chooseToken(builder, tokens);
  if (
    token === undefined ||
    token.kept ||
    tokens.length <= KEPT_TOKENS ||
    state.deletedTokens.length >= MAX_DELETED_TOKENS ||
    token.treasury.balance < HBAR
  )
    return false;
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: { $case: 'tokenDeletion', tokenDeletion: { token: tokenId(token.num) } },
  });
  token.deleted = true;
  removeFrom(tokens, token);
  state.deletedTokens.push(token);
  for (const airdrop of state.airdrops.filter((pending) => pending.token === token)) {
    removeFrom(state.airdrops, airdrop);
    // Nobody can claim it any more, but nobody cancels it either.
    remember(state.closedAirdrops, airdrop);
  }
  return true;
};

export const mintFungible = (builder: BlockBuilder, token: Token, amount: bigint): void => {
  const { treasury } = token;
  token.supply += amount;
  addToHolding(treasury, token, amount);
  builder.submit({
    payer: treasury,
    fee: fees.mint,
    data: { $case: 'tokenMint', tokenMint: { token: tokenId(token.num), amount } },
    receipt: { newTotalSupply: token.supply },
    record: { tokenTransferLists: [recordTransfers(token, [{ account: treasury, amount }])] },
  });
};
