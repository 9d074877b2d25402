/**
 * A verifier without compilers: the "code" of a contract is the text of its sources, and metadata is JSON that names its
 * sources by hash. Comments change code only partially. Everything else is as the interface says.
 */
import { createHash } from 'node:crypto';
import { KagamiError } from '../../../errors/kagami-error.ts';
import { keccak256 } from '../../../ledger/hash.ts';
import {
  bestOf,
  type CandidateContract,
  type CompilationTarget,
  type DeployedContract,
  type Match,
  type StoredContract,
  type UploadedFile,
  type VerificationResult,
} from '../../model.ts';
import type { ListQuery, Verifier } from '../../verifier.ts';

export const VERSION = '0.8.26+commit.8a97fa7a';

const keccak = (text: string): string => `0x${Buffer.from(keccak256(Buffer.from(text))).toString('hex')}`;
const codeOf = (sources: readonly string[]): string => `0x${Buffer.from(sources.join('\n')).toString('hex')}`;
const withoutComments = (code: string): string =>
  Buffer.from(code.slice(2), 'hex')
    .toString()
    .replaceAll(/\/\/[^\n]*/g, '')
    .trim();

/** Metadata of one contract, as a compiler would write it. */
export const metadataFor = (path: string, name: string, sources: Readonly<Record<string, string>>): object => ({
  compiler: { version: VERSION },
  language: 'Solidity',
  output: { abi: [{ type: 'function', name: 'get', inputs: [], outputs: [] }], devdoc: {}, userdoc: {} },
  settings: { compilationTarget: { [path]: name } },
  sources: Object.fromEntries(
    Object.entries(sources).map(([source, text]) => [source, { keccak256: keccak(text), urls: ['dweb:/ipfs/x'] }]),
  ),
  version: 1,
});

interface Metadata {
  readonly compiler: { readonly version: string };
  readonly settings: { readonly compilationTarget: Readonly<Record<string, string>> };
  readonly sources: Readonly<Record<string, { readonly keccak256: string; readonly urls: readonly string[] }>>;
}

const metadataOfFile = ({ content }: UploadedFile): Metadata | undefined => {
  try {
    const value = JSON.parse(Buffer.from(content).toString()) as Partial<Metadata>;
    return Object.keys(value.settings?.compilationTarget ?? {}).length !== 1 ? undefined : (value as Metadata);
  } catch {
    return undefined;
  }
};

const candidateOf = (metadata: Metadata, files: readonly UploadedFile[]): CandidateContract => {
  const targets = Object.entries(metadata.settings.compilationTarget);
  const [target] = targets;
  if (target === undefined) throw new Error('no target');
  const byHash = new Map(files.map(({ content }) => [keccak(Buffer.from(content).toString()), content]));
  const sources = Object.entries(metadata.sources);
  const found = sources.filter(([, { keccak256: hash }]) => byHash.has(hash));
  const missing = sources.filter(([, { keccak256: hash }]) => !byHash.has(hash));
  return {
    verificationId: createHash('sha1').update(JSON.stringify(metadata)).digest('hex'),
    language: 'Solidity',
    metadata: { ...metadata },
    compilerVersion: metadata.compiler.version,
    compiledPath: target[0],
    name: target[1],
    found: Object.fromEntries(
      found.map(([path, { keccak256: hash }]) => [path, Buffer.from(byHash.get(hash) ?? []).toString()]),
    ),
    missing: Object.fromEntries(missing),
    invalid: {},
  };
};

const targetOf = (target: CandidateContract | CompilationTarget): CompilationTarget => {
  if ('input' in target) return target;
  const sources = Object.entries(target.found).map(([path, content]) => [path, { content }] as const);
  return {
    compilerVersion: target.compilerVersion,
    input: { language: 'Solidity', sources: Object.fromEntries(sources), settings: {} },
    path: target.compiledPath,
    name: target.name,
  };
};

const score: Readonly<Record<'perfect' | 'partial' | 'null', number>> = { perfect: 2, partial: 1, null: 0 };
const scoreOf = (match: Match): number => score[match ?? 'null'];

export interface FixtureVerifier extends Verifier {
  /** Puts a contract with these sources on the chain; its creating transaction is `creator`. */
  deploy(contract: DeployedContract, sources: readonly string[], creator?: string): void;
  /** What the explorer says of the contract. */
  explorerSays(answer: CompilationTarget | KagamiError): void;
  /** Holds every verification, or those of one client, until `release` is called; `started` resolves with the first. */
  hold(client?: string): { readonly started: Promise<void>; readonly release: () => void };
  /** Makes verifications and questions for code fail with this. */
  failWith(error: Error): void;
  /** Puts a contract with these bytes on the chain, 0x and hex digits. */
  deployCode(contract: DeployedContract, code: string): void;
  /** Puts a value into the storage of a contract; the slot is 64 hex digits. */
  keep(contract: DeployedContract, slot: string, value: Uint8Array): void;
  /** Forgets everything. */
  reset(): void;
  /** How many verifications were carried out. */
  readonly verifications: number;
}

const notConfigured = (): KagamiError =>
  new KagamiError('EXPLORER_NOT_CONFIGURED', 'Requested chain 298 is not supported for importing from Etherscan.');

export const fixtureVerifier = (): FixtureVerifier => {
  const deployed = new Map<string, { code: string; creator: string | undefined }>();
  const storage = new Map<string, Uint8Array>();
  let stored: StoredContract[] = [];
  let verifications = 0;
  let matchIds = 0;
  let held: Promise<void> = Promise.resolve();
  let heldClient: string | undefined;
  let onStart: () => void = () => undefined;
  let explorer: CompilationTarget | KagamiError = notConfigured();
  let failure: Error | undefined;
  const keyOf = ({ chainId, address }: DeployedContract): string => `${chainId} ${address.toLowerCase()}`;
  const isOf = (contract: DeployedContract) => (other: StoredContract) => keyOf(other) === keyOf(contract);
  const fits = (match: 'full' | 'partial' | 'any') => (contract: StoredContract) =>
    match === 'any' || (match === 'full') === (bestOf(contract) === 'perfect');

  return {
    deploy: (contract, sources, creator) => {
      deployed.set(keyOf(contract), { code: codeOf(sources), creator });
    },
    deployCode: (contract, code) => {
      deployed.set(keyOf(contract), { code, creator: undefined });
    },
    keep: (contract, slot, value) => {
      storage.set(`${keyOf(contract)} ${slot}`, value);
    },
    failWith: (error) => {
      failure = error;
    },
    explorerSays: (answer) => {
      explorer = answer;
    },
    hold: (client) => {
      heldClient = client;
      const { promise, resolve } = Promise.withResolvers<void>();
      const start = Promise.withResolvers<void>();
      held = promise;
      onStart = start.resolve;
      return { started: start.promise, release: resolve };
    },
    reset: () => {
      deployed.clear();
      storage.clear();
      stored = [];
      matchIds = 0;
      verifications = 0;
      held = Promise.resolve();
      heldClient = undefined;
      explorer = notConfigured();
      failure = undefined;
    },
    get verifications() {
      return verifications;
    },
    chains: [
      { chainId: '298', name: 'Local network', rpc: [], explorer: true },
      { chainId: '295', name: 'Mainnet', rpc: [], explorer: false },
    ],
    repository: {
      find: async (contract) => stored.find(isOf(contract)),
      findOnAllChains: async (address) => stored.filter((contract) => contract.address === address),
      store: async (result) => {
        const existing = stored.find(isOf(result));
        if (existing !== undefined) {
          const better =
            (scoreOf(result.runtimeMatch) > scoreOf(existing.runtimeMatch) &&
              scoreOf(result.creationMatch) >= scoreOf(existing.creationMatch)) ||
            (scoreOf(result.creationMatch) > scoreOf(existing.creationMatch) &&
              scoreOf(result.runtimeMatch) >= scoreOf(existing.runtimeMatch));
          if (!better) return { stored: false, existing };
        }
        if (result.details === undefined) throw new Error('nothing to store');
        matchIds++;
        const { chainId, address, runtimeMatch, creationMatch, details } = result;
        const verifiedAt = new Date(Date.UTC(2026, 0, matchIds));
        const contract = { chainId, address, runtimeMatch, creationMatch, details, verifiedAt, matchId: `${matchIds}` };
        stored = [...stored.filter((other) => other !== existing), contract];
        return { stored: true, contract };
      },
      list: async ({ chainId, match, order, limit, offset = 0, after }: ListQuery) => {
        const all = stored.filter((contract) => contract.chainId === chainId).filter(fits(match));
        const ordered = order === 'asc' ? all : all.toReversed();
        const start = after === undefined ? offset : ordered.findIndex(({ matchId }) => matchId === after) + 1;
        return ordered.slice(start, start + limit);
      },
      count: async ({ chainId, match }) =>
        stored.filter((contract) => contract.chainId === chainId).filter(fits(match)).length,
      similar: async (code) =>
        stored.filter(({ details }) => details.onchainRuntimeBytecode?.slice(0, 152) === code.slice(0, 152)),
    },
    inspect: async (files) => {
      const archive = files.find(({ content }) => content[0] === 0x50 && content[1] === 0x4b);
      if (archive !== undefined) {
        throw new KagamiError('VERIFICATION_INPUT_INVALID', `Error while unzipping ${archive.path}: broken`);
      }
      const metadata = files.map(metadataOfFile).filter((found) => found !== undefined);
      const contracts = metadata.map((found) => candidateOf(found, files));
      const used = new Set(contracts.flatMap(({ found }) => Object.values(found)));
      const isUnused = (file: UploadedFile): boolean =>
        metadataOfFile(file) === undefined && !used.has(Buffer.from(file.content).toString());
      return { contracts, unused: files.filter(isUnused).map(({ path }) => path) };
    },
    verify: async ({ address, chainId, target, creatorTransaction, client }): Promise<VerificationResult> => {
      onStart();
      if (heldClient === undefined || heldClient === client) await held;
      if (failure !== undefined) throw failure;
      verifications++;
      const there = deployed.get(keyOf({ address, chainId }));
      const unmatched = { address, chainId, runtimeMatch: null, creationMatch: null };
      if (there === undefined) {
        const message = `Chain #${chainId} does not have a contract deployed at ${address}.`;
        return { ...unmatched, failure: { code: 'contract_not_deployed', message } };
      }
      const compiled = targetOf(target);
      const code = codeOf(Object.values(compiled.input.sources).map(({ content }) => content));
      const details = {
        target: compiled,
        abi: [{ type: 'function', name: 'get', inputs: [{ type: 'tuple[]', components: [{ type: 'uint256' }] }] }],
        metadata: metadataFor(compiled.path, compiled.name, {}) as Readonly<Record<string, unknown>>,
        compilationTimeMs: 12,
        onchainRuntimeBytecode: there.code,
        recompiledRuntimeBytecode: code,
        recompiledCreationBytecode: code,
        transformations: { runtime: { list: [], values: {} }, creation: { list: [], values: {} } },
        libraryMap: {},
        ...(creatorTransaction === there.creator && creatorTransaction !== undefined
          ? { deployment: { transactionHash: creatorTransaction, blockNumber: '7', transactionIndex: '3' } }
          : {}),
      };
      const match =
        code === there.code ? 'perfect' : withoutComments(code) === withoutComments(there.code) ? 'partial' : null;
      if (match === null) {
        const message = "The deployed and recompiled bytecode don't match.";
        return { ...unmatched, details, failure: { code: 'no_match', message } };
      }
      const creationMatch = details.deployment === undefined ? null : match;
      return { address, chainId, runtimeMatch: match, creationMatch, details };
    },
    metadataOf: async (input, compilerVersion) => {
      if (compilerVersion.includes('0.8.99')) {
        throw new KagamiError('VERIFICATION_INPUT_INVALID', `The compiler ${compilerVersion} is not available.`);
      }
      const { sources } = input as { sources: Readonly<Record<string, { content: string }>> };
      return Object.entries(sources).flatMap(([path, { content }]) => {
        const name = /contract (\w+)/.exec(content)?.[1] ?? '';
        const metadata = JSON.stringify(metadataFor(path, name, { [path]: content }));
        return [
          { path: `${path}-metadata.json`, content: Buffer.from(metadata) },
          { path, content: Buffer.from(content) },
        ];
      });
    },
    runtimeCode: async (contract) => {
      if (failure !== undefined) throw failure;
      return deployed.get(keyOf(contract))?.code ?? '0x';
    },
    storageAt: async (contract, slot) => {
      if (failure !== undefined) throw failure;
      return storage.get(`${keyOf(contract)} ${slot.toString('hex')}`) ?? Buffer.alloc(0);
    },
    fromExplorer: async () => {
      if (explorer instanceof KagamiError) throw explorer;
      return explorer;
    },
    close: async () => undefined,
  };
};
