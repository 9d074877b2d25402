import { describe, expect, it } from 'vitest';
import {
  account,
  accountState,
  alias,
  bytes,
  type Executed,
  rebuilt,
  removal,
  tokenState,
  update,
} from '../testing/block.fixture.ts';

const TOKEN = { tokenNum: 50n };
const mint = (amount: bigint, metadata: Uint8Array[] = []): unknown => ({
  $case: 'tokenMint',
  tokenMint: { token: TOKEN, amount, metadata },
});
const burn = (amount: bigint, serialNumbers: bigint[] = []): unknown => ({
  $case: 'tokenBurn',
  tokenBurn: { token: TOKEN, amount, serialNumbers },
});
const wipe = (amount: bigint, serialNumbers: bigint[] = []): unknown => ({
  $case: 'tokenWipe',
  tokenWipe: { token: TOKEN, amount, serialNumbers },
});
const CALL = { $case: 'contractCall', contractCall: { gas: 1n } };

describe('supplies', () => {
  it('are those of the state', () => {
    const { records } = rebuilt(
      { data: mint(5n), at: 1, state: [tokenState(50n, 105n)] },
      { data: burn(15n), at: 2, state: [tokenState(50n, 90n)] },
      { data: wipe(90n), at: 3, state: [tokenState(50n, 0n)] },
    );
    expect(records.map(({ receipt }) => receipt?.newTotalSupply)).toEqual([105n, 90n, 0n]);
  });

  it('are walked back through what ran together', () => {
    const { records, unknown } = rebuilt(
      { data: CALL, at: 1, state: [tokenState(50n, 93n)] },
      { data: mint(5n), at: 2, parentAt: 1 },
      { data: mint(0n, [bytes('01'), bytes('02')]), at: 3, parentAt: 1 },
      { data: mint(1_000n), at: 4, parentAt: 1, status: 280 },
      { data: burn(10n), at: 5, parentAt: 1 },
      { data: wipe(0n, [1n, 2n, 3n, 4n]), at: 6, parentAt: 1 },
    );
    expect(records.map(({ receipt }) => receipt?.newTotalSupply)).toEqual([0n, 105n, 107n, 0n, 97n, 93n]);
    expect(unknown.flat()).toEqual([]);
  });

  it('are not those of another execution', () => {
    const { records, unknown } = rebuilt(
      { data: mint(5n), at: 1, id: { start: 1 } },
      { data: mint(7n), at: 2, id: { start: 2 }, state: [tokenState(50n, 12n)] },
    );
    expect(records.map(({ receipt }) => receipt?.newTotalSupply)).toEqual([0n, 12n]);
    expect(unknown).toEqual([['token supply'], []]);
  });

  it('come with the serial numbers of minted NFTs in ascending order', () => {
    const nftTransfers = [3n, 1n, 2n].map((serialNumber) => ({ receiverAccountID: account(4n), serialNumber }));
    const { records } = rebuilt({
      data: mint(0n, [bytes('0a'), bytes('0b'), bytes('0c')]),
      at: 1,
      result: {
        tokenTransferLists: [
          { token: { tokenNum: 51n }, nftTransfers: [{ serialNumber: 9n }] },
          { token: TOKEN, nftTransfers },
        ],
      },
      state: [tokenState(50n, 3n)],
    });
    expect(records[0]?.receipt).toMatchObject({ newTotalSupply: 3n, serialNumbers: [1n, 2n, 3n] });
  });
});

const airdrop = (receivers: readonly object[], serialNumber = 0n): unknown => ({
  $case: 'tokenAirdrop',
  tokenAirdrop: {
    tokenTransfers: [
      {
        token: TOKEN,
        transfers: [{ accountID: account(3n), amount: -100n }, ...receivers],
        nftTransfers:
          serialNumber === 0n ? [] : [{ senderAccountID: account(3n), receiverAccountID: account(6n), serialNumber }],
      },
    ],
  },
});
const credit = (receiver: object, amount: bigint): object => ({ accountID: receiver, amount });
const pending = (receiver: bigint, amount: bigint): unknown =>
  update(
    {
      $case: 'pendingAirdropIdKey',
      pendingAirdropIdKey: {
        senderId: account(3n),
        receiverId: account(receiver),
        tokenReference: { $case: 'fungibleTokenType', fungibleTokenType: TOKEN },
      },
    },
    { $case: 'accountPendingAirdropValue', accountPendingAirdropValue: { pendingAirdropValue: { amount } } },
  );

const dropped = (transaction: Executed['data'], rest: Partial<Executed> = {}) => {
  const { records, unknown } = rebuilt({ data: transaction, at: 1, ...rest });
  return { unknown, airdrops: records.map(({ newPendingAirdrops }) => newPendingAirdrops.map(amountOf)) };
};
type Airdrop = ReturnType<typeof rebuilt>['records'][number]['newPendingAirdrops'][number];
const amountOf = ({ pendingAirdropId: id, pendingAirdropValue: value }: Airdrop) => {
  const receiver = id?.receiverId?.account;
  const token = id?.tokenReference;
  return [
    receiver?.$case === 'accountNum' ? receiver.accountNum : undefined,
    token?.$case === 'nonFungibleToken' ? token.nonFungibleToken.serialNumber : undefined,
    value?.amount,
  ];
};

describe('pending airdrops', () => {
  it('are the credits that the transaction did not transfer', () => {
    const transfers = [credit(account(3n), -40n), credit(account(4n), 40n)];
    const { airdrops, unknown } = dropped(airdrop([credit(account(4n), 40n), credit(account(5n), 60n)], 8n), {
      result: { tokenTransferLists: [{ token: TOKEN, transfers }] },
      state: [pending(5n, 75n)],
    });
    expect(airdrops).toEqual([
      [
        [5n, undefined, 75n],
        [6n, 8n, undefined],
      ],
    ]);
    expect(unknown).toEqual([[]]);
  });

  it('have the amount of the body where no state tells', () => {
    expect(dropped(airdrop([credit(account(5n), 60n)])).airdrops).toEqual([[[5n, undefined, 60n]]]);
    const transferred = { tokenTransferLists: [{ token: TOKEN, nftTransfers: [{ serialNumber: 8n }] }] };
    expect(dropped(airdrop([], 8n), { result: transferred }).airdrops).toEqual([[]]);
    expect(dropped(airdrop([credit(account(5n), 60n)]), { status: 10 }).airdrops).toEqual([[]]);
  });

  it('add up, and are walked back', () => {
    const child = (at: number, amount: bigint): Executed => ({
      data: airdrop([credit(account(5n), amount)]),
      at,
      parentAt: 1,
    });
    const { records } = rebuilt(
      { data: CALL, at: 1, state: [pending(5n, 60n)] },
      child(2, 20n),
      child(3, 10n),
      child(4, 30n),
    );
    expect(
      records.map(({ newPendingAirdrops }) =>
        newPendingAirdrops.map(({ pendingAirdropValue }) => pendingAirdropValue?.amount),
      ),
    ).toEqual([[], [20n], [30n], [60n]]);
  });

  it('find receivers that the body names by alias', () => {
    const address = bytes('ab'.repeat(20));
    const body = airdrop([credit(alias(address), 60n)]);
    expect(dropped(body, { state: [accountState(7n, { alias: address })] }).airdrops).toEqual([[[7n, undefined, 60n]]]);
    expect(dropped(body)).toEqual({ airdrops: [[]], unknown: [['pending airdrops']] });
  });
});

it('ignores removed slots and other removals where supplies are asked for', () => {
  const gone = removal({ $case: 'tokenIdKey', tokenIdKey: TOKEN });
  expect(rebuilt({ data: burn(1n), at: 1, state: [gone] }).unknown).toEqual([['token supply']]);
});
