/** A compilation as lib-sourcify drives it: it may compile again, with other texts, to find out where metadata lies. */
import { SolidityCompilation, VyperCompilation, YulCompilation } from '@ethereum-sourcify/lib-sourcify';
import { type CompilerOutput, compile } from '../compilers/compile.ts';
import type { LocatedCompiler } from '../compilers/compiler-store.ts';
import { plainVersion } from '../compilers/compiler-version.ts';
import type { CompileBounds } from '../compilers/solc-process.ts';
import type { CompilationTarget } from '../model.ts';
import { selectedFor } from './output-selection.ts';

export type Compilation = SolidityCompilation | VyperCompilation;

/**
 * Stands for code that the compiler does not know: no code on a chain begins with this byte
 * ([EIP-3541](https://eips.ethereum.org/EIPS/eip-3541)), so that none is taken for it.
 */
export const UNKNOWN_RUNTIME = 'ef';

/**
 * What a Yul object leaves on the chain is known where an object within it is that. Else only the creation can be
 * compared; the library expects a runtime all the same.
 */
const withRuntimeOfYul = (output: CompilerOutput): CompilerOutput => {
  const contracts = Object.entries(output.contracts ?? {}).map(([path, named]) => {
    const completed = Object.entries(named).map(([name, contract]) => {
      const { evm } = contract as { readonly evm?: { readonly deployedBytecode?: { readonly object?: string } } };
      if (evm === undefined || evm.deployedBytecode?.object) return [name, contract] as const;
      return [
        name,
        { ...(contract as object), evm: { ...evm, deployedBytecode: { object: UNKNOWN_RUNTIME } } },
      ] as const;
    });
    return [path, Object.fromEntries(completed)] as const;
  });
  return { ...output, contracts: Object.fromEntries(contracts) };
};

/** The library hands errors on by their `errors`. */
class RefusedInput extends Error {
  readonly errors: unknown;

  constructor(message: string, errors: unknown, cause: unknown) {
    super(message, { cause });
    this.errors = errors;
  }
}

/**
 * @param output what the compiler is to write: code of the target alone, which large projects need far less time for, or of
 * every contract, as the library asks for it
 * @param onFault told why a compilation failed; the library keeps no more than the text
 */
export const compilationOf = (
  target: CompilationTarget,
  compiler: LocatedCompiler,
  bounds: CompileBounds,
  output: 'target' | 'all',
  onFault: (fault: unknown) => void,
): Compilation => {
  const engine = {
    compile: async (_version: string, input: unknown) => {
      try {
        const selected = output === 'target' ? selectedFor(target, input) : input;
        // The library looks for its contract without asking whether there is any.
        const compiled = { contracts: {}, ...(await compile(compiler, selected, bounds)) };
        return (target.input.language === 'Yul' ? withRuntimeOfYul(compiled) : compiled) as never;
      } catch (fault) {
        onFault(fault);
        const { message, details } = fault as { message: string; details?: { errors?: unknown } };
        throw new RefusedInput(message, details?.errors, fault);
      }
    },
  };
  const { path, name, input } = target;
  const version = plainVersion(target.compilerVersion);
  const place = { path, name };
  if (input.language === 'Vyper') return new VyperCompilation(engine, version, input as never, place);
  if (input.language === 'Yul') return new YulCompilation(engine, version, input as never, place);
  return new SolidityCompilation(engine, version, input as never, place);
};
