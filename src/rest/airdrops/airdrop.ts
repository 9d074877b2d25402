/** An airdrop that waits to be claimed ([HIP-904](https://hips.hedera.com/hip/hip-904)), as REST shows it. */
import { entityId, field, int64, nullable } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { int64Schema } from '../../api/schemas.ts';
import { javaTimestampRange } from '../network/timestamp-json.ts';

/** Serial number of fungible tokens. */
export const FUNGIBLE = '0';

export const airdrop = resource({
  name: 'TokenAirdrop',
  keys: {
    receiver_account_id: 'p.receiver_account_id',
    sender_account_id: 'p.sender_account_id',
    serialNumber: 'p.serial_number',
    tokenId: 'p.token_id',
  },
  fields: {
    amount: nullable(int64('p.amount', 'How many of a fungible token, in its smallest unit; null of an NFT.')),
    receiver_id: entityId('p.receiver_account_id', 'Who may claim it.'),
    sender_id: entityId('p.sender_account_id', 'Who sent it, and may cancel it.'),
    serial_number: field(
      'p.serial_number',
      int64Schema('Serial number of an NFT; null of a fungible token.', { type: ['integer', 'null'] }),
      (serialNumber) => (serialNumber === FUNGIBLE ? 'null' : serialNumber),
    ),
    timestamp: javaTimestampRange('lower(p.timestamp_range)', 'upper(p.timestamp_range)'),
    token_id: entityId('p.token_id', 'The token.'),
  },
});
