import type { TransactionHandler } from '../transaction-handler.ts';
import { approveAllowance, deleteAllowance } from './accounts/allowance.ts';
import { cryptoCreate, cryptoDelete, cryptoUpdate } from './accounts/crypto-account.ts';
import { addLiveHash, deleteLiveHash } from './accounts/live-hash.ts';
import { contractCall, contractCreate, contractDelete, contractUpdate } from './contracts/contract.ts';
import { ethereumTransaction } from './contracts/ethereum.ts';
import { hookStore } from './contracts/hook-store.ts';
import { fileAppend, fileCreate, fileDelete, fileUpdate } from './files/file.ts';
import { systemDelete, systemUndelete } from './files/system-delete.ts';
import { freeze } from './network/freeze.ts';
import { ledgerIdPublication } from './network/ledger-id.ts';
import { nodeCreate, nodeDelete, nodeUpdate } from './network/node.ts';
import { nodeStakeUpdate } from './network/node-stake.ts';
import { utilPrng } from './network/prng.ts';
import { registeredNodeCreate, registeredNodeDelete, registeredNodeUpdate } from './network/registered-node.ts';
import { scheduleCreate, scheduleDelete, scheduleSign } from './schedule.ts';
import { tokenAirdrop, tokenCancelAirdrop, tokenClaimAirdrop, tokenReject } from './tokens/airdrop.ts';
import {
  tokenCreate,
  tokenDelete,
  tokenFeeScheduleUpdate,
  tokenPause,
  tokenUnpause,
  tokenUpdate,
} from './tokens/token.ts';
import {
  tokenAssociate,
  tokenDissociate,
  tokenFreeze,
  tokenGrantKyc,
  tokenRevokeKyc,
  tokenUnfreeze,
} from './tokens/token-account.ts';
import { tokenBurn, tokenMint, tokenUpdateNfts, tokenWipe } from './tokens/token-supply.ts';
import { topicCreate, topicDelete, topicUpdate } from './topics/topic.ts';
import { submitMessage } from './topics/topic-message.ts';
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
