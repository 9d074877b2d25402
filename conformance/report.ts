/** Counts by group, and what went wrong where. */
import type { Difference } from './difference.ts';

export interface RequestOutcome {
  readonly url: string;
  readonly outcome: 'passed' | 'failed';
  readonly differences?: readonly Difference[];
}

export interface CaseOutcome {
  readonly name: string;
  readonly group: string;
  readonly requests: readonly RequestOutcome[];
  /** Why the rows could not be loaded. */
  readonly error?: string;
}

export interface Counts {
  cases: number;
  casesPassed: number;
  requests: number;
  requestsPassed: number;
}

const noCounts = (): Counts => ({ cases: 0, casesPassed: 0, requests: 0, requestsPassed: 0 });

/** A case that asks nothing shows nothing. */
export const hasFailed = ({ error, requests }: CaseOutcome): boolean =>
  error !== undefined || requests.length === 0 || requests.some(({ outcome }) => outcome === 'failed');

const count = (counts: Counts, outcome: CaseOutcome): void => {
  counts.cases++;
  if (!hasFailed(outcome)) counts.casesPassed++;
  counts.requests += outcome.requests.length;
  counts.requestsPassed += outcome.requests.filter((request) => request.outcome === 'passed').length;
};

export const countsByGroup = (outcomes: readonly CaseOutcome[]): Map<string, Counts> => {
  const groups = new Map<string, Counts>();
  for (const outcome of outcomes) {
    const counts = groups.get(outcome.group) ?? noCounts();
    groups.set(outcome.group, counts);
    count(counts, outcome);
  }
  return groups;
};

export const countsOfAll = (outcomes: readonly CaseOutcome[]): Counts => {
  const counts = noCounts();
  for (const outcome of outcomes) count(counts, outcome);
  return counts;
};

/** Groups that have cases of which none sent a request. */
export const groupsWithoutRequests = (
  cases: readonly { readonly group: string }[],
  outcomes: readonly CaseOutcome[],
): string[] => {
  const counts = countsByGroup(outcomes);
  return [...new Set(cases.map(({ group }) => group))].filter((group) => (counts.get(group)?.requests ?? 0) === 0);
};

const line = (name: string, counts: Counts): string =>
  [
    name.padEnd(16),
    `${counts.casesPassed}/${counts.cases}`.padStart(10),
    `${counts.requestsPassed}/${counts.requests}`.padStart(12),
  ].join('');

/** The table for the terminal: passed of run, by group. */
export const summaryOf = (outcomes: readonly CaseOutcome[]): string =>
  [
    `${'group'.padEnd(16)}${'cases'.padStart(10)}${'requests'.padStart(12)}`,
    ...[...countsByGroup(outcomes)].map(([name, counts]) => line(name, counts)),
    line('all', countsOfAll(outcomes)),
  ].join('\n');

const shownDifferences = 6;

/** A failed case in words. */
export const failureText = (outcome: CaseOutcome): string =>
  [
    `FAILED ${outcome.name}`,
    ...(outcome.error === undefined ? [] : [`  ${outcome.error}`]),
    ...(outcome.requests.length === 0 ? ['  it has no requests'] : []),
    ...outcome.requests
      .filter((request) => request.outcome === 'failed')
      .flatMap(({ url, differences = [] }) => [
        `  ${url}`,
        ...differences
          .slice(0, shownDifferences)
          .map(({ path, expected, actual }) => `    ${path}: expected ${expected}, got ${actual}`),
      ]),
  ].join('\n');
