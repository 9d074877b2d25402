import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { openCompilerStore } from './compiler-store.ts';

const store = openCompilerStore({ folder: '/nowhere', download: false, mirror: '', vyper: new Map() });
const LONG = 3 * 1024 * 1024;

describe('texts of large projects', { timeout: 60_000 }, () => {
  it('are compiled, letters of several bytes included', async () => {
    const content = `// SPDX-License-Identifier: MIT\n/* ${'ä'.repeat(LONG / 2)} */ contract A { string public s = unicode"ö"; }`;
    const outputSelection = { '*': { '*': ['evm.bytecode.object'] } };
    const input = { language: 'Solidity', sources: { 'a.sol': { content } }, settings: { outputSelection } };
    const compiler = await store.locate('Solidity', '0.8.19+commit.7dd6d404');
    const { contracts = {} } = await compile(compiler, input, { timeoutMs: 60_000, memoryMb: 1024 });
    const { evm } = (contracts['a.sol']?.A ?? {}) as { evm: { bytecode: { object: string } } };
    expect(evm.bytecode.object).toMatch(/^60806040/);
    // UTF-8 of the letter, as the constructor writes it.
    expect(evm.bytecode.object).toContain('c3b6');
  });
});
