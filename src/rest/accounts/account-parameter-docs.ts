/** Parameters that the lists of accounts and of balances document alike. */
import type { OpenApiParameter } from '../../api/route.ts';

export const accountBalanceParameterDoc: OpenApiParameter = {
  name: 'account.balance',
  in: 'query',
  description:
    'Balance in tinybars, compared by an optional operator. Repeat it for a range; all of them have to hold.',
  schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq|ne):)?\\d{1,19}$' } },
  example: ['gt:400'],
};

export const accountPublicKeyParameterDoc: OpenApiParameter = {
  name: 'account.publickey',
  in: 'query',
  description:
    "Hex of the account's only public key, ED25519 (DER or raw) or compressed secp256k1. Several mean any of them.",
  schema: {
    type: 'array',
    items: { type: 'string', pattern: '^((gte?|lte?|eq|ne):)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{66}|[0-9A-Fa-f]{88})$' },
  },
  example: ['3c3d546321ff6f63d701d2ec5c277095874e19f4a235bee1e6bb19258bf362be'],
};
