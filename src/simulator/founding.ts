import { accountOf } from './account-book.ts';
import { createUser } from './activity/accounts.ts';
import { createContractFor } from './activity/contracts.ts';
import { publishContracts } from './activity/published-contracts.ts';
import { createTokenFor } from './activity/token-lifecycle.ts';
import { mintSerials } from './activity/token-supply.ts';
import { createTopicFor } from './activity/topics.ts';
import type { BlockBuilder } from './block-builder.ts';
import { cryptoTransferData } from './item-encoder.ts';
import type { Account, ContractKind } from './ledger-state.ts';
import { STAKING_REWARD, TREASURY } from './system-accounts.ts';

const HBAR = 100_000_000n;
const FUND_HBAR = 25_000_000n;
const USER_HBAR = 10_000n;
const SLOT_NANOS = 100_000n;
const TOKENS = 4;
const COLLECTIONS = 3;
const TOPICS = 4;
const SERIALS = 10;
const CONTRACTS: readonly ContractKind[] = ['counter', 'counter', 'factory', 'mover'];

/**
 * Writes block 1, which gives activities something to work with: funded accounts, tokens, NFTs, topics and contracts,
 * and hbar for the staking reward account. Contracts compiled from Solidity come last.
 */
export const writeFounding = (builder: BlockBuilder, startNanos: bigint, userCount: number): void => {
  const { state } = builder;
  builder.consensusTime = startNanos;
  const next = (): void => {
    builder.consensusTime += SLOT_NANOS;
  };
  const treasury = accountOf(state, TREASURY);
  const funding = [
    { account: treasury, amount: -FUND_HBAR * HBAR },
    { account: accountOf(state, STAKING_REWARD), amount: FUND_HBAR * HBAR },
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
};
