/** Parameters that the lists of accounts and of balances share, and the path parameter of what belongs to an account. */
import { integers, publicKeys } from '../../api/resource/parameter.ts';

export const accountBalances = integers(
  'Balance in tinybars, compared by an optional operator. Repeat it for a range; all of them have to hold.',
  ['gt:400'],
);

export const accountPublicKeys = publicKeys(
  "Hex of the account's only public key, ED25519 (DER or raw) or compressed secp256k1. Several mean any of them.",
);

/** The account in a path. */
export const accountPath = {
  idOrAliasOrEvmAddress: {
    description: 'Id, EVM address in hex, or alias in base32; shard and realm may stand before each of them.',
    schema: { type: 'string', pattern: '^(\\d{1,10}\\.){0,2}(\\d{1,10}|(0x)?[A-Fa-f0-9]{40}|[A-Z2-7]+)$' },
    example: '0.0.8',
  },
};
