/** Parameters that the lists of accounts and of balances share, and the path parameter of what belongs to an account. */
import { integers, publicKeys } from '../../api/resource/parameter.ts';

export const accountBalances = integers(
  'Balance in tinybars, compared by an optional operator. Repeat it for a range; all of them have to hold.',
  ['gt:400'],
);

export const accountPublicKeys = publicKeys(
  "Hex of the account's only public key, ED25519 (DER or raw) or compressed secp256k1. Several mean any of them.",
);
