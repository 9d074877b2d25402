/** Signatures on schedules and their deletion ([HIP-755](https://hips.hedera.com/hip/hip-755)). */
import { decodeEntityId, type EntityId } from '../../../ledger/entity-id.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import { SignatureMap, type SignaturePair } from '../../../protobuf/generated/services/basic_types.ts';
import { refuse, settled } from '../../hapi/operation.ts';
import { deleteSchedule } from '../../hapi/schedules/delete-schedule.ts';
import { signSchedule } from '../../hapi/schedules/sign-schedule.ts';
import type { AddressHex } from '../../state/records.ts';
import { operationContext } from '../caller.ts';
import type { FunctionCall } from '../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction } from '../function-table.ts';
import { canonicalPrices, priced } from '../gas.ts';
import { ecdsaSigned, ed25519Signed } from '../key-signatures.ts';
import { answered } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { callerKey, signingKeys } from './caller-keys.ts';
import { redirectedScheduleId, scheduleIdAt } from './scheduled.ts';

/** What signers of a schedule sign: shard, realm and num, eight bytes each. */
const messageOf = (scheduleId: EntityId): Uint8Array => {
  const { shard, realm, num } = decodeEntityId(scheduleId);
  const message = new Uint8Array(24);
  const view = new DataView(message.buffer);
  view.setBigUint64(0, shard);
  view.setBigUint64(8, realm);
  view.setBigUint64(16, num);
  return message;
};

/** Of signatures that come with a whole key. */
const isValid = ({ pubKeyPrefix, signature }: SignaturePair, message: Uint8Array): boolean => {
  if (signature?.$case === 'ed25519') return ed25519Signed(pubKeyPrefix, message, signature.ed25519);
  if (signature?.$case !== 'ECDSASecp256k1') return false;
  return ecdsaSigned(pubKeyPrefix, keccak256(message), signature.ECDSASecp256k1);
};

const decodeSignatureMap = (bytes: Uint8Array): SignatureMap => {
  try {
    return SignatureMap.decode(bytes);
  } catch {
    return refuse('INVALID_TRANSACTION_BODY');
  }
};

const sign = async (
  scheduleId: EntityId,
  keys: readonly Uint8Array[],
  call: FunctionCall,
  run: RunContext,
): Promise<FunctionResult> => {
  const context = await operationContext(call, run);
  const { status } = await settled(run.world, () => signSchedule(context, { scheduleId, keys }));
  return answered(status);
};

const signAsCaller = async (scheduleId: EntityId, call: FunctionCall, run: RunContext): Promise<FunctionResult> => {
  const { callerId } = await operationContext(call, run);
  return sign(scheduleId, signingKeys(await callerKey(run.world, callerId)), call, run);
};

const remove = async (scheduleId: EntityId, call: FunctionCall, run: RunContext): Promise<FunctionResult> => {
  const context = await operationContext(call, run);
  const { status } = await settled(run.world, () => deleteSchedule(context, scheduleId));
  return answered(status);
};

const signPrice = priced<unknown>(canonicalPrices.scheduleSign);
const deletePrice = priced<unknown>(canonicalPrices.scheduleDelete);
const redirect = { route: 'redirect' } as const;

export const signingFunctions: readonly SystemFunction[] = [
  modifying<[schedule: AddressHex, signatureMap: Uint8Array]>(
    'signSchedule(address,bytes)',
    signPrice,
    async ([schedule, signatureMap], call, run) => {
      const scheduleId = await scheduleIdAt(schedule, run);
      const message = messageOf(scheduleId);
      const { value: map } = await settled(run.world, async () => decodeSignatureMap(signatureMap));
      if (map === undefined) return answered('INVALID_TRANSACTION_BODY');
      const keys = map.sigPair.filter((pair) => isValid(pair, message)).map(({ pubKeyPrefix }) => pubKeyPrefix);
      return sign(scheduleId, keys, call, run);
    },
  ),
  modifying<[]>(
    'signSchedule()',
    signPrice,
    async (_, call, run) => signAsCaller(await redirectedScheduleId(call, run), call, run),
    redirect,
  ),
  modifying<[schedule: AddressHex]>('authorizeSchedule(address)', signPrice, async ([schedule], call, run) =>
    signAsCaller(await scheduleIdAt(schedule, run), call, run),
  ),
  modifying<[schedule: AddressHex]>('deleteSchedule(address)', deletePrice, async ([schedule], call, run) =>
    remove(await scheduleIdAt(schedule, run), call, run),
  ),
  modifying<[]>(
    'deleteSchedule()',
    deletePrice,
    async (_, call, run) => remove(await redirectedScheduleId(call, run), call, run),
    redirect,
  ),
];
