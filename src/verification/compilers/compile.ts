/** One compilation, whatever the language: standard JSON in, parsed standard JSON out. */
import { KagamiError } from '../../errors/kagami-error.ts';
import type { LocatedCompiler } from './compiler-store.ts';
import { type CompileBounds, runSolc } from './solc-process.ts';
import { runVyper } from './vyper-process.ts';

export interface CompilerMessage {
  readonly severity?: string;
  readonly formattedMessage?: string;
  readonly message?: string;
}

export interface CompilerOutput {
  readonly errors?: readonly CompilerMessage[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly sources?: unknown;
}

/**
 * @param input standard JSON input
 * @throws KagamiError COMPILER_FAILED (`details.errors` when the compiler gave reasons), COMPILER_TIMEOUT,
 * COMPILER_OUT_OF_MEMORY
 */
export const compile = async (
  compiler: LocatedCompiler,
  input: unknown,
  bounds: CompileBounds,
): Promise<CompilerOutput> => {
  const run = compiler.kind === 'soljson' ? runSolc : runVyper;
  const output = JSON.parse(await run(compiler, JSON.stringify(input), bounds)) as CompilerOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return output;
  const [first] = errors;
  throw new KagamiError('COMPILER_FAILED', first?.formattedMessage ?? first?.message ?? 'The compiler gave an error', {
    details: { errors },
  });
};
