/** A token that an account is associated with, as REST shows it. */
import { entityId, field, flag, int64, nullable, nullableTimestamp } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { resource } from '../../api/resource/resource.ts';

/** Named values by their numbers; null when neither the account nor a known token says. */
const status = (sql: string, names: readonly string[], description: string): Field =>
  field(sql, { type: ['string', 'null'], enum: [...names, null], description }, (number) => {
    const name = number === '' ? undefined : names[Number(number)];
    return name === undefined ? 'null' : `"${name}"`;
  });

/** Over a row of `token_account` with the `decimals` and, where the account has none of its own, the statuses of its token. */
export const tokenRelationship = resource({
  name: 'TokenRelationship',
  keys: { tokenId: 'p.token_id' },
  fields: {
    automatic_association: nullable(
      flag('p.automatic_association', 'Whether the network associated the token by itself.'),
    ),
    balance: int64('p.balance', 'In the smallest unit of the token; of an NFT the number held.', { examples: [5] }),
    created_timestamp: nullableTimestamp('p.created_timestamp', 'When the token was associated.'),
    decimals: nullable(int64('p.decimals', 'Decimal places of the token; null for a token that is not known.')),
    freeze_status: status(
      'p.freeze_status',
      ['NOT_APPLICABLE', 'FROZEN', 'UNFROZEN'],
      'Whether the account may move the token.',
    ),
    kyc_status: status(
      'p.kyc_status',
      ['NOT_APPLICABLE', 'GRANTED', 'REVOKED'],
      'Whether the account has passed KYC for the token.',
    ),
    token_id: entityId('p.token_id', 'The token.'),
  },
});
