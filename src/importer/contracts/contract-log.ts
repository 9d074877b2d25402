/** Events that contracts logged. */
import { trimLeadingZeros } from '../../ledger/bytes.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import type { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { orNull } from '../common/ids.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { contractNumber } from './contract-ids.ts';

/** A topic without its leading zero bytes, of which the last byte stays; null for one that the log doesn't have. */
const storedTopic = (topic: Uint8Array | undefined): Uint8Array | null => {
  if (topic === undefined) return null;
  const trimmed = trimLeadingZeros(topic);
  return trimmed.length === 0 ? topic.subarray(-1) : trimmed;
};

/** Blocks name contracts with an address of their own by that, since their blooms are made of it. */
const loggerOf = (source: Source, id: ContractID | undefined): EntityId => {
  if (id?.contract?.$case !== 'evmAddress') return contractNumber(source, id);
  const found = source.context.lookup.contract(id);
  if (found === undefined) problem(source, 'Unknown EVM address of the contract of a log');
  return found ?? EMPTY_ENTITY_ID;
};

/** Adds the logs of a result, in its order, and their contracts to `involved`. `root` is the result's contract. */
export const addLogs = (
  source: Source,
  { logInfo }: ContractFunctionResult,
  root: EntityId,
  hash: Uint8Array,
  involved: Set<EntityId>,
): void => {
  const { item, context } = source;
  const { evm } = context;
  for (const { contractID, bloom, topic, data } of logInfo) {
    const contractId = loggerOf(source, contractID);
    evm.addLog({
      bloom,
      consensus_timestamp: item.consensusTimestamp,
      contract_id: contractId,
      data,
      index: evm.claimLogIndex(),
      topic0: storedTopic(topic[0]),
      topic1: storedTopic(topic[1]),
      topic2: storedTopic(topic[2]),
      topic3: storedTopic(topic[3]),
      payer_account_id: item.payer,
      root_contract_id: orNull(root),
      transaction_hash: hash,
      transaction_index: evm.transactionIndexOf(item) ?? null,
      synthetic: false,
    });
    involved.add(contractId);
    context.touch(contractId);
  }
};
