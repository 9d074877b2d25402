import { beforeEach, describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { StoredContract } from '../model.ts';
import { resolveProxy } from './proxy.ts';
import { fixtureVerifier, VERSION } from './testing/verifier.fixture.ts';

const PROXY = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const TARGET = '0x15452EC016c4dc8c549E7fe6Ff4b26324Ea8b7A4';
const contract = { chainId: '298', address: PROXY };
const verifier = fixtureVerifier();
beforeEach(() => verifier.reset());

const IMPLEMENTATION = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const BEACON = 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
const ZEPPELIN = '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3';
const PROXIABLE = 'c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7';
const ZERO = '0'.repeat(64);

/** Pushes the slot, loads it and calls what is there; two bytes of metadata at the end. */
const calling = (slot: string): string => `0x7f${slot}54f400a1f40002`;
const safe = `0x73${'f'.repeat(40)}600054167fa619486e${'0'.repeat(56)}f4000000`;

const storedWith = (onchainRuntimeBytecode: string): StoredContract => ({
  ...contract,
  matchId: '1',
  runtimeMatch: 'perfect',
  creationMatch: null,
  verifiedAt: new Date(0),
  details: {
    target: {
      compilerVersion: VERSION,
      input: { language: 'Solidity', sources: {}, settings: {} },
      path: 'P.sol',
      name: 'P',
    },
    abi: [],
    compilationTimeMs: 1,
    onchainRuntimeBytecode,
    recompiledRuntimeBytecode: '0x',
    recompiledCreationBytecode: '0x',
    transformations: { runtime: { list: [], values: {} }, creation: { list: [], values: {} } },
    libraryMap: {},
  },
});
const resolve = (code: string) => resolveProxy(verifier, storedWith(code));
const proxy = (proxyType: string, more: object = {}) => ({
  isProxy: true,
  proxyType,
  implementations: [{ address: TARGET, ...more }],
});
const none = { isProxy: false, proxyType: null, implementations: [] };

describe('proxies', () => {
  it('of EIP-1167 have their implementation in their code, which may be verified itself', async () => {
    const code = `0x363d3d373d3d3d363d73${TARGET.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`;
    expect(await resolve(code)).toEqual(proxy('EIP1167Proxy'));
    await verifier.repository.store({
      ...storedWith('0x00'),
      address: TARGET,
      details: { ...storedWith('0x00').details, target: { ...storedWith('0x00').details.target, name: 'Behind' } },
    });
    expect(await resolve(code)).toEqual(proxy('EIP1167Proxy', { name: 'Behind' }));
  });

  it.each([
    ['EIP1967Proxy', IMPLEMENTATION, calling(IMPLEMENTATION)],
    ['ZeppelinOSProxy', ZEPPELIN, calling(ZEPPELIN)],
    ['PROXIABLEProxy', PROXIABLE, calling(PROXIABLE)],
    ['GnosisSafeProxy', ZERO, safe],
  ])('of the kind %s have it in their storage', async (proxyType, slot, code) => {
    expect(await resolve(code)).toEqual(none);
    verifier.keep(contract, slot, Buffer.from(TARGET.slice(2), 'hex'));
    expect(await resolve(code)).toEqual(proxy(proxyType));
    verifier.keep(contract, slot, Buffer.from(TARGET.slice(2).padStart(64, '0'), 'hex'));
    expect(await resolve(code)).toEqual(proxy(proxyType));
    verifier.failWith(new KagamiError('VERIFICATION_FAILED', 'No node of chain 298 answers'));
    expect(await resolve(code)).toEqual({
      proxyResolutionError: `No node of chain 298 tells the storage of ${PROXY}`,
    });
  });

  it('of beacons are known as such only', async () => {
    expect(await resolve(calling(BEACON))).toEqual({
      proxyResolutionError: 'The implementations of beacon proxies and diamonds are told by calls only',
    });
  });

  it('are no contracts that create others, never delegate, or hold the slot as data', async () => {
    verifier.keep(contract, IMPLEMENTATION, Buffer.from(TARGET.slice(2), 'hex'));
    expect(await resolve(`0xf0${calling(IMPLEMENTATION).slice(2)}`)).toEqual(none);
    expect(await resolve(`0x7f${IMPLEMENTATION}54000000`)).toEqual(none);
    expect(await resolve(`0xf47e7f${IMPLEMENTATION}0000`)).toEqual(none);
    expect(await resolve('0x')).toEqual(none);
  });
});
