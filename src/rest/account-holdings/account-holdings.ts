/** The routes of what belongs to an account: its NFTs, tokens, staking rewards and the allowances it gave. */
import { defaultJavaLimit, maxJavaLimit } from '../../api/java-parameters.ts';
import type { OpenApiParameter, Route } from '../../api/route.ts';
import {
  entityIdParameterDoc,
  limitParameterDoc,
  orderParameterDoc,
  timestampParameterDoc,
} from '../../api/schemas.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { accountNftList } from './account-nfts.ts';
import { listCryptoAllowances } from './crypto-allowances.ts';
import {
  cryptoAllowancesSchema,
  nftAllowancesSchema,
  stakingRewardsSchema,
  tokenAllowancesSchema,
  tokenRelationshipsSchema,
} from './holding-schemas.ts';
import { listNftAllowances } from './nft-allowances.ts';
import { listStakingRewards } from './staking-rewards.ts';
import { listTokenAllowances } from './token-allowances.ts';
import { listTokenRelationships } from './token-relationships.ts';

const accountPathDoc: OpenApiParameter = {
  name: 'idOrAliasOrEvmAddress',
  in: 'path',
  required: true,
  ...accountPath.idOrAliasOrEvmAddress,
};

const javaLimitSchema = { type: 'integer', minimum: 1, maximum: maxJavaLimit, default: defaultJavaLimit };

const tokenBesideSpenderDoc = entityIdParameterDoc(
  'token.id',
  'Id of the token; only beside `spender.id`. With a range of spenders a lower bound counts for the lowest spender ' +
    'alone and needs it inclusive, an upper bound for the highest.',
);

export const accountHoldingRoutes: readonly Route[] = [
  accountNftList,
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/tokens',
    flavour: 'js',
    operation: {
      operationId: 'getTokensByAccountId',
      summary: 'List the tokens of an account',
      description: 'The tokens the account is associated with, with its balances.',
      tags: ['accounts'],
      parameters: [
        accountPathDoc,
        limitParameterDoc,
        orderParameterDoc('asc'),
        entityIdParameterDoc('token.id', 'Id of the token. Several `eq` mean any of them.'),
      ],
      answer: { description: 'One page of tokens.', schema: tokenRelationshipsSchema },
      problems: [400, 404],
    },
    handle: listTokenRelationships,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/rewards',
    flavour: 'js',
    cacheSeconds: 60,
    operation: {
      operationId: 'getStakingRewards',
      summary: 'List the staking rewards of an account',
      description: 'The rewards that were paid to the account, newest first unless ordered otherwise.',
      tags: ['accounts'],
      parameters: [accountPathDoc, limitParameterDoc, orderParameterDoc('desc'), timestampParameterDoc],
      answer: { description: 'One page of rewards.', schema: stakingRewardsSchema },
      problems: [400, 404],
    },
    handle: listStakingRewards,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/crypto',
    flavour: 'js',
    operation: {
      operationId: 'getCryptoAllowances',
      summary: 'List the hbar allowances of an account',
      description: 'What others may spend of the hbars of the account. Allowances that are used up are left out.',
      tags: ['accounts'],
      parameters: [
        accountPathDoc,
        limitParameterDoc,
        orderParameterDoc('desc'),
        entityIdParameterDoc('spender.id', 'Who may spend. Several `eq` mean any of them.'),
      ],
      answer: { description: 'One page of allowances.', schema: cryptoAllowancesSchema },
      problems: [400, 404],
    },
    handle: listCryptoAllowances,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/tokens',
    flavour: 'js',
    operation: {
      operationId: 'getTokenAllowances',
      summary: 'List the token allowances of an account',
      description:
        'What others may spend of the fungible tokens of the account, by spender and, for one spender, by token. ' +
        'Allowances that are used up are left out.',
      tags: ['accounts'],
      parameters: [
        accountPathDoc,
        limitParameterDoc,
        orderParameterDoc('asc'),
        entityIdParameterDoc('spender.id', 'Who may spend: one, or one range.'),
        tokenBesideSpenderDoc,
      ],
      answer: { description: 'One page of allowances.', schema: tokenAllowancesSchema },
      problems: [400, 404],
    },
    handle: listTokenAllowances,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/nfts',
    flavour: 'java',
    operation: {
      operationId: 'getNftAllowances',
      summary: 'List the NFT allowances of an account',
      description:
        'Who may move all NFTs of a token for their owner. The account is the owner, or with `owner=false` the one who ' +
        'may; the list is ordered by the other one and, for the same one, by token.',
      tags: ['accounts'],
      parameters: [
        accountPathDoc,
        entityIdParameterDoc('account.id', 'The one at the other end of the allowance: one, or one range.'),
        { ...limitParameterDoc, description: 'Most entries on one page.', schema: javaLimitSchema },
        orderParameterDoc('asc'),
        {
          name: 'owner',
          in: 'query',
          description: 'Whether the account is the owner.',
          schema: { type: 'boolean', default: true },
        },
        entityIdParameterDoc(
          'token.id',
          'Id of the token; only beside `account.id`. With a range of accounts a lower bound counts for the lowest ' +
            'account alone and needs it inclusive, an upper bound for the highest.',
        ),
      ],
      answer: { description: 'One page of allowances.', schema: nftAllowancesSchema },
      problems: [400, 404],
    },
    handle: listNftAllowances,
  },
];
