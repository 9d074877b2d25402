import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { RecordItem } from '../record-item.ts';
import { account, itemOf, token } from '../transactions/testing/handled.fixture.ts';
import { compileItemFilter } from './item-filter.ts';

const NETWORK = { shard: 0n, realm: 0n };

type Filter = Partial<Parameters<typeof compileItemFilter>[0]['include'][number]>;

const all = { entity: [], transaction: [], expression: '' };
const filters = (include: readonly Filter[], exclude: readonly Filter[] = [], network = NETWORK) =>
  compileItemFilter(
    { include: include.map((one) => ({ ...all, ...one })), exclude: exclude.map((one) => ({ ...all, ...one })) },
    network,
  );

const amount = (num: bigint, units: bigint) => ({ accountID: account(num), amount: units });

/** 1001 pays 1002 in tinybars, 1003 gives tokens 2001 to 1004, 1005 an NFT of 2002 to 1006; node 3 gets a fee. */
const transfer = itemOf({
  data: {
    $case: 'cryptoTransfer',
    cryptoTransfer: { transfers: { accountAmounts: [amount(1001n, -5n), amount(1002n, 5n)] } },
  },
  record: {
    transferList: { accountAmounts: [amount(1001n, -7n), amount(1002n, 5n), amount(3n, 2n)] },
    tokenTransferLists: [
      { token: token(2001n), transfers: [amount(1003n, -1n), amount(1004n, 1n)] },
      {
        token: token(2002n),
        nftTransfers: [{ senderAccountID: account(1005n), receiverAccountID: account(1006n), serialNumber: 1n }],
      },
    ],
    transactionHash: new Uint8Array([0xca, 0xfe]),
  },
});

const message = itemOf({
  data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID: { topicNum: 5005n } } },
  status: ResponseCodeEnum.INVALID_TOPIC_ID,
});

const matchesExpression = (expression: string, item: RecordItem): boolean | undefined =>
  filters([{ expression }])?.(item, 0n);

const fault = (run: () => unknown): { code: string; setting: unknown; message: string } | undefined => {
  try {
    run();
  } catch (error) {
    if (isKagamiError(error)) return { code: error.code, setting: error.details.setting, message: error.message };
    throw error;
  }
  return undefined;
};

describe('include and exclude', () => {
  it('are no filter at all when they are empty', () => {
    expect(filters([])).toBeUndefined();
  });

  it('store what any of the included and none of the excluded means', () => {
    const filter = filters([{ transaction: ['CRYPTOTRANSFER'] }, { entity: ['0.0.5005'] }], [{ entity: ['1006'] }]);
    expect(filter?.(message, 5005n)).toBe(true);
    expect(filter?.(message, 5006n)).toBe(false);
    expect(filter?.(transfer, 0n)).toBe(false);
    expect(filters([], [{ entity: ['5005'] }])?.(transfer, 0n)).toBe(true);
    expect(filters([], [{ entity: ['5005'] }])?.(message, 5005n)).toBe(false);
  });

  it('take all conditions of one filter together, and one without any for everything', () => {
    const both = filters([{ transaction: ['consensussubmitmessage', 'CRYPTOTRANSFER'], entity: ['0.0.1002'] }]);
    expect(both?.(transfer, 0n)).toBe(true);
    expect(both?.(message, 5005n)).toBe(false);
    expect(filters([{ entity: ['0.0.1002'], expression: 'false' }])?.(transfer, 0n)).toBe(false);
    expect(filters([], [{}])?.(message, 0n)).toBe(false);
  });

  it.each([
    ['main entity', '0.0.77'],
    ['payer', '0.0.1001'],
    ['receiver of tinybars', '0.0.1002'],
    ['receiver of a fee', '0.0.3'],
    ['sender of tokens', '0.0.1003'],
    ['receiver of tokens', '0.0.1004'],
    ['token', '0.0.2001'],
    ['sender of an NFT', '0.0.1005'],
    ['receiver of an NFT', '0.0.1006'],
    ['token of an NFT', '0.0.2002'],
  ])('find a transaction by its %s', (_, entity) => {
    expect(filters([{ entity: [entity] }])?.(transfer, 77n)).toBe(true);
    expect(filters([{ entity: [entity] }])?.(message, 5005n)).toBe(entity === '0.0.1001');
  });

  it('take a bare number for an entity of the mirrored network', () => {
    const filter = filters([{ entity: ['5005'] }], [], { shard: 1n, realm: 2n });
    expect(filter?.(message, (1n << 54n) | (2n << 38n) | 5005n)).toBe(true);
    expect(filter?.(message, 5005n)).toBe(false);
  });

  it('refuse what they cannot understand, naming the setting', () => {
    expect(fault(() => filters([{}, { transaction: ['TRANSFER'] }]))).toMatchObject({
      code: 'CONFIG_INVALID',
      setting: 'hiero.mirror.importer.parser.include[1].transaction',
      message: expect.stringContaining('"TRANSFER" is no transaction type; these are: CONTRACTCALL, '),
    });
    expect(fault(() => filters([], [{ entity: ['0.0.x'] }]))).toMatchObject({
      code: 'CONFIG_INVALID',
      setting: 'hiero.mirror.importer.parser.exclude[0].entity',
      message: 'hiero.mirror.importer.parser.exclude[0].entity: "0.0.x" is no entity id such as 0.0.1001',
    });
  });
});

describe('expressions', () => {
  it.each([
    'transactionBody.cryptoTransfer.transfers.accountAmounts.size() == 2',
    'transactionBody.cryptoTransfer.transfers.accountAmountsList.size() == 2',
    'transactionBody.cryptoTransfer.transfers.accountAmounts[0].amount == -5',
    'transactionBody.cryptoTransfer.transfers.accountAmounts.exists(a, a.accountID.accountNum == 1002)',
    'has(transactionBody.cryptoTransfer) && !has(transactionBody.consensusSubmitMessage)',
    'transactionBody.transactionID.accountID.accountNum == 1001',
    'transactionRecord.receipt.status == 22',
    'transactionRecord.transferList.accountAmounts.map(a, a.amount) == [-7, 5, 2]',
    'transactionRecord.transactionHash == b"\\xca\\xfe"',
    'transactionRecord.tokenTransferLists[1].nftTransfers[0].serialNumber + 1 == 2',
  ])('say that %s', (expression) => {
    expect(matchesExpression(expression, transfer)).toBe(true);
    expect(matchesExpression(`!(${expression})`, transfer)).toBe(false);
  });

  it('are false where a field is missing or values do not compare, whatever else they say', () => {
    expect(matchesExpression('transactionBody.cryptoTransfer.transfers.accountAmounts.size() > 0', message)).toBe(
      false,
    );
    expect(matchesExpression('!(transactionBody.cryptoTransfer.transfers.accountAmounts.size() > 9)', message)).toBe(
      false,
    );
    expect(matchesExpression('transactionBody.memo > 5', transfer)).toBe(false);
    expect(matchesExpression('transactionBody.memo', transfer)).toBe(false);
    expect(matchesExpression('transactionBody.constructor.name == "Object"', transfer)).toBe(false);
  });

  it.each([
    ['no expression', 'transactionBody.('],
    ['no names that are not there', 'process.exit(1)'],
    ['no selections of SpEL', 'transactionBody.cryptoTransfer.transfers.?[amount > 5]'],
    ['no functions that are not there', 'eval("1")'],
    ['no result that is neither true nor false', '1 + 1'],
  ])('are refused: %s', (_, expression) => {
    expect(fault(() => filters([], [{ expression }]))).toMatchObject({
      code: 'CONFIG_INVALID',
      setting: 'hiero.mirror.importer.parser.exclude[0].expression',
    });
  });
});
