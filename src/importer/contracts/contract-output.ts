/**
 * Everything that contracts leave behind when a transaction runs them: result, logs, trace, storage, nonces, and who
 * took part. Owns neither the entity of a contract that a transaction creates (its handler does) nor logs that no
 * contract made.
 */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { contractResultOf, type RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { addLogs } from './contract-log.ts';
import {
  addContractResult,
  contractResultRow,
  type FunctionResult,
  failedEthereumRow,
  functionResultOf,
} from './contract-result.ts';
import { insertContractTransactions } from './contract-transaction.ts';
import { createdContracts, stageContractNonces } from './created-contracts.ts';
import { evmHashOf } from './ethereum-of.ts';
import type { TracedRun } from './gas-consumed.ts';
import { addSidecarOutput } from './sidecar-output.ts';

const isCallOrCreation = ({ type }: RecordItem): boolean =>
  type === TransactionType.CONTRACTCALL || type === TransactionType.CONTRACTCREATEINSTANCE;

/** Whether the item may have anything to do with contracts; false for nearly all, at no cost. */
const concernsContracts = (item: RecordItem): boolean =>
  isCallOrCreation(item) ||
  item.type === TransactionType.ETHEREUMTRANSACTION ||
  contractResultOf(item) !== undefined ||
  item.sidecarRecords.length > 0;

/** An unknown EVM address is nothing odd: what was called need not exist. */
const contractOfResult = (source: Source, result: FunctionResult | undefined): EntityId => {
  const id = result?.message.contractID;
  const found = source.context.lookup.contract(id);
  if (found === undefined && id?.contract?.$case !== 'evmAddress') problem(source, 'Invalid contract of a result');
  return found ?? EMPTY_ENTITY_ID;
};

const addResult = (
  source: Source,
  result: FunctionResult | undefined,
  contractId: EntityId,
  run: TracedRun,
  involved: Set<EntityId>,
): void => {
  const { item, context } = source;
  const createdContractIds = result === undefined ? [] : createdContracts(source, result.message, contractId);
  if (result !== undefined) stageContractNonces(source, result.message);
  if (!context.persist.contractResults) return;
  const hash = evmHashOf(item, context);
  const row = contractResultRow(source, result, { contractId, hash, run, createdContractIds });
  if (row.sender_id !== null) context.touch(row.sender_id);
  if (result !== undefined) addLogs(source, result.message, contractId, hash, involved);
  involved.add(contractId);
  // Who paid is found by the id of the transaction, which names the payer.
  involved.add(item.payer);
  addContractResult(context, row);
};

/**
 * Adds what contracts left of the item, whose main entity is `entityId`. To be called after the handler of its type and
 * the common rows.
 */
export const addContractOutput = (item: RecordItem, entityId: EntityId, context: HandlerContext): void => {
  const { persist } = context;
  if (!persist.contracts || !concernsContracts(item)) return;
  const source: Source = { item, context };
  const involved = new Set<EntityId>();
  const run = addSidecarOutput(source, involved);
  const result = functionResultOf(item);
  if (result !== undefined || isCallOrCreation(item)) {
    const contractId = isCallOrCreation(item) ? entityId : contractOfResult(source, result);
    context.touch(contractId);
    addResult(source, result, contractId, run, involved);
  } else if (persist.contractResults) {
    const row = failedEthereumRow(source);
    if (row !== undefined) addContractResult(context, row);
  }
  insertContractTransactions(source, involved);
};
