/** Calls of contracts that are to happen later ([HIP-1215](https://hips.hedera.com/hip/hip-1215)). */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { decodeEntityId } from '../../../ledger/entity-id.ts';
import { MAX_INT64 } from '../../../ledger/int64.ts';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import { settled } from '../../hapi/operation.ts';
import { createSchedule, LONGEST_WAIT } from '../../hapi/schedules/create-schedule.ts';
import type { AddressHex } from '../../state/records.ts';
import { longZeroHex } from '../../state/world.ts';
import { addressWord, boolWord } from '../abi/encode.ts';
import { operationContext } from '../caller.ts';
import { canonicalIdAt } from '../canonical-reference.ts';
import type { FunctionCall } from '../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction, view } from '../function-table.ts';
import { canonicalPrices, priced } from '../gas.ts';
import { answered, succeeded } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { callerKey, signingKeys } from './caller-keys.ts';

const ZERO_ADDRESS = '0'.repeat(40);

/** Most gas that one call may ask for. */
const MOST_GAS = 15_000_000n;

/** Numbers beyond what the transaction's field holds count as its largest value. */
const clamped = (value: bigint): bigint => (value > MAX_INT64 ? MAX_INT64 : value);

interface ScheduledCall {
  readonly to: AddressHex;
  /** Undefined: the caller pays. */
  readonly payer: AddressHex | undefined;
  readonly expirySecond: bigint;
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly waitForExpiry: boolean;
}

const contractIdOf = async (address: AddressHex, { world }: RunContext) => {
  const id = await world.idAt(address);
  if (id === undefined) {
    const evmAddress = new Uint8Array(Buffer.from(address, 'hex'));
    return { shardNum: world.shard, realmNum: world.realm, contract: { $case: 'evmAddress', evmAddress } } as const;
  }
  const { shard, realm, num } = decodeEntityId(id);
  return { shardNum: shard, realmNum: realm, contract: { $case: 'contractNum', contractNum: num } } as const;
};

const schedule = async (request: ScheduledCall, call: FunctionCall, run: RunContext): Promise<FunctionResult> => {
  const context = await operationContext(call, run);
  const { world } = run;
  const { status, value: scheduleId } = await settled(world, async (): Promise<EntityId> => {
    const key = await callerKey(world, context.callerId);
    const payerId = request.payer === undefined ? context.callerId : await canonicalIdAt(world, request.payer);
    const body = SchedulableTransactionBody.fromPartial({
      data: {
        $case: 'contractCall',
        contractCall: {
          contractID: await contractIdOf(request.to, run),
          gas: clamped(request.gasLimit),
          amount: clamped(request.value),
          functionParameters: request.data,
        },
      },
    });
    return createSchedule(context, {
      body,
      payerId: payerId ?? 0n,
      expirationSeconds: clamped(request.expirySecond),
      waitForExpiry: request.waitForExpiry,
      adminKey: key,
      signatories: signingKeys(key),
    });
  });
  return answered(status, addressWord(scheduleId === undefined ? ZERO_ADDRESS : longZeroHex(scheduleId)));
};

const price = priced<unknown>(canonicalPrices.scheduleCreateCall);

type CallArguments = [to: AddressHex, expirySecond: bigint, gasLimit: bigint, value: bigint, data: Uint8Array];
type PaidCallArguments = [
  to: AddressHex,
  payer: AddressHex,
  ...rest: CallArguments extends [AddressHex, ...infer R] ? R : never,
];

const paidCall = (name: string, waitForExpiry: boolean): SystemFunction =>
  modifying<PaidCallArguments>(
    `${name}(address,address,uint256,uint256,uint64,bytes)`,
    price,
    ([to, payer, expirySecond, gasLimit, value, data], call, run) =>
      schedule({ to, payer, expirySecond, gasLimit, value, data, waitForExpiry }, call, run),
  );

export const scheduledCallFunctions: readonly SystemFunction[] = [
  modifying<CallArguments>(
    'scheduleCall(address,uint256,uint256,uint64,bytes)',
    price,
    ([to, expirySecond, gasLimit, value, data], call, run) =>
      schedule({ to, payer: undefined, expirySecond, gasLimit, value, data, waitForExpiry: true }, call, run),
  ),
  paidCall('scheduleCallWithPayer', true),
  paidCall('executeCallOnPayerSignature', false),
  view<[expirySecond: bigint, gasLimit: bigint]>(
    'hasScheduleCapacity(uint256,uint256)',
    ([expirySecond, gasLimit], _, { now }) => {
      const nowSeconds = now / 1_000_000_000n;
      const inTime = expirySecond > nowSeconds && expirySecond <= nowSeconds + LONGEST_WAIT;
      return succeeded(boolWord(inTime && gasLimit <= MOST_GAS));
    },
    { childRecord: 'never' },
  ),
];
