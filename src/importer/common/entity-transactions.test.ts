import { describe, expect, it } from 'vitest';
import type { Setting } from '../../config/setting.ts';
import { persistSettings } from '../../config/settings/importer.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { RecordFileItem } from '../../streams/record-file-content.ts';
import { BlockTransformer } from '../block-transformer.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { PrefetchedFileContents } from '../file-contents.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import { decodeRecordItems } from '../record-items.ts';
import {
  account,
  amounts,
  type BodyFields,
  type RawItemFields,
  rawItem,
  recordFileOf,
  START,
} from '../testing/items.fixture.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { transactionHandlers } from '../transactions/registry.ts';

const defaults = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

/** Node 3, the fee accounts 98, 800, 801 and 802 and the payer 1001 take part in all transactions. */
const fees = amounts([3n, 1n], [98n, 1n], [800n, 1n], [801n, 1n], [802n, 1n], [1001n, -5n]);
const EVERY_TIME = [3n, 1001n];

const transform = (items: readonly RecordFileItem[], persist: Partial<PersistSettings>): LedgerBatch => {
  const network = { shard: 0n, realm: 0n };
  const transformer = new BlockTransformer({
    handlers: transactionHandlers,
    lookup: new CachedEntityLookup(network),
    files: new PrefetchedFileContents(),
    persist: { ...defaults, ...persist },
    network,
  });
  const batch = new LedgerBatch({ entityHistory: true });
  const file = recordFileOf(items);
  transformer.transform(
    { file, index: 9n, loadStart: 100n, loadEnd: 200n },
    decodeRecordItems(file, () => undefined),
    batch,
  );
  return batch;
};

const ascending = (left: bigint, right: bigint): number => (left < right ? -1 : 1);

/** Entities of one item besides those that take part in all of them; no more rows than entities. */
const touchedBy = (
  fields: RawItemFields,
  persist: Partial<PersistSettings> = { entityTransactions: true },
): readonly bigint[] => {
  const record = { transferList: { accountAmounts: fees }, ...fields.record };
  const ids = transform([rawItem({ ...fields, record })], persist)
    .rows('entity_transaction')
    .map((row) => row.entity_id);
  expect(new Set(ids).size).toBe(ids.length);
  return ids.filter((id) => !EVERY_TIME.includes(id)).sort(ascending);
};

const token = (tokenNum: bigint) => ({ tokenNum });
const nft = (sender: bigint, receiver: bigint, serialNumber = 1n) => ({
  senderAccountID: account(sender),
  receiverAccountID: account(receiver),
  serialNumber,
});
const withData = (data: NonNullable<BodyFields['data']>): RawItemFields => ({ body: { data } });

const cases: readonly [name: string, fields: RawItemFields, touched: readonly bigint[]][] = [
  [
    'cryptoTransfer',
    {
      body: { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } },
      record: {
        transferList: { accountAmounts: amounts([1002n, 5n], [1001n, -5n], [98n, 1n]) },
        tokenTransferLists: [
          { token: token(2001n), transfers: amounts([1003n, -1n], [1004n, 1n]) },
          { token: token(2002n), nftTransfers: [nft(1005n, 1006n)] },
        ],
        paidStakingRewards: amounts([1007n, 1n]),
        automaticTokenAssociations: [{ accountId: account(1004n), tokenId: token(2001n) }],
        assessedCustomFees: [
          {
            amount: 1n,
            feeCollectorAccountId: account(1008n),
            tokenId: token(2003n),
            effectivePayerAccountId: [account(1009n)],
          },
        ],
      },
    },
    [1002n, 1003n, 1004n, 1005n, 1006n, 1007n, 1008n, 1009n, 2001n, 2002n, 2003n],
  ],
  [
    'cryptoCreateAccount',
    {
      body: {
        data: {
          $case: 'cryptoCreateAccount',
          cryptoCreateAccount: {
            proxyAccountID: account(1002n),
            stakedId: { $case: 'stakedAccountId', stakedAccountId: account(1003n) },
            hookCreationDetails: [
              {
                hookId: 1n,
                hook: {
                  $case: 'evmHook',
                  evmHook: {
                    spec: {
                      bytecodeSource: {
                        $case: 'contractId',
                        contractId: { contract: { $case: 'contractNum', contractNum: 4001n } },
                      },
                    },
                  },
                },
              },
            ],
          },
        },
      },
      record: { receipt: { accountID: account(1010n) } },
    },
    [1002n, 1003n, 1010n, 4001n],
  ],
  [
    'cryptoUpdateAccount',
    withData({
      $case: 'cryptoUpdateAccount',
      cryptoUpdateAccount: {
        accountIDToUpdate: account(1002n),
        proxyAccountID: account(1003n),
        stakedId: { $case: 'stakedAccountId', stakedAccountId: account(1004n) },
      },
    }),
    [1002n, 1003n, 1004n],
  ],
  [
    'cryptoDelete',
    withData({
      $case: 'cryptoDelete',
      cryptoDelete: { deleteAccountID: account(1002n), transferAccountID: account(1003n) },
    }),
    [1002n, 1003n],
  ],
  [
    'cryptoApproveAllowance',
    withData({
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        cryptoAllowances: [{ owner: account(1002n), spender: account(1003n), amount: 1n }],
        tokenAllowances: [{ tokenId: token(2001n), owner: account(1004n), spender: account(1005n), amount: 1n }],
        nftAllowances: [
          {
            tokenId: token(2002n),
            owner: account(1006n),
            spender: account(1007n),
            delegatingSpender: account(1008n),
            serialNumbers: [1n],
          },
        ],
      },
    }),
    [1002n, 1003n, 1004n, 1005n, 1006n, 1007n, 1008n, 2001n, 2002n],
  ],
  [
    'cryptoDeleteAllowance',
    withData({
      $case: 'cryptoDeleteAllowance',
      cryptoDeleteAllowance: {
        nftAllowances: [{ tokenId: token(2001n), owner: account(1002n), serialNumbers: [1n] }],
      },
    }),
    [1002n, 2001n],
  ],
  [
    'consensusCreateTopic',
    {
      body: {
        data: {
          $case: 'consensusCreateTopic',
          consensusCreateTopic: {
            autoRenewAccount: account(1002n),
            customFees: [
              {
                fixedFee: { amount: 1n, denominatingTokenId: token(2001n) },
                feeCollectorAccountId: account(1003n),
              },
            ],
          },
        },
      },
      record: { receipt: { topicID: { topicNum: 5001n } } },
    },
    [1002n, 1003n, 2001n, 5001n],
  ],
  [
    'consensusSubmitMessage, without its topic',
    {
      body: {
        data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID: { topicNum: 5001n } } },
        maxCustomFees: [
          { accountId: account(1002n), fees: [{ amount: 1n, denominatingTokenId: token(2001n) }, { amount: 2n }] },
        ],
      },
      record: { receipt: { topicSequenceNumber: 1n } },
    },
    [1002n, 2001n],
  ],
  [
    'tokenCreation',
    {
      body: {
        data: {
          $case: 'tokenCreation',
          tokenCreation: {
            treasury: account(1002n),
            autoRenewAccount: account(1003n),
            customFees: [
              {
                feeCollectorAccountId: account(1004n),
                fee: { $case: 'fixedFee', fixedFee: { amount: 1n, denominatingTokenId: token(2002n) } },
              },
              {
                feeCollectorAccountId: account(1005n),
                fee: { $case: 'fractionalFee', fractionalFee: { minimumAmount: 1n } },
              },
            ],
          },
        },
      },
      record: {
        receipt: { tokenID: token(2001n) },
        automaticTokenAssociations: [{ accountId: account(1006n), tokenId: token(2001n) }],
      },
    },
    [1002n, 1003n, 1004n, 1005n, 1006n, 2001n, 2002n],
  ],
  [
    'tokenUpdate',
    withData({
      $case: 'tokenUpdate',
      tokenUpdate: { token: token(2001n), treasury: account(1002n), autoRenewAccount: account(1003n) },
    }),
    [1002n, 1003n, 2001n],
  ],
  [
    'tokenAssociate',
    withData({
      $case: 'tokenAssociate',
      tokenAssociate: { account: account(1002n), tokens: [token(2001n), token(2002n)] },
    }),
    [1002n, 2001n, 2002n],
  ],
  [
    'tokenFreeze',
    withData({ $case: 'tokenFreeze', tokenFreeze: { account: account(1002n), token: token(2001n) } }),
    [1002n, 2001n],
  ],
  [
    'tokenWipe',
    withData({
      $case: 'tokenWipe',
      tokenWipe: { account: account(1002n), token: token(2001n), serialNumbers: [1n] },
    }),
    [1002n, 2001n],
  ],
  [
    'tokenAirdrop',
    {
      body: { data: { $case: 'tokenAirdrop', tokenAirdrop: {} } },
      record: {
        newPendingAirdrops: [
          {
            pendingAirdropId: {
              senderId: account(1002n),
              receiverId: account(1003n),
              tokenReference: { $case: 'fungibleTokenType', fungibleTokenType: token(2001n) },
            },
            pendingAirdropValue: { amount: 1n },
          },
        ],
      },
    },
    [1002n, 1003n, 2001n],
  ],
  [
    'tokenReject',
    withData({
      $case: 'tokenReject',
      tokenReject: {
        owner: account(1002n),
        rejections: [
          { tokenIdentifier: { $case: 'fungibleToken', fungibleToken: token(2001n) } },
          { tokenIdentifier: { $case: 'nft', nft: { tokenID: token(2002n), serialNumber: 1n } } },
        ],
      },
    }),
    [1002n, 2001n, 2002n],
  ],
  [
    'scheduleCreate, and the schedule that set a transaction off',
    {
      body: { data: { $case: 'scheduleCreate', scheduleCreate: { payerAccountID: account(1002n) } } },
      record: { receipt: { scheduleID: { scheduleNum: 6001n } }, scheduleRef: { scheduleNum: 6002n } },
    },
    [1002n, 6001n, 6002n],
  ],
];

describe('entity_transaction', () => {
  it.each(cases)('has what a %s touches', (_, fields, touched) => {
    expect(touchedBy(fields)).toEqual(touched);
  });

  it('says of each what became of it', () => {
    const batch = transform(
      [
        rawItem({
          at: 7,
          body: { data: { $case: 'cryptoDelete', cryptoDelete: { deleteAccountID: account(1002n) } } },
          record: { transferList: { accountAmounts: fees } },
          status: ResponseCodeEnum.INVALID_SIGNATURE,
        }),
      ],
      { entityTransactions: true },
    );
    const row = { consensus_timestamp: START + 7n, payer_account_id: 1001n, result: 7, type: 12 };
    expect(batch.rows('entity_transaction')).toEqual([
      { ...row, entity_id: 1002n },
      { ...row, entity_id: 3n },
      { ...row, entity_id: 1001n },
    ]);
  });

  it('keeps the entities of one transaction apart from those of the next', () => {
    const associate = (at: number, accountNum: bigint): RecordFileItem =>
      rawItem({
        at,
        body: {
          data: { $case: 'tokenAssociate', tokenAssociate: { account: account(accountNum), tokens: [token(2001n)] } },
        },
      });
    const rows = transform([associate(1, 1002n), associate(2, 1003n)], { entityTransactions: true })
      .rows('entity_transaction')
      .map((row) => [row.consensus_timestamp - START, row.entity_id]);
    expect(rows).toEqual([
      [1n, 2001n],
      [1n, 1002n],
      [1n, 3n],
      [1n, 1001n],
      [2n, 2001n],
      [2n, 1003n],
      [2n, 3n],
      [2n, 1001n],
    ]);
  });

  it('leaves out what a failed transaction would have touched, but not whom it cost', () => {
    const [, fields] = cases.find(([name]) => name === 'cryptoApproveAllowance') as (typeof cases)[number];
    expect(touchedBy({ ...fields, status: ResponseCodeEnum.INVALID_SIGNATURE })).toEqual([]);
    const [, moved] = cases[0] as (typeof cases)[number];
    expect(touchedBy({ ...moved, status: ResponseCodeEnum.INSUFFICIENT_ACCOUNT_BALANCE })).toEqual([1002n, 1007n]);
    expect(touchedBy({ ...moved, status: ResponseCodeEnum.FAIL_INVALID })).toEqual(cases[0]?.[2]);
  });

  it('leaves out the excluded ones, and takes no harm from impossible ids', () => {
    const fields: RawItemFields = {
      body: {
        nodeAccountID: account(-3n),
        data: { $case: 'tokenFreeze', tokenFreeze: { account: account(1002n), token: token(-1n) } },
        maxCustomFees: [{ accountId: account(-1n), fees: [{ denominatingTokenId: token(-1n) }] }],
      },
      status: ResponseCodeEnum.INVALID_TOKEN_ID,
    };
    expect(touchedBy(fields)).toEqual([1002n]);
    expect(touchedBy(fields, { entityTransactions: true, entityTransactionExclusion: [1002] })).toEqual([
      98n,
      800n,
      801n,
      802n,
    ]);
  });

  const nftTrade: RawItemFields = {
    body: { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } },
    record: {
      tokenTransferLists: [
        { token: token(2001n), nftTransfers: [nft(1001n, 1002n), nft(0n, 98n, 2n), nft(1003n, 1002n, 3n)] },
      ],
    },
  };

  it('can have the parties of NFT transfers alone, but for the payer', () => {
    const rows = transform([rawItem(nftTrade)], { entityNftTransactions: true }).rows('entity_transaction');
    expect(rows.map((row) => row.entity_id)).toEqual([1002n, 1003n]);
  });

  it('has no rows unless asked for', () => {
    expect(transform([rawItem(nftTrade)], {}).rows('entity_transaction')).toEqual([]);
  });
});
