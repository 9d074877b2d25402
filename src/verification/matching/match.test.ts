import { setLibSourcifyLoggerLevel } from '@ethereum-sourcify/lib-sourcify';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCompilerStore } from '../compilers/compiler-store.ts';
import type { CandidateContract, CompilationTarget } from '../model.ts';
import { compileForTest, construct, solidityInput, VERSION } from '../testing/deployment.fixture.ts';
import { match } from './match.ts';
import type { OnchainContract } from './onchain-record.ts';

const PATH = 'a.sol';
const SOURCE = 'contract A { function f() public pure returns (uint256) { return 1; } } abstract contract B {}\n';
const target = (source: string, changes: Partial<CompilationTarget> = {}): CompilationTarget => ({
  compilerVersion: VERSION,
  input: solidityInput({ [PATH]: source }),
  path: PATH,
  name: 'A',
  ...changes,
});

const compilers = openCompilerStore({ folder: '/nowhere', download: false, mirror: '', vyper: new Map() });
const tools = {
  compilers,
  compileBounds: { timeoutMs: 60_000, memoryMb: 1024 },
  zipBounds: { entries: 10, bytes: 1_000 },
};

let contract: OnchainContract;
beforeAll(async () => {
  setLibSourcifyLoggerLevel(-1);
  const compiled = (await compileForTest(solidityInput({ [PATH]: SOURCE }))).get(`${PATH}:A`);
  const { runtime, address } = await construct(compiled?.creation ?? '');
  contract = {
    chainId: '298',
    address: `0x${address.toString('hex')}`,
    runtimeBytecode: `0x${runtime.toString('hex')}`,
    creationBytecode: undefined,
  };
}, 60_000);

const failureOf = async (one: CompilationTarget | CandidateContract) => {
  const { failure, ...answer } = await match({ target: one, contract, furtherSources: [] }, tools);
  expect(answer).toMatchObject({ runtimeMatch: null, creationMatch: null });
  return failure;
};

describe('a comparison that fails', { timeout: 60_000 }, () => {
  it('shows that code differs, with the codes', async () => {
    const other = target(SOURCE.replace('return 1', 'return 2'));
    const answer = await match({ target: other, contract, furtherSources: [] }, tools);
    expect(answer.failure).toMatchObject({
      code: 'no_match',
      message: "The deployed and recompiled bytecode don't match.",
    });
    expect(answer.details?.onchainRuntimeBytecode).toBe(contract.runtimeBytecode);
    expect(answer.details?.recompiledRuntimeBytecode).not.toBe(contract.runtimeBytecode);
  });

  it('shows that lengths differ', async () => {
    expect(await failureOf(target(SOURCE.replace('return 1', 'return 1 + msg.data.length')))).toMatchObject({
      code: 'bytecode_length_mismatch',
    });
  });

  it('names contracts without code, and contracts that are not there', async () => {
    expect(await failureOf(target(SOURCE, { name: 'B' }))).toMatchObject({
      code: 'compiled_bytecode_is_zero',
      message: 'The compiled contract bytecode is "0x". Are you trying to verify an abstract contract?',
    });
    expect(await failureOf(target(SOURCE, { name: 'C' }))).toMatchObject({
      code: 'contract_not_found_in_compiler_output',
    });
  });

  it('tells what the compiler has against a source', async () => {
    const failure = await failureOf(target('contract A {'));
    expect(failure?.code).toBe('compiler_error');
    expect(failure?.message).toMatch(/^Compiler error\. \[\{"component":"general","errorCode":"9182"/);
    expect(failure?.data).toMatchObject({ compilerErrors: [{ errorCode: '9182', severity: 'error' }] });
  });

  it.each([
    ['a release that never was', '0.8.99+commit.aaaaaaaa', 'Solidity'],
    ['a version that is none', 'latest/../../x', 'Solidity'],
    ['Vyper, which nobody configured', '0.3.10+commit.91361694', 'Vyper'],
  ] as const)('names %s', async (_what, compilerVersion, language) => {
    const input = { ...solidityInput({ [PATH]: SOURCE }), language };
    const failure = await failureOf(target(SOURCE, { compilerVersion, input }));
    expect(failure?.code).toBe('unsupported_compiler_version');
    expect(failure?.message).toContain(`${language} ${compilerVersion}`);
  });

  it('lists sources that are missing or not what the metadata says', async () => {
    const candidate: CandidateContract = {
      verificationId: '0'.repeat(40),
      language: 'Solidity',
      metadata: {},
      compilerVersion: VERSION,
      compiledPath: PATH,
      name: 'A',
      found: {},
      missing: { 'b.sol': { keccak256: '0x1', urls: [] } },
      invalid: { 'c.sol': { expectedHash: '0x1', calculatedHash: '0x2', msg: '' } },
    };
    expect(await failureOf(candidate)).toMatchObject({
      code: 'missing_or_invalid_source',
      data: { missingSources: ['b.sol'], invalidSources: ['c.sol'] },
    });
  });
});

describe('a project of several files', { timeout: 60_000 }, () => {
  it('is compared by its target alone, and a difference with all contracts compiled', async () => {
    const input = solidityInput({ [PATH]: `import "./z.sol"; ${SOURCE}`, 'z.sol': 'contract Z {}' });
    const alone = { ...target(SOURCE), input };
    const compiled = (await compileForTest(input)).get(`${PATH}:A`);
    const { runtime } = await construct(compiled?.creation ?? '');
    const there = { ...contract, runtimeBytecode: `0x${runtime.toString('hex')}` };
    const same = await match({ target: alone, contract: there, furtherSources: [] }, tools);
    expect(same).toMatchObject({ runtimeMatch: 'perfect' });
    expect(same.details?.sourceIds).toEqual({ [PATH]: { id: 0 }, 'z.sol': { id: 1 } });
    expect((await failureOf({ ...alone, name: 'C' }))?.code).toBe('contract_not_found_in_compiler_output');
    const other = { ...alone, input: solidityInput({ [PATH]: 'contract A { uint256 public a; }', 'z.sol': '' }) };
    expect((await failureOf(other))?.code).toBe('bytecode_length_mismatch');
  });
});
