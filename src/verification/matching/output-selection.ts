/** What a compiler is asked to write, which for large projects decides how long it takes. */
import type { CompilationTarget } from '../model.ts';

interface StandardInput {
  readonly settings: Readonly<Record<string, unknown>> & {
    readonly outputSelection: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  };
}

/** Before 0.5 selections were read in other ways. */
const oldRelease = /^v?0\.[0-4]\./;

/**
 * Whether the target's code can be had without that of the other contracts. The optimizer of the pipeline by way of Yul had
 * releases whose output for one contract depended on which others were compiled with it.
 */
export const canStandAlone = ({ input, compilerVersion }: CompilationTarget): boolean =>
  input.language === 'Solidity' &&
  Object.keys(input.sources).length > 1 &&
  input.settings.viaIR !== true &&
  !oldRelease.test(compilerVersion);

/** The input with what it selects for all contracts selected for the target. */
export const selectedFor = ({ path, name }: CompilationTarget, input: unknown): unknown => {
  const { settings, ...rest } = input as StandardInput;
  const members = settings.outputSelection['*']?.['*'] ?? [];
  return { ...rest, settings: { ...settings, outputSelection: { [path]: { [name]: members } } } };
};
