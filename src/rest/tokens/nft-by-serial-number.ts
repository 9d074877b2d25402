/** `/api/v1/tokens/{tokenId}/nfts/{serialNumber}`: one NFT. */
import { notFound } from '../../api/problem.ts';
import { endpoint, one, oneAnswer } from '../../api/resource/endpoint.ts';
import { nft } from './nft.ts';
import { nftPath, readNftReference } from './token-path.ts';

const bySerialNumber = nft.statement('select * from nft where token_id = $1 and serial_number = $2', 'p.serial_number');

export const nftBySerialNumber = endpoint({
  path: '/api/v1/tokens/{tokenId}/nfts/{serialNumber}',
  flavour: 'js',
  operationId: 'getNft',
  summary: 'Get an NFT',
  tag: 'tokens',
  refusals: 'in order',
  pathParameters: nftPath,
  parameters: {},
  answer: one(nft, 'The NFT.'),
  problems: [400, 404],

  handle: async ({ path }, context) => {
    const { tokenId, serialNumber } = readNftReference(path, context);
    const [row] = await nft.read(context.db, bySerialNumber, [tokenId, serialNumber]);
    if (row === undefined) throw notFound();
    return oneAnswer(row, nft.put);
  },
});
