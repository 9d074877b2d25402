/**
 * The calls that contracts made while a transaction ran, as its sidecar traces them
 * ([HIP-513](https://hips.hedera.com/hip/hip-513)).
 */
import type { RowOf } from '../../database/table.ts';
import type { ContractAction } from '../../protobuf/generated/streams/contract_action.ts';
import { orNull } from '../common/ids.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { accountNumber } from '../transactions/ids.ts';
import { contractNumber } from './contract-ids.ts';

type Row = RowOf<'contract_action'>;

const callerOf = (source: Source, { caller }: ContractAction): Pick<Row, 'caller' | 'caller_type'> => {
  switch (caller?.$case) {
    case 'callingContract':
      return { caller: orNull(contractNumber(source, caller.callingContract)), caller_type: 'CONTRACT' };
    case 'callingAccount':
      return { caller: orNull(accountNumber(source, caller.callingAccount)), caller_type: 'ACCOUNT' };
    default:
      problem(source, 'Contract action without a caller');
      return { caller: null, caller_type: null };
  }
};

type Recipient = Pick<Row, 'recipient_account' | 'recipient_contract' | 'recipient_address'>;

const NO_RECIPIENT: Recipient = { recipient_account: null, recipient_contract: null, recipient_address: null };

/** A creation has no recipient until it succeeds. */
const recipientOf = (source: Source, { recipient }: ContractAction): Recipient => {
  switch (recipient?.$case) {
    case 'recipientAccount':
      return { ...NO_RECIPIENT, recipient_account: orNull(accountNumber(source, recipient.recipientAccount)) };
    case 'recipientContract':
      return { ...NO_RECIPIENT, recipient_contract: orNull(contractNumber(source, recipient.recipientContract)) };
    case 'targetedAddress':
      return { ...NO_RECIPIENT, recipient_address: recipient.targetedAddress };
    default:
      return NO_RECIPIENT;
  }
};

/** The type of a result is the number of its field. */
const resultOf = (source: Source, { resultData }: ContractAction): Pick<Row, 'result_data' | 'result_data_type'> => {
  switch (resultData?.$case) {
    case 'output':
      return { result_data: resultData.output, result_data_type: 11 };
    case 'revertReason':
      return { result_data: resultData.revertReason, result_data_type: 12 };
    case 'error':
      return { result_data: resultData.error, result_data_type: 13 };
    default:
      problem(source, 'Contract action without a result');
      return { result_data: null, result_data_type: 0 };
  }
};

/** Inserts the actions of one sidecar record; the first has the position `index` among those of the transaction. */
export const insertActions = (source: Source, actions: readonly ContractAction[], index: number): void => {
  const { item, context } = source;
  actions.forEach((action, position) => {
    const row: Row = {
      ...callerOf(source, action),
      ...recipientOf(source, action),
      ...resultOf(source, action),
      call_depth: action.callDepth,
      call_type: action.callType,
      call_operation_type: action.callOperationType,
      consensus_timestamp: item.consensusTimestamp,
      gas: action.gas,
      gas_used: action.gasUsed,
      index: index + position,
      input: action.input,
      payer_account_id: item.payer,
      value: action.value,
    };
    context.batch.insert('contract_action', row);
    for (const id of [row.caller, row.recipient_account, row.recipient_contract]) if (id !== null) context.touch(id);
  });
};
