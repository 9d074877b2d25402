import { isSuccessful } from '../../../ledger/response-code.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { HOOK_CONTRACT } from '../../network/system-accounts.ts';
import type { Draft } from '../../records/draft.ts';
import type { EvmCounts } from '../../state/ledger-entities.ts';

const ALWAYS_WITH_RESULT: ReadonlySet<number> = new Set([
  TransactionType.CONTRACTCALL,
  TransactionType.CONTRACTCREATEINSTANCE,
]);

/** Whether readers make a result of the transaction although its record has none. */
const impliesResult = (type: number, status: number): boolean =>
  ALWAYS_WITH_RESULT.has(type) ||
  (type === TransactionType.ETHEREUMTRANSACTION &&
    !isSuccessful(status) &&
    // What nobody can decode has no call of which a result could be told.
    status !== ResponseCodeEnum.INVALID_ETHEREUM_TRANSACTION &&
    status !== ResponseCodeEnum.WRONG_NONCE &&
    status !== ResponseCodeEnum.DUPLICATE_TRANSACTION);

/** Adds what a transaction's contract result and sidecars hold. */
export const countEvm = (counts: EvmCounts, type: number, status: number, { record, sidecars }: Draft): void => {
  const body = record?.body;
  if (body !== undefined) {
    const result = body.$case === 'contractCallResult' ? body.contractCallResult : body.contractCreateResult;
    counts.results++;
    counts.logs += result?.logInfo?.length ?? 0;
  } else if (impliesResult(type, status)) {
    counts.results++;
  }
  for (const content of sidecars ?? []) {
    if (content.$case === 'actions') counts.actions += content.actions.contractActions.length;
    if (content.$case !== 'stateChanges') continue;
    for (const { contractId, storageChanges } of content.stateChanges.contractStateChanges) {
      const contract = contractId?.contract;
      // Slots of the hook contract are the storage of hooks.
      if (contract?.$case === 'contractNum' && contract.contractNum === HOOK_CONTRACT) continue;
      counts.stateChanges += storageChanges.length;
    }
  }
};
