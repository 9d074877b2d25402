import { expect, it } from 'vitest';
import { genesisStateOf } from './genesis-state.ts';
import {
  account,
  accountState,
  blockOf,
  bytes,
  contract,
  executed,
  rebuiltBlock,
  stateItem,
  update,
} from './testing/block.fixture.ts';

const file = (fileNum: bigint, contents: Uint8Array): unknown =>
  update(
    { $case: 'fileIdKey', fileIdKey: { fileNum } },
    { $case: 'fileValue', fileValue: { fileId: { fileNum }, contents } },
  );
const code = (contractNum: bigint): unknown =>
  update(
    { $case: 'contractIdKey', contractIdKey: contract(contractNum) },
    { $case: 'bytecodeValue', bytecodeValue: { code: bytes('6001') } },
  );

const ITEMS = [
  stateItem(
    [accountState(3n, { tinybarBalance: 1n }), accountState(2n, { tinybarBalance: 50n }), file(102n, bytes('0a'))],
    0,
  ),
  stateItem([accountState(3n, { tinybarBalance: 9n, memo: 'three' }), code(3n), file(101n, bytes('0b'))], 0),
  ...executed({ data: { $case: 'cryptoTransfer', cryptoTransfer: {} }, at: 4, state: [accountState(800n, {})] }),
];

it('is the state of block 0 that no transaction made, each entity as it ended', () => {
  const { genesis, recordFile } = rebuiltBlock(ITEMS, { number: 0n });
  expect(genesis).toMatchObject({
    timestamp: recordFile.consensusStart,
    accounts: [
      { accountId: account(2n), tinybarBalance: 50n },
      { accountId: account(3n), tinybarBalance: 9n, memo: 'three' },
    ],
    files: [
      { fileId: { fileNum: 101n }, contents: bytes('0b') },
      { fileId: { fileNum: 102n }, contents: bytes('0a') },
    ],
  });
  expect(genesis?.bytecodes).toEqual(new Map([[3n, bytes('6001')]]));
  expect(recordFile.items).toHaveLength(1);
});

it('is none of later blocks, nor where transactions made everything', () => {
  expect(rebuiltBlock(ITEMS).genesis).toBeUndefined();
  expect(genesisStateOf(blockOf(ITEMS.slice(2), { number: 0n }), 0n)).toBeUndefined();
});

it('refuses state changes that are none', () => {
  const [item] = ITEMS;
  if (item === undefined) throw new Error('no item');
  const damaged = { ...item, payload: bytes('12ff') };
  expect(() => genesisStateOf(blockOf([damaged], { number: 0n }), 0n)).toThrow(
    expect.objectContaining({ code: 'STREAM_MALFORMED', message: expect.stringContaining('block 0, item 1') }),
  );
});
