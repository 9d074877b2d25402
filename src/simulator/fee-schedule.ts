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

/** How a fee is divided. */
export interface FeeShares {
  readonly node: bigint;
  readonly network: bigint;
  readonly stakingReward: bigint;
  readonly nodeReward: bigint;
}

/**
 * A twentieth goes to the node; of the rest a tenth each to the staking and node reward accounts, unless those are left
 * out, and what remains to the network's fee account. The shares sum to the fee exactly.
 */
export const shareFee = (fee: bigint, toRewardAccounts: boolean): FeeShares => {
  const node = fee / 20n;
  const reward = toRewardAccounts ? (fee - node) / 10n : 0n;
  return { node, network: fee - node - 2n * reward, stakingReward: reward, nodeReward: reward };
};
