import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { account, type BodyFields, rawItem, START } from '../testing/items.fixture.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import {
  call,
  callResult,
  childOf,
  contractNum,
  list,
  logsOf,
  nfts,
  token,
  transferItem,
  transform,
} from './testing/synthetic-logs.fixture.ts';

describe('logs of token transfers', () => {
  it('are made for the parties of fungible transfers and for each NFT, list by list', () => {
    const batch = transform([
      transferItem([
        list(500n, [1001n, -7n], [1002n, 3n], [70_000n, 4n]),
        { ...nfts(501n, [1001n, 1002n, 5n], [1002n, 1003n, 256n]) },
      ]),
    ]);
    expect(logsOf(batch)).toEqual([
      ['Transfer', 500n, '03e9', '011170', null, '04'],
      ['Transfer', 500n, '03e9', '03ea', null, '03'],
      ['Transfer', 501n, '03e9', '03ea', '05', '00'],
      ['Transfer', 501n, '03ea', '03eb', '0100', '00'],
    ]);
  });

  it('have the place, hash and ordinal of their own transaction', () => {
    const batch = transform([
      transferItem([list(499n, [1001n, -1n], [1002n, 1n])], { at: 3 }),
      transferItem([list(500n, [1001n, -7n], [1002n, 7n]), nfts(501n, [1001n, 1002n, 5n])], { at: 4 }),
    ]);
    const common = {
      bloom: Uint8Array.of(0),
      consensus_timestamp: START + 4n,
      payer_account_id: 1001n,
      transaction_hash: new Uint8Array(32).fill(5),
      transaction_index: 1,
      topic0: new Uint8Array(Buffer.from('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', 'hex')),
      topic1: Uint8Array.of(0x03, 0xe9),
      topic2: Uint8Array.of(0x03, 0xea),
    };
    expect(batch.rows('contract_log').slice(1)).toEqual([
      {
        ...common,
        contract_id: 500n,
        root_contract_id: 500n,
        data: Uint8Array.of(7),
        index: 1,
        synthetic: true,
        topic3: null,
      },
      {
        ...common,
        contract_id: 501n,
        root_contract_id: 501n,
        data: Uint8Array.of(0),
        index: 2,
        synthetic: false,
        topic3: Uint8Array.of(5),
      },
    ]);
    expect(batch.rows('record_file')[0]?.logs_bloom).toEqual(new Uint8Array(0));
  });

  it('come from or go to no one when units are made or destroyed', () => {
    const item = (at: number, data: NonNullable<BodyFields>['data'], ...entries: (readonly [bigint, bigint])[]) =>
      transferItem([list(500n, ...entries)], { at, body: { data } });
    const receipt = { receipt: { tokenID: token(500n) } };
    const batch = transform([
      transferItem([list(500n, [1001n, 1_000n])], {
        at: 1,
        body: { data: { $case: 'tokenCreation', tokenCreation: { treasury: account(1001n) } } },
        record: receipt,
      }),
      item(2, { $case: 'tokenMint', tokenMint: { token: token(500n) } }, [1001n, 2n]),
      item(3, { $case: 'tokenBurn', tokenBurn: { token: token(500n) } }, [1001n, -3n]),
      item(4, { $case: 'tokenWipe', tokenWipe: { token: token(500n) } }, [1002n, -4n]),
      item(5, { $case: 'tokenBurn', tokenBurn: { token: token(500n) } }, [1001n, 0n]),
    ]);
    expect(logsOf(batch)).toEqual([
      ['Transfer', 500n, '', '03e9', null, '03e8'],
      ['Transfer', 500n, '', '03e9', null, '02'],
      ['Transfer', 500n, '03e9', '', null, '03'],
      ['Transfer', 500n, '03ea', '', null, '04'],
      ['Transfer', 500n, '', '', null, ''],
    ]);
  });

  it('are made for NFTs that are minted, wiped, or leave a treasury all at once', () => {
    const mint: BodyFields = { data: { $case: 'tokenMint', tokenMint: { token: token(501n) } } };
    const wipe: BodyFields = { data: { $case: 'tokenWipe', tokenWipe: { token: token(501n) } } };
    const update: BodyFields = { data: { $case: 'tokenUpdate', tokenUpdate: { token: token(501n) } } };
    const batch = transform([
      transferItem([nfts(501n, [0n, 1001n, 1n])], { at: 1, body: mint }),
      transferItem([nfts(501n, [1002n, 0n, 1n])], { at: 2, body: wipe }),
      transferItem([nfts(501n, [1001n, 1002n, -1n])], { at: 3, body: update }),
    ]);
    expect(logsOf(batch)).toEqual([
      ['Transfer', 501n, '', '03e9', '01', '00'],
      ['Transfer', 501n, '03ea', '', '01', '00'],
      ['Transfer', 501n, '03e9', '03ea', 'ffffffffffffffff', '00'],
    ]);
  });

  it('leave out single entries that make or destroy nothing', () => {
    const body: BodyFields = { data: { $case: 'tokenDissociate', tokenDissociate: {} } };
    const batch = transform([
      transferItem([list(500n, [1001n, -7n])], { at: 1, body }),
      transferItem([list(500n, [1001n, -7n], [1002n, 7n])], { at: 2 }),
    ]);
    expect(batch.rows('contract_log').map((log) => [log.consensus_timestamp - START, log.transaction_index])).toEqual([
      [2n, 0],
    ]);
  });

  it('are made after FAIL_INVALID, which moves tokens, but after no other failure', () => {
    const lists = [list(500n, [1001n, -7n], [1002n, 7n])];
    const batch = transform([
      transferItem(lists, { at: 1, status: ResponseCodeEnum.FAIL_INVALID }),
      transferItem(lists, { at: 2, status: ResponseCodeEnum.INSUFFICIENT_TOKEN_BALANCE }),
    ]);
    expect(batch.rows('contract_log').map((log) => log.consensus_timestamp - START)).toEqual([1n]);
  });

  it('can be switched off, wholly or for more than two lists', () => {
    const pair = (num: bigint) => list(num, [1001n, -7n], [1002n, 7n]);
    const raw = [
      transferItem([pair(500n), pair(501n)], { at: 1 }),
      transferItem([pair(500n), pair(501n), nfts(502n, [1001n, 1002n, 1n])], { at: 2 }),
    ];
    const tokensOf = (persist: Partial<PersistSettings>) =>
      transform(raw, { persist })
        .rows('contract_log')
        .map((log) => log.contract_id);
    expect(tokensOf({})).toEqual([500n, 501n, 500n, 501n, 502n]);
    expect(tokensOf({ syntheticContractLogsMulti: false })).toEqual([500n, 501n]);
    expect(tokensOf({ syntheticContractLogs: false })).toEqual([]);
    expect(tokensOf({ tokens: false })).toEqual([]);
  });
});

/** Bloom of a transfer from 1001 to 1002 by contract 701, computed by other means. */
const bloomOf701 = (): Uint8Array => {
  const bits = '8:10 28:10 75:08 82:10 106:80 123:10 124:02 140:02 141:20 195:02 226:20 227:20'
    .split(' ')
    .map((text) => text.split(':'));
  const bloom = new Uint8Array(256);
  for (const [position, byte] of bits) bloom[Number(position)] = Number.parseInt(byte as string, 16);
  return bloom;
};

describe('logs of what a contract set off', () => {
  const lists = [list(500n, [1001n, -7n], [1002n, 7n]), nfts(501n, [1001n, 1002n, 5n])];
  const precompiled = (at: number, parent: number) =>
    transferItem(lists, { at, nonce: 1, record: { ...childOf(parent), body: callResult(359n) } });

  it('belong to the contract transaction', () => {
    const batch = transform([call(1), call(3), transferItem(lists, { at: 4, nonce: 1, record: childOf(3) })]);
    expect(logsOf(batch)).toEqual([
      ['Transfer', 701n, '03e9', '03ea', null, '07'],
      ['Transfer', 701n, '03e9', '03ea', '05', '00'],
    ]);
    for (const [index, log] of batch.rows('contract_log').entries()) {
      expect(log).toMatchObject({
        bloom: Uint8Array.of(0),
        consensus_timestamp: START + 3n,
        index,
        root_contract_id: 700n,
        transaction_hash: new Uint8Array(32).fill(4),
        transaction_index: 1,
      });
    }
    expect(batch.rows('contract_result').map((row) => row.bloom)).toEqual([new Uint8Array(0), new Uint8Array(0)]);
  });

  it('are only those of fungible transfers where contracts made the transfer, and none from 0.71 on', () => {
    const raw = [call(3), precompiled(4, 3)];
    const hapi = (minor: number) => ({ hapi: { major: 0, minor, patch: 0 } });
    expect(logsOf(transform(raw, hapi(70)))).toEqual([['Transfer', 701n, '03e9', '03ea', null, '07']]);
    expect(logsOf(transform(raw, hapi(71)))).toEqual([]);
    expect(logsOf(transform([call(3), transferItem(lists, { at: 4, record: childOf(3) })], hapi(71)))).toHaveLength(2);
  });

  it('have a bloom, which becomes part of the result and the block', () => {
    const [log, ...others] = transform([call(3), precompiled(4, 3)]).rows('contract_log');
    expect(others).toEqual([]);
    const expected = bloomOf701();
    expect(log?.bloom).toEqual(expected);
    const both = transform([call(3), precompiled(4, 3), precompiled(5, 3)]);
    expect(both.rows('contract_log').map(({ bloom, index }) => [bloom, index])).toEqual([
      [expected, 0],
      [expected, 1],
    ]);
    expect(both.rows('contract_result').find((row) => row.consensus_timestamp === START + 3n)?.bloom).toEqual(expected);
    expect(both.rows('record_file')[0]?.logs_bloom).toEqual(expected);
  });

  it('leave the logs their own blooms when the result has others', () => {
    const bloom = new Uint8Array(256).fill(0x80, 0, 1);
    const result = callResult(701n);
    const withBloom = rawItem({
      at: 3,
      body: { data: { $case: 'contractCall', contractCall: { contractID: contractNum(700n) } } },
      record: {
        body: { ...result, contractCallResult: { ...result.contractCallResult, bloom } },
        receipt: { contractID: contractNum(700n) },
      },
    });
    const batch = transform([withBloom, precompiled(4, 3)]);
    expect(batch.rows('contract_log')[0]?.bloom).toEqual(bloomOf701());
    const united = bloomOf701();
    united[0] = 0x80;
    expect(batch.rows('contract_result').find((row) => row.consensus_timestamp === START + 3n)?.bloom).toEqual(united);
    expect(batch.rows('record_file')[0]?.logs_bloom).toEqual(united);
  });

  it('belong to the execution of a hook that comes before them', () => {
    const hook = rawItem({
      at: 4,
      nonce: 1,
      body: { data: { $case: 'contractCall', contractCall: { contractID: contractNum(365n) } } },
      record: { ...childOf(3), body: callResult(365n), receipt: { contractID: contractNum(365n) } },
    });
    const [log, ...others] = transform([transferItem([], { at: 3 }), hook, precompiled(5, 3)]).rows('contract_log');
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      consensus_timestamp: START + 4n,
      contract_id: 365n,
      root_contract_id: 365n,
      transaction_hash: new Uint8Array(32).fill(5),
      transaction_index: 0,
    });
  });

  it('belong to the token where the contract transaction itself moved units', () => {
    const body: BodyFields = { data: { $case: 'contractCall', contractCall: { contractID: contractNum(700n) } } };
    const receipt = { contractID: contractNum(700n) };
    const batch = transform([transferItem(lists, { at: 3, body, record: { body: callResult(700n), receipt } })]);
    const [log, ...others] = batch.rows('contract_log');
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      consensus_timestamp: START + 3n,
      contract_id: 500n,
      root_contract_id: 500n,
      transaction_index: 0,
    });
    expect(batch.rows('contract_result')[0]?.bloom).toEqual(log?.bloom);
    expect(batch.rows('record_file')[0]?.logs_bloom).toEqual(log?.bloom);
  });

  it('have a bloom without results and without looking up addresses', () => {
    const persist = { contractResults: false, syntheticContractLogEvmAddressLookup: false };
    const batch = transform([call(3), precompiled(4, 3)], { persist });
    expect(batch.rows('contract_log')[0]?.bloom).toHaveLength(256);
    expect(batch.rows('record_file')[0]?.logs_bloom).toEqual(new Uint8Array(256));
  });
});

describe('consensus messages', () => {
  it('are found by hash when their custom fees left a log', () => {
    const body: BodyFields = { data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: {} } };
    const raw = [
      transferItem([list(500n, [1001n, -7n], [1002n, 7n])], { at: 1, body }),
      rawItem({ at: 2, body }),
      transferItem([list(500n, [1001n, -7n])], { at: 3, body }),
    ];
    const hashed = (persist: Partial<PersistSettings>) =>
      transform(raw, { persist })
        .rows('transaction_hash')
        .map((row) => row.consensus_timestamp - START);
    expect(hashed({})).toEqual([1n]);
    expect(hashed({ syntheticContractLogs: false })).toEqual([]);
    expect(hashed({ transactionHash: false })).toEqual([]);
  });
});
