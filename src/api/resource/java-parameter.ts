/**
 * Kinds of query parameters as endpoints of the `java` flavour read them (java-parameters.ts). A parameter says once what its
 * values mean and how it is documented; java-endpoint.ts makes the rest of it.
 */
import type { Comparison } from '../bounds.ts';
import {
  defaultJavaLimit,
  javaIdComparisons,
  javaLimit,
  javaNumberComparisons,
  javaOrder,
  maxJavaLimit,
} from '../java-parameters.ts';
import type { Order } from '../page.ts';
import type { RawQuery, RouteContext } from '../route.ts';
import { type Parameter, limit as usualLimit, order as usualOrder } from './parameter.ts';

export interface JavaParameter<Value> {
  /**
   * @param name of the parameter, in lower case
   * @throws HttpProblem 400
   */
  read(query: RawQuery, name: string, context: RouteContext): Value;
  /** Without name and place. */
  readonly doc: Parameter<unknown>['doc'];
}

/** Most entries of a page, which may still lie beyond what a page holds; `limitFaults` says so. */
export const limit: JavaParameter<number> = {
  read: javaLimit,
  doc: {
    ...usualLimit.doc,
    description: 'Most entries on one page.',
    schema: { type: 'integer', minimum: 1, maximum: maxJavaLimit, default: defaultJavaLimit },
  },
};

export const order = (fallback: Order): JavaParameter<Order> => ({
  read: (query) => javaOrder(query, fallback),
  doc: usualOrder(fallback).doc,
});

/** Ids, compared by operators. @param of what they are ids of, as the documentation begins */
export const entityIds = (of: string): JavaParameter<readonly Comparison[]> => ({
  read: javaIdComparisons,
  doc: {
    description: `${of}, as num, realm.num or shard.realm.num with an operator before a colon; at most two.`,
    schema: {
      type: 'array',
      maxItems: 2,
      items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(\\d{1,10}\\.){0,2}\\d{1,12}$' },
    },
    example: ['gte:0.0.400'],
  },
});

/** Serial numbers of NFTs, compared by operators. */
export const serialNumbers: JavaParameter<readonly Comparison[]> = {
  read: javaNumberComparisons,
  doc: {
    description: 'Serial number of an NFT, 0 of a fungible token, with an operator before a colon; at most two.',
    schema: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
    example: ['gt:2'],
  },
};
