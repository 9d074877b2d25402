/** Compiles standard JSON for its metadata, so that it can be treated like an upload. */
import { KagamiError } from '../../errors/kagami-error.ts';
import { compile } from '../compilers/compile.ts';
import type { UploadedFile } from '../model.ts';
import type { MatchTools } from './match.ts';

interface StandardInput {
  readonly language?: unknown;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly sources?: Readonly<Record<string, { readonly content?: unknown }>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (message: string): KagamiError => new KagamiError('VERIFICATION_INPUT_INVALID', message);

const checkedInput = (input: unknown): StandardInput => {
  if (!isObject(input) || !isObject(input.sources)) throw invalid('The input is no standard JSON of a compiler');
  if (input.language !== 'Solidity') {
    throw invalid(`Only Solidity is supported, the json has language: ${String(input.language)}`);
  }
  if (!Object.values(input.sources).every(isObject)) throw invalid('The sources of the input are no objects');
  return input;
};

const fileOf = (path: string, text: string): UploadedFile => ({ path, content: Buffer.from(text, 'utf8') });

/**
 * The sources, and the metadata of each contract.
 * @throws KagamiError VERIFICATION_INPUT_INVALID, COMPILER_*
 */
export const metadataOnly = async (
  given: unknown,
  compilerVersion: string,
  { compilers, compileBounds }: Pick<MatchTools, 'compilers' | 'compileBounds'>,
): Promise<readonly UploadedFile[]> => {
  const input = checkedInput(given);
  const compiler = await compilers.locate('Solidity', compilerVersion);
  const settings = { ...input.settings, outputSelection: { '*': { '*': ['metadata'] } } };
  const { contracts = {} } = await compile(compiler, { ...input, settings }, compileBounds);
  const sources = Object.entries(input.sources ?? {}).flatMap(([path, { content }]) =>
    typeof content === 'string' ? [fileOf(path, content)] : [],
  );
  const metadata = Object.entries(contracts).flatMap(([path, compiled]) =>
    Object.values(compiled).flatMap((contract) =>
      isObject(contract) && typeof contract.metadata === 'string' && contract.metadata !== ''
        ? [fileOf(`${path}-metadata.json`, contract.metadata)]
        : [],
    ),
  );
  return [...metadata, ...sources];
};
