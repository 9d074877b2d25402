/**
 * Kinds of query parameters. A parameter says once which values it takes, what they mean to a handler, and how it is
 * documented; the checks of an endpoint, the typed values that its handler gets and its part of the OpenAPI document follow
 * (endpoint.ts).
 */
import type { RestSettings } from '../../config/settings/rest.ts';
import { transactionTypeNames, transactionTypeNumber } from '../../ledger/transaction-type.ts';
import { type Bounds, boundsOf } from '../bounds.ts';
import { type EntityIdFilter, entityIdFilters } from '../entity-reference.ts';
import { limitOf, type Order, orderOf } from '../page.ts';
import {
  blockNumberOf,
  blockNumberParameter,
  booleanParameter,
  entityIdOrLongZeroParameter,
  entityIdParameter,
  limitParameter,
  nonceParameter,
  nonNegativeInt8Parameter,
  orderParameter,
  positiveInt8Parameter,
  publicKeyParameter,
  timestampParameter,
  transactionTypeParameter,
} from '../parameter-checks.ts';
import { type PublicKeyFilters, publicKeyFilters } from '../public-key-filters.ts';
import type { Filter, Operator } from '../query.ts';
import type { JsonSchema, OpenApiParameter, RestRequest, RouteContext } from '../route.ts';
import { entityIdParameterDoc, limitParameterDoc, orderParameterDoc, timestampParameterDoc } from '../schemas.ts';
import { timestampBounds } from '../timestamp-filter.ts';

/** What a value may depend on besides the query. */
export interface Asked {
  readonly request: RestRequest;
  readonly context: RouteContext;
}

export interface Parameter<Value> {
  /** Whether the parameter takes this operator and value. */
  accepts(operator: Operator, value: string, settings: RestSettings): boolean;
  /**
   * The value of the parameter's filters, which have been accepted, in the order of the query; empty when it is not given.
   * @throws HttpProblem 400
   */
  read(filters: readonly Filter[], asked: Asked): Value;
  /** Without name and place. */
  readonly doc: Omit<OpenApiParameter, 'name' | 'in'>;
}

const docOf = ({ name: _name, in: _in, ...doc }: OpenApiParameter): Parameter<unknown>['doc'] => doc;

/** The filters as they are, for a parameter that its handler reads itself. */
export const filters = (
  accepts: Parameter<unknown>['accepts'],
  doc: Parameter<unknown>['doc'],
): Parameter<readonly Filter[]> => ({ accepts, read: (accepted) => accepted, doc });

/** Most entries of a page. */
export const limit: Parameter<number> = {
  accepts: limitParameter,
  read: (filters, { request, context }) => limitOf(filters, context.settings.response.limit, request.user),
  doc: docOf(limitParameterDoc),
};

export const order = (fallback: Order): Parameter<Order> => ({
  accepts: orderParameter,
  read: (filters) => orderOf(filters, fallback),
  doc: docOf(orderParameterDoc(fallback)),
});

/** Consensus timestamps, merged; in nanoseconds. */
export const timestamps: Parameter<Bounds> = {
  accepts: timestampParameter,
  read: timestampBounds,
  doc: docOf(timestampParameterDoc),
};

/** `true` or `false`; the last one counts. */
export const flag = (description: string, fallback: boolean): Parameter<boolean> => ({
  accepts: booleanParameter,
  read: (filters) => (filters.at(-1)?.value.toLowerCase() ?? String(fallback)) === 'true',
  doc: { description, schema: { type: 'boolean', default: fallback } },
});

/** As `flag`, undefined when it is not given. */
export const optionalFlag = (description: string): Parameter<boolean | undefined> => ({
  accepts: booleanParameter,
  read: (filters) => {
    const last = filters.at(-1);
    return last === undefined ? undefined : last.value.toLowerCase() === 'true';
  },
  doc: { description, schema: { type: 'boolean' } },
});

/** One of some words in any letter case; every one that is given, in lower case. */
export const words = <Word extends string>(
  description: string,
  values: readonly Word[],
): Parameter<readonly Word[]> => ({
  accepts: (_operator, value) => (values as readonly string[]).includes(value.toLowerCase()),
  read: (filters) => filters.map(({ value }) => value.toLowerCase() as Word),
  doc: { description, schema: { type: 'string', enum: values } },
});

/** Ids of entities or their EVM addresses, compared by operators. An address that is no id has no value. */
export const entityIds = (description: string): Parameter<readonly EntityIdFilter[]> => ({
  accepts: entityIdParameter,
  read: (filters, { context }) => entityIdFilters(filters, context),
  doc: docOf(entityIdParameterDoc('', description)),
});

/** As `entityIds`, of entities without EVM addresses of their own. */
export const idsOrLongZeroAddresses = (description: string): Parameter<readonly EntityIdFilter[]> => ({
  ...entityIds(description),
  accepts: entityIdOrLongZeroParameter,
});

const comparisonPattern = '^((gte?|lte?|eq|ne):)?';

const integersAccepted =
  (accepts: Parameter<Bounds>['accepts']) =>
  (description: string, example?: readonly string[]): Parameter<Bounds> => ({
    accepts,
    read: (filters) => boundsOf(filters.map(({ operator, value }) => ({ operator, value: BigInt(value) }))),
    doc: {
      description,
      schema: { type: 'array', items: { type: 'string', pattern: `${comparisonPattern}\\d{1,19}$` } },
      ...(example === undefined ? {} : { example }),
    },
  });

/** Integers from 0 to 2^63 - 1, compared by operators. */
export const integers = integersAccepted(nonNegativeInt8Parameter);

/** Integers from 1 to 2^63 - 1, compared by operators. */
export const positiveIntegers = integersAccepted(positiveInt8Parameter);

/** Numbers of blocks in decimal or `0x` hex, compared by operators but `ne`. */
export const blockNumbers = (description: string): Parameter<Bounds> => ({
  accepts: blockNumberParameter,
  read: (filters) =>
    boundsOf(filters.map(({ operator, value }) => ({ operator, value: blockNumberOf(value) as bigint }))),
  doc: {
    description,
    schema: {
      type: 'array',
      items: { type: 'string', pattern: '^((gte?|lte?|eq):)?(\\d{1,19}|0x[0-9A-Fa-f]+)$' },
    },
    example: ['gte:77'],
  },
});

/** Public keys in hex, ED25519 (DER or raw) or compressed secp256k1, compared by operators. */
export const publicKeys = (description: string): Parameter<PublicKeyFilters> => ({
  accepts: publicKeyParameter,
  read: publicKeyFilters,
  doc: {
    description,
    schema: {
      type: 'array',
      items: {
        type: 'string',
        pattern: `${comparisonPattern}(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{66}|[0-9A-Fa-f]{88})$`,
      },
    },
    example: ['3c3d546321ff6f63d701d2ec5c277095874e19f4a235bee1e6bb19258bf362be'],
  },
});

export const transactionTypeSchema: JsonSchema = {
  type: 'string',
  enum: [...transactionTypeNames, 'UNKNOWN'],
  description: 'Kind of the transaction.',
};

/** Numbers of transaction types, each once. */
export const transactionTypes: Parameter<readonly number[]> = {
  accepts: transactionTypeParameter,
  read: (filters) => [...new Set(filters.map(({ value }) => transactionTypeNumber(value.toUpperCase()) as number))],
  doc: {
    description: 'Kind of transaction, in any letter case. Repeat it for several kinds.',
    schema: { type: 'array', items: transactionTypeSchema },
    example: ['CRYPTOTRANSFER'],
  },
};

/** A nonce, the digits of a non-negative int32; the last one counts. */
export const nonce = (description: string): Parameter<string | undefined> => ({
  accepts: nonceParameter,
  read: (filters) => filters.at(-1)?.value,
  doc: { description, schema: { type: 'integer', format: 'int32', minimum: 0 } },
});

/** Seconds that a request may wait, within what the settings allow; undefined when it is not to wait. */
export const waitSeconds = (description: string): Parameter<number | undefined> => ({
  accepts: (operator, value, { wait }) =>
    operator === 'eq' && /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= wait.maxSeconds,
  read: (filters) => {
    const last = filters.at(-1);
    return last === undefined ? undefined : Number(last.value);
  },
  doc: { description, schema: { type: 'integer', format: 'int32', minimum: 1 } },
});
