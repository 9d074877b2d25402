/**
 * Transactions that wallets sign and a relay wraps for the network ([HIP-410](https://hips.hedera.com/hip/hip-410)).
 */
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { ecdsaPrivateKey } from '../../keys/account-key.ts';
import { fees, GAS_PRICE } from '../../network/fee-schedule.ts';
import { FEE_COLLECTION } from '../../network/system-accounts.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import type { Draft } from '../../records/draft.ts';
import {
  authorizationOf,
  type EthereumFields,
  type EthereumType,
  type SignedEthereumTransaction,
  signEthereum,
} from '../../records/ethereum-transaction.ts';
import { accountId, contractId, fileId } from '../../records/proto-ids.ts';
import { INCREMENT_CALL, word } from '../../solidity/counter-contract.ts';
import { codeOf } from '../../solidity/helper-contracts.ts';
import type { Account, SimulatedContract, SimulatedFile } from '../../state/ledger-entities.ts';
import { type Activity, chooseOther, chooseUser } from '../choose.ts';
import { chooseContract } from './contract-calls.ts';
import { createCallDataFile } from './contracts.ts';
import { contractAddress, type Execution, resultBody } from './evm-record.ts';
import { createdAddress, runCounter, runCreation, runInVain } from './evm-runs.ts';

const HBAR = 100_000_000n;
const WEIBARS_PER_TINYBAR = 10_000_000_000n;
const CALL_GAS = 90_000n;
const CREATE_GAS = 200_000n;
const TOO_LITTLE_GAS = 22_000n;
const MAX_CONTRACTS = 120;
const TRIES = 24;
const TYPES: readonly EthereumType[] = [0, 1, 2, 2, 4];

/** A user whose alias is the EVM address of its key, which therefore can sign for Ethereum. */
const chooseWallet = (builder: BlockBuilder): Account | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const user = builder.random.pick(builder.state.users);
    if (user?.key?.kind === 'ecdsa' && user.alias.length === 20 && user.balance >= 10n * HBAR) return user;
  }
  return undefined;
};

const keyOf = ({ settings }: BlockBuilder, { key }: Account): Uint8Array =>
  ecdsaPrivateKey(settings.seed, key?.label ?? '');

interface Wrapped {
  readonly sender: Account;
  readonly relay: Account;
  readonly signed: SignedEthereumTransaction;
  readonly type: EthereumType;
  /** Where the call data is, if not in the transaction. */
  readonly callData?: SimulatedFile;
}

const submit = (builder: BlockBuilder, wrapped: Wrapped, effects: Omit<Draft, 'payer' | 'fee' | 'data'>): void => {
  const { relay, signed, callData, type } = wrapped;
  const { ethereumTypes } = builder.state;
  ethereumTypes.set(type, (ethereumTypes.get(type) ?? 0) + 1);
  builder.submit({
    ...effects,
    payer: relay,
    fee: fees.ethereum,
    data: {
      $case: 'ethereumTransaction',
      ethereumTransaction: {
        ethereumData: callData === undefined ? signed.bytes : signed.withoutData,
        maxGasAllowance: HBAR,
        ...(callData && { callData: fileId(callData.num) }),
      },
    },
    record: { ...effects.record, ethereumHash: signed.hash },
  });
};

/** The sender's nonce grows, and the result says so. */
const submitExecution = (
  builder: BlockBuilder,
  wrapped: Wrapped,
  execution: Execution,
  amount: bigint,
  more: { readonly receiver?: Account; readonly following?: readonly Draft[]; readonly delegates?: boolean } = {},
): void => {
  const { sender } = wrapped;
  const { result, sidecars, status } = execution;
  sender.ethereumNonce += more.delegates === true ? 2n : 1n;
  const gasCost = result.gasUsed * GAS_PRICE;
  const fund = builder.state.accounts.get(FEE_COLLECTION) as Account;
  submit(builder, wrapped, {
    receipt: { contractID: contractId(execution.contract) },
    record: { body: resultBody({ ...execution, result: { ...result, signerNonce: sender.ethereumNonce } }) },
    sidecars,
    following: [...(execution.following ?? []), ...(more.following ?? [])],
    hbar: [
      { account: sender, amount: -gasCost - amount },
      { account: fund, amount: gasCost },
      ...(amount > 0n && more.receiver ? [{ account: more.receiver, amount }] : []),
    ],
    ...(status === undefined ? {} : { status }),
  });
};

interface Parties {
  readonly sender: Account;
  readonly relay: Account;
}

/** A wallet calls a counter, creates one, or is refused. */
export const sendEthereum: Activity = (builder) => {
  const { random } = builder;
  const sender = chooseWallet(builder);
  const relay = sender && chooseOther(builder, sender);
  if (sender === undefined || relay === undefined || relay.balance < HBAR) return false;
  const parties = { sender, relay };
  const choice = random.below(10);
  if (choice === 0) return refused(builder, parties);
  if (choice < 3) return create(builder, parties);
  const contract = chooseContract(builder, 'counter');
  return contract === undefined ? false : call(builder, parties, contract, random.chance(0.1));
};

/** A wallet calls a counter by a transaction of this type, with an access list where there can be one; or it runs out of gas. */
export const callByEthereum =
  (type: EthereumType, fails = false): Activity =>
  (builder) => {
    const sender = chooseWallet(builder);
    const relay = sender && chooseOther(builder, sender);
    const contract = chooseContract(builder, 'counter');
    if (sender === undefined || relay === undefined || contract === undefined || relay.balance < HBAR) return false;
    return call(builder, { sender, relay }, contract, fails, type);
  };

const fieldsOf = (
  { random, settings }: BlockBuilder,
  { sender }: Parties,
  call: Pick<EthereumFields, 'to' | 'data' | 'gasLimit'> & { readonly amount: bigint },
  type: EthereumType = TYPES[random.below(TYPES.length)] as EthereumType,
): EthereumFields => ({
  type,
  chainId: settings.chain.chainId,
  nonce: sender.ethereumNonce,
  gasPrice: GAS_PRICE * WEIBARS_PER_TINYBAR,
  gasLimit: call.gasLimit,
  to: call.to,
  value: call.amount * WEIBARS_PER_TINYBAR,
  data: call.data,
  ...(type !== 0 && random.chance(0.5) && call.to.length > 0
    ? { accessList: [{ address: call.to, slots: [word(0n)] }] }
    : {}),
});

const call = (
  builder: BlockBuilder,
  parties: Parties,
  contract: SimulatedContract,
  fails: boolean,
  type?: EthereumType,
): boolean => {
  const { random } = builder;
  const { sender } = parties;
  const paid = type === undefined ? random.chance(0.3) : type === 2;
  const amount = !fails && paid ? BigInt(random.between(1, 1_000_000)) : 0n;
  const to = contractAddress(contract);
  const gasLimit = fails ? TOO_LITTLE_GAS : CALL_GAS;
  const chosen = fieldsOf(builder, parties, { to, data: INCREMENT_CALL, gasLimit, amount }, type);
  const plain =
    type === undefined || type === 0 ? chosen : { ...chosen, accessList: [{ address: to, slots: [word(0n)] }] };
  const delegates = plain.type === 4 && !fails;
  const privateKey = keyOf(builder, sender);
  const fields = delegates
    ? // Who delegates in its own transaction has used one nonce for that already.
      { ...plain, authorizations: [authorizationOf(plain.chainId, to, sender.ethereumNonce + 1n, privateKey)] }
    : plain;
  const run = { sender, contract, gas: fields.gasLimit };
  const execution = fails ? runInVain(run, INCREMENT_CALL) : runCounter(run, amount, delegates ? 1n : 0n);
  const wrapped = { ...parties, type: fields.type, signed: signEthereum(fields, privateKey) };
  submitExecution(builder, wrapped, execution, amount, {
    receiver: contract.account,
    delegates,
    following: delegates ? [delegation(parties, to)] : [],
  });
  if (delegates) sender.delegation = to;
  return true;
};

/** What delegation to an address leaves behind: an update of the account. */
const delegation = ({ sender, relay }: Parties, address: Uint8Array): Draft => ({
  payer: relay,
  fee: 0n,
  data: {
    $case: 'cryptoUpdateAccount',
    cryptoUpdateAccount: { accountIDToUpdate: accountId(sender.num), delegationAddress: address },
  },
  receipt: { accountID: accountId(sender.num) },
});

/** A wallet creates a counter, whose init code comes with the transaction or from a file. */
const create = (builder: BlockBuilder, parties: Parties): boolean => {
  const { random, state } = builder;
  const { sender } = parties;
  if (state.contracts.length >= MAX_CONTRACTS) return false;
  const fromFile = random.chance(0.5);
  const callData = fromFile ? random.pick(state.callDataFiles) : undefined;
  if (fromFile && callData === undefined) return createCallDataFile(builder);
  const data = codeOf('counter').init;
  const type = random.chance(0.5) ? 2 : 0;
  const fields = fieldsOf(builder, parties, { to: new Uint8Array(), data, gasLimit: CREATE_GAS, amount: 0n }, type);
  const address = createdAddress(sender.alias, sender.ethereumNonce);
  const { contract, execution } = runCreation(builder, 'counter', {
    sender,
    gas: CREATE_GAS,
    memo: () => '',
    address,
  });
  const signed = signEthereum(fields, keyOf(builder, sender));
  const id = contractId(contract.num);
  const [bytecode, ...sidecars] = execution.sidecars;
  const child: Draft = {
    payer: parties.relay,
    fee: 0n,
    data: { $case: 'contractCreateInstance', contractCreateInstance: { autoRenewPeriod: { seconds: 7_776_000n } } },
    receipt: { contractID: id },
    record: {
      body: { $case: 'contractCreateResult', contractCreateResult: { ...execution.result, createdContractIDs: [] } },
    },
    sidecars: bytecode === undefined ? [] : [bytecode],
  };
  submitExecution(
    builder,
    { ...parties, type: fields.type, signed, ...(callData && { callData }) },
    { ...execution, result: { ...execution.result, functionParameters: data }, sidecars },
    0n,
    { following: [child] },
  );
  return true;
};

/** The network refuses it before any contract runs: its nonce is not the next one, or it asks for too much gas. */
const refused = (builder: BlockBuilder, parties: Parties): boolean => {
  const contract = chooseContract(builder, 'counter');
  if (contract === undefined) return false;
  const wrongNonce = builder.random.chance(0.6);
  const gasLimit = wrongNonce ? CALL_GAS : 1_000_000_000n;
  const call = { to: contractAddress(contract), data: INCREMENT_CALL, gasLimit, amount: 0n };
  const right = fieldsOf(builder, parties, call);
  const fields = wrongNonce ? { ...right, nonce: right.nonce + 5n } : right;
  const signed = signEthereum(fields, keyOf(builder, parties.sender));
  submit(
    builder,
    { ...parties, type: fields.type, signed },
    {
      status: wrongNonce ? ResponseCodeEnum.WRONG_NONCE : ResponseCodeEnum.MAX_GAS_LIMIT_EXCEEDED,
    },
  );
  return true;
};

/** A wallet pays somebody hbar through a relay; no contract runs. */
export const sendEthereumTransfer: Activity = (builder) => {
  const { random } = builder;
  const sender = chooseWallet(builder);
  const relay = sender && chooseOther(builder, sender);
  const receiver = chooseUser(builder, 0n);
  if (sender === undefined || relay === undefined || relay.balance < HBAR) return false;
  if (receiver === undefined || receiver === sender || receiver.receiverSignatureRequired) return false;
  // The code that the receiver delegates to would run.
  if (receiver.delegation !== undefined) return false;
  const amount = BigInt(random.between(1, 1_000_000));
  const to = receiver.alias.length === 20 ? receiver.alias : word(receiver.num).subarray(12);
  const fields = fieldsOf(builder, { sender, relay }, { to, data: new Uint8Array(), gasLimit: CALL_GAS, amount }, 2);
  const signed = signEthereum({ ...fields, accessList: [] }, keyOf(builder, sender));
  const execution: Execution = {
    creation: false,
    contract: receiver.num,
    result: {
      contractID: contractId(receiver.num),
      gasUsed: 21_000n,
      gas: CALL_GAS,
      amount,
      senderId: accountId(sender.num),
      bloom: new Uint8Array(256),
    },
    sidecars: [],
  };
  submitExecution(builder, { sender, relay, type: 2, signed }, execution, amount, { receiver });
  return true;
};
