import { type JsonObject, optionalInteger, optionalObject, textOf } from '../request.ts';
import { malformed } from '../rosetta-error.ts';

export interface BlockIdentifier {
  readonly index: number;
  /** 0x and hex. */
  readonly hash: string;
}

/** Which block is meant: with neither member, the latest. */
export interface PartialBlockIdentifier {
  readonly index?: number;
  /** As sent. */
  readonly hash?: string;
}

const partialOf = (identifier: JsonObject): PartialBlockIdentifier => {
  const index = optionalInteger(identifier, 'index');
  if (index !== undefined && index < 0) throw malformed('BlockIdentifier.Index is negative');
  const hash = identifier.hash === undefined || identifier.hash === null ? undefined : textOf(identifier, 'hash');
  return { ...(index === undefined ? {} : { index }), ...(hash === undefined ? {} : { hash }) };
};

/** @throws RosettaError code 0 */
export const requiredPartialIdentifier = (request: JsonObject): PartialBlockIdentifier => {
  const identifier = optionalObject(request, 'block_identifier');
  if (identifier === undefined) throw malformed('PartialBlockIdentifier is nil');
  return partialOf(identifier);
};

/** @throws RosettaError code 0 */
export const optionalPartialIdentifier = (request: JsonObject): PartialBlockIdentifier => {
  const identifier = optionalObject(request, 'block_identifier');
  return identifier === undefined ? {} : partialOf(identifier);
};

/** @throws RosettaError code 0 */
export const fullIdentifier = (request: JsonObject): Required<PartialBlockIdentifier> => {
  const identifier = optionalObject(request, 'block_identifier');
  if (identifier === undefined) throw malformed('BlockIdentifier is nil');
  const { index = 0, hash = '' } = partialOf(identifier);
  if (hash === '') throw malformed('BlockIdentifier.Hash is missing');
  return { index, hash };
};

/** @throws RosettaError code 0 */
export const transactionHashText = (request: JsonObject): string => {
  const identifier = optionalObject(request, 'transaction_identifier');
  if (identifier === undefined) throw malformed('TransactionIdentifier is nil');
  const hash = textOf(identifier, 'hash');
  if (hash === '') throw malformed('TransactionIdentifier.Hash is missing');
  return hash;
};
