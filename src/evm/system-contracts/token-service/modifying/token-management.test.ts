import { decodeAbiParameters, encodeFunctionData, getAddress, type Hex, parseAbi, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../../ledger/bytes.ts';
import {
  entityRecord,
  memoryReader,
  nftRecord,
  relationRecord,
  tokenRecord,
} from '../../../state/testing/memory-reader.fixture.ts';
import { longZeroHex, World } from '../../../state/world.ts';
import { tableContract } from '../../dispatch.ts';
import type { RunContext, SystemCall } from '../../system-contract.ts';
import { requiredValue } from './creation.ts';
import { modifyingFunctions } from './functions.ts';

const structs = [
  'struct KeyValue { bool inheritAccountKey; address contractId; bytes ed25519; bytes ecdsa; address delegatable; }',
  'struct TokenKey { uint256 keyType; KeyValue key; }',
  'struct Expiry { int64 second; address autoRenewAccount; int64 autoRenewPeriod; }',
  'struct Token { string name; string symbol; address treasury; string memo; bool finite; int64 maxSupply; bool freezeDefault; TokenKey[] keys; Expiry expiry; }',
  'struct FixedFee { int64 amount; address token; bool useHbar; bool useCurrentToken; address collector; }',
  'struct FractionalFee { int64 numerator; int64 denominator; int64 minimum; int64 maximum; bool netOfTransfers; address collector; }',
  'struct RoyaltyFee { int64 numerator; int64 denominator; int64 amount; address token; bool useHbar; address collector; }',
] as const;

const abi = parseAbi([
  ...structs,
  'function mintToken(address,int64,bytes[])',
  'function burnToken(address,int64,int64[])',
  'function wipeTokenAccount(address,address,int64)',
  'function wipeTokenAccountNFT(address,address,int64[])',
  'function freezeToken(address,address)',
  'function unfreezeToken(address,address)',
  'function grantTokenKyc(address,address)',
  'function revokeTokenKyc(address,address)',
  'function pauseToken(address)',
  'function unpauseToken(address)',
  'function deleteToken(address)',
  'function createFungibleToken(Token,int64,int32)',
  'function createFungibleTokenWithCustomFees(Token,int64,int32,FixedFee[],FractionalFee[])',
  'function createNonFungibleTokenWithCustomFees(Token,FixedFee[],RoyaltyFee[])',
  'function createNonFungibleToken(Token)',
  'function updateTokenInfo(address,Token)',
  'function updateTokenExpiryInfo(address,Expiry)',
  'function updateTokenKeys(address,TokenKey[])',
  'function updateNFTsMetadata(address,int64[],bytes)',
  'function updateFungibleTokenCustomFees(address,FixedFee[],FractionalFee[])',
  'function updateNonFungibleTokenCustomFees(address,FixedFee[],RoyaltyFee[])',
]);

const TREASURY = 1001n;
const HOLDER = 1002n;
const FUNGIBLE = 2001n;
const NFT = 2002n;
const key = new Uint8Array([1]);
const allKeys = {
  admin: key,
  kyc: key,
  freeze: key,
  wipe: key,
  supply: key,
  feeSchedule: key,
  pause: key,
  metadata: key,
};
const ZERO: Hex = `0x${'0'.repeat(40)}`;

const at = (num: bigint): Hex => getAddress(`0x${num.toString(16).padStart(40, '0')}`);

const service = tableContract({ number: 0x167n, functions: modifyingFunctions });

const ledger = () => {
  const statuses: number[] = [];
  const world = new World(
    memoryReader({
      entities: [
        entityRecord(TREASURY),
        entityRecord(HOLDER),
        entityRecord(FUNGIBLE, { type: 'TOKEN' }),
        entityRecord(NFT, { type: 'TOKEN' }),
      ],
      tokens: [
        tokenRecord(FUNGIBLE, { treasuryId: TREASURY, totalSupply: 100n, keys: allKeys }),
        tokenRecord(NFT, { type: 'NON_FUNGIBLE_UNIQUE', treasuryId: TREASURY, totalSupply: 2n, keys: allKeys }),
      ],
      relations: [
        relationRecord(TREASURY, FUNGIBLE, { balance: 60n }),
        relationRecord(HOLDER, FUNGIBLE, { balance: 40n }),
        relationRecord(TREASURY, NFT, { balance: 1n }),
        relationRecord(HOLDER, NFT, { balance: 1n }),
      ],
      nfts: [nftRecord(NFT, 1n, TREASURY), nftRecord(NFT, 2n, HOLDER)],
    }),
    { shard: 0n, realm: 0n },
  );
  const run: RunContext = {
    world,
    block: { number: 1n, timestamp: 1_700_000_000n, hash: new Uint8Array(48) },
    network: { chainId: 298n, ledgerId: '0x03' },
    now: 1_700_000_000_000_000_000n,
    exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
    gasPriceMilliTinycents: 852_000n,
    payerId: TREASURY,
    children: { add: ({ status }) => statuses.push(status) },
  };
  const call = async (data: Hex, changes: Partial<SystemCall> = {}) =>
    service.call(
      {
        input: fromHex(data) as Uint8Array,
        sender: longZeroHex(TREASURY),
        recipient: longZeroHex(0x167n),
        value: 0n,
        gas: 15_000_000n,
        isStatic: false,
        isDelegate: false,
        ...changes,
      },
      run,
    );
  return { world, run, call, statuses };
};

type Ledger = ReturnType<typeof ledger>;

const answerOf = async (
  result: ReturnType<Ledger['call']>,
  types = 'int64',
): Promise<{ values: readonly unknown[]; gasUsed: bigint }> => {
  const settled = await result;
  if (settled.outcome !== 'success') throw new Error(`The frame ended with ${settled.outcome}`);
  return {
    values: decodeAbiParameters(parseAbiParameters(types), `0x${toHex(settled.output)}`),
    gasUsed: settled.gasUsed,
  };
};

const data = (...[functionName, args]: [string, readonly unknown[]]): Hex =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);

const ed25519: Hex = `0x${'ab'.repeat(32)}`;
const tokenKey = (keyType: bigint, changes = {}) => ({
  keyType,
  key: { inheritAccountKey: false, contractId: ZERO, ed25519, ecdsa: '0x', delegatable: ZERO, ...changes },
});
const expiry = { second: 0n, autoRenewAccount: ZERO, autoRenewPeriod: 0n };
const struct = (changes = {}) => ({
  name: 'Coin',
  symbol: 'CN',
  treasury: at(TREASURY),
  memo: 'm',
  finite: false,
  maxSupply: 0n,
  freezeDefault: false,
  keys: [] as ReturnType<typeof tokenKey>[],
  expiry,
  ...changes,
});

describe('supply', () => {
  it('mints units', async () => {
    const { call, world, statuses } = ledger();
    const { values, gasUsed } = await answerOf(call(data('mintToken', [at(FUNGIBLE), 5n, []])), 'int64,int64,int64[]');
    expect(values).toEqual([22n, 105n, []]);
    expect(gasUsed).toBe(15_284n);
    expect((await world.token(FUNGIBLE))?.totalSupply).toBe(105n);
    expect(statuses).toEqual([22]);
  });

  it('mints serials, each after the first at its price', async () => {
    const { call } = ledger();
    const one = await answerOf(call(data('mintToken', [at(NFT), 0n, ['0x01']])), 'int64,int64,int64[]');
    expect(one).toEqual({ values: [22n, 3n, [3n]], gasUsed: 282_889n });
    const two = await answerOf(call(data('mintToken', [at(NFT), 0n, ['0x01', '0x02']])), 'int64,int64,int64[]');
    expect(two).toEqual({ values: [22n, 5n, [4n, 5n]], gasUsed: 564_579n });
  });

  it('answers the status of a refusal and zeros', async () => {
    const { call, statuses } = ledger();
    const refused = await answerOf(call(data('mintToken', [at(9n), 5n, []])), 'int64,int64,int64[]');
    expect(refused.values).toEqual([167n, 0n, []]);
    expect((await answerOf(call(data('burnToken', [at(FUNGIBLE), 61n, []])), 'int64,int64')).values).toEqual([
      178n,
      0n,
    ]);
    expect(statuses).toEqual([167, 178]);
  });

  it('burns and wipes', async () => {
    const { call, world } = ledger();
    expect((await answerOf(call(data('burnToken', [at(FUNGIBLE), 10n, []])), 'int64,int64')).values).toEqual([
      22n,
      90n,
    ]);
    expect((await answerOf(call(data('burnToken', [at(NFT), 0n, [1n]])), 'int64,int64')).values).toEqual([22n, 1n]);
    expect((await answerOf(call(data('wipeTokenAccount', [at(FUNGIBLE), at(HOLDER), 40n])))).values).toEqual([22n]);
    expect((await answerOf(call(data('wipeTokenAccountNFT', [at(NFT), at(HOLDER), [2n]])))).values).toEqual([22n]);
    expect((await world.token(FUNGIBLE))?.totalSupply).toBe(50n);
    expect(await world.nft(NFT, 2n)).toBeUndefined();
  });
});

describe('flags', () => {
  it.each([
    ['freezeToken', [at(FUNGIBLE), at(HOLDER)], 22n],
    ['freezeToken', [at(FUNGIBLE), at(9_009n)], 15n],
    ['unfreezeToken', [at(FUNGIBLE), at(HOLDER)], 22n],
    ['grantTokenKyc', [at(FUNGIBLE), at(HOLDER)], 22n],
    ['revokeTokenKyc', [at(FUNGIBLE), at(HOLDER)], 22n],
    ['pauseToken', [at(FUNGIBLE)], 22n],
    ['unpauseToken', [at(FUNGIBLE)], 22n],
    ['deleteToken', [at(FUNGIBLE)], 22n],
    ['deleteToken', [at(HOLDER)], 167n],
  ])('%s(%s) answers %s', async (name, args, status) => {
    const { call } = ledger();
    expect(await answerOf(call(data(name, args)))).toEqual({ values: [status], gasUsed: 15_284n });
  });

  it('is not changed from a static frame', async () => {
    const { call } = ledger();
    expect(await call(data('pauseToken', [at(FUNGIBLE)]), { isStatic: true })).toEqual({
      outcome: 'halt',
      reason: 'ILLEGAL_STATE_CHANGE',
    });
  });
});

describe('creation', () => {
  const created = 'int64,address';

  it('costs flat gas, and the fee in value', async () => {
    const { call, world, run } = ledger();
    // $1 and a fifth is 999,999,999 tinybars at 12 cents; 100,000 gas at 71 tinybars are 7,100,000.
    expect(requiredValue({ keys: 0, customFees: false }, run)).toBe(992_899_999n);
    const input = data('createFungibleToken', [struct({ keys: [tokenKey(17n)] }), 500n, 2]);
    const cheap = await answerOf(call(input, { value: 1_002_899_998n }), created);
    expect(cheap).toEqual({ values: [9n, ZERO], gasUsed: 100_000n });
    const paid = await answerOf(call(input, { value: 1_002_899_999n }), created);
    expect(paid).toEqual({ values: [22n, at(3003n)], gasUsed: 100_000n });
    expect(await world.token(3003n)).toMatchObject({ name: 'Coin', decimals: 2, totalSupply: 500n });
    const keys = (await world.token(3003n))?.keys;
    expect(Object.keys(keys ?? {})).toEqual(['admin', 'supply']);
    expect(toHex(keys?.admin ?? key)).toBe(`1220${'ab'.repeat(32)}`);
  });

  it('makes non-fungible tokens with royalties, whose supply key is the caller', async () => {
    const { call, world } = ledger();
    const keys = [tokenKey(16n, { inheritAccountKey: true, ed25519: '0x' })];
    const royalty = { numerator: 1n, denominator: 10n, amount: 5n, token: ZERO, useHbar: true, collector: at(HOLDER) };
    const input = data('createNonFungibleTokenWithCustomFees', [struct({ keys }), [], [royalty]]);
    const { values } = await answerOf(call(input, { value: 2_000_000_000n }), created);
    expect(values).toEqual([22n, at(3003n)]);
    expect(await world.token(3003n)).toMatchObject({
      type: 'NON_FUNGIBLE_UNIQUE',
      keys: { supply: entityRecord(TREASURY).key },
      customFees: {
        royalty: [
          {
            numerator: 1n,
            denominator: 10n,
            fallback: { amount: 5n, denominatingTokenId: undefined },
            collectorId: HOLDER,
          },
        ],
      },
    });
  });

  it('takes fees in the new token itself', async () => {
    const { call, world } = ledger();
    const fixed = { amount: 2n, token: ZERO, useHbar: false, useCurrentToken: true, collector: at(HOLDER) };
    const fractional = {
      numerator: 1n,
      denominator: 100n,
      minimum: 1n,
      maximum: 9n,
      netOfTransfers: true,
      collector: at(TREASURY),
    };
    const input = data('createFungibleTokenWithCustomFees', [struct(), 1n, 0, [fixed], [fractional]]);
    const { values } = await answerOf(call(input, { value: 2_000_000_000n }), created);
    expect(values).toEqual([22n, at(3003n)]);
    expect((await world.token(3003n))?.customFees.fixed[0]?.denominatingTokenId).toBe(3003n);
    expect(await world.tokenRelation(HOLDER, 3003n)).toMatchObject({ balance: 0n, kycGranted: true });
  });

  it('reverts without a symbol or treasury, and answers other refusals', async () => {
    const { call } = ledger();
    const value = 2_000_000_000n;
    const reverted = (code: bigint) => ({
      outcome: 'revert',
      output: fromHex(code.toString(16).padStart(64, '0')),
      gasUsed: 100_000n,
    });
    expect(await call(data('createFungibleToken', [struct({ symbol: '' }), 0n, 0]), { value })).toEqual(reverted(174n));
    expect(await call(data('createFungibleToken', [struct({ treasury: at(9_009n) }), 0n, 0]), { value })).toEqual(
      reverted(15n),
    );
    const refused = await answerOf(call(data('createNonFungibleToken', [struct()]), { value }), created);
    expect(refused.values).toEqual([180n, ZERO]);
  });
});

describe('updates', () => {
  it('changes information, expiry and keys', async () => {
    const { call, world } = ledger();
    const info = data('updateTokenInfo', [at(FUNGIBLE), struct({ name: 'New', symbol: '', treasury: ZERO })]);
    expect(await answerOf(call(info))).toEqual({ values: [22n], gasUsed: 15_284n });
    const until = { ...expiry, second: 4_100_000_000n };
    expect((await answerOf(call(data('updateTokenExpiryInfo', [at(FUNGIBLE), until])))).values).toEqual([22n]);
    const keys = data('updateTokenKeys', [at(FUNGIBLE), [tokenKey(2n), tokenKey(64n)]]);
    expect(await answerOf(call(keys))).toEqual({ values: [22n], gasUsed: 156_128n });
    const token = await world.token(FUNGIBLE);
    expect(token).toMatchObject({ name: 'New', symbol: 'TKN', expirySeconds: 4_100_000_000n, treasuryId: TREASURY });
    expect(token?.keys.pause).toEqual(token?.keys.kyc);
    expect(token?.keys.supply).toEqual(key);
  });

  it('changes metadata of serials', async () => {
    const { call, world } = ledger();
    const { values, gasUsed } = await answerOf(call(data('updateNFTsMetadata', [at(NFT), [1n, 2n], '0x0909'])));
    expect(values).toEqual([22n]);
    expect(gasUsed).toBe(29_368n);
    expect((await world.nft(NFT, 2n))?.metadata).toEqual(new Uint8Array([9, 9]));
  });

  it('changes custom fees', async () => {
    const { call, world } = ledger();
    const fixed = { amount: 2n, token: ZERO, useHbar: true, useCurrentToken: false, collector: at(HOLDER) };
    expect((await answerOf(call(data('updateFungibleTokenCustomFees', [at(FUNGIBLE), [fixed], []])))).values).toEqual([
      22n,
    ]);
    expect((await world.token(FUNGIBLE))?.customFees.fixed).toEqual([
      { amount: 2n, denominatingTokenId: undefined, collectorId: HOLDER, allCollectorsAreExempt: false },
    ]);
    const nothing = data('updateNonFungibleTokenCustomFees', [at(NFT), [], []]);
    expect((await answerOf(call(nothing))).values).toEqual([244n]);
    const ambiguous = { ...fixed, useCurrentToken: true };
    const twice = data('updateNonFungibleTokenCustomFees', [at(NFT), [ambiguous], []]);
    expect((await answerOf(call(twice))).values).toEqual([50n]);
  });
});
