/** What an owner allows a spender, as REST shows it: of hbars, of a fungible token, and of all NFTs of a token. */
import { entityId, int64, plainFlag, timestampRange } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';

const owner = entityId('p.owner', 'Whose property it is.');
const spender = entityId('p.spender', 'Who may spend it.');
const validity = timestampRange(
  'lower(p.timestamp_range)',
  'upper(p.timestamp_range)',
  'Since when the allowance stands so.',
);
const token = entityId('p.token_id', 'The token.');

/** Over a row of `crypto_allowance`. */
export const cryptoAllowance = resource({
  name: 'CryptoAllowance',
  keys: { spender: 'p.spender' },
  fields: {
    amount: int64('p.amount', 'Tinybars that may still be spent.', { examples: [75] }),
    amount_granted: int64('p.amount_granted', 'Tinybars that the owner allowed.', { examples: [100] }),
    owner,
    spender,
    timestamp: validity,
  },
});

/** Over a row of `token_allowance`. */
export const tokenAllowance = resource({
  name: 'TokenAllowance',
  keys: { spender: 'p.spender', tokenId: 'p.token_id' },
  fields: {
    amount: int64('p.amount', 'What may still be spent, in the smallest unit of the token.', { examples: [75] }),
    amount_granted: int64('p.amount_granted', 'What the owner allowed, in the smallest unit of the token.', {
      examples: [100],
    }),
    owner,
    spender,
    timestamp: validity,
    token_id: token,
  },
});

/** Over a row of `nft_allowance`. */
export const nftAllowance = resource({
  name: 'NftAllowance',
  keys: { owner: 'p.owner', spender: 'p.spender', tokenId: 'p.token_id' },
  fields: {
    approved_for_all: plainFlag('p.approved_for_all', 'Always true: the spender may move all NFTs of the token.'),
    owner,
    spender,
    timestamp: validity,
    token_id: token,
  },
});
