/** What requests may say: query parameters, members of the body, addresses and chains. */
import { splitTarget } from '../../api/http/raw-query.ts';
import type { DeployedContract } from '../model.ts';
import type { Verifier } from '../verifier.ts';
import { checkSummedAddress } from './address.ts';
import { invalidValue, missingProperty, problem, unknownQueryParameter } from './problem.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** @throws VerificationProblem for a parameter that is not among `allowed`. */
export const queryOf = (url: string, allowed: readonly string[]): URLSearchParams => {
  const query = new URLSearchParams(splitTarget(url).query);
  for (const name of query.keys()) if (!allowed.includes(name)) throw unknownQueryParameter(name);
  return query;
};

export const booleanParameter = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name);
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  throw invalidValue(`/query/${name}`, 'must be boolean', 'type');
};

export const requiredParameter = (query: URLSearchParams, name: string): string => {
  const value = query.get(name);
  if (value === null) throw missingProperty('/query', name);
  return value;
};

/** A whole number of the query within bounds. */
export const integerParameter = (
  query: URLSearchParams,
  name: string,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number => {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`/query/${name}`, 'must be integer', 'type');
  const value = Number(text);
  if (value < min) throw invalidValue(`/query/${name}`, `must be >= ${min}`, 'minimum');
  if (value > max) throw invalidValue(`/query/${name}`, `must be <= ${max}`, 'maximum');
  return value;
};

export const orderParameter = (query: URLSearchParams, name: string, fallback: 'asc' | 'desc'): 'asc' | 'desc' => {
  const value = query.get(name) ?? fallback;
  if (value === 'asc' || value === 'desc') return value;
  throw invalidValue(`/query/${name}`, 'must be equal to one of the allowed values: asc, desc', 'enum');
};

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that may be left out, be null or empty, all of which mean the same. */
export const optionalText = (fields: Fields, name: string, where = '/body'): string | undefined => {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidValue(`${where}/${name}`, 'must be string', 'type');
  return value;
};

export const requiredText = (fields: Fields, name: string, where = '/body'): string => {
  const value = fields[name];
  if (value === undefined) throw missingProperty(where, name);
  if (typeof value !== 'string') throw invalidValue(`${where}/${name}`, 'must be string', 'type');
  return value;
};

export const requiredObject = (fields: Fields, name: string, where = '/body'): Fields => {
  const value = fields[name];
  if (value === undefined) throw missingProperty(where, name);
  if (!isObject(value)) throw invalidValue(`${where}/${name}`, 'must be object', 'type');
  return value;
};

export const addressOf = (text: string): string => {
  const address = checkSummedAddress(text);
  if (address === undefined) throw problem(400, `Invalid address: ${text}`);
  return address;
};

const isChain = (verifier: Verifier, chainId: string): boolean =>
  verifier.chains.some((chain) => chain.chainId === chainId);

/** A chain that contracts can be verified on. */
const supportedChain = (verifier: Verifier, chainId: string): string => {
  if (!isChain(verifier, chainId)) throw problem(400, `Chain ${chainId} not supported for verification!`);
  return chainId;
};

/** A chain whose contracts can be looked up. */
export const knownChain = (verifier: Verifier, chainId: string): string => {
  if (!isChain(verifier, chainId)) throw problem(400, `Chain ${chainId} is not a Sourcify chain!`);
  return chainId;
};

/** Chain ids of a list, separated by commas. */
export const knownChains = (verifier: Verifier, text: string): string[] => {
  const chainIds = text.split(',');
  const unknown = chainIds.filter((chainId) => chainId !== '0' && !isChain(verifier, chainId));
  if (unknown.length > 0) throw problem(400, `Invalid chainIds: ${unknown.join(', ')}`);
  return chainIds;
};

/** `address` and `chain` or `chainId` of a body; `chainName` is the one that is missed when there is none. */
export const contractOf = (
  verifier: Verifier,
  fields: Fields,
  chainName: 'chain' | 'chainId',
  where = '/body',
): DeployedContract => {
  const addressText = requiredText(fields, 'address', where);
  const name = ['chainId', 'chain'].find((one) => fields[one] !== undefined) ?? chainName;
  const chainId = requiredText(fields, name, where);
  const address = addressOf(addressText);
  return { address, chainId: supportedChain(verifier, chainId) };
};
