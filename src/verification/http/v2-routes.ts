/** `/v2/...`: verification by jobs, and verified contracts in full. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  bestOf,
  type CandidateContract,
  type CompilationTarget,
  type DeployedContract,
  type UploadedFile,
  type VerificationRequest,
  type VerificationResult,
} from '../model.ts';
import type { VerificationRuns } from '../sessions/verification-runs.ts';
import type { Verifier } from '../verifier.ts';
import { bodyOf, MAX_FILE_BYTES } from './body.ts';
import { contractFields } from './contract-fields.ts';
import { deployedCode } from './deployed-code.ts';
import type { FailureForm } from './failure.ts';
import { jobAnswer, jobError, minimalContract, unverified } from './job-answers.ts';
import type { JobRuns, JobWork } from './job-runs.ts';
import type { JobStore } from './job-store.ts';
import { invalidValue, problem, VerificationProblem } from './problem.ts';
import { resolveProxy } from './proxy.ts';
import {
  addressOf,
  type Fields,
  integerParameter,
  optionalText,
  orderParameter,
  queryOf,
  requiredObject,
  requiredText,
} from './request-checks.ts';
import { compilerInputOf } from './standard-json.ts';

/** How many similar contracts are compiled to find one that matches. */
const maxSimilar = 10;

type Params = Readonly<Record<string, string>>;

const matching = (path: string, text: string, pattern: RegExp): string => {
  if (!pattern.test(text)) throw invalidValue(path, `must match pattern "${pattern.source}"`, 'pattern');
  return text;
};

const exactly = (path: string, text: string, length: number): void => {
  if (text.length < length) throw invalidValue(path, `must NOT have fewer than ${length} characters`, 'minLength');
  if (text.length > length) throw invalidValue(path, `must NOT have more than ${length} characters`, 'maxLength');
};

const addressParameter = (text: string): string => {
  exactly('/params/address', text, 42);
  return matching('/params/address', text, /^0x[0-9a-fA-F]{40}$/);
};

const knownChain = (verifier: Verifier, chainId: string): string => {
  matching('/params/chainId', chainId, /^\d{1,20}$/);
  if (!verifier.chains.some((chain) => chain.chainId === chainId)) {
    throw problem(400, `Chain ${chainId} not found`, 'unsupported_chain');
  }
  return chainId;
};

/** What the path says, before anything is asked about it. */
const namedContract = (request: FastifyRequest): DeployedContract => {
  const { chainId = '', address = '' } = request.params as Params;
  return { chainId: matching('/params/chainId', chainId, /^\d{1,20}$/), address: addressParameter(address) };
};

const contractOf = (verifier: Verifier, { chainId, address }: DeployedContract): DeployedContract => ({
  chainId: knownChain(verifier, chainId),
  address: addressOf(address),
});

/** Hashes of both kinds that a transaction has, and its id. */
const transactionPattern = /^(0x([a-fA-F0-9]{64}|[a-fA-F0-9]{96})|\d+\.\d+\.\d+[@-]\d+[.-]\d{1,9})$/;

const creatorOf = (fields: Fields): Pick<VerificationRequest, 'creatorTransaction'> => {
  const text = optionalText(fields, 'creationTransactionHash');
  if (text === undefined) return {};
  return { creatorTransaction: matching('/body/creationTransactionHash', text, transactionPattern) };
};

interface StandardRequest {
  readonly input: Fields;
  readonly version: string;
  readonly identifier: string;
}

const standardRequestOf = (fields: Fields): StandardRequest => ({
  input: requiredObject(fields, 'stdJsonInput'),
  version: matching('/body/compilerVersion', requiredText(fields, 'compilerVersion'), /^v?\d+\.\d+\.\d+.*$/),
  identifier: requiredText(fields, 'contractIdentifier'),
});

const standardTargetOf = ({ input, version, identifier }: StandardRequest): CompilationTarget => {
  const compilerInput = compilerInputOf(input);
  const colon = identifier.lastIndexOf(':');
  if (colon < 1 || colon === identifier.length - 1) {
    throw problem(
      400,
      "The contractIdentifier must consist of the file path and the contract name separated by a ':'.",
    );
  }
  return {
    compilerVersion: version.replace(/^v/, ''),
    input: compilerInput,
    path: identifier.slice(0, colon),
    name: identifier.slice(colon + 1),
  };
};

const filesOfMetadata = (fields: Fields): UploadedFile[] => {
  const metadata = requiredObject(fields, 'metadata');
  const sources = Object.entries(requiredObject(fields, 'sources')).map(([path, content]) => {
    if (typeof content !== 'string') throw invalidValue(`/body/sources/${path}`, 'must be string', 'type');
    return { path, content: Buffer.from(content) };
  });
  return [{ path: 'metadata.json', content: Buffer.from(JSON.stringify(metadata)) }, ...sources];
};

/** What is left to do when the form of a body is right. */
type Prepared = (contract: DeployedContract, client: string) => Promise<JobWork>;

const incompleteError = ({ missing, invalid }: CandidateContract): object | undefined => {
  const missingSources = Object.keys(missing);
  const invalidSources = Object.keys(invalid);
  if (invalidSources.length > 0) {
    const message = `Invalid or missing sources. Missing sources: ${missingSources.join(', ')}. Invalid sources: ${invalidSources.join(', ')}`;
    return { ...jobError('missing_or_invalid_source', message), errorData: { missingSources, invalidSources } };
  }
  if (missingSources.length === 0) return undefined;
  const message = `One or more sources are mentioned in the metadata but are not provided or could not be fetched. Missing sources: ${missingSources.join(', ')}`;
  return { ...jobError('missing_source', message), errorData: { missingSources } };
};

export interface V2RoutesOptions {
  readonly verifier: Verifier;
  readonly runs: VerificationRuns;
  readonly jobs: JobStore;
  readonly jobRuns: JobRuns;
  readonly clientOf: (request: FastifyRequest) => string;
}

export const registerV2Routes = (scope: FastifyInstance, options: V2RoutesOptions): void => {
  const { verifier, runs, jobs, jobRuns, clientOf } = options;
  const { repository } = verifier;

  /** A job for the contract of the path; `read` checks the form of the body, which comes before all other checks. */
  const post = (path: string, read: (fields: Fields) => Prepared): void => {
    scope.route({
      method: 'POST',
      url: `${path}/:chainId/:address`,
      bodyLimit: MAX_FILE_BYTES,
      config: { verificationBodies: ['application/json'] },
      handler: async (request, reply) => {
        queryOf(request.url, []);
        const named = namedContract(request);
        const workOf = read((await bodyOf(request)).fields);
        const contract = contractOf(verifier, named);
        const client = clientOf(request);
        const stored = await repository.find(contract);
        const refuseVerified = (): void => {
          if (stored?.runtimeMatch !== 'perfect' || stored.creationMatch !== 'perfect') return;
          const message = `Contract ${contract.address} on chain ${contract.chainId} is already verified with runtimeMatch and creationMatch both being exact matches.`;
          throw problem(409, message, 'already_verified');
        };
        // The explorer isn't asked for what is known already.
        if (path.endsWith('/etherscan')) refuseVerified();
        const work = await workOf(contract, client);
        refuseVerified();
        return reply.code(202).send({ verificationId: await jobRuns.start(client, contract, work) });
      },
    });
  };

  /** Tries what similar contracts were compiled from. */
  const similarMatch = async (
    client: string,
    contract: DeployedContract,
    code: string,
    creator: ReturnType<typeof creatorOf>,
  ): Promise<VerificationResult | { readonly error: object }> => {
    let best: VerificationResult | undefined;
    const tried = new Set<string>();
    for (const { details } of await repository.similar(code)) {
      const key = JSON.stringify(details.target);
      if (tried.size >= maxSimilar) break;
      if (tried.has(key)) continue;
      tried.add(key);
      const result = await runs.verify(client, { ...contract, target: details.target, ...creator });
      if (bestOf(result) === 'perfect') return result;
      if (bestOf(result) === 'partial') best ??= result;
    }
    const message = 'No similar verified contracts were found in the database.';
    return best ?? { error: jobError('no_similar_match_found', message) };
  };

  post('/v2/verify', (fields) => {
    const standard = standardRequestOf(fields);
    const creator = creatorOf(fields);
    return async (contract, client) => {
      try {
        const request = { ...contract, target: standardTargetOf(standard), ...creator };
        return () => runs.verify(client, request);
      } catch (fault) {
        // That a language isn't known is told by the job, as everything about compilers is.
        if (!(fault instanceof VerificationProblem) || fault.customCode !== 'unsupported_language') throw fault;
        return async () => ({ error: jobError(fault.customCode, fault.message) });
      }
    };
  });

  post('/v2/verify/metadata', (fields) => {
    const creator = creatorOf(fields);
    const files = filesOfMetadata(fields);
    return async (contract, client) => {
      const [target] = (await verifier.inspect(files, client)).contracts;
      if (target === undefined) throw invalidValue('/body/metadata', 'must be metadata of one contract', 'type');
      const incomplete = incompleteError(target);
      return async () =>
        incomplete === undefined ? runs.verify(client, { ...contract, target, ...creator }) : { error: incomplete };
    };
  });

  post('/v2/verify/etherscan', (fields) => {
    const apiKey = optionalText(fields, 'apiKey');
    return async (contract, client) => {
      const target = await verifier.fromExplorer(contract, apiKey);
      return () => runs.verify(client, { ...contract, target });
    };
  });

  post('/v2/verify/similarity', (fields) => {
    const creator = creatorOf(fields);
    return async (contract, client) => {
      const code = await deployedCode(verifier, contract);
      if (code === '0x') {
        const message = `There is no bytecode at address ${contract.address} on chain ${contract.chainId}.`;
        throw problem(404, message, 'cannot_fetch_bytecode');
      }
      return () => similarMatch(client, contract, code, creator);
    };
  });

  scope.get('/v2/verify/:verificationId', async (request) => {
    queryOf(request.url, []);
    const { verificationId = '' } = request.params as Params;
    exactly('/params/verificationId', verificationId, 36);
    matching('/params/verificationId', verificationId, /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);
    const job = await jobs.find(verificationId.toLowerCase());
    if (job === undefined) throw problem(404, `No verification job found for id ${verificationId}`, 'job_not_found');
    return jobAnswer(job);
  });

  scope.get('/v2/contract/all-chains/:address', async (request, reply) => {
    queryOf(request.url, []);
    const address = addressOf(addressParameter((request.params as Params).address ?? ''));
    const results = (await repository.findOnAllChains(address)).map(minimalContract);
    return reply.code(results.length === 0 ? 404 : 200).send({ results });
  });

  scope.get('/v2/contract/:chainId/:address', async (request, reply) => {
    const query = queryOf(request.url, ['fields', 'omit']);
    const contract = contractOf(verifier, namedContract(request));
    const answerOf = contractFields(query.get('fields'), query.get('omit'), (stored) => resolveProxy(verifier, stored));
    const stored = await repository.find(contract);
    if (stored === undefined) return reply.code(404).send(unverified(contract));
    return answerOf(stored);
  });

  scope.get('/v2/contracts/:chainId', async (request) => {
    const query = queryOf(request.url, ['sort', 'limit', 'afterMatchId']);
    const order = orderParameter(query, 'sort', 'desc');
    const limit = integerParameter(query, 'limit', { fallback: 200, min: 1, max: 200 });
    const after = query.get('afterMatchId');
    if (after !== null) matching('/query/afterMatchId', after, /^\d{1,18}$/);
    const chainId = knownChain(verifier, (request.params as Params).chainId ?? '');
    const listed = await repository.list({ chainId, match: 'any', order, limit, ...(after === null ? {} : { after }) });
    return { results: listed.map(minimalContract) };
  });

  scope.all('/v2/*', async () => {
    throw problem(404, 'There is no such route.', 'route_not_found');
  });
};

/** Errors of this interface, where a wrong media type is a wrong parameter. */
export const v2Failure: FailureForm = {
  status: ({ status }) => (status === 415 ? 400 : status),
  body: ({ customCode, message }) => jobError(customCode, message),
};
