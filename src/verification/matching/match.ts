/** Compiles a contract and compares it with what stands on the chain. */
import { SourcifyLibError, Verification } from '@ethereum-sourcify/lib-sourcify';
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { CompilerStore } from '../compilers/compiler-store.ts';
import type { CompileBounds } from '../compilers/solc-process.ts';
import { sourcesOf } from '../inputs/inspect.ts';
import type { ZipBounds } from '../inputs/zip.ts';
import type {
  CandidateContract,
  CompilationTarget,
  Match,
  UploadedFile,
  VerificationResult,
  VerifiedDetails,
} from '../model.ts';
import { compilationOf } from './compilation.ts';
import { detailsOf } from './details.ts';
import { CREATION_MARK, type OnchainContract, OnchainRecord } from './onchain-record.ts';
import { canStandAlone } from './output-selection.ts';
import { isCandidate, targetOf, withSources } from './target.ts';

export interface MatchOrder {
  readonly target: CompilationTarget | CandidateContract;
  readonly contract: OnchainContract;
  readonly furtherSources: readonly UploadedFile[];
}

export interface MatchTools {
  readonly compilers: CompilerStore;
  readonly compileBounds: CompileBounds;
  readonly zipBounds: ZipBounds;
}

export interface MatchAnswer {
  readonly runtimeMatch: Match;
  readonly creationMatch: Match;
  readonly failure?: NonNullable<VerificationResult['failure']>;
  readonly details?: VerifiedDetails;
}

const failed = (code: string, message: string, data?: unknown): MatchAnswer => ({
  runtimeMatch: null,
  creationMatch: null,
  failure: { code, message, ...(data === undefined ? {} : { data }) },
});

/** Codes of our own faults as verification's clients know them. */
const failureCodes: Readonly<Record<string, string>> = {
  COMPILER_UNAVAILABLE: 'unsupported_compiler_version',
  COMPILER_UNREACHABLE: 'compiler_unreachable',
  COMPILER_TIMEOUT: 'compiler_timeout',
  COMPILER_OUT_OF_MEMORY: 'compiler_out_of_memory',
};

const failureOfFault = (fault: unknown): MatchAnswer | undefined => {
  const code = isKagamiError(fault) ? failureCodes[fault.code] : undefined;
  return code === undefined ? undefined : failed(code, (fault as Error).message);
};

const matchOf = (status: string | null): Match => (status === 'perfect' || status === 'partial' ? status : null);

const compare = async (
  target: CompilationTarget,
  contract: OnchainContract,
  { compilers, compileBounds }: MatchTools,
  output: 'target' | 'all',
): Promise<MatchAnswer> => {
  let compilerFault: unknown;
  let verification: Verification | undefined;
  try {
    const compiler = await compilers.locate(target.input.language, target.compilerVersion);
    const compilation = compilationOf(target, compiler, compileBounds, output, (fault) => {
      compilerFault = fault;
    });
    const mark = contract.creationBytecode === undefined ? undefined : CREATION_MARK;
    verification = new Verification(compilation, new OnchainRecord(contract), contract.address, mark);
    await verification.verify();
    const { runtimeMatch, creationMatch } = verification.status;
    return {
      runtimeMatch: matchOf(runtimeMatch),
      creationMatch: matchOf(creationMatch),
      details: detailsOf(verification, target),
    };
  } catch (fault) {
    const ours = failureOfFault(fault) ?? failureOfFault(compilerFault);
    if (ours !== undefined) return ours;
    if (!(fault instanceof SourcifyLibError)) throw fault;
    const compiled = verification;
    const details = compiled && fault.code !== 'compiler_error' ? detailsIfAny(compiled, target) : undefined;
    return { ...failed(fault.code, fault.message, fault.data), ...(details === undefined ? {} : { details }) };
  }
};

/** A contract that compiled but did not match is shown beside what stands on the chain. */
const detailsIfAny = (verification: Verification, target: CompilationTarget): VerifiedDetails | undefined => {
  try {
    return detailsOf(verification, target);
  } catch {
    return undefined;
  }
};

/** Failures that say that the code differs. */
const differences = new Set(['no_match', 'bytecode_length_mismatch', 'extra_file_input_bug']);

/** A difference is believed when it is there with all contracts of the input compiled, as developers compile them. */
const attempt = async (
  target: CompilationTarget,
  contract: OnchainContract,
  tools: MatchTools,
): Promise<MatchAnswer> => {
  if (!canStandAlone(target)) return compare(target, contract, tools, 'all');
  const answer = await compare(target, contract, tools, 'target');
  return differences.has(answer.failure?.code ?? '') ? compare(target, contract, tools, 'all') : answer;
};

const incomplete = ({ missing, invalid }: CandidateContract): MatchAnswer | undefined => {
  const [missingSources, invalidSources] = [Object.keys(missing), Object.keys(invalid)];
  if (missingSources.length + invalidSources.length === 0) return undefined;
  return failed(
    'missing_or_invalid_source',
    'One or more sources are mentioned in the metadata but are missing or are invalid. ' +
      `Missing sources: ${missingSources.join(', ')}; Invalid sources: ${invalidSources.join(', ')}`,
    { missingSources, invalidSources },
  );
};

/** @throws what the matching library throws without meaning to */
export const match = async (order: MatchOrder, tools: MatchTools): Promise<MatchAnswer> => {
  const { target: given, contract, furtherSources } = order;
  const lacking = isCandidate(given) ? incomplete(given) : undefined;
  if (lacking !== undefined) return lacking;
  const target = isCandidate(given) ? targetOf(given) : given;
  const answer = await attempt(target, contract, tools);
  if (answer.failure?.code !== 'extra_file_input_bug' || furtherSources.length === 0) return answer;
  return attempt(withSources(target, sourcesOf(furtherSources, tools.zipBounds)), contract, tools);
};
