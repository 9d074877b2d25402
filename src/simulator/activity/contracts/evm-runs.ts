/** What the known contracts do when they run. */
import { encode } from '@ethereumjs/rlp';
import { longZeroAddress } from '../../../ledger/evm-address.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import { Key } from '../../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { ContractActionType } from '../../../protobuf/generated/streams/contract_action.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import type { Draft } from '../../records/draft.ts';
import { accountId, contractId } from '../../records/proto-ids.ts';
import { addressArgument } from '../../solidity/abi-arguments.ts';
import { INCREMENT_CALL, INCREMENTED_TOPIC, logBloom, word } from '../../solidity/counter-contract.ts';
import {
  CREATE_CALL,
  codeOf,
  TOKEN_SERVICE,
  TRANSFER_TOPIC,
  transferTokenCall,
} from '../../solidity/helper-contracts.ts';
import { addAccount, addToHolding } from '../../state/account-book.ts';
import type { Account, ContractKind, SimulatedContract, Token } from '../../state/ledger-entities.ts';
import { bodyTransfers, recordTransfers } from '../tokens/token-record.ts';
import {
  actionsSidecar,
  bytecodeSidecar,
  calledBy,
  calledByContract,
  callTo,
  contractAddress,
  counterSidecar,
  creationOf,
  type Execution,
  evmAddressOf,
  NO_BLOOM,
} from './evm-record.ts';

export interface Call {
  readonly sender: Account;
  readonly contract: SimulatedContract;
  readonly gas: bigint;
}

/** What executing each kind's init code comes to, with what its data and the bytes of its code cost. */
const CREATE_GAS_USED: Readonly<Record<ContractKind, bigint>> = { counter: 65_218n, factory: 72_268n, mover: 60_430n };
/** For each authorization; half of it is given back for an account that exists. */
const AUTHORIZATION_GAS = 25_000n;
/** The first call makes the slot non-zero, which costs more. */
const FIRST_CALL_GAS_USED = 44_209n;
const CALL_GAS_USED = 27_109n;
const FACTORY_GAS_USED = 64_351n;
/** Of the contract's creation within the factory's call. */
const CHILD_GAS_USED = 11_230n;
/** Of every transaction, and of a mover's instructions. */
const MOVER_GAS_USED = 38_964n;
const SERVICE_GAS_USED = 15_284n;
const AUTO_RENEW = { seconds: 7_776_000n };
const SERVICE_SUCCESS = word(22n);

interface NewContract {
  readonly num: bigint;
  readonly memo: string;
  readonly address?: Uint8Array;
  readonly keyBytes?: Uint8Array;
  /** -1: without limit. */
  readonly autoAssociations?: number;
}

/** The account of a new contract; without a key of its own it is its own admin. */
export const addContractAccount = ({ state }: BlockBuilder, details: NewContract): Account => {
  const { num, memo } = details;
  const ownKey = Key.fromPartial({ key: { $case: 'contractID', contractID: contractId(num) } });
  return addAccount(state, {
    num,
    memo,
    pinned: true,
    keyBytes: details.keyBytes ?? Key.encode(ownKey).finish(),
    ...(details.address && { alias: details.address }),
    ...(details.autoAssociations !== undefined && { autoAssociations: details.autoAssociations }),
  });
};

/** Adds a contract to the ledger. */
const addContract = (builder: BlockBuilder, kind: ContractKind, details: NewContract): SimulatedContract => {
  const { num } = details;
  const account = addContractAccount(builder, details);
  const bloom = kind === 'counter' ? logBloom(longZeroAddress(num), [INCREMENTED_TOPIC]) : NO_BLOOM;
  const contract: SimulatedContract = { num, account, kind, bloom, count: 0n, nonce: 1n, created: [], logs: 0 };
  builder.state.contracts.push(contract);
  return contract;
};

/** The address of what an account or contract creates with this nonce. */
export const createdAddress = (creator: Uint8Array, nonce: bigint): Uint8Array =>
  keccak256(encode([creator, nonce])).subarray(12);

/** A new contract of this kind. */
export const runCreation = (
  builder: BlockBuilder,
  kind: ContractKind,
  details: {
    readonly sender: Account;
    readonly gas: bigint;
    readonly memo: (num: bigint) => string;
    readonly address?: Uint8Array;
    readonly keyBytes?: Uint8Array;
    readonly autoAssociations?: number;
  },
): { readonly contract: SimulatedContract; readonly execution: Execution } => {
  const { sender, gas, address } = details;
  const num = builder.takeNum();
  const contract = addContract(builder, kind, { ...details, num, memo: details.memo(num) });
  const { runtime, init } = codeOf(kind);
  const id = contractId(num);
  const execution: Execution = {
    creation: true,
    contract: num,
    result: {
      contractID: id,
      contractCallResult: runtime,
      bloom: NO_BLOOM,
      gasUsed: CREATE_GAS_USED[kind],
      gas,
      createdContractIDs: [id],
      senderId: accountId(sender.num),
      contractNonces: [{ contractId: id, nonce: 1n }],
      evmAddress: address ?? longZeroAddress(num),
    },
    sidecars: [
      bytecodeSidecar(num, init, runtime),
      actionsSidecar([
        {
          ...creationOf(num),
          caller: calledBy(sender.num),
          gas,
          gasUsed: CREATE_GAS_USED[kind],
          resultData: { $case: 'output', output: new Uint8Array() },
        },
      ]),
    ],
  };
  return { contract, execution };
};

/**
 * What is charged where authorizations of accounts that exist come with a call
 * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
 */
const withAuthorizations = (gasUsed: bigint, authorizations: bigint): bigint => {
  const spent = gasUsed + authorizations * AUTHORIZATION_GAS;
  const refund = (authorizations * AUTHORIZATION_GAS) / 2n;
  return spent - (refund < spent / 5n ? refund : spent / 5n);
};

/** A counter counts, logs and returns its new value. `amount`: tinybars that the call brings. */
export const runCounter = ({ sender, contract, gas }: Call, amount: bigint, authorizations = 0n): Execution => {
  const id = contractId(contract.num);
  const before = contract.count;
  contract.count++;
  contract.logs++;
  const output = word(contract.count);
  const gasUsed = withAuthorizations(before === 0n ? FIRST_CALL_GAS_USED : CALL_GAS_USED, authorizations);
  const { bloom } = contract;
  return {
    creation: false,
    contract: contract.num,
    result: {
      contractID: id,
      contractCallResult: output,
      bloom,
      gasUsed,
      gas,
      amount,
      functionParameters: INCREMENT_CALL,
      logInfo: [{ contractID: id, bloom, topic: [INCREMENTED_TOPIC], data: output }],
      senderId: accountId(sender.num),
    },
    sidecars: [
      counterSidecar(contract.num, before, contract.count),
      actionsSidecar([
        {
          ...callTo(contract.num),
          caller: calledBy(sender.num),
          gas,
          gasUsed,
          value: amount,
          input: INCREMENT_CALL,
          resultData: { $case: 'output', output },
        },
      ]),
    ],
  };
};

/** What call data costs ([EIP-2028](https://eips.ethereum.org/EIPS/eip-2028)). */
export const gasOfData = (data: Uint8Array): bigint => {
  const zeros = data.filter((byte) => byte === 0).length;
  return BigInt(4 * zeros + 16 * (data.length - zeros));
};

/** A call that comes to nothing: a revert uses what is given, whatever else fails uses up its gas. */
export const runInVain = ({ sender, contract, gas }: Call, input: Uint8Array, revertGas?: bigint): Execution => {
  const reverts = revertGas !== undefined;
  const gasUsed = revertGas ?? gas;
  return {
    status: reverts ? ResponseCodeEnum.CONTRACT_REVERT_EXECUTED : ResponseCodeEnum.INSUFFICIENT_GAS,
    creation: false,
    contract: contract.num,
    result: {
      contractID: contractId(contract.num),
      errorMessage: reverts ? '0x' : 'INSUFFICIENT_GAS',
      bloom: NO_BLOOM,
      gasUsed,
      gas,
      functionParameters: input,
      senderId: accountId(sender.num),
    },
    sidecars: [
      actionsSidecar([
        {
          ...callTo(contract.num),
          caller: calledBy(sender.num),
          gas,
          gasUsed,
          input,
          resultData: reverts
            ? { $case: 'revertReason', revertReason: new Uint8Array() }
            : { $case: 'error', error: Buffer.from('INSUFFICIENT_GAS') },
        },
      ]),
    ],
  };
};

/** A factory creates a counter: a child ContractCreate. */
export const runFactory = (builder: BlockBuilder, { sender, contract, gas }: Call): Execution => {
  const num = builder.takeNum();
  const address = createdAddress(contractAddress(contract), contract.nonce);
  contract.nonce++;
  contract.created.push(num);
  addContract(builder, 'counter', { num, memo: '', address });
  const { init, runtime } = codeOf('counter');
  const id = contractId(contract.num);
  const childId = contractId(num);
  const output = Buffer.concat([new Uint8Array(12), address]);
  const nonces = [
    { contractId: id, nonce: contract.nonce },
    { contractId: childId, nonce: 1n },
  ];
  const child: Draft = {
    payer: sender,
    fee: 0n,
    data: { $case: 'contractCreateInstance', contractCreateInstance: { autoRenewPeriod: AUTO_RENEW } },
    receipt: { contractID: childId },
    record: {
      body: {
        $case: 'contractCreateResult',
        contractCreateResult: {
          contractID: childId,
          contractCallResult: runtime,
          bloom: NO_BLOOM,
          gasUsed: CHILD_GAS_USED,
          evmAddress: address,
        },
      },
    },
    sidecars: [bytecodeSidecar(num, init, runtime)],
  };
  return {
    creation: false,
    contract: contract.num,
    result: {
      contractID: id,
      contractCallResult: output,
      bloom: NO_BLOOM,
      gasUsed: FACTORY_GAS_USED,
      gas,
      functionParameters: CREATE_CALL,
      createdContractIDs: [childId],
      senderId: accountId(sender.num),
      contractNonces: nonces,
    },
    sidecars: [
      actionsSidecar([
        {
          ...callTo(contract.num),
          caller: calledBy(sender.num),
          gas,
          gasUsed: FACTORY_GAS_USED,
          input: CREATE_CALL,
          resultData: { $case: 'output', output },
        },
        {
          ...creationOf(num),
          caller: calledByContract(contract.num),
          gas: gas / 2n,
          gasUsed: CHILD_GAS_USED,
          callDepth: 1,
          resultData: { $case: 'output', output: new Uint8Array() },
        },
      ]),
    ],
    following: [child],
  };
};

/** A mover has the token service transfer the sender's tokens: a child CryptoTransfer, and a log of the token. */
export const runMover = (
  { sender, contract, gas }: Call,
  move: { readonly token: Token; readonly receiver: Account; readonly amount: bigint },
): Execution => {
  const { token, receiver, amount } = move;
  addToHolding(sender, token, -amount);
  addToHolding(receiver, token, amount);
  const input = transferTokenCall(token.num, evmAddressOf(sender), evmAddressOf(receiver), amount);
  const id = contractId(contract.num);
  const changes = [
    { account: sender, amount: -amount },
    { account: receiver, amount },
  ];
  const topics = [TRANSFER_TOPIC, addressArgument(evmAddressOf(sender)), addressArgument(evmAddressOf(receiver))];
  const bloom = logBloom(longZeroAddress(token.num), topics);
  const service = contractId(TOKEN_SERVICE);
  const gasUsed = MOVER_GAS_USED + gasOfData(input);
  const child: Draft = {
    payer: sender,
    fee: 0n,
    data: { $case: 'cryptoTransfer', cryptoTransfer: { tokenTransfers: [bodyTransfers(token, changes)] } },
    record: {
      body: {
        $case: 'contractCallResult',
        contractCallResult: {
          contractID: service,
          contractCallResult: SERVICE_SUCCESS,
          gasUsed: SERVICE_GAS_USED,
          gas: gas - gasUsed + SERVICE_GAS_USED,
          functionParameters: input,
          senderId: accountId(sender.num),
        },
      },
      tokenTransferLists: [recordTransfers(token, changes)],
    },
  };
  return {
    creation: false,
    contract: contract.num,
    result: {
      contractID: id,
      contractCallResult: SERVICE_SUCCESS,
      bloom,
      gasUsed,
      gas,
      functionParameters: input,
      logInfo: [{ contractID: contractId(token.num), bloom, topic: topics, data: word(amount) }],
      senderId: accountId(sender.num),
    },
    sidecars: [
      actionsSidecar([
        {
          ...callTo(contract.num),
          caller: calledBy(sender.num),
          gas,
          gasUsed,
          input,
          resultData: { $case: 'output', output: SERVICE_SUCCESS },
        },
        {
          ...callTo(TOKEN_SERVICE),
          callType: ContractActionType.SYSTEM,
          caller: calledByContract(contract.num),
          gas: gas - gasUsed + SERVICE_GAS_USED,
          gasUsed: SERVICE_GAS_USED,
          callDepth: 1,
          input,
          resultData: { $case: 'output', output: SERVICE_SUCCESS },
        },
      ]),
    ],
    following: [child],
  };
};
