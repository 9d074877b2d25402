/** The token, and the serial number of an NFT, in a path. */
import { type HomeRealm, readPathReference } from '../../api/entity-reference.ts';
import { isPositiveInt8 } from '../../api/parameter-checks.ts';
import { invalidParameters } from '../../api/query.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

export const tokenPath = {
  tokenId: {
    description: 'Id of the token, or the 40 hex digits of the address that holds its num.',
    schema: { type: 'string', pattern: '^(\\d{1,10}\\.){0,2}\\d{1,10}$|^(0x|(\\d{1,10}\\.){0,2})[A-Fa-f0-9]{40}$' },
    example: '0.0.1135',
  },
};

export const nftPath = {
  ...tokenPath,
  serialNumber: {
    description: 'Serial number of the NFT within its token, from 1.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1,
  },
};

/**
 * The token in the path: an id, or the address that holds its num.
 * @throws HttpProblem 400 `Invalid parameter: tokenid`
 */
export const readTokenId = ({ tokenId }: { readonly tokenId: string }, home: HomeRealm): EntityId => {
  const reference = readPathReference(tokenId, 'tokenid', home);
  if (!('id' in reference)) throw invalidParameters('tokenid');
  return reference.id;
};

export interface NftReference {
  readonly tokenId: EntityId;
  /** Digits. */
  readonly serialNumber: string;
}

/**
 * The NFT in the path.
 * @throws HttpProblem 400 `Invalid parameter: tokenid`, `Invalid parameter: serialnumber`
 */
export const readNftReference = (
  path: { readonly tokenId: string; readonly serialNumber: string },
  home: HomeRealm,
): NftReference => {
  const tokenId = readTokenId(path, home);
  if (!isPositiveInt8(path.serialNumber)) throw invalidParameters('serialnumber');
  return { tokenId, serialNumber: path.serialNumber };
};
