import { describe, expect, it } from 'vitest';
import {
  account,
  bytes,
  contract,
  type ItemFields,
  itemOf,
  PAYER,
  T,
} from '../transactions/testing/handled.fixture.ts';
import { CALL, CONTRACT, callResult, contractOutput, HASH } from './testing/contract-output.fixture.ts';

const topic = (hex: string): Uint8Array => bytes(hex.padStart(64, '0'));
const log = (num: bigint, ...topics: readonly Uint8Array[]) => ({
  contractID: contract(num),
  bloom: bytes('b1'),
  data: bytes('da'),
  topic: topics,
});
const logging = (fields: ItemFields, ...logInfo: readonly ReturnType<typeof log>[]) =>
  itemOf({ ...fields, record: callResult({ logInfo }) });

describe('the logs of a contract call', () => {
  it('are kept with the contract that logged and the one that was called', () => {
    const { logs, touched } = contractOutput([logging(CALL, log(3001n, topic('ddf2'), topic('01')))]);
    expect(logs).toEqual([
      {
        bloom: bytes('b1'),
        consensus_timestamp: T,
        contract_id: 3001n,
        data: bytes('da'),
        index: 0,
        payer_account_id: PAYER,
        root_contract_id: CONTRACT,
        synthetic: false,
        topic0: bytes('ddf2'),
        topic1: bytes('01'),
        topic2: null,
        topic3: null,
        transaction_hash: HASH.subarray(0, 32),
        transaction_index: 0,
      },
    ]);
    expect(touched).toEqual(new Set([CONTRACT, PAYER, 3001n]));
  });

  it('lose leading zero bytes of topics, but not the last byte', () => {
    const { logs } = contractOutput([
      logging(CALL, log(1n, topic('00'), new Uint8Array(0), bytes('00'), topic('100'))),
    ]);
    expect(logs[0]).toMatchObject({
      topic0: bytes('00'),
      topic1: new Uint8Array(0),
      topic2: bytes('00'),
      topic3: bytes('0100'),
    });
  });

  it('are counted through the block, while each transaction has its own place', () => {
    const items = [
      logging(CALL, log(1n), log(2n)),
      itemOf({ ...CALL, timestamp: T + 1n }),
      logging({ ...CALL, timestamp: T + 2n }, log(3n)),
    ];
    const { logs } = contractOutput(items);
    expect(logs.map(({ index, transaction_index, contract_id }) => [index, transaction_index, contract_id])).toEqual([
      [0, 0, 1n],
      [1, 0, 2n],
      [2, 2, 3n],
    ]);
  });

  it('have no place in the block when a token transaction made them', () => {
    const parent = itemOf(CALL);
    const mint = { $case: 'tokenMint', tokenMint: { token: { tokenNum: 5n } } } as const;
    const child = logging({ data: mint, parent, timestamp: T + 1n }, log(359n));
    expect(contractOutput([parent, child]).logs).toMatchObject([{ transaction_index: null, index: 0 }]);
  });

  it('of a contract that cannot be are of contract 0, with a problem noted', () => {
    const { logs, problems } = contractOutput([logging(CALL, log(-1n))]);
    expect(logs[0]).toMatchObject({ contract_id: 0n });
    expect(problems).toEqual(['Invalid contract id 0.0.-1']);
  });

  it('are left out with results', () => {
    const { logs } = contractOutput([logging(CALL, log(1n))], { persist: { contractResults: false } });
    expect(logs).toEqual([]);
  });
});

describe('the sender of a result', () => {
  it('counts as touched', () => {
    const record = callResult({ senderId: account(1009n) });
    expect(contractOutput([itemOf({ ...CALL, record })]).touched).toEqual(new Set([CONTRACT, 1009n]));
  });
});
