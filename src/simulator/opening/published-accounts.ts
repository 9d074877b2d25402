import { toHex } from '../../ledger/bytes.ts';
import { evmAddressOfEcdsaKey } from '../../ledger/evm-address.ts';
import { publicKeyOf } from '../keys/account-key.ts';
import { publishedKeys } from '../keys/published-keys.ts';
import { publishedSecret } from '../keys/published-secrets.ts';
import { FIRST_USER_NUM, TREASURY } from '../network/system-accounts.ts';

const ED25519_DER_PREFIX = '302e020100300506032b657004220420';

const secretOf = (label: string): string => toHex(publishedSecret(label) ?? new Uint8Array());

/** Accounts of networks for development with their private keys, as people write them. */
export const developmentAccounts = {
  operator: {
    account: `0.0.${TREASURY}`,
    privateKey: `${ED25519_DER_PREFIX}${secretOf(publishedKeys.genesis.label)}`,
  },
  // The first number is a topic's.
  accounts: publishedKeys.development.map((key, index) => ({
    account: `0.0.${FIRST_USER_NUM + 1n + BigInt(index)}`,
    evmAddress: `0x${toHex(evmAddressOfEcdsaKey(publicKeyOf(key)) as Uint8Array)}`,
    privateKey: `0x${secretOf(key.label)}`,
  })),
};
