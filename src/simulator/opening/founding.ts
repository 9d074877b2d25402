import { createHolder, createUser } from '../activity/accounts/accounts.ts';
import { createContractFor } from '../activity/contracts/contracts.ts';
import { publishContracts } from '../activity/contracts/published-contracts.ts';
import { createTokenFor } from '../activity/tokens/token-lifecycle.ts';
import { mintSerials } from '../activity/tokens/token-supply.ts';
import { createTopicFor } from '../activity/topics.ts';
import { STAKING_REWARD, TREASURY } from '../network/system-accounts.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { cryptoTransferData } from '../records/item-encoder.ts';
import { accountOf } from '../state/account-book.ts';
import type { Account, ContractKind } from '../state/ledger-entities.ts';

const HBAR = 100_000_000n;
/** Part of the supply from which staking rewards are paid: 250 million hbar of 50 billion. */
const FUND_PART = 200n;
/** Percent of the supply that long-term holders have, who stake all of it; most of them for rewards. */
const REWARDED_PERCENT = 60n;
const UNREWARDED_PERCENT = 15n;
const USER_HBAR = 10_000n;
const SLOT_NANOS = 100_000n;
const TOKENS = 4;
const COLLECTIONS = 3;
const TOPICS = 4;
const SERIALS = 10;
const CONTRACTS: readonly ContractKind[] = ['counter', 'counter', 'factory', 'mover'];

/**
 * Writes block 1, which gives activities something to work with: funded accounts, tokens, NFTs, topics and contracts,
 * hbar for the staking reward account, contracts compiled
 * from Solidity, and those who hold most of the supply.
 */
export const writeFounding = (builder: BlockBuilder, startNanos: bigint, userCount: number, supply: bigint): void => {
  const { state } = builder;
  builder.consensusTime = startNanos;
  const next = (): void => {
    builder.consensusTime += SLOT_NANOS;
  };
  const treasury = accountOf(state, TREASURY);
  const fund = supply / FUND_PART;
  const funding = [
    { account: treasury, amount: -fund },
    { account: accountOf(state, STAKING_REWARD), amount: fund },
  ];
  builder.submit({ payer: treasury, fee: 0n, data: cryptoTransferData(funding), hbar: funding });
  for (let i = 0; i < userCount; i++) {
    next();
    createUser(builder, { payer: treasury, initialBalance: USER_HBAR * HBAR });
  }
  const user = (i: number): Account => state.users[i % state.users.length] as Account;
  for (let i = 0; i < TOKENS; i++) {
    next();
    createTokenFor(builder, user(i), false);
  }
  for (let i = 0; i < COLLECTIONS; i++) {
    next();
    const collection = createTokenFor(builder, user(TOKENS + i), true);
    next();
    mintSerials(builder, collection, SERIALS);
  }
  for (let i = 0; i < TOPICS; i++) {
    next();
    createTopicFor(builder, user(TOKENS + COLLECTIONS + i));
  }
  for (const [i, kind] of CONTRACTS.entries()) {
    next();
    createContractFor(builder, user(TOKENS + COLLECTIONS + TOPICS + i), kind);
  }
  publishContracts(builder, user(TOKENS + COLLECTIONS + TOPICS), next);
  createHolders(builder, treasury, supply, next);
};

/** Those who hold most hbars and stake to the nodes, to the first ones more; they do nothing else. */
const createHolders = (builder: BlockBuilder, treasury: Account, supply: bigint, next: () => void): void => {
  const { nodeCount } = builder.settings;
  const weights = Array.from({ length: nodeCount }, (_, node) => BigInt(2 * nodeCount - node));
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  for (const [stakedNodeId, weight] of weights.entries()) {
    for (const [percent, declineReward] of [
      [REWARDED_PERCENT, false],
      [UNREWARDED_PERCENT, true],
    ] as const) {
      next();
      const initialBalance = (((supply / HBAR) * percent * weight) / (100n * total)) * HBAR;
      createHolder(builder, { payer: treasury, initialBalance, stakedNodeId, declineReward });
    }
  }
};
