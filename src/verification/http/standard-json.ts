/** Standard JSON input of compilers, as files carry it. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { CompilerInput, Language, UploadedFile } from '../model.ts';
import type { Verifier } from '../verifier.ts';
import { problem, VerificationProblem } from './problem.ts';
import { type Fields, isObject } from './request-checks.ts';

/** @throws VerificationProblem when the file isn't JSON, or no input of the Solidity compiler. */
export const parseStandardJson = ({ path, content }: UploadedFile): Fields => {
  let input: unknown;
  try {
    input = JSON.parse(Buffer.from(content).toString('utf8'));
  } catch {
    input = undefined;
  }
  if (!isObject(input)) {
    throw problem(400, `Couldn't parse JSON ${path}. Make sure the contents of the file are syntaxed correctly.`);
  }
  if (input.language !== 'Solidity') {
    throw problem(400, `Only Solidity is supported, the json has language: ${String(input.language)}`);
  }
  return input;
};

/** Files that describe the contracts of an input; what the compiler has against it is the client's business. */
export const metadataFilesOf = async (
  verifier: Verifier,
  input: Fields,
  compilerVersion: string,
  client: string,
): Promise<readonly UploadedFile[]> => {
  try {
    return await verifier.metadataOf(input, compilerVersion, client);
  } catch (error) {
    if (isKagamiError(error, 'COMPILER_FAILED')) {
      const { errors = [] } = error.details;
      throw new VerificationProblem(400, error.message, { message: 'Compiler error', errors }, 'compiler_error');
    }
    throw error;
  }
};

const languages: readonly Language[] = ['Solidity', 'Vyper', 'Yul', 'Fe'];

/**
 * The input with exactly what is known of it.
 * @throws VerificationProblem naming what is missing
 */
export const compilerInputOf = (input: Fields): CompilerInput => {
  const { language, sources, settings } = input;
  if (typeof language !== 'string' || language === '') {
    throw problem(400, 'Standard JSON input must contain a language field.');
  }
  if (!isObject(sources) || Object.keys(sources).length === 0) {
    throw problem(400, 'Standard JSON input must contain a sources field.');
  }
  const texts = Object.entries(sources).map(([path, source]) => {
    const content = isObject(source) ? source.content : undefined;
    if (typeof content !== 'string') {
      throw problem(400, 'Standard JSON input must contain a content field for each source.');
    }
    return [path, { content }] as const;
  });
  if (!languages.includes(language as Language)) {
    throw problem(400, `The language ${language} is not supported.`, 'unsupported_language');
  }
  return {
    language: language as Language,
    sources: Object.fromEntries(texts),
    settings: isObject(settings) ? settings : {},
  };
};
