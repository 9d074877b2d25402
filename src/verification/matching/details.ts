/** What is kept of a finished verification. */
import type { Verification } from '@ethereum-sourcify/lib-sourcify';
import type { CompilationTarget, VerifiedDetails } from '../model.ts';
import { type Compilation, UNKNOWN_RUNTIME } from './compilation.ts';

interface ContractOutput {
  readonly abi?: readonly unknown[];
  readonly userdoc?: unknown;
  readonly devdoc?: unknown;
  readonly storageLayout?: unknown;
  readonly transientStorageLayout?: unknown;
}

interface CodeOutput {
  readonly sourceMap?: string | Readonly<Record<string, unknown>>;
}

/** The library's getters throw what isn't there. */
const orAbsent = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const present = <T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;

/** Vyper gives an object. */
const sourceMapText = ({ sourceMap }: CodeOutput): string | undefined =>
  sourceMap === undefined || typeof sourceMap === 'string' ? sourceMap : JSON.stringify(sourceMap);

/** Sources as they were compiled in the end: the library may have repaired line ends. */
const compiledTarget = (target: CompilationTarget, { jsonInput }: Compilation): CompilationTarget => {
  const { outputSelection: _selection, ...settings } = jsonInput.settings as Readonly<Record<string, unknown>>;
  const sources = Object.entries(jsonInput.sources as Readonly<Record<string, { content: string }>>);
  return {
    ...target,
    input: {
      ...target.input,
      sources: Object.fromEntries(sources.map(([path, { content }]) => [path, { content }])),
      settings,
    },
  };
};

/** The metadata is that of the recompilation; the chain's facts are added by whoever asked it. */
export const detailsOf = (verification: Verification, target: CompilationTarget): VerifiedDetails => {
  const compilation = verification.compilation as Compilation;
  const output = compilation.contractCompilerOutput as ContractOutput & {
    readonly evm: { readonly bytecode: CodeOutput; readonly deployedBytecode: CodeOutput };
  };
  const { runtime, creation } = verification.transformations;
  return {
    target: compiledTarget(target, compilation),
    abi: output.abi ?? [],
    compilationTimeMs: compilation.compilationTime ?? 0,
    recompiledRuntimeBytecode:
      compilation.runtimeBytecode === `0x${UNKNOWN_RUNTIME}` ? '0x' : compilation.runtimeBytecode,
    recompiledCreationBytecode: compilation.creationBytecode,
    transformations: {
      runtime: { list: runtime.list, values: { ...runtime.values } },
      creation: { list: creation.list, values: { ...creation.values } },
    },
    libraryMap: { ...verification.libraryMap.creation, ...verification.libraryMap.runtime },
    linkReferences: { runtime: compilation.runtimeLinkReferences, creation: compilation.creationLinkReferences },
    cborAuxdata: {
      runtime: orAbsent(() => compilation.runtimeBytecodeCborAuxdata) ?? {},
      creation: orAbsent(() => compilation.creationBytecodeCborAuxdata) ?? {},
    },
    ...present({
      metadata: compilation.metadata as Readonly<Record<string, unknown>> | undefined,
      userdoc: output.userdoc,
      devdoc: output.devdoc,
      storageLayout: output.storageLayout,
      transientStorageLayout: output.transientStorageLayout,
      sourceIds: orAbsent(() => verification.export().compilation.compilerOutput.sources),
      onchainRuntimeBytecode: orAbsent(() => verification.onchainRuntimeBytecode),
      onchainCreationBytecode: orAbsent(() => verification.onchainCreationBytecode),
      runtimeSourceMap: sourceMapText(output.evm.deployedBytecode),
      creationSourceMap: sourceMapText(output.evm.bytecode),
      immutableReferences: orAbsent(() => compilation.immutableReferences),
    }),
  } as VerifiedDetails;
};
