/** Everything that the second interface shows of a verified contract, and the choice of what a client wants of it. */
import { keccak256 } from '../../ledger/hash.ts';
import { bestOf, type StoredContract } from '../model.ts';
import { jobError, matchWord, timeText } from './job-answers.ts';
import { problem } from './problem.ts';
import type { ProxyResolution } from './proxy.ts';
import { isObject } from './request-checks.ts';

interface AbiParameter {
  readonly type: string;
  readonly components?: readonly AbiParameter[];
}

/** The type as signatures write it: tuples by their members. */
const typeText = ({ type, components }: AbiParameter): string =>
  type.startsWith('tuple') ? `(${(components ?? []).map(typeText).join(',')})${type.slice('tuple'.length)}` : type;

const signaturesOf = (abi: readonly unknown[]): object => {
  const ofKind = (kind: string): object[] =>
    abi
      .filter((item) => isObject(item) && item.type === kind && typeof item.name === 'string')
      .map((item) => {
        const { name, inputs } = item as { name: string; inputs?: readonly AbiParameter[] };
        const signature = `${name}(${(inputs ?? []).map(typeText).join(',')})`;
        const hash = `0x${Buffer.from(keccak256(Buffer.from(signature))).toString('hex')}`;
        return { signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) };
      });
  return { function: ofKind('function'), event: ofKind('event'), error: ofKind('error') };
};

type Member = (stored: StoredContract) => unknown;

const identity: Readonly<Record<string, Member>> = {
  matchId: ({ matchId }) => matchId,
  creationMatch: ({ creationMatch }) => matchWord(creationMatch),
  runtimeMatch: ({ runtimeMatch }) => matchWord(runtimeMatch),
  verifiedAt: ({ verifiedAt }) => timeText(verifiedAt),
  match: (stored) => matchWord(bestOf(stored)),
  chainId: ({ chainId }) => chainId,
  address: ({ address }) => address,
};

const compilers: Readonly<Record<string, string>> = { Solidity: 'solc', Yul: 'solc', Vyper: 'vyper', Fe: 'fe' };

const standardOutput = ({ details }: StoredContract): object => {
  const { path, name, input } = details.target;
  const evm = {
    bytecode: {
      object: details.recompiledCreationBytecode.replace(/^0x/, ''),
      sourceMap: details.creationSourceMap,
      linkReferences: details.linkReferences?.creation,
    },
    deployedBytecode: {
      object: details.recompiledRuntimeBytecode.replace(/^0x/, ''),
      sourceMap: details.runtimeSourceMap,
      linkReferences: details.linkReferences?.runtime,
      immutableReferences: details.immutableReferences,
    },
  };
  const { abi, userdoc, devdoc, storageLayout, metadata } = details;
  const contract = { abi, userdoc, devdoc, storageLayout, metadata: metadata && JSON.stringify(metadata), evm };
  const sources =
    details.sourceIds ?? Object.fromEntries(Object.keys(input.sources).map((source, id) => [source, { id }]));
  return { sources, contracts: { [path]: { [name]: contract } } };
};

const members: Readonly<Record<string, Member>> = {
  creationBytecode: ({ details }) => ({
    onchainBytecode: details.onchainCreationBytecode ?? null,
    recompiledBytecode: details.recompiledCreationBytecode,
    sourceMap: details.creationSourceMap ?? null,
    linkReferences: details.linkReferences?.creation ?? null,
    cborAuxdata: details.cborAuxdata?.creation ?? null,
    transformations: details.transformations.creation.list,
    transformationValues: details.transformations.creation.values,
  }),
  runtimeBytecode: ({ details }) => ({
    onchainBytecode: details.onchainRuntimeBytecode ?? null,
    recompiledBytecode: details.recompiledRuntimeBytecode,
    sourceMap: details.runtimeSourceMap ?? null,
    linkReferences: details.linkReferences?.runtime ?? null,
    cborAuxdata: details.cborAuxdata?.runtime ?? null,
    immutableReferences: details.immutableReferences ?? null,
    transformations: details.transformations.runtime.list,
    transformationValues: details.transformations.runtime.values,
  }),
  deployment: ({ details }) => ({
    transactionHash: details.deployment?.transactionHash ?? null,
    blockNumber: details.deployment?.blockNumber ?? null,
    transactionIndex: details.deployment?.transactionIndex ?? null,
    deployer: details.deployment?.deployer ?? null,
  }),
  sources: ({ details }) => details.target.input.sources,
  compilation: ({ details: { target } }) => ({
    language: target.input.language,
    compiler: compilers[target.input.language],
    compilerVersion: target.compilerVersion,
    compilerSettings: target.input.settings,
    name: target.name,
    fullyQualifiedName: `${target.path}:${target.name}`,
  }),
  abi: ({ details }) => details.abi,
  metadata: ({ details }) => details.metadata ?? null,
  storageLayout: ({ details }) => details.storageLayout ?? null,
  transientStorageLayout: ({ details }) => details.transientStorageLayout ?? null,
  userdoc: ({ details }) => details.userdoc ?? null,
  devdoc: ({ details }) => details.devdoc ?? null,
  sourceIds: ({ details }) => details.sourceIds ?? null,
  stdJsonInput: ({ details: { target } }) => target.input,
  stdJsonOutput: standardOutput,
  signatures: ({ details }) => signaturesOf(details.abi),
};

/** The one member that isn't stored. */
const PROXY = 'proxyResolution';

const shownProxy = (resolution: ProxyResolution): object =>
  'proxyResolutionError' in resolution
    ? { proxyResolutionError: jobError('proxy_resolution_error', resolution.proxyResolutionError) }
    : resolution;

interface Selector {
  readonly name: string;
  readonly sub: string | undefined;
}

const selectorOf = (text: string): Selector => {
  const [name = '', sub, ...deeper] = text.split('.');
  if (deeper.length > 0) {
    throw problem(400, `Field selector cannot have more than one level subselectors: ${text}`);
  }
  if (name !== PROXY && !Object.hasOwn(members, name) && !Object.hasOwn(identity, name)) {
    throw problem(400, `Field selector ${name} is not a valid field`);
  }
  return { name, sub };
};

const selectorsOf = (text: string | null): Selector[] => (text === null ? [] : text.split(',').map(selectorOf));

const without = (value: unknown, sub: string): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== sub)) : value;

/**
 * The contract with what `fields` (names separated by commas, `a.b` for a part, `all`) asks for or without what `omit`
 * names; `proxyOf` is asked when it is wanted.
 * @throws VerificationProblem for both at once, and for unknown names
 */
export const contractFields = (
  fields: string | null,
  omit: string | null,
  proxyOf: (stored: StoredContract) => Promise<ProxyResolution>,
): ((stored: StoredContract) => Promise<Record<string, unknown>>) => {
  if (fields !== null && omit !== null) throw problem(400, 'Cannot specify both fields and omit');
  const omitted = selectorsOf(omit);
  const takesAll = omit !== null || fields === 'all';
  const wanted = takesAll ? [...Object.keys(members), PROXY].map(selectorOf) : selectorsOf(fields);
  return async (stored) => {
    const answer: Record<string, unknown> = {};
    for (const { name, sub } of wanted) {
      const value = name === PROXY ? shownProxy(await proxyOf(stored)) : members[name]?.(stored);
      if (value === undefined) continue;
      if (sub === undefined) answer[name] = value;
      else if (isObject(value)) {
        if (!Object.hasOwn(value, sub)) throw problem(400, `Field selector ${name}.${sub} is not a valid field`);
        answer[name] = { ...(answer[name] as object | undefined), [sub]: value[sub] };
      }
    }
    for (const { name, sub } of omitted) {
      if (sub === undefined) delete answer[name];
      else answer[name] = without(answer[name], sub);
    }
    for (const [name, member] of Object.entries(identity)) answer[name] = member(stored);
    return answer;
  };
};
