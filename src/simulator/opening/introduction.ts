/** What a new ledger does first, so that a reader finds everything that a network can show within minutes. */

import { stakeToAccount } from '../activity/accounts/account-changes.ts';
import { createAtHighVolume, transferToAlias } from '../activity/accounts/accounts.ts';
import {
  approveAllowance,
  approveOpenNft,
  approveTwoSpenders,
  delegateNft,
  spendFungible,
  spendHbar,
  spendSomeAllowance,
} from '../activity/accounts/allowances.ts';
import {
  createFurtherHook,
  createHookOwner,
  deleteHook,
  emptyHook,
  storeInHook,
  transferWithHook,
} from '../activity/accounts/hooks.ts';
import { submitAtomicBatch } from '../activity/batches.ts';
import { type Activity, chooseUser } from '../activity/choose.ts';
import { callFactory, callMover } from '../activity/contracts/contract-calls.ts';
import { createContract, deleteContract, failCreation, updateContract } from '../activity/contracts/contracts.ts';
import { callByEthereum, sendEthereum, sendEthereumTransfer } from '../activity/contracts/ethereum.ts';
import { submitChargedMessage } from '../activity/messages.ts';
import { createNode, createRegisteredNode, updateNode, updateRegisteredNode } from '../activity/network/nodes.ts';
import { createSchedule, deleteSchedule, signSchedule } from '../activity/schedules.ts';
import {
  airdropNftToStranger,
  airdropToken,
  airdropToStrangers,
  cancelAirdrop,
  claimAirdrop,
} from '../activity/tokens/airdrops.ts';
import { approveForAll, approveTwoForAll, spendSomeNft } from '../activity/tokens/token-changes.ts';
import { createTokenFor, deleteToken, type TokenTraits } from '../activity/tokens/token-lifecycle.ts';
import { associateCollector } from '../activity/tokens/token-relations.ts';
import { mintSerials } from '../activity/tokens/token-supply.ts';
import { moveFungible } from '../activity/tokens/token-transfers.ts';
import { createTokenTopic, deleteTopic } from '../activity/topics.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { usableHolding } from '../state/account-book.ts';
import { EARLY_DAYS } from './early-days.ts';

const HBAR = 100_000_000n;
const MAX_TRIES = 8;
const CREATION_COST = 50n * HBAR;

const createWith =
  (nft: boolean, traits: (builder: BlockBuilder) => TokenTraits): Activity =>
  (builder) => {
    const treasury = chooseUser(builder, CREATION_COST);
    if (treasury?.key === undefined) return false;
    createTokenFor(builder, treasury, nft, traits(builder));
    return true;
  };

/** The newest collection gets its first NFTs. */
const mintNewest: Activity = (builder) => {
  const token = builder.state.nfts.at(-1);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  mintSerials(builder, token, 3);
  return true;
};

const royalty = { kind: 'royalty', numerator: 1n, denominator: 20n, allExempt: true } as const;

const plainToken = createWith(false, () => ({ fees: () => [] }));

const plainCollection = createWith(true, () => ({ fees: () => [] }));

const ownFee = createWith(false, () => ({
  fees: (collector) => [{ kind: 'fixed', amount: 10n, inOwnToken: true, allExempt: true, collector }],
  maxSupply: 10_000_000_000n,
}));

const netFee = createWith(false, () => ({
  fees: (collector) => [
    {
      kind: 'fractional',
      numerator: 1n,
      denominator: 100n,
      minimum: 1n,
      maximum: 1_000n,
      netOfTransfers: true,
      allExempt: true,
      collector,
    },
  ],
  frozenAtFirst: true,
}));

const hbarFallback = createWith(true, () => ({
  fees: (collector) => [{ ...royalty, fallback: { amount: HBAR }, collector }],
  maxSupply: 1_000n,
}));

/** A royalty that is paid in another token where nothing else is. */
const tokenFallback: Activity = (builder) => {
  const { state } = builder;
  const currency = state.fungible.find(({ fees, hasKycKey, frozenAtFirst, treasury }) => {
    return fees.length === 0 && !hasKycKey && !frozenAtFirst && treasury.balance >= CREATION_COST;
  });
  if (currency === undefined) return false;
  createTokenFor(builder, currency.treasury, true, {
    fees: (collector) => [{ ...royalty, fallback: { amount: 5n, token: currency }, collector }],
  });
  return true;
};

/** A user gets some of the token that messages to a topic cost. */
const shareFeeToken: Activity = (builder) => {
  const { topics, users } = builder.state;
  const token = topics.find(({ fee }) => fee?.token !== undefined)?.fee?.token;
  const receiver =
    token &&
    users.find((user) => user !== token.treasury && (user.autoAssociations !== 0 || usableHolding(user, token)));
  if (token === undefined || receiver === undefined || token.paused || token.treasury.balance < HBAR) return false;
  return moveFungible(builder, { token, sender: token.treasury, receiver, amount: 1_000n });
};

const times = (count: number, activity: Activity): Activity[] => Array.from({ length: count }, () => activity);

const steps: readonly Activity[] = [
  ...times(3, createRegisteredNode),
  createNode,
  ...times(4, updateNode),
  updateRegisteredNode,
  ...times(3, createHookOwner),
  ...times(2, createFurtherHook),
  ...times(6, storeInHook),
  emptyHook,
  deleteHook,
  ...times(2, transferWithHook),
  ...times(2, createAtHighVolume),
  ...times(2, transferToAlias),
  stakeToAccount,
  ...times(2, plainToken),
  ownFee,
  netFee,
  hbarFallback,
  mintNewest,
  tokenFallback,
  mintNewest,
  createTokenTopic,
  shareFeeToken,
  submitChargedMessage,
  ...times(3, airdropToStrangers),
  plainCollection,
  mintNewest,
  airdropNftToStranger,
  ...times(6, airdropToken),
  claimAirdrop,
  cancelAirdrop,
  approveTwoSpenders,
  ...times(6, approveAllowance),
  spendSomeAllowance(spendHbar),
  spendSomeAllowance(spendFungible),
  ...times(2, associateCollector),
  ...times(2, approveOpenNft),
  spendSomeNft,
  ...times(2, approveForAll),
  approveTwoForAll,
  ...times(2, delegateNft),
  ...times(6, createSchedule),
  ...times(2, signSchedule),
  deleteSchedule,
  ...times(4, createContract),
  ...times(2, callFactory),
  ...times(2, callMover),
  updateContract,
  deleteContract,
  failCreation,
  callByEthereum(0),
  callByEthereum(1),
  callByEthereum(2),
  callByEthereum(4),
  callByEthereum(2, true),
  sendEthereum,
  sendEthereumTransfer,
  ...times(3, submitAtomicBatch),
  deleteToken,
  deleteTopic,
];

/**
 * Takes the introduction's next step. False when there is none left, the network's first days are not over, or the step
 * finds nothing to do: then it has its turn again a few times before it is left out.
 */
export const introduce = (builder: BlockBuilder): boolean => {
  const { introduction, blockNumber } = builder.state;
  const step = steps[introduction.done];
  if (step === undefined || blockNumber <= BigInt(EARLY_DAYS)) return false;
  const taken = step(builder);
  introduction.tries++;
  if (taken || introduction.tries >= MAX_TRIES) {
    introduction.done++;
    introduction.tries = 0;
  }
  return taken;
};
