import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import { callData, compiledContract, creationCode, IMPLEMENTATION_SLOT, runtimeCode } from './published-code.ts';
import { compileSources } from './testing/compile-sources.fixture.ts';

const ADDRESS = longZeroAddress(1_234n);

describe('contracts compiled from Solidity', () => {
  it('are what their sources compile to, with the gas that they take', async () => {
    const compiled = await compileSources();
    const written = globSync('**/*.json', { cwd: import.meta.dirname }).map((path) => path.replaceAll('\\', '/'));
    expect(written.toSorted()).toEqual([...compiled.keys()].toSorted());
    for (const [path, text] of compiled) {
      expect([path, readFileSync(`${import.meta.dirname}/${path}`, 'utf8')]).toEqual([path, text]);
    }
  });

  it('have their constructor arguments behind their init code', () => {
    const code = toHex(creationCode('Vault', ADDRESS));
    expect(code).toBe(`${compiledContract('Vault').creation}${toHex(ADDRESS)}`);
  });

  it('have what their constructors leave in their code: immutables, libraries, and the address of a library itself', () => {
    const word = Buffer.alloc(32, 0xab);
    const maker = toHex(runtimeCode('Child', ADDRESS, { maker: word }));
    expect(maker.split(toHex(word))).toHaveLength(2);
    expect(maker.replace(toHex(word), '00'.repeat(32))).toBe(compiledContract('Child').runtime);
    const linked = toHex(runtimeCode('Fund', ADDRESS, {}, { Shares: Buffer.alloc(20, 0xcd) }));
    expect(linked.split(`73${'cd'.repeat(20)}`)).toHaveLength(2);
    expect(toHex(creationCode('Fund', new Uint8Array(), { Shares: Buffer.alloc(20, 0xcd) }))).toContain(linked);
    expect(toHex(runtimeCode('Shares', ADDRESS)).slice(0, 44)).toBe(`73${toHex(ADDRESS)}30`);
    expect(() => runtimeCode('Fund', ADDRESS)).toThrow('Nothing is said about Shares');
  });

  it('are called by the selectors that the compiler names', () => {
    const { selectors, functionGas } = compiledContract('Factory');
    for (const signature of Object.keys(functionGas)) expect(toHex(callData(signature))).toBe(selectors[signature]);
    expect(toHex(IMPLEMENTATION_SLOT)).toBe('360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc');
  });
});
