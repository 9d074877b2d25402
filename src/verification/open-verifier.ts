/** Puts the parts of contract verification together. */
import type { VerificationSettings } from '../config/settings/verification.ts';
import type { Database } from '../database/connection.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import { addressBytes, checksumAddress } from './chain/address.ts';
import type { ContractChain, ContractCreation, ContractIdentity } from './chain/chain.ts';
import { type MirroredNetwork, openMirroredChain } from './chain/mirrored-chain.ts';
import { openRpcChain } from './chain/rpc-chain.ts';
import { openCompilerStore } from './compilers/compiler-store.ts';
import { type ExplorerEndpoint, openExplorer } from './explorer/explorer.ts';
import { JobQueue } from './jobs/job-queue.ts';
import { JobThread } from './jobs/job-thread.ts';
import type { DeployedContract, VerificationRequest, VerificationResult, VerifiedDetails } from './model.ts';
import { openFileRepository } from './repository/file-repository.ts';
import { openRepository } from './repository/repository.ts';
import type { Verifier } from './verifier.ts';

export interface VerifierOptions {
  /** Reads the ledger and writes the schema `kagami`. */
  readonly database: Database;
  readonly network: MirroredNetwork;
  readonly settings: VerificationSettings;
  /** Folder for compilers where the settings name none. */
  readonly compilersFolder: string;
}

/** How long a thread without a job is kept, since starting one takes a second. */
const KEEP_THREAD_MS = 60_000;

const openChains = ({ database, network, settings }: VerifierOptions): ReadonlyMap<string, ContractChain> => {
  const others = settings.chains
    .filter(({ chainId, rpc }) => chainId !== network.chainId && rpc.length > 0)
    .map(({ chainId, name, rpc }) => openRpcChain({ chainId, name: name || chainId, rpc }));
  return new Map([openMirroredChain(database, network), ...others].map((chain) => [chain.chainId, chain]));
};

const explorerEndpoints = ({ network, settings }: VerifierOptions): ReadonlyMap<string, ExplorerEndpoint> => {
  const own = { chainId: network.chainId, explorer: settings.explorer, explorerKey: settings.explorerKey };
  return new Map(
    [...settings.chains, own]
      .filter(({ explorer }) => explorer !== '')
      .map(({ chainId, explorer, explorerKey }) => [chainId, { url: explorer, apiKey: explorerKey }]),
  );
};

/** Keys may be in paths and queries of such URLs. */
const withoutSecrets = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');

const failure = (contract: DeployedContract, code: string, message: string): VerificationResult => ({
  chainId: contract.chainId,
  address: contract.address,
  runtimeMatch: null,
  creationMatch: null,
  failure: { code, message },
});

const addedToDetails = (
  details: VerifiedDetails,
  { transactionHash, blockNumber, transactionIndex, deployer }: ContractCreation,
): VerifiedDetails => {
  if (transactionHash === undefined) return details;
  const deployment = {
    transactionHash,
    ...(blockNumber === undefined ? {} : { blockNumber }),
    ...(transactionIndex === undefined ? {} : { transactionIndex }),
    ...(deployer === undefined ? {} : { deployer }),
  };
  return { ...details, deployment };
};

export const openVerifier = (options: VerifierOptions): Verifier => {
  const { database, settings } = options;
  const { compilers: compilerSettings, limits } = settings;
  const chains = openChains(options);
  const endpoints = explorerEndpoints(options);
  const explore = openExplorer({
    endpoints,
    allowPrivate: settings.allowPrivateExplorers,
    timeoutMs: settings.explorerTimeout,
  });
  const compilers = openCompilerStore({
    folder: compilerSettings.folder || options.compilersFolder,
    download: compilerSettings.download,
    mirror: compilerSettings.mirror,
    vyper: new Map(compilerSettings.vyper.map(({ version, path }) => [version, path])),
  });
  const threadData = {
    compileBounds: { timeoutMs: compilerSettings.timeout, memoryMb: compilerSettings.memoryMb },
    zipBounds: { entries: limits.archiveEntries, bytes: limits.archiveBytes },
  };
  const openQueue = (): JobQueue =>
    new JobQueue({
      concurrent: limits.concurrent,
      waiting: limits.waiting,
      waitingOfClient: limits.waitingOfClient,
      timeoutMs: limits.time,
      keepMs: KEEP_THREAD_MS,
      start: () => new JobThread(threadData, compilers),
    });
  // Uploads are looked at within moments and don't wait for others' compilations.
  const inspections = openQueue();
  const compilations = openQueue();
  const files = settings.repository.folder === '' ? undefined : openFileRepository(settings.repository.folder);

  const locate = async ({ chainId, address }: DeployedContract): Promise<[ContractChain, ContractIdentity]> => {
    const chain = chains.get(chainId);
    const bytes = addressBytes(address);
    if (chain === undefined) {
      throw new KagamiError('VERIFICATION_INPUT_INVALID', `Chain ${chainId} not supported for verification!`);
    }
    if (bytes === undefined) throw new KagamiError('VERIFICATION_INPUT_INVALID', `Invalid address: ${address}`);
    return [chain, await chain.identify(bytes)];
  };

  /** A creation that can't be had costs the match of the creation only. */
  const creationOf = async (
    chain: ContractChain,
    identity: ContractIdentity,
    named: string | undefined,
  ): Promise<ContractCreation | undefined> => {
    try {
      return await chain.creation(identity, named);
    } catch (fault) {
      if (isKagamiError(fault, 'VERIFICATION_FAILED')) return undefined;
      throw fault;
    }
  };

  const verify = async (request: VerificationRequest): Promise<VerificationResult> => {
    const [chain, identity] = await locate(request);
    const contract = { chainId: chain.chainId, address: identity.address };
    let runtimeBytecode: string;
    try {
      runtimeBytecode = await chain.runtimeCode(identity);
    } catch (fault) {
      if (!isKagamiError(fault, 'VERIFICATION_FAILED')) throw fault;
      const message = `Cannot fetch bytecode for chain #${chain.chainId} and address ${identity.address}.`;
      return failure(contract, 'cannot_fetch_bytecode', message);
    }
    if (runtimeBytecode === '0x') {
      const message = `Chain #${chain.chainId} does not have a contract deployed at ${identity.address}.`;
      return failure(contract, 'contract_not_deployed', message);
    }
    const creation = await creationOf(chain, identity, request.creatorTransaction || undefined);
    const order = {
      target: request.target,
      contract: { ...contract, runtimeBytecode, creationBytecode: creation?.bytecode },
      furtherSources: request.furtherSources ?? [],
    };
    const answer = await compilations.run<'match'>({ kind: 'match', order }, request.client ?? '');
    const { details, ...matches } = answer;
    if (details === undefined) return { ...contract, ...matches };
    return { ...contract, ...matches, details: creation === undefined ? details : addedToDetails(details, creation) };
  };

  return {
    repository: openRepository({ database, chains, files }),
    chains: [...chains.values()].map(({ chainId, name, rpc }) => ({
      chainId,
      name,
      rpc: rpc.map(withoutSecrets),
      explorer: endpoints.has(chainId),
    })),
    inspect: (uploaded, client = '') => inspections.run<'inspect'>({ kind: 'inspect', files: uploaded }, client),
    verify,
    metadataOf: (input, compilerVersion, client = '') =>
      compilations.run<'metadata'>({ kind: 'metadata', input, compilerVersion }, client),
    runtimeCode: async (contract) => {
      const [chain, identity] = await locate(contract);
      return chain.runtimeCode(identity);
    },
    storageAt: async (contract, slot) => {
      const [chain, identity] = await locate(contract);
      return chain.storage(identity, slot);
    },

    fromExplorer: async (contract, apiKey) => {
      const bytes = addressBytes(contract.address);
      if (bytes === undefined)
        throw new KagamiError('VERIFICATION_INPUT_INVALID', `Invalid address: ${contract.address}`);
      return explore({ chainId: contract.chainId, address: checksumAddress(bytes) }, apiKey);
    },
    close: async () => {
      await Promise.all([inspections.stop(), compilations.stop()]);
    },
  };
};
