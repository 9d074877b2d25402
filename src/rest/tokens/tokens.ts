/**
 * The routes of `/api/v1/tokens`. Reads `token`, `entity` and `custom_fee` with their histories, `token_account` and the
 * balance snapshots, `nft` with its history, and the transactions that NFTs went through.
 */
import type { OpenApiParameter, Route } from '../../api/route.ts';
import {
  entityIdParameterDoc,
  limitParameterDoc,
  orderParameterDoc,
  timestampParameterDoc,
} from '../../api/schemas.ts';
import { fromOneSnapshot } from '../../api/snapshot.ts';
import { accountBalances, accountPublicKeys } from '../accounts/account-parameters.ts';
import { nftSchemas, nftsSchema, nftTransactionSchemas, nftTransactionsSchema } from './nft-schema.ts';
import { listNftTransactions } from './nft-transactions.ts';
import { getNft, listNfts, serialNumberPathDoc } from './nfts.ts';
import { listHolders } from './token-holders.ts';
import { getToken } from './token-info.ts';
import { listTokens } from './token-list.ts';
import { tokenIdPathDoc } from './token-reference.ts';
import { tokenHolderSchemas, tokenHoldersSchema, tokenInfoSchema, tokenSchemas, tokensSchema } from './token-schema.ts';

const accountParameterDoc: OpenApiParameter = {
  name: 'account.id',
  in: 'query',
  description: 'Only tokens that this account is associated with.',
  schema: { type: 'string', pattern: '^(eq:)?((\\d{1,10}\\.){0,2}\\d{1,12}|(0x)?[A-Fa-f0-9]{40})$' },
  example: '0.0.8',
};

const nameParameterDoc: OpenApiParameter = {
  name: 'name',
  in: 'query',
  description:
    'Part of the name in any letter case. Several must all be found in it. Gives one page only, and goes together with ' +
    'neither `account.id` nor `token.id`.',
  schema: { type: 'string', minLength: 3, maxLength: 100 },
  example: 'coin',
};

const publicKeyParameterDoc: OpenApiParameter = {
  name: 'publickey',
  in: 'query',
  description: 'Hex of the admin key, where that is a single public key.',
  schema: {
    type: 'string',
    pattern: '^((gte?|lte?|eq|ne):)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{66}|[0-9A-Fa-f]{88})$',
  },
  example: '3c3d546321ff6f63d701d2ec5c277095874e19f4a235bee1e6bb19258bf362be',
};

const typeParameterDoc: OpenApiParameter = {
  name: 'type',
  in: 'query',
  description: 'Kind of token.',
  schema: { type: 'string', enum: ['ALL', 'FUNGIBLE_COMMON', 'NON_FUNGIBLE_UNIQUE'], default: 'ALL' },
};

const untilParameterDoc: OpenApiParameter = {
  name: 'timestamp',
  in: 'query',
  description: 'The token as it was at this time (`lt`: just before). The last one counts.',
  schema: { type: 'array', items: { type: 'string', pattern: '^((eq|lte?):)?\\d{1,10}(\\.\\d{1,9})?$' } },
  example: ['1234567890.000000600'],
};

const serialNumberParameterDoc: OpenApiParameter = {
  name: 'serialnumber',
  in: 'query',
  description: 'Serial number, compared by an optional operator. Repeat it for a range.',
  schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq|ne):)?\\d{1,19}$' } },
  example: ['gt:2'],
};

export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/tokens',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getTokens',
      summary: 'List tokens',
      description: 'Tokens by id. Filters of different kinds narrow each other.',
      tags: ['tokens'],
      parameters: [
        accountParameterDoc,
        limitParameterDoc,
        nameParameterDoc,
        orderParameterDoc('asc'),
        publicKeyParameterDoc,
        entityIdParameterDoc('token.id', 'Id of the token. Several `eq` mean any of them.'),
        typeParameterDoc,
      ],
      answer: { description: 'One page of tokens.', schema: tokensSchema },
      problems: [400],
      schemas: tokenSchemas,
    },
    handle: listTokens,
  },
  {
    method: 'GET',
    path: '/api/v1/tokens/{tokenId}',
    flavour: 'js',
    cacheSeconds: 5,
    operation: {
      operationId: 'getToken',
      summary: 'Get a token',
      description: 'The token with its keys, supply and custom fees, now or as it was.',
      tags: ['tokens'],
      parameters: [tokenIdPathDoc, untilParameterDoc],
      answer: { description: 'The token.', schema: tokenInfoSchema },
      problems: [400, 404],
    },
    handle: getToken,
  },
  {
    method: 'GET',
    path: '/api/v1/tokens/{tokenId}/balances',
    flavour: 'js',
    operation: {
      operationId: 'getTokenBalances',
      summary: 'List the balances of a token',
      description:
        'Current balances of the associated accounts. With timestamps, those of the newest snapshot that they allow, no ' +
        'older than the start of the month before; a single timestamp means as of that time. A token that does not ' +
        'exist has no balances.',
      tags: ['tokens'],
      parameters: [
        tokenIdPathDoc,
        {
          name: 'account.balance',
          in: 'query',
          ...accountBalances.doc,
          description: 'Balance in the smallest unit of the token; repeatable.',
        },
        entityIdParameterDoc('account.id', 'Id of the account. Several must all hold.'),
        {
          name: 'account.publickey',
          in: 'query',
          ...accountPublicKeys.doc,
          description: 'Hex of the only public key of the account. The last counts.',
        },
        limitParameterDoc,
        orderParameterDoc('desc'),
        timestampParameterDoc,
      ],
      answer: { description: 'One page of balances.', schema: tokenHoldersSchema },
      problems: [400],
      schemas: tokenHolderSchemas,
    },
    handle: fromOneSnapshot(listHolders),
  },
  {
    method: 'GET',
    path: '/api/v1/tokens/{tokenId}/nfts',
    flavour: 'js',
    operation: {
      operationId: 'getNfts',
      summary: 'List the NFTs of a token',
      description: 'Latest serial numbers first unless ordered otherwise. Burnt and wiped ones are among them.',
      tags: ['tokens'],
      parameters: [
        tokenIdPathDoc,
        entityIdParameterDoc('account.id', 'Id of the owner. Several must all hold.'),
        limitParameterDoc,
        orderParameterDoc('desc'),
        serialNumberParameterDoc,
      ],
      answer: { description: 'One page of NFTs.', schema: nftsSchema },
      problems: [400],
      schemas: nftSchemas,
    },
    handle: listNfts,
  },
  {
    method: 'GET',
    path: '/api/v1/tokens/{tokenId}/nfts/{serialNumber}',
    flavour: 'js',
    operation: {
      operationId: 'getNft',
      summary: 'Get an NFT',
      tags: ['tokens'],
      parameters: [tokenIdPathDoc, serialNumberPathDoc],
      answer: { description: 'The NFT.', schema: nftSchemas.Nft },
      problems: [400, 404],
    },
    handle: getNft,
  },
  {
    method: 'GET',
    path: '/api/v1/tokens/{tokenId}/nfts/{serialNumber}/transactions',
    flavour: 'js',
    operation: {
      operationId: 'getNftTransactions',
      summary: 'List the transactions of an NFT',
      description: 'Mint, transfers, allowances, changes, and what ended the NFT, the deletion of its token included.',
      tags: ['tokens'],
      parameters: [
        tokenIdPathDoc,
        serialNumberPathDoc,
        limitParameterDoc,
        orderParameterDoc('desc'),
        timestampParameterDoc,
      ],
      answer: {
        description: 'One page of transactions.',
        partial: 'One page of transactions; the beginning of the NFT is not known.',
        schema: nftTransactionsSchema,
      },
      problems: [400],
      schemas: nftTransactionSchemas,
    },
    handle: listNftTransactions,
  },
];
