/**
 * Whether an account signed something ([HIP-632](https://hips.hedera.com/hip/hip-632)), checked against its key as the
 * ledger has it.
 */
import { Key, SignatureMap } from '../../../protobuf/generated/services/basic_types.ts';
import type { Status } from '../../hapi/operation.ts';
import type { AddressHex, EntityRecord } from '../../state/records.ts';
import type { World } from '../../state/world.ts';
import { boolWord } from '../abi/encode.ts';
import { type FunctionResult, type SystemFunction, view } from '../function-table.ts';
import { fixedGas, type GasRule } from '../gas.ts';
import { countSimpleKeys, ecdsaSigned, ed25519Signed, keySigned } from '../key-signatures.ts';
import { halted, revertedWithName, statusWords, succeeded } from '../results.ts';
import { accountAt } from '../token-service/lookups.ts';

/** Gas of checking one signature. */
const SIGNATURE_GAS = 3_000n;

const ED25519_SIGNATURE_BYTES = 64;
const HASH_BYTES = 32;
/**
 * The recovery value has one byte, or up to eight where a chain id is part of it
 * ([EIP-155](https://eips.ethereum.org/EIPS/eip-155)).
 */
const LONGEST_ECDSA_SIGNATURE = 72;
const FIRST_EIP_155_VALUE = 35n;

const keyOf = ({ key }: EntityRecord): Key | undefined => (key === undefined ? undefined : Key.decode(key));

/** A problem of the request, which costs everything that was forwarded. */
const refusedRaw = (status: Status): FunctionResult => ({ ...revertedWithName(status), usesAllGas: true });

const authorized = (result: boolean): FunctionResult => ({ ...succeeded(boolWord(result)), extraGas: SIGNATURE_GAS });

const hasRecoveryValue = (signature: Uint8Array): boolean => {
  const value = BigInt(`0x${Buffer.from(signature.subarray(ED25519_SIGNATURE_BYTES)).toString('hex')}`);
  return value === 0n || value === 1n || value === 27n || value === 28n || value >= FIRST_EIP_155_VALUE;
};

const ecdsaAuthorized = async (
  world: World,
  address: AddressHex,
  hash: Uint8Array,
  signature: Uint8Array,
): Promise<FunctionResult> => {
  if (hash.length !== HASH_BYTES) return refusedRaw('INVALID_TRANSACTION_BODY');
  const account = await accountAt(world, address);
  if (account === undefined || account.evmAddress !== address) return refusedRaw('INVALID_ACCOUNT_ID');
  if (!hasRecoveryValue(signature)) return authorized(false);
  const key = keyOf(account)?.key;
  // The network runs into an exception here.
  if (key?.$case !== 'ECDSASecp256k1') return halted('PRECOMPILE_ERROR');
  return authorized(ecdsaSigned(key.ECDSASecp256k1, hash, signature));
};

const ed25519Authorized = async (
  world: World,
  address: AddressHex,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<FunctionResult> => {
  const account = await accountAt(world, address);
  if (account === undefined) return refusedRaw('INVALID_ACCOUNT_ID');
  const key = keyOf(account)?.key;
  const isComplex = key?.$case === 'keyList' || key?.$case === 'thresholdKey';
  if (isComplex || (key === undefined && account.type === 'ACCOUNT')) return refusedRaw('INVALID_TRANSACTION_BODY');
  if (key?.$case !== 'ed25519') return refusedRaw('INVALID_SIGNATURE_TYPE_MISMATCHING_KEY');
  return authorized(ed25519Signed(key.ed25519, message, signature));
};

const isAuthorizedRaw = view<[account: AddressHex, message: Uint8Array, signature: Uint8Array]>(
  'isAuthorizedRaw(address,bytes,bytes)',
  ([address, message, signature], call, { world }) => {
    const isEd25519 = signature.length === ED25519_SIGNATURE_BYTES;
    if (signature.length < ED25519_SIGNATURE_BYTES || signature.length > LONGEST_ECDSA_SIGNATURE) {
      return refusedRaw('INVALID_TRANSACTION_BODY');
    }
    if (call.gas < SIGNATURE_GAS) return refusedRaw('INSUFFICIENT_GAS');
    return (isEd25519 ? ed25519Authorized : ecdsaAuthorized)(world, address, message, signature);
  },
  { gas: fixedGas(0n), inStaticFrames: false },
);

type AuthorizationArguments = [account: AddressHex, message: Uint8Array, signatureMap: Uint8Array];

const authorizationGas: GasRule<AuthorizationArguments> = async ([address], _call, { world }) => {
  const account = await accountAt(world, address);
  const key = account && keyOf(account);
  return key === undefined ? 0n : SIGNATURE_GAS * BigInt(countSimpleKeys(key));
};

// A problem is told by a frame that succeeds, and still costs everything that was forwarded.
const refused = (status: Status): FunctionResult => ({
  outcome: 'success',
  output: statusWords(status, boolWord(false)),
  status: 'SUCCESS',
  usesAllGas: true,
});

const parsedSignatureMap = (bytes: Uint8Array): SignatureMap | undefined => {
  try {
    return SignatureMap.decode(bytes);
  } catch {
    return undefined;
  }
};

const isAuthorized = view<AuthorizationArguments>(
  'isAuthorized(address,bytes,bytes)',
  async ([address, message, signatureMap], _call, { world }) => {
    const account = await accountAt(world, address);
    if (account === undefined) return refused('INVALID_ACCOUNT_ID');
    const signatures = parsedSignatureMap(signatureMap);
    if (signatures === undefined) return refused('INVALID_TRANSACTION_BODY');
    const key = keyOf(account);
    const signed = key !== undefined && keySigned(key, message, signatures);
    return succeeded(statusWords('SUCCESS', boolWord(signed)));
  },
  { gas: authorizationGas, inStaticFrames: false },
);

export const authorizationFunctions: readonly SystemFunction[] = [isAuthorizedRaw, isAuthorized];
