import { decodeAbiParameters, getAddress, type Hex, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { type ContractID, Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { TokenRecord } from '../../state/records.ts';
import { entityRecord, nftRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import type { SystemResult } from '../system-contract.ts';
import {
  address0x,
  inputOf,
  longZero,
  outputHex,
  outputText,
  recordedRun,
  systemCall,
} from '../testing/system-call.fixture.ts';
import { createTokenService } from './token-service.ts';

const FUNGIBLE = 2001n;
const NFT = 2002n;
const MISSING = 2999n;
const TREASURY = 1002n;
const OWNER = 1003n;
const COLLECTOR = 1004n;
const ownerAlias = 'aa'.repeat(20);
const ZERO = address0x(longZero(0n));

const keyBytes = (key: NonNullable<Key['key']>): Uint8Array => Key.encode({ key }).finish();
const ed25519 = keyBytes({ $case: 'ed25519', ed25519: new Uint8Array(32).fill(7) });
const ecdsa = keyBytes({ $case: 'ECDSASecp256k1', ECDSASecp256k1: new Uint8Array(33).fill(2) });
const contractId: ContractID = { shardNum: 0n, realmNum: 0n, contract: { $case: 'contractNum', contractNum: 1234n } };
const contractKey = keyBytes({ $case: 'contractID', contractID: contractId });
const delegatable = keyBytes({ $case: 'delegatableContractId', delegatableContractId: contractId });
const keyList = keyBytes({ $case: 'keyList', keyList: { keys: [{ key: { $case: 'ed25519', ed25519 } }] } });

const fungible = tokenRecord(FUNGIBLE, {
  name: 'Gold',
  symbol: 'GLD',
  memo: 'a memo',
  decimals: 6,
  totalSupply: 1_000n,
  supplyType: 'FINITE',
  maxSupply: 5_000n,
  treasuryId: TREASURY,
  freezeDefault: true,
  kycDefault: true,
  paused: true,
  autoRenewAccountId: OWNER,
  keys: { admin: ed25519, kyc: ecdsa, freeze: contractKey, wipe: delegatable, supply: keyList },
});

const service = createTokenService();

const runWith = (token: TokenRecord = fungible) =>
  recordedRun({
    entities: [
      entityRecord(TREASURY, { evmAddress: 'bb'.repeat(20) }),
      entityRecord(OWNER, { evmAddress: ownerAlias }),
      entityRecord(1005n),
    ],
    tokens: [token, tokenRecord(NFT, { type: 'NON_FUNGIBLE_UNIQUE', treasuryId: TREASURY, decimals: 0 })],
    nfts: [nftRecord(NFT, 3n, OWNER, { spenderId: 1005n }), nftRecord(NFT, 4n, TREASURY)],
  });

const ask = (signature: string, args: readonly unknown[], isStatic = false, run = runWith()): Promise<SystemResult> =>
  service.call(systemCall(inputOf(signature, ...args), { isStatic }), run);

const at = (num: bigint): Hex => getAddress(address0x(longZero(num)));

const structs = [
  'struct KeyValue { bool inherit; address contractId; bytes ed25519; bytes ecdsa; address delegatable; }',
  'struct TokenKey { uint256 keyType; KeyValue key; }',
  'struct Expiry { int64 second; address autoRenewAccount; int64 period; }',
  'struct Token { string name; string symbol; address treasury; string memo; bool finite; int64 maxSupply; bool freezeDefault; TokenKey[] keys; Expiry expiry; }',
  'struct FixedFee { int64 amount; address token; bool useHbar; bool useCurrentToken; address collector; }',
  'struct FractionalFee { int64 numerator; int64 denominator; int64 minimum; int64 maximum; bool netOfTransfers; address collector; }',
  'struct RoyaltyFee { int64 numerator; int64 denominator; int64 amount; address token; bool useHbar; address collector; }',
  'struct TokenInfo { Token token; int64 totalSupply; bool deleted; bool defaultKyc; bool paused; FixedFee[] fixedFees; FractionalFee[] fractionalFees; RoyaltyFee[] royaltyFees; string ledgerId; }',
  'struct FungibleInfo { TokenInfo info; int32 decimals; }',
  'struct NftInfo { TokenInfo info; int64 serial; address owner; int64 created; bytes metadata; address spender; }',
] as const;

const tokenInfoOutput = parseAbiParameters(['int64 status, TokenInfo info', ...structs]);
const fungibleInfoOutput = parseAbiParameters(['int64 status, FungibleInfo info', ...structs]);
const nftInfoOutput = parseAbiParameters(['int64 status, NftInfo info', ...structs]);
const feesOutput = parseAbiParameters([
  'int64 status, FixedFee[] fixedFees, FractionalFee[] fractionalFees, RoyaltyFee[] royaltyFees',
  ...structs,
]);
const keyOutput = parseAbiParameters(['int64 status, KeyValue key', ...structs]);
const expiryOutput = parseAbiParameters(['int64 status, Expiry expiry', ...structs]);
const wordOutput = parseAbiParameters('int64, uint256');

const words = (result: SystemResult): readonly bigint[] => decodeAbiParameters(wordOutput, outputHex(result));
const keyOf = (changes: object) => ({
  inherit: false,
  contractId: ZERO,
  ed25519: '0x',
  ecdsa: '0x',
  delegatable: ZERO,
  ...changes,
});

describe('token information', () => {
  it('shows a token with its keys', async () => {
    const run = runWith();
    const result = await ask('getTokenInfo(address)', [at(FUNGIBLE)], false, run);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 2_607n });
    expect(run.records).toEqual([{ status: 22 }]);
    const [status, info] = decodeAbiParameters(tokenInfoOutput, outputHex(result));
    expect(status).toBe(22n);
    expect(info).toEqual({
      token: {
        name: 'Gold',
        symbol: 'GLD',
        treasury: at(TREASURY),
        memo: 'a memo',
        finite: true,
        maxSupply: 5_000n,
        freezeDefault: true,
        keys: [
          { keyType: 1n, key: keyOf({ ed25519: `0x${'07'.repeat(32)}` }) },
          { keyType: 2n, key: keyOf({ ecdsa: `0x${'02'.repeat(33)}` }) },
          { keyType: 4n, key: keyOf({ contractId: at(1234n) }) },
          { keyType: 8n, key: keyOf({ delegatable: at(1234n) }) },
          { keyType: 16n, key: keyOf({}) },
          { keyType: 32n, key: keyOf({}) },
          { keyType: 64n, key: keyOf({}) },
        ],
        expiry: { second: 4_000_000_000n, autoRenewAccount: at(OWNER), period: 7_776_000n },
      },
      totalSupply: 1_000n,
      deleted: false,
      defaultKyc: true,
      paused: true,
      fixedFees: [],
      fractionalFees: [],
      royaltyFees: [],
      ledgerId: '0x03',
    });
  });

  it('has the size that clients know', async () => {
    const all = tokenRecord(FUNGIBLE, {
      memo: 'memo',
      keys: {
        admin: ed25519,
        kyc: ed25519,
        freeze: ed25519,
        wipe: ed25519,
        supply: ed25519,
        feeSchedule: ed25519,
        pause: ed25519,
        metadata: ed25519,
      },
    });
    const info = await ask('getTokenInfo(address)', [at(FUNGIBLE)], false, runWith(all));
    expect(outputHex(info).length - 2).toBe(7_104);
    const fungibleInfo = await ask('getFungibleTokenInfo(address)', [at(FUNGIBLE)], false, runWith(all));
    expect(outputHex(fungibleInfo).length - 2).toBe(7_232);
  });

  it('shows decimals of a fungible token', async () => {
    const result = await ask('getFungibleTokenInfo(address)', [at(FUNGIBLE)]);
    const [status, info] = decodeAbiParameters(fungibleInfoOutput, outputHex(result));
    expect([status, info.decimals, info.info.token.name]).toEqual([22n, 6, 'Gold']);
  });

  it('shows a serial with the addresses that contracts know', async () => {
    const result = await ask('getNonFungibleTokenInfo(address,int64)', [at(NFT), 3n]);
    const [status, { info, ...nft }] = decodeAbiParameters(nftInfoOutput, outputHex(result));
    expect([status, info.token.treasury]).toEqual([22n, at(TREASURY)]);
    expect(nft).toEqual({
      serial: 3n,
      owner: getAddress(address0x(ownerAlias)),
      created: 1_600_000_000n,
      metadata: '0x010203',
      spender: at(1005n),
    });
  });

  it('shows the token also for a serial that does not exist', async () => {
    const run = runWith();
    const result = await ask('getNonFungibleTokenInfo(address,int64)', [at(NFT), 9n], false, run);
    const [status, { info, ...nft }] = decodeAbiParameters(nftInfoOutput, outputHex(result));
    expect([status, info.token.symbol, nft.serial, nft.created, nft.spender]).toEqual([225n, 'TKN', 9n, 0n, ZERO]);
    expect(run.records).toEqual([{ status: 225 }]);
    const inStatic = await ask('getNonFungibleTokenInfo(address,int64)', [at(NFT), 9n], true);
    expect(inStatic).toMatchObject({ outcome: 'revert', gasUsed: 2_607n });
    expect(outputText(inStatic)).toBe('INVALID_TOKEN_NFT_SERIAL_NUMBER');
  });

  it('shows an empty token, with the ledger and seven keys, for a missing one', async () => {
    const [status, info] = decodeAbiParameters(
      tokenInfoOutput,
      outputHex(await ask('getTokenInfo(address)', [at(MISSING)])),
    );
    expect([status, info.token.name, info.token.keys.length, info.ledgerId]).toEqual([167n, '', 7, '0x03']);
    const alias = await ask('getTokenInfo(address)', [`0x${ownerAlias}`]);
    expect(decodeAbiParameters(tokenInfoOutput, outputHex(alias))[0]).toBe(167n);
  });
});

describe('custom fees', () => {
  const token = tokenRecord(FUNGIBLE, {
    customFees: {
      fixed: [
        { amount: 10n, denominatingTokenId: undefined, collectorId: COLLECTOR, allCollectorsAreExempt: false },
        { amount: 1n << 40n, denominatingTokenId: NFT, collectorId: COLLECTOR, allCollectorsAreExempt: true },
      ],
      fractional: [
        {
          numerator: 1n,
          denominator: 100n,
          minimum: 2n,
          maximum: 30n,
          netOfTransfers: true,
          collectorId: COLLECTOR,
          allCollectorsAreExempt: false,
        },
      ],
      royalty: [
        { numerator: 1n, denominator: 10n, fallback: undefined, collectorId: COLLECTOR, allCollectorsAreExempt: false },
        {
          numerator: 1n,
          denominator: 20n,
          fallback: { amount: 7n, denominatingTokenId: NFT },
          collectorId: COLLECTOR,
          allCollectorsAreExempt: false,
        },
        {
          numerator: 1n,
          denominator: 30n,
          fallback: { amount: 8n, denominatingTokenId: undefined },
          collectorId: COLLECTOR,
          allCollectorsAreExempt: false,
        },
      ],
    },
  });

  it('are shown by kind, also beyond 32 bits', async () => {
    const run = runWith(token);
    const [status, fixed, fractional, royalty] = decodeAbiParameters(
      feesOutput,
      outputHex(await ask('getTokenCustomFees(address)', [at(FUNGIBLE)], false, run)),
    );
    const collector = at(COLLECTOR);
    const nft = at(NFT);
    expect(status).toBe(22n);
    expect(fixed).toEqual([
      { amount: 10n, token: ZERO, useHbar: true, useCurrentToken: false, collector },
      { amount: 1n << 40n, token: nft, useHbar: false, useCurrentToken: false, collector },
    ]);
    expect(fractional).toEqual([
      { numerator: 1n, denominator: 100n, minimum: 2n, maximum: 30n, netOfTransfers: true, collector },
    ]);
    expect(royalty).toEqual([
      { numerator: 1n, denominator: 10n, amount: 0n, token: ZERO, useHbar: true, collector },
      { numerator: 1n, denominator: 20n, amount: 7n, token: nft, useHbar: false, collector },
      { numerator: 1n, denominator: 30n, amount: 8n, token: ZERO, useHbar: true, collector },
    ]);
    const [, info] = decodeAbiParameters(
      tokenInfoOutput,
      outputHex(await ask('getTokenInfo(address)', [at(FUNGIBLE)], false, run)),
    );
    expect([info.fixedFees, info.fractionalFees, info.royaltyFees]).toEqual([fixed, fractional, royalty]);
  });
});

describe('single settings', () => {
  it.each([
    ['isToken(address)', FUNGIBLE, [22n, 1n]],
    ['isToken(address)', MISSING, [22n, 0n]],
    ['isToken(address)', TREASURY, [22n, 0n]],
    ['getTokenType(address)', FUNGIBLE, [22n, 0n]],
    ['getTokenType(address)', NFT, [22n, 1n]],
    ['getTokenType(address)', MISSING, [167n, 0n]],
    ['getTokenDefaultFreezeStatus(address)', FUNGIBLE, [22n, 1n]],
    ['getTokenDefaultFreezeStatus(address)', NFT, [22n, 0n]],
    ['getTokenDefaultFreezeStatus(address)', MISSING, [167n, 0n]],
    ['getTokenDefaultKycStatus(address)', FUNGIBLE, [22n, 1n]],
    ['getTokenDefaultKycStatus(address)', MISSING, [167n, 0n]],
  ])('%s of 0.0.%d', async (signature, token, expected) => {
    const result = await ask(signature, [at(token)]);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 2_607n });
    expect(words(result)).toEqual(expected);
    expect(await ask(signature, [at(token)], true)).toMatchObject({
      outcome: expected[0] === 22n ? 'success' : 'revert',
    });
  });

  it('shows one key', async () => {
    const key = async (bit: bigint, token = FUNGIBLE) =>
      decodeAbiParameters(keyOutput, outputHex(await ask('getTokenKey(address,uint256)', [at(token), bit])));
    expect(await key(2n)).toEqual([22n, keyOf({ ecdsa: `0x${'02'.repeat(33)}` })]);
    expect(await key(16n)).toEqual([22n, keyOf({})]);
    for (const absent of [0n, 3n, 32n, 64n, 128n, 1n << 200n]) expect(await key(absent)).toEqual([44n, keyOf({})]);
    expect(await key(1n, MISSING)).toEqual([167n, keyOf({})]);
    const inStatic = await ask('getTokenKey(address,uint256)', [at(FUNGIBLE), 64n], true);
    expect([inStatic.outcome, outputText(inStatic)]).toEqual(['revert', 'KEY_NOT_PROVIDED']);
  });

  it('shows the expiry', async () => {
    const result = await ask('getTokenExpiryInfo(address)', [at(FUNGIBLE)]);
    const [status, expiry] = decodeAbiParameters(expiryOutput, outputHex(result));
    expect([status, expiry.second, expiry.period]).toEqual([22n, 4_000_000_000n, 7_776_000n]);
    expect(expiry.autoRenewAccount).toBe(at(OWNER));
    const missing = await ask('getTokenExpiryInfo(address)', [at(MISSING)]);
    expect(outputHex(missing)).toBe(`0x${'a7'.padStart(64, '0')}${'0'.repeat(192)}`);
  });
});
