/** `/verify...`: a contract verified and stored within one request. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  bestOf,
  type CandidateContract,
  type CompilationTarget,
  type DeployedContract,
  type Match,
  type StoredContract,
  type VerificationResult,
} from '../model.ts';
import { sourcesProblem } from '../sessions/session-desk.ts';
import { conflictMessage, isSettled } from '../sessions/storing.ts';
import type { VerificationRuns } from '../sessions/verification-runs.ts';
import type { Verifier } from '../verifier.ts';
import { type BodyKind, bodyOf, filesOf, MAX_FILE_BYTES, type RequestBody } from './body.ts';
import { missingProperty, problem, VerificationProblem } from './problem.ts';
import {
  contractOf,
  type Fields,
  isObject,
  optionalText,
  queryOf,
  requiredObject,
  requiredText,
} from './request-checks.ts';
import { compilerInputOf, metadataFilesOf, parseStandardJson } from './standard-json.ts';

const forms: readonly BodyKind[] = ['application/json', 'multipart/form-data'];
const plainForms: readonly BodyKind[] = ['application/json', 'application/x-www-form-urlencoded'];

/** @param stored as it is kept from now on; `status` is what this verification came to */
const answerOf = ({ address, chainId, verifiedAt, details }: StoredContract, status: Match): object => {
  const { deployment, transformations } = details;
  return {
    result: [
      {
        address,
        chainId,
        abiEncodedConstructorArguments: transformations.creation.values.constructorArguments,
        libraryMap: details.libraryMap,
        immutableReferences: details.immutableReferences ?? {},
        runtimeTransformations: transformations.runtime.list,
        creationTransformations: transformations.creation.list,
        runtimeTransformationValues: transformations.runtime.values,
        creationTransformationValues: transformations.creation.values,
        onchainRuntimeBytecode: details.onchainRuntimeBytecode,
        onchainCreationBytecode: details.onchainCreationBytecode,
        creatorTxHash: deployment?.transactionHash,
        blockNumber: deployment?.blockNumber === undefined ? undefined : Number(deployment.blockNumber),
        txIndex: deployment?.transactionIndex === undefined ? undefined : Number(deployment.transactionIndex),
        deployer: deployment?.deployer,
        contractName: details.target.name,
        storageTimestamp: verifiedAt.toISOString(),
        status,
      },
    ],
  };
};

const settledAnswer = ({ address, chainId, verifiedAt, details }: StoredContract): object => ({
  result: [
    {
      address,
      chainId,
      onchainRuntimeBytecode: details.onchainRuntimeBytecode,
      contractName: details.target.name,
      storageTimestamp: verifiedAt.toISOString(),
      status: 'perfect',
    },
  ],
});

/** The one that the client means. */
const chosenOf = (contracts: readonly CandidateContract[], chosen: string | undefined): CandidateContract => {
  const [only] = contracts;
  if (chosen !== undefined) {
    const contract = /^\d{1,6}$/.test(chosen) ? contracts[Number(chosen)] : undefined;
    if (contract === undefined) throw problem(404, `Chosen contract not found. Received chosenContract: ${chosen}`);
    return contract;
  }
  if (contracts.length > 1 || only === undefined) {
    const names = contracts.map(({ name }) => name).join(', ');
    const error = `Detected ${contracts.length} contracts (${names}), but can only verify 1 at a time. Please choose a main contract and click Verify again.`;
    const contractsToChoose = contracts.map(({ name, compiledPath }) => ({ name, path: compiledPath }));
    throw new VerificationProblem(400, error, { error, contractsToChoose }, 'invalid_parameter');
  }
  return only;
};

const noFiles = (body: RequestBody): VerificationProblem =>
  body.kind === 'application/json'
    ? missingProperty('/body', 'files')
    : problem(404, "Couldn't extract files from the request. Please make sure you have added files");

export const registerStatelessRoutes = (
  scope: FastifyInstance,
  verifier: Verifier,
  runs: VerificationRuns,
  clientOf: (request: FastifyRequest) => string,
): void => {
  const { repository } = verifier;

  const verifyAndStore = async (
    request: FastifyRequest,
    contract: DeployedContract,
    target: CandidateContract | CompilationTarget,
    fields: Fields,
  ): Promise<object> => {
    const creatorTransaction = optionalText(fields, 'creatorTxHash');
    const result: VerificationResult = await runs.verify(clientOf(request), {
      ...contract,
      target,
      ...(creatorTransaction === undefined ? {} : { creatorTransaction }),
    });
    const match = bestOf(result);
    if (match === null) {
      throw problem(400, result.failure?.message ?? "The deployed and recompiled bytecode don't match.");
    }
    const outcome = await repository.store(result);
    if (outcome.stored) return answerOf(outcome.contract, match);
    if (bestOf(outcome.existing) === 'perfect') return settledAnswer(outcome.existing);
    throw problem(409, conflictMessage(contract));
  };

  const post = (
    paths: readonly string[],
    verificationBodies: readonly BodyKind[],
    verify: (request: FastifyRequest, body: RequestBody, contract: DeployedContract) => Promise<object>,
  ): void => {
    for (const url of paths) {
      scope.route({
        method: 'POST',
        url,
        bodyLimit: MAX_FILE_BYTES,
        config: { verificationBodies },
        handler: async (request) => {
          queryOf(request.url, []);
          const body = await bodyOf(request);
          const contract = contractOf(verifier, body.fields, 'chain');
          return verify(request, body, contract);
        },
      });
    }
  };

  /** The answer for a contract with which nothing more can be done. */
  const settled = async (contract: DeployedContract, fields: Fields): Promise<object | undefined> => {
    const stored = await repository.find(contract);
    return isSettled(stored, optionalText(fields, 'creatorTxHash')) ? settledAnswer(stored) : undefined;
  };

  post(['/verify', '/'], forms, async (request, body, contract) => {
    const { fields } = body;
    if (body.kind === 'application/json' && fields.files === undefined) throw noFiles(body);
    const already = await settled(contract, fields);
    if (already !== undefined) return already;
    const files = filesOf(body);
    if (files === undefined) throw noFiles(body);
    const { contracts } = await verifier.inspect(files, clientOf(request));
    if (contracts.length === 0) {
      const message = `No valid Solidity metadata file found in the provided ${files.length} files. Please make sure you have added a valid metadata.json file.`;
      throw problem(400, message);
    }
    const target = chosenOf(contracts, optionalText(fields, 'chosenContract'));
    const incomplete = sourcesProblem(target);
    if (incomplete !== undefined) throw problem(400, incomplete);
    return verifyAndStore(request, contract, target, fields);
  });

  post(['/verify/solc-json'], forms, async (request, body, contract) => {
    const { fields } = body;
    const compilerVersion = requiredText(fields, 'compilerVersion');
    const contractName = requiredText(fields, 'contractName');
    const already = await settled(contract, fields);
    if (already !== undefined) return already;
    const [file, ...others] = filesOf(body) ?? [];
    if (file === undefined) throw noFiles(body);
    if (others.length > 0) throw problem(400, 'Only one Solidity JSON Input file at a time is allowed');
    const input = parseStandardJson(file);
    const client = clientOf(request);
    const files = await metadataFilesOf(verifier, input, compilerVersion, client);
    const { contracts } = await verifier.inspect(files, client);
    const found = contracts.find(({ name }) => name === contractName);
    if (found === undefined) {
      throw problem(400, `Couldn't find contract ${contractName} in the provided Solidity JSON Input file.`);
    }
    const target = {
      compilerVersion: found.compilerVersion,
      input: compilerInputOf(input),
      path: found.compiledPath,
      name: contractName,
    };
    return verifyAndStore(request, contract, target, fields);
  });

  post(['/verify/etherscan', '/verify/explorer'], plainForms, async (request, body, contract) => {
    const target = await verifier.fromExplorer(contract, optionalText(body.fields, 'apiKey'));
    return verifyAndStore(request, contract, target, {});
  });

  post(['/verify/vyper'], ['application/json'], async (request, body, contract) => {
    const { fields } = body;
    const sources = requiredObject(fields, 'files');
    const path = requiredText(fields, 'contractPath');
    const name = requiredText(fields, 'contractName');
    const version = requiredText(fields, 'compilerVersion').replace(/^v/, '');
    const texts = filesOf(body) ?? [];
    if (!/^\d+\.\d+\.\d+/.test(version) || !(path in sources)) {
      throw problem(400, 'Error initializing Vyper compiler input, please check files and settings');
    }
    const already = await settled(contract, fields);
    if (already !== undefined) return already;
    const target: CompilationTarget = {
      compilerVersion: version,
      input: {
        language: 'Vyper',
        sources: Object.fromEntries(
          texts.map((file) => [file.path, { content: Buffer.from(file.content).toString() }]),
        ),
        settings: isObject(fields.compilerSettings) ? fields.compilerSettings : {},
      },
      path,
      name,
    };
    return verifyAndStore(request, contract, target, fields);
  });
};
