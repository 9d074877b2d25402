/** Scheduling of token creations and updates ([HIP-756](https://hips.hedera.com/hip/hip-756)). */
import { refuse, settled } from '../../hapi/operation.ts';
import { createSchedule } from '../../hapi/schedules/create-schedule.ts';
import type { AddressHex } from '../../state/records.ts';
import { longZeroHex } from '../../state/world.ts';
import { AbiError, decodeAbi } from '../abi/decode.ts';
import { addressWord, EMPTY_OUTPUT } from '../abi/encode.ts';
import { operationContext } from '../caller.ts';
import { canonicalIdAt } from '../canonical-reference.ts';
import { modifying, type SystemFunction } from '../function-table.ts';
import { canonicalPrices, priced } from '../gas.ts';
import { answered, halted, succeeded } from '../results.ts';
import { creationFunctions } from '../token-service/modifying/creation.ts';
import { updateFunctions } from '../token-service/modifying/updates.ts';
import { callerKey, signingKeys } from './caller-keys.ts';
import { tokenBody } from './token-bodies.ts';

const SELECTOR_BYTES = 4;
const TOKEN_SERVICE = 0x167n;

const schedulable: ReadonlyMap<number, SystemFunction> = new Map(
  [...creationFunctions, ...updateFunctions.filter(({ name }) => name === 'updateTokenInfo')].map((entry) => [
    entry.selector,
    entry,
  ]),
);

const selectorOf = (data: Uint8Array): number | undefined =>
  data.length < SELECTOR_BYTES ? undefined : new DataView(data.buffer, data.byteOffset, SELECTOR_BYTES).getUint32(0);

/** What a body is made from could not be read. */
const decoded = ({ parameters }: SystemFunction, data: Uint8Array) => {
  try {
    return decodeAbi(parameters, data.subarray(SELECTOR_BYTES));
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
};

export const scheduleNative: SystemFunction = modifying<[target: AddressHex, data: Uint8Array, payer: AddressHex]>(
  'scheduleNative(address,bytes,address)',
  priced(canonicalPrices.scheduleCreate),
  async ([target, data, payer], call, run) => {
    const { world } = run;
    const payerId = await canonicalIdAt(world, payer);
    if (payerId === undefined || (await world.entity(payerId)) === undefined) return refuse('INVALID_ACCOUNT_ID');
    if (target !== longZeroHex(TOKEN_SERVICE)) return refuse('INVALID_CONTRACT_ID');
    const entry = schedulable.get(selectorOf(data) ?? -1);
    // Like a selector that nobody knows.
    if (entry === undefined) return succeeded(EMPTY_OUTPUT);
    const args = decoded(entry, data);
    if (args === undefined) return halted('INVALID_OPERATION');
    const context = await operationContext(call, run);
    const key = await callerKey(world, context.callerId);
    const outcome = await settled(world, async () => {
      const body = await tokenBody(entry.name, args, world, call.sender);
      return createSchedule(context, {
        body: body ?? refuse('SCHEDULED_TRANSACTION_NOT_IN_WHITELIST'),
        payerId,
        waitForExpiry: false,
        adminKey: key,
        signatories: signingKeys(key),
      });
    });
    if (outcome.value === undefined) return refuse(outcome.status);
    return answered('SUCCESS', addressWord(longZeroHex(outcome.value)));
  },
);
