/** Fees of the simulated network in tinybars, about what the public network takes at 12 cents per hbar. */
export const fees = {
  transfer: 83_333n,
  tokenTransfer: 833_333n,
  message: 666_666n,
  accountCreate: 41_666_666n,
  accountUpdate: 183_333n,
  accountDelete: 4_166_666n,
  allowance: 4_166_666n,
  associate: 41_666_666n,
  tokenCreate: 833_333_333n,
  tokenManage: 833_333n,
  mint: 1_666_666n,
  topicCreate: 8_333_333n,
  topicManage: 183_333n,
  file: 41_666_666n,
  schedule: 8_333_333n,
  prng: 833_333n,
  airdrop: 83_333_333n,
  nodeUpdate: 833_333n,
  ethereum: 833_333n,
  network: 0n,
  liveHash: 8_333_333n,
  hookStore: 833_333n,
  batch: 833_333n,
} as const;

/** Price of a unit of gas in tinybars. */
export const GAS_PRICE = 71n;

/** The twentieth of a simulated user's fee that the node earns, tinybars. */
export const nodeFeeOf = (fee: bigint): bigint => fee / 20n;

/** What becomes of collected fees beside the nodes' part, tinybars. */
export interface FeeShares {
  readonly network: bigint;
  readonly stakingReward: bigint;
  readonly nodeReward: bigint;
}

/**
 * A tenth each for the staking and node reward accounts, and what remains for the network's fee account. The shares sum to
 * the fees exactly.
 */
export const shareFees = (fees: bigint): FeeShares => {
  const reward = fees / 10n;
  return { network: fees - 2n * reward, stakingReward: reward, nodeReward: reward };
};
