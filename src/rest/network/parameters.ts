/** Query parameters as the network endpoints read them: unknown ones are ignored. */
import type { Comparison } from '../../api/bounds.ts';
import { valuesOf } from '../../api/java-parameters.ts';
import type { Order } from '../../api/page.ts';
import { badRequest, HttpProblem, reasonedProblem } from '../../api/problem.ts';
import type { Operator } from '../../api/query.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import { order as usualOrder } from '../../api/resource/parameter.ts';
import type { RawQuery } from '../../api/route.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';

export const invalidParameter = (name: string): HttpProblem => badRequest(`Invalid parameter: ${name}`);

/** The only value of a parameter that may not be repeated; undefined when it is absent or blank. */
export const singleValue = (query: RawQuery, name: string): string | undefined => {
  const values = valuesOf(query, name);
  if (values.length > 1) throw reasonedProblem(400, `Only a single instance is supported for ${name}`);
  return values[0]?.trim() === '' ? undefined : values[0];
};

/** `order` in any letter case, of which there may be only one. */
export const singleOrder = (query: RawQuery, refuse: () => HttpProblem): Order => {
  const order = singleValue(query, 'order')?.toLowerCase() ?? 'asc';
  if (order !== 'asc' && order !== 'desc') throw refuse();
  return order;
};

/** `asc` or `desc`, once. */
export const order: JavaParameter<Order> = {
  read: (query, name) => singleOrder(query, () => invalidParameter(name)),
  doc: usualOrder('asc').doc,
};

const largestInt = 2_147_483_647;

/** `limit`, from 1 on; `undefined` when absent. A limit that is no positive 32-bit number is refused. */
export const singleLimit = (query: RawQuery): number | undefined => {
  const text = singleValue(query, 'limit');
  if (text === undefined) return undefined;
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > largestInt) throw invalidParameter('limit');
  return limit;
};

/** Most entries of a page: `usual` where the request names none, never beyond `most`. */
export const limit = ({
  usual,
  most,
  beyond,
}: {
  readonly usual: number;
  readonly most: number;
  readonly beyond: 'lowered' | 'refused';
}): JavaParameter<number> => ({
  read: (query, name) => {
    const given = singleLimit(query) ?? usual;
    if (given > most && beyond === 'refused') throw invalidParameter(name);
    return Math.min(given, most);
  },
  doc: {
    description: `Most entries to give, up to ${most}.`,
    schema: {
      type: 'integer',
      minimum: 1,
      ...(beyond === 'refused' ? { maximum: most } : {}),
      default: usual,
    },
  },
});

const comparisonPattern = /^(?:(eq|gte?|lte?):)?(\d{1,19})$/i;

/** `[operator:]number` with a non-negative int64; undefined for any other text. */
export const parseComparison = (text: string): Comparison | undefined => {
  const match = comparisonPattern.exec(text);
  if (match?.[2] === undefined) return undefined;
  const value = BigInt(match[2]);
  if (value > MAX_NANOS) return undefined;
  return { operator: (match[1]?.toLowerCase() ?? 'eq') as Operator, value };
};

/** The values that pass every gt, gte, lt and lte; `eq` does not narrow it. Bounds are inclusive. */
export const rangeOf = (comparisons: readonly Comparison[]): { readonly lower: bigint; readonly upper: bigint } => {
  let lower = 0n;
  let upper = MAX_NANOS;
  for (const { operator, value } of comparisons) {
    const from = operator === 'gt' ? value + 1n : operator === 'gte' ? value : lower;
    const to = operator === 'lt' ? value - 1n : operator === 'lte' ? value : upper;
    if (from > lower) lower = from;
    if (to < upper) upper = to;
  }
  return { lower, upper };
};

const isInvalidParameter = ({ messages }: HttpProblem): boolean => messages.every(({ detail }) => detail === undefined);

/**
 * The values of all parameters, read together. When values are refused, one problem names all of those parameters in the
 * order of the query; what is wrong with a parameter as such (a repeat, an operator) is told when no value is.
 * @throws HttpProblem 400
 */
export const readTogether = <T extends object>(
  query: RawQuery,
  values: T,
  parameters: Readonly<Record<keyof T, unknown>>,
): T => {
  const read: Partial<T> = {};
  const problems = new Map<string, HttpProblem>();
  for (const name of Object.keys(parameters) as (keyof T & string)[]) {
    try {
      read[name] = values[name];
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      problems.set(name, error);
    }
  }
  const inOrder = [...new Set(query.map(([key]) => key.toLowerCase()))].flatMap((key) => problems.get(key) ?? []);
  const invalid = inOrder.filter(isInvalidParameter).flatMap(({ messages }) => messages);
  if (invalid.length > 0) throw new HttpProblem(400, invalid);
  for (const problem of problems.values()) throw problem;
  return read as T;
};
