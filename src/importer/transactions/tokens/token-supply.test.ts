import { describe, expect, it } from 'vitest';
import {
  account,
  bytes,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
  token,
} from '../testing/handled.fixture.ts';

const NFT = { token_id: 3000n, timestamp_range: SINCE_T };
const supply = (total_supply: bigint) => ({ table: 'token', row: { token_id: 3000n, total_supply } });

describe('mint', () => {
  const mint = (metadata: Uint8Array[], receipt: ItemFields['receipt']): ItemFields => ({
    data: { $case: 'tokenMint', tokenMint: { token: token(3000n), metadata } },
    receipt,
  });

  it('sets the supply without a new version of the token', () => {
    const handled = handle(itemOf(mint([], { newTotalSupply: 500n })));
    expect(handled.entityId).toBe(3000n);
    expect(handled.all).toEqual([supply(500n)]);
    expect(handleFailed(mint([], { newTotalSupply: 500n })).all).toEqual([]);
    expect(handle(itemOf(mint([], { newTotalSupply: 500n })), { persist: { tokens: false } }).all).toEqual([]);
  });

  it('creates the NFTs of the receipt', () => {
    const created = { ...NFT, created_timestamp: T, deleted: false };
    expect(
      handle(itemOf(mint([bytes('0a'), bytes('0b')], { newTotalSupply: 2n, serialNumbers: [1n, 2n] }))).all,
    ).toEqual([
      supply(2n),
      { table: 'nft', row: { ...created, serial_number: 1n, metadata: bytes('0a') } },
      { table: 'nft', row: { ...created, serial_number: 2n, metadata: bytes('0b') } },
    ]);
  });

  it('stops where the metadata end', () => {
    const handled = handle(itemOf(mint([bytes('0a')], { newTotalSupply: 2n, serialNumbers: [1n, 2n] })));
    expect(handled.rows('nft').map((row) => row.serial_number)).toEqual([1n]);
    expect(handled.problems).toEqual(['2 serial numbers for 1 metadata']);
  });
});

describe('burn and wipe', () => {
  it('set the supply and end the NFTs', () => {
    const serials = { token: token(3000n), serialNumbers: [4n, 5n] };
    const burn: ItemFields = { data: { $case: 'tokenBurn', tokenBurn: serials }, receipt: { newTotalSupply: 7n } };
    const wipe: ItemFields = {
      data: { $case: 'tokenWipe', tokenWipe: { ...serials, account: account(70n) } },
      receipt: { newTotalSupply: 7n },
    };
    for (const fields of [burn, wipe]) {
      const handled = handle(itemOf(fields));
      expect(handled.entityId).toBe(3000n);
      expect(handled.all).toEqual([
        supply(7n),
        { table: 'nft', row: { ...NFT, serial_number: 4n, deleted: true } },
        { table: 'nft', row: { ...NFT, serial_number: 5n, deleted: true } },
      ]);
      expect(handleFailed(fields).all).toEqual([]);
    }
  });
});

describe('update of NFTs', () => {
  const update = (metadata: Uint8Array | undefined): ItemFields => ({
    data: {
      $case: 'tokenUpdateNfts',
      tokenUpdateNfts: { token: token(3000n), serialNumbers: [6n], ...(metadata && { metadata }) },
    },
  });

  it('changes metadata and leaves the spenders', () => {
    expect(handle(itemOf(update(bytes('0c')))).all).toEqual([
      {
        table: 'nft',
        row: { ...NFT, serial_number: 6n, delegating_spender: 0n, metadata: bytes('0c'), spender: 0n },
      },
    ]);
    expect(handle(itemOf(update(undefined))).all).toEqual([]);
    expect(handleFailed(update(bytes('0c'))).all).toEqual([]);
  });
});
