import { describe, expect, it } from 'vitest';
import { compile } from '../compilers/compile.ts';
import { openCompilerStore } from '../compilers/compiler-store.ts';
import type { CompilationTarget, CompilerInput } from '../model.ts';
import { construct, VERSION } from '../testing/deployment.fixture.ts';
import { match } from './match.ts';

const compilers = openCompilerStore({ folder: '/nowhere', download: false, mirror: '', vyper: new Map() });
const compileBounds = { timeoutMs: 60_000, memoryMb: 1024 };
const tools = { compilers, compileBounds, zipBounds: { bytes: 1_000_000, entries: 10 } };

/** Gives back the number with which it was made, which it keeps in its code. */
const source = (answer: number): string => `object "Answer" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      mstore(0, ${answer})
      return(0, 32)
    }
  }
}`;

const inputOf = (text: string): CompilerInput => ({
  language: 'Yul',
  sources: { 'Answer.yul': { content: text } },
  settings: { optimizer: { enabled: true } },
});

const targetOf = (text: string): CompilationTarget => ({
  compilerVersion: `v${VERSION}`,
  input: inputOf(text),
  path: 'Answer.yul',
  name: 'Answer',
});

const deployed = async (text: string) => {
  const compiler = await compilers.locate('Yul', VERSION);
  const settings = { ...inputOf(text).settings, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } };
  const output = await compile(compiler, { ...inputOf(text), settings }, compileBounds);
  const { evm } = Object.values(output.contracts?.['Answer.yul'] ?? {})[0] as { evm: { bytecode: { object: string } } };
  const creationBytecode = `0x${evm.bytecode.object}`;
  const { runtime } = await construct(creationBytecode);
  const address = `0x${'ab'.repeat(20)}`;
  return { chainId: '298', address, runtimeBytecode: `0x${runtime.toString('hex')}`, creationBytecode };
};

const run = async (compiled: string, given: string) =>
  match({ target: targetOf(given), contract: await deployed(compiled), furtherSources: [] }, tools);

describe('a contract in Yul', { timeout: 180_000 }, () => {
  it('is compared like one in Solidity, without metadata that could make it exact', async () => {
    const answer = await run(source(42), source(42));
    expect([answer.runtimeMatch, answer.creationMatch, answer.failure]).toEqual(['partial', 'partial', undefined]);
    expect(answer.details).toMatchObject({ abi: [], recompiledRuntimeBytecode: '0x602a5f5260205ff3' });
    const other = await run(source(42), source(43));
    expect([other.runtimeMatch, other.creationMatch, other.failure?.code]).toEqual([null, null, 'no_match']);
  });

  it('whose text is none is told what the compiler has against it', async () => {
    const answer = await run(source(42), 'object "Answer" {');
    expect(answer.failure).toMatchObject({ code: 'compiler_error' });
    expect(answer.failure?.message).toContain('Expected keyword');
  });

  // It leaves 0x600a, which no object of it says.
  const flat = (left: number): string => `object "Answer" { code { mstore(0, ${left}) return(30, 2) } }`;

  it('is compared by its creation alone where the compiler does not know what it leaves', async () => {
    const answer = await run(flat(0x600a), flat(0x600a));
    expect([answer.runtimeMatch, answer.creationMatch, answer.failure]).toEqual([null, 'partial', undefined]);
    expect(answer.details).toMatchObject({ recompiledRuntimeBytecode: '0x', onchainRuntimeBytecode: '0x600a' });
    const other = await run(flat(0x600a), flat(0x600b));
    expect([other.runtimeMatch, other.creationMatch, other.failure?.code]).toEqual([null, null, 'no_match']);
  });
});
