/** Rules of the `java` flavour on the comparisons that one parameter may combine. */
import type { Comparison } from './bounds.ts';
import type { ColumnBounds } from './paired-bounds.ts';
import { reasonedProblem } from './problem.ts';
import type { Operator } from './query.ts';

const exclusiveKinds: readonly (readonly Operator[])[] = [['eq'], ['gt', 'gte'], ['lt', 'lte']];

/**
 * The comparisons of one parameter: an equality, or at most one bound on each side.
 * @throws HttpProblem 400
 */
export const javaColumnBounds = (comparisons: readonly Comparison[], name: string): ColumnBounds => {
  const of = (kind: readonly Operator[]): Comparison[] => comparisons.filter(({ operator }) => kind.includes(operator));
  if (of(['ne']).length > 0) throw reasonedProblem(400, `Unsupported range operator ne for ${name}`);
  for (const kind of exclusiveKinds) {
    if (of(kind).length > 1) {
      const kinds = kind.join(', ');
      throw reasonedProblem(
        400,
        `Only one range operator from [${kinds}] is allowed for the given parameter for ${name}`,
      );
    }
  }
  const [equal] = of(['eq']);
  if (equal !== undefined && comparisons.length > 1) {
    throw reasonedProblem(400, `Can't support both range and equal for ${name}`);
  }
  return { equal: equal?.value, lower: of(['gt', 'gte'])[0], upper: of(['lt', 'lte'])[0] };
};

/** Whether no number satisfies both the last lower bound or equality and the last upper bound. */
export const isJavaRangeEmpty = (comparisons: readonly Comparison[]): boolean => {
  const lower = comparisons.findLast(({ operator }) => operator === 'eq' || operator === 'gt' || operator === 'gte');
  const upper = comparisons.findLast(({ operator }) => operator === 'lt' || operator === 'lte');
  if (lower === undefined || upper === undefined) return false;
  const least = lower.operator === 'gt' ? lower.value + 1n : lower.value;
  const most = upper.operator === 'lt' ? upper.value - 1n : upper.value;
  return least > most;
};
