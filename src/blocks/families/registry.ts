import { TransactionType } from '../../ledger/transaction-type.ts';
import type { Family } from '../record-parts.ts';
import { accountCreate, accountUpdate } from './account.ts';
import { tokenAirdrop } from './airdrop.ts';
import { contractDelete, contractUpdate } from './contract-entity.ts';
import { fileCreate, nodeCreate, registeredNodeCreate, tokenCreate, topicCreate } from './created-entity.ts';
import { prng } from './prng.ts';
import { scheduleCreate, scheduleDelete, scheduleSign } from './schedule.ts';
import { tokenBurn, tokenMint, tokenWipe } from './token-supply.ts';
import { submitMessage } from './topic-message.ts';

/** By type: those whose records hold more than result and contract output say. */
export const families: ReadonlyMap<number, Family> = new Map([
  [TransactionType.CRYPTOCREATEACCOUNT, accountCreate],
  [TransactionType.CRYPTOUPDATEACCOUNT, accountUpdate],
  [TransactionType.CONTRACTUPDATEINSTANCE, contractUpdate],
  [TransactionType.CONTRACTDELETEINSTANCE, contractDelete],
  [TransactionType.FILECREATE, fileCreate],
  [TransactionType.CONSENSUSCREATETOPIC, topicCreate],
  [TransactionType.CONSENSUSSUBMITMESSAGE, submitMessage],
  [TransactionType.TOKENCREATION, tokenCreate],
  [TransactionType.TOKENMINT, tokenMint],
  [TransactionType.TOKENBURN, tokenBurn],
  [TransactionType.TOKENWIPE, tokenWipe],
  [TransactionType.TOKENAIRDROP, tokenAirdrop],
  [TransactionType.SCHEDULECREATE, scheduleCreate],
  [TransactionType.SCHEDULESIGN, scheduleSign],
  [TransactionType.SCHEDULEDELETE, scheduleDelete],
  [TransactionType.UTILPRNG, prng],
  [TransactionType.NODECREATE, nodeCreate],
  [TransactionType.REGISTEREDNODECREATE, registeredNodeCreate],
]);
