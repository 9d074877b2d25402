/** Contracts of our own, compiled in the test that uses them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi } from 'viem';

export interface CompiledContract {
  readonly abi: Abi;
  readonly runtimeCode: Uint8Array;
  readonly initCode: Uint8Array;
  /** Selectors as hex by the signatures they were made from. */
  readonly selectors: Readonly<Record<string, string>>;
}

interface ContractOutput {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
    readonly methodIdentifiers?: Readonly<Record<string, string>>;
  };
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, ContractOutput>>>>;
}

const bytesOf = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'));

/** Every contract and interface of sources in this folder, by name. Takes a second or two: once in a file. */
export const compileContracts = (...files: readonly string[]): ReadonlyMap<string, CompiledContract> => {
  const compiler = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(new URL(file, import.meta.url), 'utf8') }]),
  );
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.methodIdentifiers'];
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': outputs } },
  };
  const output = JSON.parse(
    compiler.compile(JSON.stringify({ language: 'Solidity', sources, settings })),
  ) as CompilerOutput;
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const contracts = new Map<string, CompiledContract>();
  for (const ofFile of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(ofFile)) {
      contracts.set(name, {
        abi,
        runtimeCode: bytesOf(evm.deployedBytecode.object),
        initCode: bytesOf(evm.bytecode.object),
        selectors: evm.methodIdentifiers ?? {},
      });
    }
  }
  return contracts;
};

/** One of them. */
export const contractNamed = (contracts: ReadonlyMap<string, CompiledContract>, name: string): CompiledContract => {
  const contract = contracts.get(name);
  if (contract === undefined) throw new Error(`There is no contract ${name}`);
  return contract;
};
