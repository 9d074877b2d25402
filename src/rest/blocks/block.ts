/** A block as REST shows it: one record file, or one block of the block stream. */
import { derived, field, int64, nullable, text, timestampRange } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import type { JsonSchema } from '../../api/route.ts';
import { int64Schema } from '../../api/schemas.ts';

const unknownGas = '-1';
const bloomDigits = 512;

const hash = (sql: string, description: string) => {
  const schema: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]*$', description };
  return field(sql, schema, (hex) => (hex.startsWith('0x') ? `"${hex}"` : `"0x${hex}"`));
};

export const block = resource({
  name: 'Block',
  description: 'One record file, or one block of the block stream.',
  keys: { number: 'p.index' },
  fields: {
    count: int64('p.count', 'How many transactions the block holds.', { minimum: 0 }),
    gas_used: field(
      'p.gas_used',
      int64Schema('Gas used by all contract transactions of the block; null when it is not known.', {
        type: ['integer', 'null'],
        minimum: 0,
      }),
      (gas) => (gas === '' || gas === unknownGas ? 'null' : gas),
    ),
    hapi_version: derived(
      { major: 'p.hapi_version_major', minor: 'p.hapi_version_minor', patch: 'p.hapi_version_patch' },
      { type: ['string', 'null'], description: 'Version of the network services: major.minor.patch.' },
      ({ major, minor, patch }) =>
        major === '' || minor === '' || patch === '' ? 'null' : `"${major}.${minor}.${patch}"`,
    ),
    hash: hash('p.hash', 'SHA-384 hash of the block.'),
    logs_bloom: field(
      'p.logs_bloom',
      {
        type: ['string', 'null'],
        pattern: '^0x([0-9a-f]{512})?$',
        description: 'Bloom filter over the contract logs of the block; `0x` when there are none.',
      },
      (bytes) => {
        if (bytes === '') return 'null';
        return bytes === '\\x' ? '"0x"' : `"0x${bytes.slice(2).padStart(bloomDigits, '0')}"`;
      },
    ),
    name: text('p.name', { description: 'File name of the block.' }),
    number: int64('p.index', 'How many blocks came before it.', { minimum: 0 }),
    previous_hash: hash('p.prev_hash', 'Hash of the block before.'),
    size: nullable(
      int64('coalesce(p.size, length(p.bytes))', 'Size of the file in bytes, as it was received.', { minimum: 0 }),
    ),
    timestamp: timestampRange('p.consensus_start', 'p.consensus_end'),
  },
});
