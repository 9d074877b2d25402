/** Reading request bodies: the members that Mesh defines, and the texts with which its own library refuses them. */
import { malformed } from './rosetta-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws RosettaError code 0 */
export const parseBody = (body: unknown): JsonObject => {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : '';
  if (text.trim() === '') throw malformed('EOF');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw malformed(`invalid JSON: ${(error as Error).message}`);
  }
  if (!isObject(parsed)) throw malformed('json: the request must be an object');
  return parsed;
};

const wrongType = (name: string, expected: string): Error => malformed(`json: ${name} must be ${expected}`);

/** An absent member and null are the same. @throws RosettaError code 0 when it is something else than an object */
export const optionalObject = (parent: JsonObject, name: string): JsonObject | undefined => {
  const value = parent[name] ?? undefined;
  if (value !== undefined && !isObject(value)) throw wrongType(name, 'an object');
  return value;
};

/** Empty when absent. @throws RosettaError code 0 when it is no text */
export const textOf = (parent: JsonObject, name: string): string => {
  const value = parent[name] ?? '';
  if (typeof value !== 'string') throw wrongType(name, 'a string');
  return value;
};

/** Empty when absent. @throws RosettaError code 0 when it is no list of objects */
export const objectsOf = (parent: JsonObject, name: string): readonly JsonObject[] => {
  const value = parent[name] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw wrongType(name, 'a list of objects');
  return value;
};

/** @throws RosettaError code 0 when it is no whole number, or too large to be an exact one */
export const optionalInteger = (parent: JsonObject, name: string): number | undefined => {
  const value = parent[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value)) throw wrongType(name, 'an integer');
  return value as number;
};

export interface NetworkIdentifier {
  readonly blockchain: 'Hedera';
  readonly network: string;
  readonly sub_network_identifier?: { readonly network: string };
}

/** @throws RosettaError code 0 when the request is for another network or for none */
export const assertNetwork = (request: JsonObject, served: NetworkIdentifier): void => {
  const asked = optionalObject(request, 'network_identifier');
  if (asked === undefined) throw malformed('NetworkIdentifier is nil');
  const blockchain = textOf(asked, 'blockchain');
  const network = textOf(asked, 'network');
  if (blockchain === '') throw malformed('NetworkIdentifier.Blockchain is missing');
  if (network === '') throw malformed('NetworkIdentifier.Network is missing');
  const sub = optionalObject(asked, 'sub_network_identifier');
  const subNetwork = sub && textOf(sub, 'network');
  if (subNetwork === '') throw malformed('NetworkIdentifier.SubNetworkIdentifier.Network is missing');
  const isServed =
    blockchain === served.blockchain &&
    network === served.network &&
    subNetwork === served.sub_network_identifier?.network;
  if (isServed) return;
  const shown = { blockchain, network, ...(sub && { sub_network_identifier: { network: subNetwork } }) };
  throw malformed(`network identifier ${JSON.stringify(shown)} is not supported: requestNetwork is not supported`);
};
