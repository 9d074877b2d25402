/** Cases of functions that take a whole token, its keys, expiry or fees, in the variants of each struct. */
import { CENT_TENTH, classic, code, type FunctionCase } from './system-cases.fixture.ts';
import { ALICE, at, BARE, CALLER_ADDRESS, NEXT, NFT, NOBODY, NOW, TREASURY, UNITS } from './system-ledger.fixture.ts';

const ed25519Key = {
  inheritAccountKey: false,
  contractId: NOBODY,
  ed25519: `0x${'07'.repeat(32)}`,
  secp256k1: '0x',
  delegatableContractId: NOBODY,
};
const newToken = (treasury: string, period: bigint | number) => ({
  name: 'New',
  symbol: 'NEW',
  treasury,
  memo: 'made here',
  finite: false,
  maxSupply: 0,
  freezeDefault: false,
  keys: [{ keyType: 17n, value: ed25519Key }],
  expiry: { second: 0, autoRenewAccount: at(ALICE), autoRenewPeriod: period },
});
const period = 7_776_000;
const token1 = newToken(CALLER_ADDRESS, period);
const token3 = {
  ...token1,
  maxSupply: 0n,
  expiry: { second: 0n, autoRenewAccount: at(ALICE), autoRenewPeriod: BigInt(period) },
};
const token2 = { ...token1, maxSupply: 0n };

/** More than the fee in tinybars, which custom fees double. */
const CREATION = 1_100_000_000n;
const CREATION_WITH_FEES = 2_200_000_000n;

const creation = (args: readonly unknown[], value = CREATION): FunctionCase => ({
  args,
  value,
  answer: [code('SUCCESS'), at(NEXT)],
  gas: 100_000n,
  failing: { args, value: 1n, ending: ['success', code('INSUFFICIENT_TX_FEE'), NOBODY] },
});

const fixed = (amount: bigint | number) => ({
  amount,
  token: NOBODY,
  useHbar: true,
  useCurrentToken: false,
  collector: at(TREASURY),
});
const fractional = <N>(numbers: { numerator: N; denominator: N; minimum: N; maximum: N }) => ({
  ...numbers,
  netOfTransfers: false,
  collector: at(TREASURY),
});
const royalty = <N>(numbers: { numerator: N; denominator: N; amount: N }) => ({
  ...numbers,
  token: NOBODY,
  useHbar: true,
  collector: at(TREASURY),
});
const tenth32 = fractional({ numerator: 1, denominator: 10, minimum: 0, maximum: 0 });
const tenth = fractional({ numerator: 1n, denominator: 10n, minimum: 0n, maximum: 0n });
const tenthOfPrice32 = royalty({ numerator: 1, denominator: 10, amount: 5 });
const tenthOfPrice = royalty({ numerator: 1n, denominator: 10n, amount: 5n });

const update = (info: unknown): FunctionCase =>
  classic(CENT_TENTH, [at(UNITS), info], [at(BARE), info], 'TOKEN_IS_IMMUTABLE');
const updated = { keys: [], symbol: 'CHG', treasury: NOBODY };
const noExpiry = { second: 0n, autoRenewAccount: NOBODY, autoRenewPeriod: 0n };
const noExpiry1 = { second: 0, autoRenewAccount: NOBODY, autoRenewPeriod: 0 };
const later = NOW + 3_000_000_000n;
const cases: Record<string, FunctionCase> = {
  'createFungibleToken(T1,uint256,uint256)': creation([token1, 100n, 2n]),
  'createFungibleToken(T2,uint64,uint32)': creation([token2, 100n, 2]),
  'createFungibleToken(T3,int64,int32)': creation([token3, 100n, 2]),
  'createFungibleTokenWithCustomFees(T1,uint256,uint256,F32,Q32)': creation(
    [token1, 100n, 2n, [fixed(4)], [tenth32]],
    CREATION_WITH_FEES,
  ),
  'createFungibleTokenWithCustomFees(T2,uint64,uint32,F32,Q32)': creation(
    [token2, 100n, 2, [fixed(4)], [tenth32]],
    CREATION_WITH_FEES,
  ),
  'createFungibleTokenWithCustomFees(T3,int64,int32,F64,Q64)': creation(
    [token3, 100n, 2, [fixed(4n)], [tenth]],
    CREATION_WITH_FEES,
  ),
  'createNonFungibleToken(T1)': creation([token1]),
  'createNonFungibleToken(T2)': creation([token2]),
  'createNonFungibleToken(T3)': creation([token3]),
  'createNonFungibleTokenWithCustomFees(T1,F32,R32)': creation(
    [token1, [fixed(4)], [tenthOfPrice32]],
    CREATION_WITH_FEES,
  ),
  'createNonFungibleTokenWithCustomFees(T2,F32,R32)': creation(
    [token2, [fixed(4)], [tenthOfPrice32]],
    CREATION_WITH_FEES,
  ),
  'createNonFungibleTokenWithCustomFees(T3,F64,R64)': creation(
    [token3, [fixed(4n)], [tenthOfPrice]],
    CREATION_WITH_FEES,
  ),
  'updateTokenInfo(address,T1)': update({ ...token1, ...updated, expiry: noExpiry1 }),
  'updateTokenInfo(address,T2)': update({ ...token2, ...updated, expiry: noExpiry1 }),
  'updateTokenInfo(address,T3)': update({ ...token3, ...updated, expiry: noExpiry }),
  'updateTokenExpiryInfo(address,(uint32,address,uint32))': classic(
    CENT_TENTH,
    [at(UNITS), { ...noExpiry1, second: Number(4_100_000_000n) }],
    [at(UNITS), { ...noExpiry1, second: Number(NOW) + 5 }],
    'EXPIRATION_REDUCTION_NOT_ALLOWED',
  ),
  'updateTokenExpiryInfo(address,(int64,address,int64))': classic(
    CENT_TENTH,
    [at(UNITS), { ...noExpiry, second: later }],
    [at(UNITS), { ...noExpiry, autoRenewPeriod: 5n }],
    'INVALID_RENEWAL_PERIOD',
  ),
  'updateTokenKeys(address,K)': classic(
    CENT_TENTH,
    [at(UNITS), [{ keyType: 2n, value: ed25519Key }]],
    [at(UNITS), [{ keyType: 2n, value: { ...ed25519Key, ed25519: '0x' } }]],
    'KEY_NOT_PROVIDED',
  ),
  'updateNFTsMetadata(address,int64[],bytes)': classic(
    CENT_TENTH,
    [at(NFT), [4n], '0x0909'],
    [at(NFT), [], '0x0909'],
    'MISSING_SERIAL_NUMBERS',
  ),
  'updateFungibleTokenCustomFees(address,F64,Q64)': classic(
    CENT_TENTH,
    [at(UNITS), [fixed(4n)], [tenth]],
    [at(BARE), [fixed(4n)], []],
    'TOKEN_HAS_NO_FEE_SCHEDULE_KEY',
  ),
  'updateNonFungibleTokenCustomFees(address,F64,R64)': classic(
    CENT_TENTH,
    [at(NFT), [], [tenthOfPrice]],
    [at(NFT), [], []],
    'CUSTOM_SCHEDULE_ALREADY_HAS_NO_FEES',
  ),
};

/** Structs by the names that stand for them in the signatures above. */
const key = '(bool,address,bytes,bytes,address)';
const expiries = { T1: '(uint32,address,uint32)', T3: '(int64,address,int64)' };
const struct = (maxSupply: string, expiry: string) =>
  `(string,string,address,string,bool,${maxSupply},bool,(uint256,${key})[],${expiry})`;
const fees = (number: string) => ({
  F: `(${number},address,bool,bool,address)[]`,
  Q: `(${number},${number},${number},${number},bool,address)[]`,
  R: `(${number},${number},${number},address,bool,address)[]`,
});
const names: Record<string, string> = {
  T1: struct('uint32', expiries.T1),
  T2: struct('int64', expiries.T1),
  T3: struct('int64', expiries.T3),
  K: `(uint256,${key})[]`,
  F32: fees('uint32').F,
  Q32: fees('uint32').Q,
  R32: fees('uint32').R,
  F64: fees('int64').F,
  Q64: fees('int64').Q,
  R64: fees('int64').R,
};
/** Creations of tokens, and changes of what they are. */
export const tokenSettingCases: Readonly<Record<string, FunctionCase>> = Object.fromEntries(
  Object.entries(cases).map(([signature, given]) => [
    signature.replaceAll(/\b(T[123]|K|[FQR](?:32|64))\b/g, (name) => names[name] ?? name),
    given,
  ]),
);
