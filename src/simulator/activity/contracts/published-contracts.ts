/** Contracts compiled from Solidity come to the ledger, in each of the ways that contracts come. */
import { leftPad, toHex, trimLeadingZeros } from '../../../ledger/bytes.ts';
import { longZeroAddress } from '../../../ledger/evm-address.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import { CallOperationType } from '../../../protobuf/generated/streams/contract_action.ts';
import { protobufKey } from '../../keys/account-key.ts';
import { GAS_PRICE } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import type { Draft, SidecarContent } from '../../records/draft.ts';
import { accountId, contractId, fileId } from '../../records/proto-ids.ts';
import { addressArgument, shortTextSlot, textAndNumber } from '../../solidity/abi-arguments.ts';
import { logBloom, word } from '../../solidity/counter-contract.ts';
import {
  CREATED_TOPIC,
  callData,
  compiledContract,
  creationCode,
  type FunctionGas,
  IMPLEMENTATION_SLOT,
  minimalProxy,
  type PublishedName,
  runtimeCode,
} from '../../solidity/published-code.ts';
import {
  CHILD_NUMBER,
  FUND_PERMILLE,
  GREETING,
  GREETING_PRICE,
  SALT,
  SALTED_CHILD_NUMBER,
  VAULT_OPENING,
} from '../../solidity/published-values.ts';
import type { Account, PublishedContract, SimulatedFile } from '../../state/ledger-entities.ts';
import { createFileFor } from '../network/files.ts';
import {
  actionsSidecar,
  bytecodeSidecar,
  calledBy,
  calledByContract,
  callTo,
  creationOf,
  evmAddressOf,
  NO_BLOOM,
  stateSidecar,
} from './evm-record.ts';
import { addContractAccount, createdAddress, gasOfData } from './evm-runs.ts';

const GAS = 800_000n;
const TRANSACTION_GAS = 21_000n;
const CREATION_GAS = 32_000n;
const AUTO_RENEW = { seconds: 7_776_000n };
const NO_OUTPUT = { $case: 'output' as const, output: new Uint8Array() };

/** A slot and its value. */
type Slot = readonly [slot: Uint8Array, value: Uint8Array];

const slotsSidecars = (num: bigint, slots: readonly Slot[]): SidecarContent[] =>
  slots.length === 0
    ? []
    : [
        stateSidecar(
          num,
          slots.map(([slot, value]) => ({
            slot: trimLeadingZeros(slot),
            read: new Uint8Array(),
            written: trimLeadingZeros(value),
          })),
        ),
      ];

const addPublished = (
  { state }: BlockBuilder,
  account: Account,
  runtime: Uint8Array,
  slots: readonly Slot[],
): PublishedContract => {
  const storage = new Map(slots.map(([slot, value]) => [toHex(leftPad(slot, 32)), toHex(trimLeadingZeros(value))]));
  const contract = { num: account.num, account, runtime, storage, nonce: 1n, created: [], logs: 0 };
  state.published.push(contract);
  return contract;
};

interface Deployment {
  readonly constructorArguments?: Uint8Array;
  /** Words by the variable's name. */
  readonly immutables?: Readonly<Record<string, Uint8Array>>;
  /** Addresses by the library's name. */
  readonly libraries?: Readonly<Record<string, Uint8Array>>;
  /** What the constructor stores. */
  readonly slots?: readonly Slot[];
  /** Holds the code as hex digits, without arguments. */
  readonly file?: SimulatedFile;
}

const NO_ARGUMENTS = new Uint8Array();

/** Submits a ContractCreate. */
const deploy = (
  builder: BlockBuilder,
  publisher: Account,
  name: PublishedName,
  { constructorArguments = NO_ARGUMENTS, immutables, libraries, slots = [], file }: Deployment,
): PublishedContract => {
  const num = builder.takeNum();
  const id = contractId(num);
  const initcode = creationCode(name, constructorArguments, libraries);
  const runtime = runtimeCode(name, longZeroAddress(num), immutables, libraries);
  const intrinsicGas = TRANSACTION_GAS + CREATION_GAS + gasOfData(initcode);
  const constructionGas = BigInt(compiledContract(name).constructionGas);
  const account = addContractAccount(builder, { num, memo: name, keyBytes: publisher.keyBytes });
  const source =
    file === undefined
      ? { initcodeSource: { $case: 'initcode' as const, initcode } }
      : {
          initcodeSource: { $case: 'fileID' as const, fileID: fileId(file.num) },
          constructorParameters: constructorArguments,
        };
  builder.submit({
    payer: publisher,
    fee: GAS * GAS_PRICE,
    data: {
      $case: 'contractCreateInstance',
      contractCreateInstance: {
        ...source,
        gas: GAS,
        autoRenewPeriod: AUTO_RENEW,
        autoRenewAccountId: accountId(publisher.num),
        memo: name,
        ...(publisher.key && { adminKey: protobufKey(publisher.key) }),
      },
    },
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCreateResult',
        contractCreateResult: {
          contractID: id,
          contractCallResult: runtime,
          bloom: NO_BLOOM,
          gasUsed: intrinsicGas + constructionGas,
          gas: GAS,
          createdContractIDs: [id],
          senderId: accountId(publisher.num),
          contractNonces: [{ contractId: id, nonce: 1n }],
          evmAddress: longZeroAddress(num),
        },
      },
    },
    sidecars: [
      ...slotsSidecars(num, slots),
      bytecodeSidecar(num, initcode, runtime),
      actionsSidecar([
        {
          ...creationOf(num),
          caller: calledBy(publisher.num),
          gas: GAS - intrinsicGas,
          gasUsed: constructionGas,
          resultData: NO_OUTPUT,
        },
      ]),
    ],
  });
  return addPublished(builder, account, runtime, slots);
};

interface Made {
  readonly address: Uint8Array;
  readonly init: Uint8Array;
  readonly runtime: Uint8Array;
  readonly slots: readonly Slot[];
  readonly operation: CallOperationType;
}

/** Calls a function of the factory, which makes a contract and tells its address. */
const callFactory = (
  builder: BlockBuilder,
  caller: Account,
  factory: PublishedContract,
  signature: string,
  words: readonly Uint8Array[],
  made: Made,
): void => {
  const num = builder.takeNum();
  const [id, madeId] = [contractId(factory.num), contractId(num)];
  const { address, init, runtime, slots } = made;
  const input = callData(signature, ...words);
  const gas = compiledContract('Factory').functionGas[signature] as FunctionGas;
  const creationGas = BigInt(gas.creation);
  const intrinsicGas = TRANSACTION_GAS + gasOfData(input);
  const gasLeft = GAS - intrinsicGas - BigInt(gas.before);
  const topics = [CREATED_TOPIC, addressArgument(address)];
  const bloom = logBloom(longZeroAddress(factory.num), topics);
  const output = addressArgument(address);
  factory.nonce++;
  factory.created.push(num);
  factory.logs++;
  const child: Draft = {
    payer: caller,
    fee: 0n,
    data: { $case: 'contractCreateInstance', contractCreateInstance: { autoRenewPeriod: AUTO_RENEW } },
    receipt: { contractID: madeId },
    record: {
      body: {
        $case: 'contractCreateResult',
        contractCreateResult: {
          contractID: madeId,
          contractCallResult: runtime,
          bloom: NO_BLOOM,
          gasUsed: creationGas,
          evmAddress: address,
        },
      },
    },
    sidecars: [bytecodeSidecar(num, init, runtime)],
  };
  builder.submit({
    payer: caller,
    fee: GAS * GAS_PRICE,
    data: { $case: 'contractCall', contractCall: { contractID: id, gas: GAS, amount: 0n, functionParameters: input } },
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCallResult',
        contractCallResult: {
          contractID: id,
          contractCallResult: output,
          bloom,
          gasUsed: intrinsicGas + BigInt(gas.all),
          gas: GAS,
          functionParameters: input,
          logInfo: [{ contractID: id, bloom, topic: topics, data: new Uint8Array() }],
          createdContractIDs: [madeId],
          senderId: accountId(caller.num),
          contractNonces: [
            { contractId: id, nonce: factory.nonce },
            { contractId: madeId, nonce: 1n },
          ],
        },
      },
    },
    sidecars: [
      ...slotsSidecars(num, slots),
      actionsSidecar([
        {
          ...callTo(factory.num),
          caller: calledBy(caller.num),
          gas: GAS - intrinsicGas,
          gasUsed: BigInt(gas.all),
          input,
          resultData: { $case: 'output', output },
        },
        {
          ...creationOf(num),
          callOperationType: made.operation,
          caller: calledByContract(factory.num),
          gas: gasLeft - gasLeft / 64n,
          gasUsed: creationGas,
          callDepth: 1,
          resultData: NO_OUTPUT,
        },
      ]),
    ],
    following: [child],
  });
  addPublished(builder, addContractAccount(builder, { num, memo: '', address }), runtime, slots);
};

/** [EIP-1014](https://eips.ethereum.org/EIPS/eip-1014). */
const saltedAddress = (creator: Uint8Array, salt: Uint8Array, init: Uint8Array): Uint8Array =>
  keccak256(Buffer.concat([Buffer.of(0xff), creator, salt, keccak256(init)])).subarray(12);

const makeChildren = (builder: BlockBuilder, caller: Account, factory: PublishedContract, next: () => void): void => {
  const maker = evmAddressOf(factory.account);
  const child = (address: Uint8Array, number: bigint, operation: CallOperationType): Made => ({
    address,
    init: creationCode('Child', word(number)),
    runtime: runtimeCode('Child', address, { maker: addressArgument(maker) }),
    slots: [[word(0n), word(number)]],
    operation,
  });
  next();
  const numbered = child(createdAddress(maker, factory.nonce), CHILD_NUMBER, CallOperationType.OP_CREATE);
  callFactory(builder, caller, factory, 'create(uint256)', [word(CHILD_NUMBER)], numbered);
  next();
  const address = saltedAddress(maker, SALT, creationCode('Child', word(SALTED_CHILD_NUMBER)));
  const salted = child(address, SALTED_CHILD_NUMBER, CallOperationType.OP_CREATE2);
  callFactory(builder, caller, factory, 'createAt(bytes32,uint256)', [SALT, word(SALTED_CHILD_NUMBER)], salted);
};

/** Each way once: arguments, immutables, a library, what a factory makes, proxies. `next` goes on in time. */
export const publishContracts = (builder: BlockBuilder, publisher: Account, next: () => void): void => {
  const publish = (name: PublishedName, deployment: Deployment = {}): PublishedContract => {
    next();
    return deploy(builder, publisher, name, deployment);
  };
  next();
  const file = createFileFor(builder, publisher, Buffer.from(compiledContract('Greeter').creation));
  builder.state.files.push(file);
  const greeter = publish('Greeter', {
    constructorArguments: textAndNumber(GREETING, GREETING_PRICE),
    slots: [
      [word(0n), shortTextSlot(GREETING)],
      [word(1n), word(GREETING_PRICE)],
    ],
    file,
  });
  publish('Vault', {
    constructorArguments: word(VAULT_OPENING),
    immutables: { owner: addressArgument(evmAddressOf(publisher)), opening: word(VAULT_OPENING) },
  });
  const shares = publish('Shares');
  publish('Fund', {
    libraries: { Shares: evmAddressOf(shares.account) },
    slots: [[word(0n), word(FUND_PERMILLE)]],
  });
  const original = evmAddressOf(greeter.account);
  publish('Proxy', {
    constructorArguments: addressArgument(original),
    slots: [[IMPLEMENTATION_SLOT, addressArgument(original)]],
  });
  const factory = publish('Factory');
  makeChildren(builder, publisher, factory, next);
  next();
  callFactory(builder, publisher, factory, 'clone(address)', [addressArgument(original)], {
    ...minimalProxy(original),
    address: createdAddress(evmAddressOf(factory.account), factory.nonce),
    slots: [],
    operation: CallOperationType.OP_CREATE,
  });
};
