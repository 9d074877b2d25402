import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { RecordFileItem } from '../../streams/record-file-content.ts';
import { account, type BodyFields, rawItem } from '../testing/items.fixture.ts';
import { call, callResult, childOf, logsOf, token, transform } from './testing/synthetic-logs.fixture.ts';

describe('logs of approvals', () => {
  const approve = (body: object): RecordFileItem =>
    rawItem({ at: 1, body: { data: { $case: 'cryptoApproveAllowance', cryptoApproveAllowance: body } } });
  const from = (owner: bigint, spender: bigint, tokenNum: bigint) => ({
    owner: account(owner),
    spender: account(spender),
    tokenId: token(tokenNum),
  });

  it('are made for units, single NFTs and all NFTs of a token, the last entry first', () => {
    const batch = transform([
      approve({
        cryptoAllowances: [{ owner: account(1001n), spender: account(1002n), amount: 5n }],
        tokenAllowances: [
          { ...from(1001n, 1002n, 500n), amount: 300n },
          { ...from(1001n, 1003n, 500n), amount: 0n },
        ],
        nftAllowances: [
          { ...from(1001n, 1002n, 501n), serialNumbers: [1n, 2n] },
          { ...from(1001n, 1003n, 501n), approvedForAll: true },
          { ...from(1001n, 1003n, 502n), approvedForAll: false },
        ],
      }),
    ]);
    expect(logsOf(batch)).toEqual([
      ['ForAll', 502n, '03e9', '03eb', null, '00'],
      ['ForAll', 501n, '03e9', '03eb', null, '01'],
      ['Approval', 501n, '03e9', '03ea', '01', '00'],
      ['Approval', 501n, '03e9', '03ea', '02', '00'],
      ['Approval', 500n, '03e9', '03eb', null, ''],
      ['Approval', 500n, '03e9', '03ea', null, '012c'],
    ]);
    expect(batch.rows('contract_log').map(({ index, synthetic }) => [index, synthetic])).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => [index, false]),
    );
  });

  it('are made for the last of several with the same key', () => {
    const batch = transform([
      approve({
        tokenAllowances: [
          { ...from(1001n, 1002n, 500n), amount: 1n },
          { ...from(1001n, 1002n, 500n), amount: 2n },
        ],
        nftAllowances: [
          { ...from(1001n, 1002n, 501n), serialNumbers: [1n, 2n] },
          { ...from(1001n, 1003n, 501n), serialNumbers: [1n] },
          { ...from(1001n, 1002n, 502n), serialNumbers: [1n] },
          { ...from(1001n, 1002n, 502n), approvedForAll: true, serialNumbers: [1n] },
        ],
      }),
    ]);
    expect(logsOf(batch)).toEqual([
      ['ForAll', 502n, '03e9', '03ea', null, '01'],
      ['Approval', 501n, '03e9', '03eb', '01', '00'],
      ['Approval', 501n, '03e9', '03ea', '02', '00'],
      ['Approval', 500n, '03e9', '03ea', null, '02'],
    ]);
  });

  it('are made of the payer where no owner is named, and of no spender when they are taken back', () => {
    const data: NonNullable<BodyFields>['data'] = {
      $case: 'cryptoDeleteAllowance',
      cryptoDeleteAllowance: {
        nftAllowances: [
          { tokenId: token(501n), serialNumbers: [7n, 8n] },
          { owner: account(1005n), tokenId: token(502n), serialNumbers: [9n] },
        ],
      },
    };
    const batch = transform([
      approve({ tokenAllowances: [{ spender: account(1002n), tokenId: token(500n), amount: 1n }] }),
      rawItem({ at: 2, body: { data } }),
    ]);
    expect(logsOf(batch)).toEqual([
      ['Approval', 500n, '03e9', '03ea', null, '01'],
      ['Approval', 501n, '03e9', '', '07', '00'],
      ['Approval', 501n, '03e9', '', '08', '00'],
      ['Approval', 502n, '03ed', '', '09', '00'],
    ]);
  });

  it('are not made for tinybars, failures and approvals by contracts', () => {
    const data: NonNullable<BodyFields>['data'] = {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: { tokenAllowances: [{ ...from(1001n, 1002n, 500n), amount: 1n }] },
    };
    const batch = transform([
      approve({ cryptoAllowances: [{ owner: account(1001n), spender: account(1002n), amount: 5n }] }),
      rawItem({ at: 2, body: { data }, status: ResponseCodeEnum.INVALID_SIGNATURE }),
      call(3),
      rawItem({ at: 4, nonce: 1, body: { data }, record: { ...childOf(3), body: callResult(359n) } }),
    ]);
    expect(logsOf(batch)).toEqual([]);
  });
});
