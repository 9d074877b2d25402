/** Forms of what the EVM leaves in records and sidecars. */
import { evmAddressOfEcdsaKey, longZeroAddress } from '../../../ledger/evm-address.ts';
import { CallOperationType, ContractActionType } from '../../../protobuf/generated/streams/contract_action.ts';
import { TransactionSidecarRecord } from '../../../protobuf/generated/streams/sidecar_file.ts';
import type { Draft, RecordParts, SidecarContent } from '../../records/draft.ts';
import { accountId, contractId } from '../../records/proto-ids.ts';
import { trimmedWord } from '../../solidity/counter-contract.ts';
import type { Account, SimulatedContract } from '../../state/ledger-entities.ts';

type SidecarParts = Parameters<typeof TransactionSidecarRecord.fromPartial>[0]['sidecarRecords'];
type ResultBody = Extract<NonNullable<RecordParts['body']>, { $case: 'contractCallResult' }>;
type ResultParts = NonNullable<ResultBody['contractCallResult']>;

/** What a contract's run comes to, whatever transaction made it run. */
export interface Execution {
  /** Receipt status; SUCCESS if left out. */
  readonly status?: number;
  readonly creation: boolean;
  readonly contract: bigint;
  readonly result: ResultParts & { readonly gas: bigint; readonly gasUsed: bigint };
  readonly sidecars: readonly SidecarContent[];
  readonly following?: readonly Draft[];
}

export const NO_BLOOM = new Uint8Array(256);

/** The record's contract result. */
export const resultBody = ({ creation, result }: Execution): NonNullable<RecordParts['body']> =>
  creation
    ? { $case: 'contractCreateResult', contractCreateResult: result }
    : { $case: 'contractCallResult', contractCallResult: result };

const sidecar = (content: SidecarParts): SidecarContent =>
  TransactionSidecarRecord.fromPartial({ sidecarRecords: content }).sidecarRecords as SidecarContent;

export const bytecodeSidecar = (contract: bigint, initcode: Uint8Array, runtimeBytecode: Uint8Array): SidecarContent =>
  sidecar({ $case: 'bytecode', bytecode: { contractId: contractId(contract), initcode, runtimeBytecode } });

/** A slot's old and new value; not written when `written` is left out. */
export const stateSidecar = (
  contract: bigint,
  slots: readonly { readonly slot: Uint8Array; readonly read: Uint8Array; readonly written?: Uint8Array }[],
): SidecarContent =>
  sidecar({
    $case: 'stateChanges',
    stateChanges: {
      contractStateChanges: [
        {
          contractId: contractId(contract),
          storageChanges: slots.map(({ slot, read, written }) => ({ slot, valueRead: read, valueWritten: written })),
        },
      ],
    },
  });

export const counterSidecar = (contract: bigint, before: bigint, after: bigint): SidecarContent =>
  stateSidecar(contract, [{ slot: trimmedWord(0n), read: trimmedWord(before), written: trimmedWord(after) }]);

type ActionParts = NonNullable<
  NonNullable<Extract<SidecarParts, { $case: 'actions' }>['actions']>['contractActions']
>[number];

export const actionsSidecar = (contractActions: ActionParts[]): SidecarContent =>
  sidecar({ $case: 'actions', actions: { contractActions } });

export const calledBy = (account: bigint) => ({
  $case: 'callingAccount' as const,
  callingAccount: accountId(account),
});
export const calledByContract = (contract: bigint) => ({
  $case: 'callingContract' as const,
  callingContract: contractId(contract),
});
export const callTo = (contract: bigint) => ({
  callType: ContractActionType.CALL,
  callOperationType: CallOperationType.OP_CALL,
  recipient: { $case: 'recipientContract' as const, recipientContract: contractId(contract) },
});
export const creationOf = (contract: bigint) => ({
  callType: ContractActionType.CREATE,
  callOperationType: CallOperationType.OP_CREATE,
  recipient: { $case: 'recipientContract' as const, recipientContract: contractId(contract) },
});

/** An alias that is a serialized ECDSA key: tag, length, 33 bytes. */
const ECDSA_ALIAS_LENGTH = 35;

/** The address by which the EVM knows an account: its own, or that of the key in its alias, if it has one. */
export const evmAddressOf = ({ alias, num }: Account): Uint8Array => {
  if (alias.length === 20) return alias;
  const ofKey = alias.length === ECDSA_ALIAS_LENGTH ? evmAddressOfEcdsaKey(alias.subarray(2)) : undefined;
  return ofKey ?? longZeroAddress(num);
};

export const contractAddress = ({ account }: SimulatedContract): Uint8Array => evmAddressOf(account);
