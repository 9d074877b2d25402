/**
 * Compiles the sources of the simulated network's contracts and measures what it takes to create them: what
 * `scripts/compile-simulated-contracts.ts` writes, and a test compares with what is written.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import { type Address, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { toHex } from '../../../ledger/bytes.ts';
import { addressArgument, textAndNumber } from '../abi-arguments.ts';
import { word } from '../counter-contract.ts';
import type { CompiledContract, FunctionGas } from '../published-code.ts';
import {
  CHILD_NUMBER,
  GREETING,
  GREETING_PRICE,
  SALT,
  SALTED_CHILD_NUMBER,
  VAULT_OPENING,
} from '../published-values.ts';

const COMPILER = 'solc';
const SOURCES = ['Factory.sol', 'Fund.sol', 'Greeter.sol', 'Proxy.sol', 'Vault.sol'];
const LIBRARY_BYTES = 20;
const GAS_LIMIT = 10_000_000n;
const SENDER = createAddressFromString(`0x${'11'.repeat(20)}`);
const NO_ARGUMENTS = new Uint8Array();

interface Place {
  readonly start: number;
  readonly length: number;
}

type LinkReferences = Readonly<Record<string, Readonly<Record<string, readonly Place[]>>>>;

interface ContractOutput {
  readonly metadata: string;
  readonly evm: {
    readonly bytecode: { readonly object: string; readonly linkReferences: LinkReferences };
    readonly deployedBytecode: {
      readonly object: string;
      readonly linkReferences: LinkReferences;
      readonly immutableReferences: Readonly<Record<string, readonly Place[]>>;
    };
    readonly methodIdentifiers: Readonly<Record<string, string>>;
  };
}

interface SyntaxNode {
  readonly id?: number;
  readonly name?: string;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, ContractOutput>>>>;
  readonly sources: Readonly<Record<string, { readonly ast: SyntaxNode }>>;
}

const folder = new URL('../', import.meta.url);

/** What anybody who wants to verify the contracts hands in. */
const standardInput = () => ({
  language: 'Solidity',
  sources: Object.fromEntries(
    SOURCES.map((path) => [path, { content: readFileSync(new URL(path, folder), 'utf8') }] as const),
  ),
  settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } },
});

const runCompiler = (): { readonly version: string; readonly output: CompilerOutput } => {
  const compiler = createRequire(import.meta.url)(COMPILER) as { compile(input: string): string; version(): string };
  const { settings, ...input } = standardInput();
  const codes = [
    'bytecode.object',
    'bytecode.linkReferences',
    'deployedBytecode.object',
    'deployedBytecode.linkReferences',
  ];
  const outputs = [...codes, 'deployedBytecode.immutableReferences', 'methodIdentifiers'].map((name) => `evm.${name}`);
  const outputSelection = { '*': { '*': [...outputs, 'metadata'], '': ['ast'] } };
  const output = JSON.parse(
    compiler.compile(JSON.stringify({ ...input, settings: { ...settings, outputSelection } })),
  ) as CompilerOutput;
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return { version: compiler.version().replace(/\.Emscripten\.clang$/, ''), output };
};

/** Names of everything in a syntax tree, by id. */
const namesIn = (node: unknown, names = new Map<string, string>()): Map<string, string> => {
  if (typeof node !== 'object' || node === null) return names;
  const { id, name } = node as SyntaxNode;
  if (id !== undefined && name !== undefined) names.set(String(id), name);
  for (const child of Object.values(node)) namesIn(child, names);
  return names;
};

const linksOf = (references: LinkReferences): Record<string, readonly number[]> =>
  Object.fromEntries(
    Object.values(references).flatMap((libraries) =>
      Object.entries(libraries).map(([library, places]) => [library, places.map(({ start }) => start)]),
    ),
  );

/** Placeholders of libraries are no hex digits. */
const withoutPlaceholders = (object: string): string =>
  object.replaceAll(/__\$[0-9a-f]{34}\$__/g, '00'.repeat(LIBRARY_BYTES));

type Gas = Pick<CompiledContract, 'constructionGas' | 'functionGas'>;

/** Runs constructors and functions, without what a transaction costs before its first instruction. */
class Measurement {
  readonly #evm: EVM;
  #creation = { gas: 0n, limit: 0n };

  private constructor(evm: EVM) {
    this.#evm = evm;
    evm.events?.on('beforeMessage', ({ to, gasLimit }, resolve) => {
      if (to === undefined) this.#creation.limit = gasLimit;
      resolve?.();
    });
    evm.events?.on('afterMessage', ({ createdAddress, execResult }, resolve) => {
      if (createdAddress !== undefined) this.#creation.gas = execResult.executionGasUsed;
      resolve?.();
    });
  }

  static async open(): Promise<Measurement> {
    return new Measurement(await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Cancun }) }));
  }

  async create(code: string, constructorArguments: Uint8Array): Promise<{ gas: number; address: Address }> {
    const { gas, address } = await this.#run(undefined, `${code}${toHex(constructorArguments)}`);
    if (address === undefined) throw new Error('Nothing was created');
    return { gas, address };
  }

  async call(to: Address, data: string): Promise<FunctionGas> {
    const { gas: all } = await this.#run(to, data);
    const { gas, limit } = this.#creation;
    // A creation gets all that is left but a 64th of it.
    const left = (limit * 64n) / 63n;
    return { all, before: Number(GAS_LIMIT - left), creation: Number(gas) };
  }

  async #run(to: Address | undefined, data: string): Promise<{ gas: number; address: Address | undefined }> {
    const { createdAddress, execResult } = await this.#evm.runCall({
      caller: SENDER,
      data: hexToBytes(`0x${data}`),
      gasLimit: GAS_LIMIT,
      ...(to && { to }),
    });
    if (execResult.exceptionError !== undefined) throw new Error(`It fails: ${execResult.exceptionError.error}`);
    return { gas: Number(execResult.executionGasUsed), address: createdAddress };
  }
}

const ARGUMENTS: Readonly<Record<string, Uint8Array>> = {
  Child: word(CHILD_NUMBER),
  Greeter: textAndNumber(GREETING, GREETING_PRICE),
  Proxy: addressArgument(SENDER.bytes),
  Vault: word(VAULT_OPENING),
};

/** Arguments of functions that create contracts. */
const CALLS: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
  Factory: {
    'create(uint256)': word(CHILD_NUMBER),
    'createAt(bytes32,uint256)': Buffer.concat([SALT, word(SALTED_CHILD_NUMBER)]),
    'clone(address)': addressArgument(SENDER.bytes),
  },
};

const measure = async (
  name: string,
  { creation, selectors }: Pick<CompiledContract, 'creation' | 'selectors'>,
): Promise<Gas> => {
  const measurement = await Measurement.open();
  const { gas, address } = await measurement.create(creation, ARGUMENTS[name] ?? NO_ARGUMENTS);
  const functionGas: Record<string, FunctionGas> = {};
  for (const [signature, data] of Object.entries(CALLS[name] ?? {})) {
    functionGas[signature] = await measurement.call(address, `${selectors[signature]}${toHex(data)}`);
  }
  return { constructionGas: gas, functionGas };
};

const contractOf = async (
  name: string,
  source: string,
  { evm }: ContractOutput,
  names: ReadonlyMap<string, string>,
): Promise<CompiledContract> => {
  const { bytecode, deployedBytecode, methodIdentifiers: selectors } = evm;
  const creation = withoutPlaceholders(bytecode.object);
  return {
    source,
    creation,
    runtime: withoutPlaceholders(deployedBytecode.object),
    creationLinks: linksOf(bytecode.linkReferences),
    runtimeLinks: linksOf(deployedBytecode.linkReferences),
    immutables: Object.fromEntries(
      Object.entries(deployedBytecode.immutableReferences).map(([id, places]) => [
        names.get(id) ?? id,
        places.map(({ start }) => start),
      ]),
    ),
    selectors,
    ...(await measure(name, { creation, selectors })),
  };
};

/** Texts of the generated files by their path in the folder of the sources. */
export const compileSources = async (): Promise<ReadonlyMap<string, string>> => {
  const { version, output } = runCompiler();
  const contracts: Record<string, CompiledContract> = {};
  const files = new Map<string, string>();
  for (const [source, named] of Object.entries(output.contracts)) {
    const names = namesIn(output.sources[source]?.ast);
    for (const [name, contract] of Object.entries(named)) {
      contracts[name] = await contractOf(name, source, contract, names);
      files.set(`metadata/${name}.json`, contract.metadata);
    }
  }
  const text = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
  files.set('contracts.json', text({ compiler: version, contracts }));
  files.set('standard-input.json', text(standardInput()));
  return files;
};
