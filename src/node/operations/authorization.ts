import { type Key, Key as KeyMessage } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import { isHollow, keyOfAccount } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import type { Signatures } from '../transactions/signatures.ts';
import type { Performance } from './operation.ts';

/**
 * The key of an account that has none yet, as its signature tells it ([HIP-583](https://hips.hedera.com/hip/hip-583)).
 */
export const keyOfHollow = (account: Account, signatures: Signatures): Key | undefined => {
  const publicKey = isHollow(account) ? signatures.keyOfAddress(account.alias) : undefined;
  return publicKey && { key: { $case: 'ECDSASecp256k1', ECDSASecp256k1: publicKey } };
};

/** Whether the account's key, or the one that it is going to have, signed. */
export const hasSigned = (account: Account, signatures: Signatures): boolean =>
  isHollow(account) ? keyOfHollow(account, signatures) !== undefined : signatures.satisfy(keyOfAccount(account));

/**
 * Asks for the signature of an account; one without key gets the key that signed.
 * @throws Refusal INVALID_SIGNATURE
 */
export const authorize = (account: Account, { signatures, completed }: Performance): void => {
  demand(hasSigned(account, signatures), ResponseCodeEnum.INVALID_SIGNATURE);
  const key = keyOfHollow(account, signatures);
  if (key !== undefined) completed.set(account, key);
};

/** @throws Refusal INVALID_SIGNATURE */
export const demandKey = (key: Key, { signatures }: Performance): void =>
  demand(signatures.satisfy(key), ResponseCodeEnum.INVALID_SIGNATURE);

export const serializedKey = (key: Key): Uint8Array => KeyMessage.encode(key).finish();
