/** What an Etherscan-compatible explorer answers for `getsourcecode`, as something to compile. */
import { KagamiError } from '../../errors/kagami-error.ts';
import { plainVersion } from '../compilers/compiler-version.ts';
import type { CompilationTarget, CompilerInput } from '../model.ts';

interface ExplorerContract {
  readonly SourceCode: string;
  readonly ContractName: string;
  readonly CompilerVersion: string;
  readonly OptimizationUsed: string;
  readonly Runs: string;
  readonly EVMVersion: string;
}

type Sources = CompilerInput['sources'];

const malformed = (message: string): KagamiError => new KagamiError('EXPLORER_MALFORMED', message);

const failed = (result: unknown): KagamiError => {
  const text = typeof result === 'string' ? result.slice(0, 300) : '';
  if (/rate limit/i.test(text))
    return new KagamiError('EXPLORER_RATE_LIMITED', 'Etherscan API rate limit reached, try later.');
  return new KagamiError('EXPLORER_FAILED', `Error in Etherscan API response. Result message: ${text}`);
};

const textMember = (value: Readonly<Record<string, unknown>>, name: keyof ExplorerContract): string => {
  const member = value[name];
  return typeof member === 'string' ? member : '';
};

const contractOf = (answer: unknown): ExplorerContract => {
  const { message, result } = (answer ?? {}) as { readonly message?: unknown; readonly result?: unknown };
  if (message === 'NOTOK') throw failed(result);
  const [first] = Array.isArray(result) ? result : [];
  if (typeof first !== 'object' || first === null) throw malformed('The explorer does not answer as Etherscan does');
  const contract = {
    SourceCode: textMember(first, 'SourceCode'),
    ContractName: textMember(first, 'ContractName'),
    CompilerVersion: textMember(first, 'CompilerVersion'),
    OptimizationUsed: textMember(first, 'OptimizationUsed'),
    Runs: textMember(first, 'Runs'),
    EVMVersion: textMember(first, 'EVMVersion'),
  };
  if (contract.SourceCode === '') {
    throw new KagamiError('EXPLORER_NOT_VERIFIED', 'This contract is not verified on Etherscan.');
  }
  return contract;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSources = (value: unknown): value is Sources =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((source) => isObject(source) && typeof source.content === 'string');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Comments and strings, within which a contract's name means nothing. */
const notCode = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** The last file that defines the contract. */
const definingPath = (sources: Sources, name: string): string => {
  const escaped = name.replace(/[^\w]/g, '\\$&');
  const definition = new RegExp(`\\b(?:contract|library|interface)\\s+${escaped}(?![\\w$])`);
  const path = Object.keys(sources).findLast((key) =>
    definition.test((sources[key]?.content ?? '').replace(notCode, ' ')),
  );
  if (path !== undefined) return path;
  throw malformed("The sources returned by Etherscan don't include the expected contract definition.");
};

const settingsOf = ({ OptimizationUsed, Runs, EVMVersion }: ExplorerContract): CompilerInput['settings'] => ({
  optimizer: { enabled: OptimizationUsed === '1', runs: Number.parseInt(Runs, 10) || 0 },
  ...(EVMVersion === '' || EVMVersion.toLowerCase() === 'default' ? {} : { evmVersion: EVMVersion }),
  libraries: {},
});

/** Standard JSON in a second pair of braces. */
const standardInput = (text: string): CompilerInput | undefined => {
  if (!text.startsWith('{{')) return undefined;
  const input = parsed(text.slice(1, -1));
  if (!isObject(input) || !isSources(input.sources))
    throw malformed('The explorer gives an input that is no standard JSON');
  const settings = isObject(input.settings) ? input.settings : {};
  const language = input.language === 'Vyper' || input.language === 'Yul' ? input.language : 'Solidity';
  return { language, sources: input.sources, settings };
};

const vyperTarget = (contract: ExplorerContract): CompilationTarget => {
  const compilerVersion = contract.CompilerVersion.replace(/^vyper:/i, '');
  const input = standardInput(contract.SourceCode.trim());
  const name = contract.ContractName.replace(/\s/g, '');
  if (input !== undefined) {
    const paths = Object.keys(input.sources);
    const path = paths.find((key) => key.split('/').at(-1) === `${name}.vy`) ?? paths.at(-1) ?? '';
    return { compilerVersion, input: { ...input, language: 'Vyper' }, path, name };
  }
  const path = `${name}.vy`;
  const evmVersion = contract.EVMVersion.toLowerCase();
  const settings = evmVersion === '' || evmVersion === 'default' ? {} : { evmVersion };
  const sources = { [path]: { content: contract.SourceCode.replaceAll('\r', '') } };
  return { compilerVersion, input: { language: 'Vyper', sources, settings }, path, name };
};

/**
 * @param answer parsed body
 * @throws KagamiError EXPLORER_NOT_VERIFIED, EXPLORER_RATE_LIMITED, EXPLORER_FAILED, EXPLORER_MALFORMED
 */
export const targetOfAnswer = (answer: unknown): CompilationTarget => {
  const contract = contractOf(answer);
  const text = contract.SourceCode.trim();
  const { ContractName: name } = contract;
  if (/^vyper:/i.test(contract.CompilerVersion)) return vyperTarget(contract);
  const compilerVersion = plainVersion(contract.CompilerVersion);
  const standard = standardInput(text);
  if (standard !== undefined)
    return { compilerVersion, input: standard, path: definingPath(standard.sources, name), name };
  const several = text.startsWith('{') ? parsed(text) : undefined;
  const sources = isSources(several) ? several : { [`${name}.sol`]: { content: contract.SourceCode } };
  const input: CompilerInput = { language: 'Solidity', sources, settings: settingsOf(contract) };
  return { compilerVersion, input, path: definingPath(sources, name), name };
};
