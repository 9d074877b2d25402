import { type AccountKey, accountKeyFromSeed } from './account-key.ts';
import { DEVELOPMENT_LABELS, GENESIS_LABEL } from './published-secrets.ts';

/** Keys of networks for development; their labels, not a seed, tell what they are. */
export const publishedKeys: { readonly genesis: AccountKey; readonly development: readonly AccountKey[] } = {
  genesis: accountKeyFromSeed('', 'ed25519', GENESIS_LABEL),
  development: DEVELOPMENT_LABELS.map((label) => accountKeyFromSeed('', 'ecdsa', label)),
};
