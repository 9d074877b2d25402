import { KagamiError } from '../errors/kagami-error.ts';
import { changeStake, deleteAccount, updateAccount } from './activity/accounts/account-changes.ts';
import { completeHollow, createAccount, createAtHighVolume, transferToAlias } from './activity/accounts/accounts.ts';
import { approveAllowance, delegateNft, deleteAllowance, spendAllowance } from './activity/accounts/allowances.ts';
import { transferHbar, transferToMany } from './activity/accounts/hbar-transfer.ts';
import { createHook, deleteHook, storeInHook, transferWithHook } from './activity/accounts/hooks.ts';
import { submitAtomicBatch } from './activity/batches.ts';
import type { Activity } from './activity/choose.ts';
import { callContract, callFactory, callMover } from './activity/contracts/contract-calls.ts';
import { createContract, deleteContract, failCreation, updateContract } from './activity/contracts/contracts.ts';
import { sendEthereum, sendEthereumTransfer } from './activity/contracts/ethereum.ts';
import { failAnyType, failSomehow } from './activity/failures.ts';
import { submitMessage } from './activity/messages.ts';
import { appendFile, createFile, deleteFile, updateFile } from './activity/network/files.ts';
import {
  changeLiveHash,
  freezeNetwork,
  publishLedgerId,
  submitNodeBusiness,
  submitUnchecked,
} from './activity/network/network.ts';
import {
  createNode,
  createRegisteredNode,
  deleteNode,
  deleteRegisteredNode,
  updateNode,
  updateRegisteredNode,
} from './activity/network/nodes.ts';
import { requestRandom } from './activity/network/random-number.ts';
import { systemDelete, systemUndelete } from './activity/network/system-files.ts';
import { createSchedule, deleteSchedule, signSchedule } from './activity/schedules.ts';
import { airdropToken, cancelAirdrop, claimAirdrop, rejectToken } from './activity/tokens/airdrops.ts';
import { approveForAll, changeTreasury, dissociateDeleted, spendNft } from './activity/tokens/token-changes.ts';
import {
  createToken,
  deleteToken,
  pauseToken,
  updateToken,
  updateTokenFees,
} from './activity/tokens/token-lifecycle.ts';
import { associateToken, decideKyc, dissociateToken, freezeHolder } from './activity/tokens/token-relations.ts';
import { burnToken, mintToken, updateNft, wipeToken } from './activity/tokens/token-supply.ts';
import { transferNft, transferToken } from './activity/tokens/token-transfers.ts';
import { createTopic, deleteTopic, updateTopic } from './activity/topics.ts';

/** Every kind of activity with its weight in the default mix, about what a public network sees. */
const kinds = {
  transfer: { run: transferHbar, weight: 28 },
  multitransfer: { run: transferToMany, weight: 4 },
  tokentransfer: { run: transferToken, weight: 10 },
  nfttransfer: { run: transferNft, weight: 5 },
  message: { run: submitMessage, weight: 22 },
  accountcreate: { run: createAccount, weight: 2 },
  accountupdate: { run: updateAccount, weight: 1 },
  accountdelete: { run: deleteAccount, weight: 0.5 },
  autocreate: { run: transferToAlias, weight: 1 },
  hollowcompletion: { run: completeHollow, weight: 0.4 },
  tokencreate: { run: createToken, weight: 0.4 },
  tokenupdate: { run: updateToken, weight: 0.3 },
  tokenfees: { run: updateTokenFees, weight: 0.3 },
  tokenpause: { run: pauseToken, weight: 0.3 },
  tokendelete: { run: deleteToken, weight: 0.1 },
  mint: { run: mintToken, weight: 4 },
  burn: { run: burnToken, weight: 1 },
  wipe: { run: wipeToken, weight: 0.5 },
  nftupdate: { run: updateNft, weight: 0.3 },
  associate: { run: associateToken, weight: 3 },
  dissociate: { run: dissociateToken, weight: 0.5 },
  freeze: { run: freezeHolder, weight: 0.6 },
  kyc: { run: decideKyc, weight: 0.8 },
  topiccreate: { run: createTopic, weight: 0.3 },
  topicupdate: { run: updateTopic, weight: 0.2 },
  topicdelete: { run: deleteTopic, weight: 0.1 },
  filecreate: { run: createFile, weight: 0.4 },
  fileappend: { run: appendFile, weight: 0.4 },
  fileupdate: { run: updateFile, weight: 0.3 },
  filedelete: { run: deleteFile, weight: 0.1 },
  schedulecreate: { run: createSchedule, weight: 0.8 },
  schedulesign: { run: signSchedule, weight: 0.8 },
  scheduledelete: { run: deleteSchedule, weight: 0.1 },
  allowance: { run: approveAllowance, weight: 1 },
  allowancespend: { run: spendAllowance, weight: 1 },
  allowancedelete: { run: deleteAllowance, weight: 0.2 },
  airdrop: { run: airdropToken, weight: 1.5 },
  airdropclaim: { run: claimAirdrop, weight: 0.2 },
  airdropcancel: { run: cancelAirdrop, weight: 0.1 },
  tokenreject: { run: rejectToken, weight: 0.2 },
  random: { run: requestRandom, weight: 0.4 },
  contractcreate: { run: createContract, weight: 0.2 },
  contractcall: { run: callContract, weight: 3 },
  contractupdate: { run: updateContract, weight: 0.2 },
  contractdelete: { run: deleteContract, weight: 0.1 },
  contractfailure: { run: failCreation, weight: 0.1 },
  factorycall: { run: callFactory, weight: 0.2 },
  movercall: { run: callMover, weight: 0.4 },
  ethereum: { run: sendEthereum, weight: 1 },
  ethereumtransfer: { run: sendEthereumTransfer, weight: 0.2 },
  batch: { run: submitAtomicBatch, weight: 0.5 },
  highvolumecreate: { run: createAtHighVolume, weight: 0.1 },
  nftdelegate: { run: delegateNft, weight: 0.05 },
  hookcreate: { run: createHook, weight: 0.1 },
  hookstore: { run: storeInHook, weight: 0.2 },
  hookdelete: { run: deleteHook, weight: 0.1 },
  hooktransfer: { run: transferWithHook, weight: 0.3 },
  stake: { run: changeStake, weight: 0.3 },
  treasurychange: { run: changeTreasury, weight: 0.05 },
  dissociatedeleted: { run: dissociateDeleted, weight: 0.05 },
  approveforall: { run: approveForAll, weight: 0.2 },
  nftspend: { run: spendNft, weight: 0.3 },
  livehash: { run: changeLiveHash, weight: 0.02 },
  systemdelete: { run: systemDelete, weight: 0.02 },
  systemundelete: { run: systemUndelete, weight: 0.02 },
  networkfreeze: { run: freezeNetwork, weight: 0.01 },
  uncheckedsubmit: { run: submitUnchecked, weight: 0.01 },
  ledgerid: { run: publishLedgerId, weight: 0.01 },
  nodebusiness: { run: submitNodeBusiness, weight: 0.2 },
  nodecreate: { run: createNode, weight: 0.02 },
  nodeupdate: { run: updateNode, weight: 0.05 },
  nodedelete: { run: deleteNode, weight: 0.01 },
  registerednodecreate: { run: createRegisteredNode, weight: 0.03 },
  registerednodeupdate: { run: updateRegisteredNode, weight: 0.03 },
  registerednodedelete: { run: deleteRegisteredNode, weight: 0.01 },
  failure: { run: failSomehow, weight: 1 },
  anyfailure: { run: failAnyType, weight: 1 },
} satisfies Record<string, { readonly run: Activity; readonly weight: number }>;

export type ActivityKind = keyof typeof kinds;

/** Names of all kinds that a mix can weigh. */
export const activityKinds = Object.keys(kinds) as ActivityKind[];

/** Least weight of a kind in the mix that shows everything. */
const RARE_WEIGHT = 0.6;

const namedMixes: Readonly<Record<string, Partial<Record<ActivityKind, number>>>> = {
  default: Object.fromEntries(Object.entries(kinds).map(([kind, { weight }]) => [kind, weight])),
  // Also what a public network sees once a year.
  everything: {
    ...Object.fromEntries(Object.entries(kinds).map(([kind, { weight }]) => [kind, Math.max(weight, RARE_WEIGHT)])),
    anyfailure: 4,
    schedulecreate: 2,
    schedulesign: 5,
    airdrop: 5,
  },
  transfers: { transfer: 1 },
  tokens: {
    tokentransfer: 70,
    mint: 8,
    burn: 4,
    wipe: 1,
    associate: 10,
    dissociate: 2,
    freeze: 2,
    kyc: 2,
    tokencreate: 1,
  },
  nfts: {
    nfttransfer: 60,
    mint: 12,
    nftupdate: 6,
    burn: 4,
    wipe: 1,
    associate: 8,
    allowance: 3,
    nftspend: 2,
    approveforall: 1,
    airdrop: 2,
    airdropclaim: 1,
  },
  'topic-messages': { message: 98, topiccreate: 1, topicupdate: 1 },
  contracts: { contractcall: 88, movercall: 5, ethereum: 3, contractcreate: 2, factorycall: 2 },
};

const INTRODUCED: ReadonlySet<string> = new Set(['default', 'everything']);

/** Names of the ready-made mixes. */
export const mixNames = Object.keys(namedMixes);

/** Which activities happen how often. */
export interface Mix {
  /** Canonical text, from which `parseMix` makes an equal mix. */
  readonly text: string;
  /**
   * Whether fees are collected ([HIP-1259](https://hips.hedera.com/hip/hip-1259)); otherwise a plain transfer has four
   * entries: node and network are paid, too.
   */
  readonly collectsFees: boolean;
  readonly activities: readonly Activity[];
  /** Whether a new ledger begins with everything that it can show. */
  readonly introduces: boolean;
  /** Cumulative weights, the last one 1. */
  readonly thresholds: readonly number[];
}

const PAIR = /^([a-z]+)=(\d+(?:\.\d+)?)$/;

/**
 * Reads a mix: empty for the default one, a name (`transfers`), or weights (`transfer=70,message=20,mint=10`).
 * @throws KagamiError SIMULATOR_MIX_INVALID naming what is wrong.
 */
export const parseMix = (text: string): Mix => {
  const name = text.trim() === '' ? 'default' : text.trim();
  const weights = namedMixes[name] ?? parseWeights(name);
  const chosen = (Object.entries(weights) as [ActivityKind, number][]).filter(([, weight]) => weight > 0);
  const total = chosen.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) throw invalidMix(text, 'all weights are zero');
  let sum = 0;
  return {
    text: name,
    collectsFees: name !== 'transfers',
    introduces: INTRODUCED.has(name),
    activities: chosen.map(([kind]) => kinds[kind].run),
    thresholds: chosen.map(([, weight]) => {
      sum += weight;
      return sum / total;
    }),
  };
};

const parseWeights = (text: string): Partial<Record<ActivityKind, number>> => {
  const weights: Partial<Record<ActivityKind, number>> = {};
  for (const part of text.split(',')) {
    const match = PAIR.exec(part.trim().toLowerCase());
    const kind = match?.[1];
    if (kind === undefined) throw invalidMix(text, `'${part.trim()}' is neither kind=weight nor the name of a mix`);
    if (!isKind(kind)) throw invalidMix(text, `there is no kind '${kind}'`);
    weights[kind] = Number(match?.[2]);
  }
  return weights;
};

const isKind = (kind: string): kind is ActivityKind => Object.hasOwn(kinds, kind);

const invalidMix = (text: string, reason: string): KagamiError =>
  new KagamiError('SIMULATOR_MIX_INVALID', `Mix '${text}': ${reason}`, { details: { mixes: mixNames, activityKinds } });
