/** The body of POST /contracts/call: members, their bounds, and how they depend on each other. */
import { reasonedProblem } from '../../api/problem.ts';
import type { AddressHex } from '../state/records.ts';
import type { BlockChoice } from '../state/state-source.ts';
import type { CallTask, StateOverride } from '../workers/simulation-task.ts';
import { parseBlock } from './block-text.ts';
import { looksLikeInitCode } from './init-code.ts';
import { type JsonObject, parseDocument, parseProblem } from './json-document.ts';
import { flagMember, integerMember, listMember, strictTextMember, textMember } from './member-values.ts';
import { readStateOverrides } from './override-members.ts';
import { Violations } from './violations.ts';

/** A request as it was written, after all that can be said about it without the ledger. */
export interface CallRequest {
  readonly block: BlockChoice;
  /** Hex digits without prefix, lower case; may be an odd number. */
  readonly data: string;
  readonly estimate: boolean;
  readonly from: AddressHex | undefined;
  readonly gas: bigint;
  readonly isGasGiven: boolean;
  /** As written, in tinybars or in weibars. */
  readonly gasPrice: bigint;
  /** Undefined also for the zero address: a contract is created. */
  readonly to: AddressHex | undefined;
  readonly value: bigint;
  readonly stateOverrides: readonly StateOverride[];
  /** Members as texts, for filters and logs. */
  readonly texts: CallTexts;
}

export interface CallTexts {
  readonly block: string;
  readonly data: string;
  readonly from: string;
  readonly to: string;
}

const DEFAULT_GAS = 15_000_000n;
const LEAST_GAS = 21_000n;
const MOST_DATA_DIGITS = 1_048_576;
const ZERO_ADDRESS = '0'.repeat(40);
const WEIBARS_PER_TINYBAR = 10_000_000_000n;

const checkLeast = (violations: Violations, field: string, value: bigint, least: bigint): void => {
  if (value < least) violations.add(field, `must be greater than or equal to ${least}`);
};

const checkParties = (
  violations: Violations,
  request: Pick<CallRequest, 'data' | 'value'> & { readonly from: string | undefined; readonly to: string | undefined },
  skipInitCodeCheck: boolean,
): void => {
  const { data, from, to, value } = request;
  if (value <= 0n) return;
  if (from === undefined) violations.add('from', 'must not be empty');
  else if ((to === undefined || to === '') && !skipInitCodeCheck && !looksLikeInitCode(data)) {
    violations.add('to', 'must not be empty');
  }
};

const readMembers = (body: JsonObject, skipInitCodeCheck: boolean): CallRequest => {
  const violations = new Violations();
  const blockText = strictTextMember(body, 'block') ?? 'latest';
  const block = parseBlock(blockText);
  const dataText = textMember(body, 'data') ?? '';
  const data = violations.hex('data', dataText, { most: MOST_DATA_DIGITS });
  const estimate = flagMember(body, 'estimate', false);
  const fromText = textMember(body, 'from');
  const from = fromText === undefined ? undefined : violations.address('from', fromText);
  const gas = integerMember(body, 'gas', DEFAULT_GAS);
  checkLeast(violations, 'gas', gas, LEAST_GAS);
  const gasPrice = integerMember(body, 'gasPrice', 0n);
  checkLeast(violations, 'gasPrice', gasPrice, 0n);
  const toText = textMember(body, 'to');
  const to = toText === undefined || toText === '' ? undefined : violations.address('to', toText);
  const value = integerMember(body, 'value', 0n);
  checkLeast(violations, 'value', value, 0n);
  const stateOverrides = readStateOverrides(listMember(body, 'state_overrides'), violations);
  checkParties(violations, { data, from: fromText, to: toText, value }, skipInitCodeCheck);
  violations.throwIfAny();
  return {
    block,
    data,
    estimate,
    from,
    gas,
    isGasGiven: body.members.has('gas'),
    gasPrice,
    to: to === ZERO_ADDRESS ? undefined : to,
    value,
    stateOverrides,
    texts: { block: blockText, data: dataText, from: fromText ?? '', to: toText ?? '' },
  };
};

export interface CallBodySettings {
  readonly skipInitCodeCheck: boolean;
  /** Characters; left out: as the limits of networks need. */
  readonly longestDocument?: number;
}

/** @throws HttpProblem 400 with one message for each fault; a body that is no JSON object gives a single one. */
export const parseCallBody = (body: Uint8Array, settings: CallBodySettings): CallRequest => {
  const missing = 'Required request body is missing';
  if (body.length === 0) throw reasonedProblem(400, missing);
  const document = parseDocument(body, settings.longestDocument);
  if (document.kind === 'null') throw reasonedProblem(400, missing);
  if (document.kind !== 'object')
    throw parseProblem('Cannot deserialize the request from something else than an object');
  return readMembers(document, settings.skipInitCodeCheck);
};

/**
 * Tinybars, whatever unit the request was written in. The members of a call are in tinybars, but a JSON-RPC relay hands on
 * the `gasPrice` of Ethereum clients, or its own `eth_gasPrice`, in weibars. No price of one unit can be one of the other:
 * what is less than a tinybar in weibars is no price, and what is as much in tinybars would be 100 hbars for a unit of gas.
 */
const tinybarsOf = (gasPrice: bigint): bigint =>
  gasPrice >= WEIBARS_PER_TINYBAR ? gasPrice / WEIBARS_PER_TINYBAR : gasPrice;

/**
 * What only counts after the throttles: the configured maximum of gas, and whole bytes.
 * @throws HttpProblem 400
 */
export const callTaskOf = (request: CallRequest, maxGasLimit: bigint): CallTask => {
  const { block, data, estimate, from, gas, isGasGiven, gasPrice, to, value, stateOverrides } = request;
  if (gas > maxGasLimit) throw reasonedProblem(400, `gas field must be less than or equal to ${maxGasLimit}`);
  if (data.length % 2 !== 0) throw reasonedProblem(400, 'Odd number of characters.');
  return {
    block,
    data: Uint8Array.from(Buffer.from(data, 'hex')),
    estimate,
    from,
    gas,
    isGasGiven,
    gasPrice: tinybarsOf(gasPrice),
    to,
    value,
    stateOverrides,
  };
};
