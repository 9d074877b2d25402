import { describe, expect, it } from 'vitest';
import {
  account,
  alias,
  bytes,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  PAYER,
  SINCE_T,
  token,
} from '../testing/handled.fixture.ts';

const approve = (body: object): ItemFields => ({
  data: { $case: 'cryptoApproveAllowance', cryptoApproveAllowance: body },
});

const GRANT = { owner: 10n, spender: 20n, payer_account_id: PAYER, timestamp_range: SINCE_T };
const parties = { owner: account(10n), spender: account(20n) };

describe('approve allowance', () => {
  it('grants tinybars, units and all NFTs of a token', () => {
    const handled = handle(
      itemOf(
        approve({
          cryptoAllowances: [{ ...parties, amount: 5n }],
          tokenAllowances: [{ ...parties, tokenId: token(30n), amount: 6n }],
          nftAllowances: [{ ...parties, tokenId: token(31n), approvedForAll: false }],
        }),
      ),
    );
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([
      { table: 'crypto_allowance', row: { ...GRANT, amount: 5n, amount_granted: 5n } },
      { table: 'token_allowance', row: { ...GRANT, token_id: 30n, amount: 6n, amount_granted: 6n } },
      { table: 'nft_allowance', row: { ...GRANT, token_id: 31n, approved_for_all: false } },
    ]);
  });

  it('writes nothing when it fails', () => {
    expect(handleFailed(approve({ cryptoAllowances: [{ ...parties, amount: 5n }] })).all).toEqual([]);
  });

  it('lets the last entry of the same parties win', () => {
    const handled = handle(
      itemOf(
        approve({
          cryptoAllowances: [
            { ...parties, amount: 1n },
            { ...parties, spender: account(21n), amount: 2n },
            { ...parties, amount: 3n },
          ],
          tokenAllowances: [
            { ...parties, tokenId: token(30n), amount: 4n },
            { ...parties, tokenId: token(30n), amount: 0n },
          ],
        }),
      ),
    );
    expect(handled.rows('crypto_allowance').map(({ spender, amount }) => [spender, amount])).toEqual([
      [20n, 3n],
      [21n, 2n],
    ]);
    expect(handled.rows('token_allowance')).toMatchObject([{ amount: 0n, amount_granted: 0n }]);
  });

  it('gives single NFTs a spender, of several for one serial the last', () => {
    const serials = (spender: bigint, delegatingSpender: bigint, ...serialNumbers: bigint[]) => ({
      owner: account(10n),
      spender: account(spender),
      delegatingSpender: account(delegatingSpender),
      tokenId: token(31n),
      serialNumbers,
    });
    const nft = { token_id: 31n, account_id: 10n, timestamp_range: SINCE_T };
    expect(handle(itemOf(approve({ nftAllowances: [serials(20n, 0n, 1n, 2n), serials(21n, 22n, 2n)] }))).all).toEqual([
      { table: 'nft', row: { ...nft, serial_number: 1n, spender: 20n, delegating_spender: null } },
      { table: 'nft', row: { ...nft, serial_number: 2n, spender: 21n, delegating_spender: 22n } },
    ]);
  });

  it('takes the payer for a missing owner, resolves an alias, and leaves out an unknown one', () => {
    const [known, unknown] = [bytes('aa'.repeat(20)), bytes('bb'.repeat(20))];
    const handled = handle(
      itemOf(
        approve({
          cryptoAllowances: [
            { spender: account(20n), amount: 1n },
            { owner: alias(known), spender: account(20n), amount: 2n },
            { owner: alias(unknown), spender: account(20n), amount: 3n },
          ],
        }),
      ),
      { known: { [Buffer.from(known).toString('hex')]: 50n } },
    );
    expect(handled.rows('crypto_allowance').map(({ owner, amount }) => [owner, amount])).toEqual([
      [PAYER, 1n],
      [50n, 2n],
    ]);
    expect(handled.problems).toEqual(['Unknown alias or EVM address of the allowance owner']);
  });
});

describe('delete allowance', () => {
  const remove: ItemFields = {
    data: {
      $case: 'cryptoDeleteAllowance',
      cryptoDeleteAllowance: { nftAllowances: [{ tokenId: token(31n), owner: account(10n), serialNumbers: [4n, 5n] }] },
    },
  };

  it('clears the spenders of each NFT', () => {
    const cleared = { token_id: 31n, spender: null, delegating_spender: null, timestamp_range: SINCE_T };
    expect(handle(itemOf(remove)).all).toEqual([
      { table: 'nft', row: { ...cleared, serial_number: 4n } },
      { table: 'nft', row: { ...cleared, serial_number: 5n } },
    ]);
    expect(handleFailed(remove).all).toEqual([]);
  });

  it('knows the owner by alias, and takes the payer for an unknown one', () => {
    const byAlias = (owner: Uint8Array) => {
      const nftAllowances = [{ tokenId: token(31n), owner: alias(owner), serialNumbers: [4n] }];
      return itemOf({ data: { $case: 'cryptoDeleteAllowance', cryptoDeleteAllowance: { nftAllowances } } });
    };
    const known = { ['aa'.repeat(20)]: 50n };
    expect(handle(byAlias(bytes('aa'.repeat(20))), { known }).touched).toEqual([50n, 31n]);
    expect(handle(byAlias(bytes('bb'.repeat(20))), { known }).touched).toEqual([PAYER, 31n]);
  });
});
