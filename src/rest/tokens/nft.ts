/** An NFT as REST shows it. */
import { base64, entityId, flag, int64, nullable, nullableTimestamp, timestamp } from '../../api/resource/field.ts';
import { type ResourceRow, resource } from '../../api/resource/resource.ts';

const metadata = base64('p.metadata', '');

export const nft = resource({
  name: 'Nft',
  keys: { serialNumber: 'p.serial_number', tokenId: 'p.token_id' },
  fields: {
    account_id: entityId('p.account_id', 'The owner; null of an NFT that has been burnt or wiped.'),
    created_timestamp: nullableTimestamp('p.created_timestamp', 'When it was minted; null when that is not known.'),
    delegating_spender: entityId(
      'p.delegating_spender',
      'Who passed on an allowance for all NFTs of the owner to the spender of this one.',
    ),
    deleted: nullable(
      flag(
        // The token of a page is usually one and the same, so that its entity is looked up and not joined.
        'p.deleted or coalesce((select e.deleted from entity e where e.id = p.token_id), false)',
        'Whether it was burnt or wiped, or its token deleted.',
      ),
    ),
    metadata: { ...metadata, schema: { type: ['string', 'null'], contentEncoding: 'base64' } },
    modified_timestamp: timestamp('lower(p.timestamp_range)', 'When it last changed.'),
    serial_number: int64('p.serial_number', 'Number within the token, from 1.', { minimum: 1 }),
    spender: entityId('p.spender', 'Who may transfer it beside its owner.'),
    token_id: entityId('p.token_id'),
  },
});

export type NftRow = ResourceRow<'serialNumber' | 'tokenId'>;
