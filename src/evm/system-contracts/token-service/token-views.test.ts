import { decodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from '../../state/testing/memory-reader.fixture.ts';
import type { SystemResult } from '../system-contract.ts';
import {
  address0x,
  callFacade,
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
const SENDER = 1001n;
const HOLDER = 1003n;
const OPERATOR = 1005n;
const alias = 'aa'.repeat(20);
const WRAPPER = '618dc65e';

const service = createTokenService();
const at = (num: bigint): Hex => address0x(longZero(num));
const holder = address0x(alias);

const newRun = () =>
  recordedRun({
    entities: [entityRecord(SENDER), entityRecord(HOLDER, { evmAddress: alias }), entityRecord(OPERATOR)],
    tokens: [
      tokenRecord(FUNGIBLE, { name: 'Gold €', symbol: 'GLD', decimals: 6, totalSupply: 1_000n }),
      tokenRecord(NFT, { type: 'NON_FUNGIBLE_UNIQUE', name: 'Art', totalSupply: 2n }),
    ],
    relations: [
      relationRecord(HOLDER, FUNGIBLE, { balance: 77n, frozen: true, kycGranted: false }),
      relationRecord(SENDER, NFT, { balance: 1n }),
    ],
    nfts: [
      nftRecord(NFT, 3n, HOLDER, { spenderId: OPERATOR, metadata: Buffer.from('ipfs://a') }),
      nftRecord(NFT, 4n, SENDER, { spenderId: HOLDER }),
      nftRecord(NFT, 5n, SENDER),
    ],
    tokenAllowances: [[HOLDER, OPERATOR, FUNGIBLE, 9n]],
    approvals: [[HOLDER, OPERATOR, NFT]],
  });

const atToken = (
  token: bigint,
  signature: string,
  args: readonly unknown[] = [],
  changes: Parameters<typeof systemCall>[1] = {},
  run = newRun(),
): Promise<SystemResult> => callFacade(service, run, WRAPPER, longZero(token), inputOf(signature, ...args), changes);

const direct = (signature: string, args: readonly unknown[], isStatic = false, run = newRun()): Promise<SystemResult> =>
  service.call(systemCall(inputOf(signature, ...args), { isStatic }), run);

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const answer = (...values: readonly bigint[]) => `0x${values.map(word).join('')}`;
const text = (result: SystemResult): string => decodeAbiParameters(parseAbiParameters('string'), outputHex(result))[0];
const halt = { outcome: 'halt', reason: 'INVALID_OPERATION' };
const ordinal = { outcome: 'revert', gasUsed: 2_607n, output: new Uint8Array(Buffer.from(word(225n), 'hex')) };

describe('ERC views', () => {
  it('name, symbol, decimals and supply', async () => {
    const name = await atToken(FUNGIBLE, 'name()');
    expect(name).toMatchObject({ outcome: 'success', gasUsed: 2_607n });
    expect(text(name)).toBe('Gold €');
    expect(text(await atToken(FUNGIBLE, 'symbol()'))).toBe('GLD');
    expect(outputHex(await atToken(FUNGIBLE, 'decimals()'))).toBe(answer(6n));
    expect(outputHex(await atToken(NFT, 'totalSupply()'))).toBe(answer(2n));
    expect(await atToken(NFT, 'decimals()')).toEqual(halt);
  });

  it('balances of accounts by the address that contracts know', async () => {
    expect(outputHex(await atToken(FUNGIBLE, 'balanceOf(address)', [holder]))).toBe(answer(77n));
    expect(outputHex(await atToken(FUNGIBLE, 'balanceOf(address)', [at(OPERATOR)]))).toBe(answer(0n));
    const run = newRun();
    const unknown = await atToken(FUNGIBLE, 'balanceOf(address)', [address0x('cc'.repeat(20))], {}, run);
    expect(unknown).toMatchObject({ outcome: 'revert', gasUsed: 2_607n });
    expect(outputText(unknown)).toBe('INVALID_ACCOUNT_ID');
    expect(run.records).toEqual([{ status: 15 }]);
    const byNumber = await atToken(FUNGIBLE, 'balanceOf(address)', [at(HOLDER)]);
    expect([byNumber.outcome, outputText(byNumber)]).toEqual(['revert', 'INVALID_ACCOUNT_ID']);
  });

  it('owners and metadata of serials', async () => {
    expect(outputHex(await atToken(NFT, 'ownerOf(uint256)', [3n]))).toBe(`0x${alias.padStart(64, '0')}`);
    expect(outputHex(await atToken(NFT, 'ownerOf(uint256)', [4n]))).toBe(answer(SENDER));
    expect(await atToken(NFT, 'ownerOf(uint256)', [9n])).toEqual(ordinal);
    expect(await atToken(NFT, 'ownerOf(uint256)', [1n << 255n])).toEqual(ordinal);
    expect(await atToken(FUNGIBLE, 'ownerOf(uint256)', [3n])).toEqual(halt);
    expect(text(await atToken(NFT, 'tokenURI(uint256)', [3n]))).toBe('ipfs://a');
    expect(text(await atToken(NFT, 'tokenURI(uint256)', [9n]))).toBe('ERC721Metadata: URI query for nonexistent token');
    expect(await atToken(FUNGIBLE, 'tokenURI(uint256)', [3n])).toEqual(halt);
  });

  it('whether the caller is associated', async () => {
    expect(outputHex(await atToken(NFT, 'isAssociated()'))).toBe(answer(1n));
    expect(outputHex(await atToken(FUNGIBLE, 'isAssociated()'))).toBe(answer(0n));
    expect(outputHex(await atToken(FUNGIBLE, 'isAssociated()', [], { sender: alias }))).toBe(answer(1n));
  });

  it('answer in static frames and over the explicit redirect', async () => {
    expect(outputHex(await atToken(FUNGIBLE, 'totalSupply()', [], { isStatic: true }))).toBe(answer(1_000n));
    const inner: Hex = `0x${Buffer.from(inputOf('totalSupply()')).toString('hex')}`;
    expect(outputHex(await direct('redirectForToken(address,bytes)', [at(FUNGIBLE), inner]))).toBe(answer(1_000n));
  });

  it('revert for what is no token, and are unknown without a redirect', async () => {
    const inner: Hex = `0x${Buffer.from(inputOf('name()')).toString('hex')}`;
    const missing = await direct('redirectForToken(address,bytes)', [at(MISSING), inner]);
    expect([missing.outcome, outputText(missing)]).toEqual(['revert', 'INVALID_TOKEN_ID']);
    expect(await direct('name()', [])).toEqual({ outcome: 'success', output: new Uint8Array(0), gasUsed: 0n });
  });
});

describe('views of relations', () => {
  it('frozen and KYC', async () => {
    expect(outputHex(await direct('isFrozen(address,address)', [at(FUNGIBLE), holder]))).toBe(answer(22n, 1n));
    expect(outputHex(await direct('isKyc(address,address)', [at(FUNGIBLE), holder]))).toBe(answer(22n, 0n));
    expect(outputHex(await direct('isKyc(address,address)', [at(NFT), at(SENDER)]))).toBe(answer(22n, 1n));
    expect(outputHex(await direct('isKyc(address,address)', [at(NFT), at(OPERATOR)]))).toBe(answer(22n, 0n));
    expect(outputHex(await direct('isKyc(address,address)', [at(MISSING), holder]))).toBe(answer(167n, 0n));
    expect(outputHex(await direct('isFrozen(address,address)', [at(NFT), at(4000n)]))).toBe(answer(15n, 0n));
    const inStatic = await direct('isFrozen(address,address)', [at(NFT), at(4000n)], true);
    expect([inStatic.outcome, outputText(inStatic)]).toEqual(['revert', 'INVALID_ACCOUNT_ID']);
  });
});

describe('views of allowances', () => {
  it('units, with a status directly and bare at the token', async () => {
    const args = [holder, at(OPERATOR)];
    const classic = 'allowance(address,address,address)';
    expect(outputHex(await direct(classic, [at(FUNGIBLE), ...args]))).toBe(answer(22n, 9n));
    expect(outputHex(await atToken(FUNGIBLE, 'allowance(address,address)', args))).toBe(answer(9n));
    expect(outputHex(await direct(classic, [at(FUNGIBLE), holder, at(4000n)]))).toBe(answer(22n, 0n));
    const noOwner = await direct(classic, [at(FUNGIBLE), at(4000n), holder]);
    expect([noOwner.outcome, outputText(noOwner)]).toEqual(['revert', 'INVALID_ALLOWANCE_OWNER_ID']);
  });

  it('nothing of what is no fungible token, a revert in a static frame', async () => {
    const classic = 'allowance(address,address,address)';
    for (const token of [NFT, MISSING]) {
      expect(outputHex(await direct(classic, [at(token), holder, at(OPERATOR)]))).toBe(answer(22n, 0n));
      const inStatic = await direct(classic, [at(token), holder, at(OPERATOR)], true);
      expect([inStatic.outcome, outputText(inStatic)]).toEqual(['revert', 'INVALID_TOKEN_ID']);
    }
    expect(outputHex(await atToken(NFT, 'allowance(address,address)', [holder, at(OPERATOR)]))).toBe(answer(0n));
  });

  it('the spender of a serial', async () => {
    const classic = 'getApproved(address,uint256)';
    expect(outputHex(await direct(classic, [at(NFT), 3n]))).toBe(answer(22n, OPERATOR));
    expect(outputHex(await direct(classic, [at(NFT), 4n]))).toBe(`${answer(22n)}${alias.padStart(64, '0')}`);
    expect(outputHex(await atToken(NFT, 'getApproved(uint256)', [5n]))).toBe(answer(0n));
    const refusal = async (result: Promise<SystemResult>) => [(await result).outcome, outputText(await result)];
    const serial = ['revert', 'INVALID_TOKEN_NFT_SERIAL_NUMBER'];
    expect(await refusal(atToken(NFT, 'getApproved(uint256)', [9n]))).toEqual(serial);
    expect(await refusal(direct(classic, [at(NFT), 1n << 64n]))).toEqual(serial);
    expect(await refusal(direct(classic, [at(FUNGIBLE), 3n]))).toEqual(serial);
    expect(await refusal(direct(classic, [at(FUNGIBLE), 3n], true))).toEqual(['revert', 'INVALID_TOKEN_ID']);
    expect(await refusal(direct(classic, [at(MISSING), 3n]))).toEqual(['revert', 'INVALID_TOKEN_ID']);
  });

  it('operators of all serials', async () => {
    const classic = 'isApprovedForAll(address,address,address)';
    expect(outputHex(await direct(classic, [at(NFT), holder, at(OPERATOR)]))).toBe(answer(22n, 1n));
    expect(outputHex(await direct(classic, [at(NFT), at(OPERATOR), holder]))).toBe(answer(22n, 0n));
    expect(outputHex(await atToken(NFT, 'isApprovedForAll(address,address)', [holder, at(OPERATOR)]))).toBe(answer(1n));
    expect(outputHex(await atToken(NFT, 'isApprovedForAll(address,address)', [holder, at(4000n)]))).toBe(answer(0n));
    for (const token of [FUNGIBLE, MISSING]) {
      const refused = await direct(classic, [at(token), holder, at(OPERATOR)]);
      expect([refused.outcome, outputText(refused)]).toEqual(['revert', 'INVALID_TOKEN_ID']);
    }
  });
});
