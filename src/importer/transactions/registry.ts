import type { TransactionHandler } from '../transaction-handler.ts';
import { tokenAirdrop, tokenCancelAirdrop, tokenClaimAirdrop, tokenReject } from './airdrop.ts';
import { approveAllowance, deleteAllowance } from './allowance.ts';
import { contractCall, contractCreate, contractDelete, contractUpdate } from './contract.ts';
import { cryptoCreate, cryptoDelete, cryptoUpdate } from './crypto-account.ts';
import { ethereumTransaction } from './ethereum.ts';
import { fileAppend, fileCreate, fileDelete, fileUpdate } from './file.ts';
import { freeze } from './freeze.ts';
import { hookStore } from './hook-store.ts';
import { ledgerIdPublication } from './ledger-id.ts';
import { addLiveHash, deleteLiveHash } from './live-hash.ts';
import { nodeCreate, nodeDelete, nodeUpdate } from './node.ts';
import { nodeStakeUpdate } from './node-stake.ts';
import { utilPrng } from './prng.ts';
import { registeredNodeCreate, registeredNodeDelete, registeredNodeUpdate } from './registered-node.ts';
import { scheduleCreate, scheduleDelete, scheduleSign } from './schedule.ts';
import { systemDelete, systemUndelete } from './system-delete.ts';
import { tokenCreate, tokenDelete, tokenFeeScheduleUpdate, tokenPause, tokenUnpause, tokenUpdate } from './token.ts';
import {
  tokenAssociate,
  tokenDissociate,
  tokenFreeze,
  tokenGrantKyc,
  tokenRevokeKyc,
  tokenUnfreeze,
} from './token-account.ts';
import { tokenBurn, tokenMint, tokenUpdateNfts, tokenWipe } from './token-supply.ts';
import { topicCreate, topicDelete, topicUpdate } from './topic.ts';
import { submitMessage } from './topic-message.ts';
import { atomicBatch, cryptoTransfer, uncheckedSubmit } from './without-rows.ts';

/** Every handler, in the order of the transaction types' numbers. */
const handlers: readonly TransactionHandler[] = [
  contractCall,
  contractCreate,
  contractUpdate,
  addLiveHash,
  cryptoCreate,
  cryptoDelete,
  deleteLiveHash,
  cryptoTransfer,
  cryptoUpdate,
  fileAppend,
  fileCreate,
  fileDelete,
  fileUpdate,
  systemDelete,
  systemUndelete,
  contractDelete,
  freeze,
  topicCreate,
  topicUpdate,
  topicDelete,
  submitMessage,
  uncheckedSubmit,
  tokenCreate,
  tokenFreeze,
  tokenUnfreeze,
  tokenGrantKyc,
  tokenRevokeKyc,
  tokenDelete,
  tokenUpdate,
  tokenMint,
  tokenBurn,
  tokenWipe,
  tokenAssociate,
  tokenDissociate,
  scheduleCreate,
  scheduleDelete,
  scheduleSign,
  tokenFeeScheduleUpdate,
  tokenPause,
  tokenUnpause,
  approveAllowance,
  deleteAllowance,
  ethereumTransaction,
  nodeStakeUpdate,
  utilPrng,
  tokenUpdateNfts,
  nodeCreate,
  nodeUpdate,
  nodeDelete,
  tokenReject,
  tokenAirdrop,
  tokenCancelAirdrop,
  tokenClaimAirdrop,
  atomicBatch,
  hookStore,
  ledgerIdPublication,
  registeredNodeCreate,
  registeredNodeUpdate,
  registeredNodeDelete,
];

/** The handlers by transaction type; none for a type that leaves common rows only. */
export const transactionHandlers: ReadonlyMap<number, TransactionHandler> = new Map(
  handlers.map((handler) => [handler.type, handler]),
);
