/** Counts by group, and what went wrong where. */
import type { Difference } from './difference.ts';

export interface RequestOutcome {
  readonly url: string;
  /** `left out`: no route serves it yet. */
  readonly outcome: 'passed' | 'failed' | 'left out';
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
  casesLeftOut: number;
  requests: number;
  requestsPassed: number;
  requestsLeftOut: number;
}

const noCounts = (): Counts => ({
  cases: 0,
  casesPassed: 0,
  casesLeftOut: 0,
  requests: 0,
  requestsPassed: 0,
  requestsLeftOut: 0,
});

const isLeftOut = ({ requests }: CaseOutcome): boolean => requests.every(({ outcome }) => outcome === 'left out');

const hasPassed = (outcome: CaseOutcome): boolean =>
  outcome.error === undefined &&
  !isLeftOut(outcome) &&
  outcome.requests.every((request) => request.outcome !== 'failed');

export const hasFailed = (outcome: CaseOutcome): boolean => !isLeftOut(outcome) && !hasPassed(outcome);

const count = (counts: Counts, outcome: CaseOutcome): void => {
  if (isLeftOut(outcome)) counts.casesLeftOut++;
  else counts.cases++;
  if (hasPassed(outcome)) counts.casesPassed++;
  for (const request of outcome.requests) {
    if (request.outcome === 'left out') counts.requestsLeftOut++;
    else counts.requests++;
    if (request.outcome === 'passed') counts.requestsPassed++;
  }
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

const line = (name: string, counts: Counts): string =>
  [
    name.padEnd(16),
    `${counts.casesPassed}/${counts.cases}`.padStart(10),
    `${counts.requestsPassed}/${counts.requests}`.padStart(12),
    String(counts.casesLeftOut).padStart(10),
    String(counts.requestsLeftOut).padStart(10),
  ].join('');

/** The table for the terminal: passed of run, by group, and how much nothing serves yet. */
export const summaryOf = (outcomes: readonly CaseOutcome[]): string =>
  [
    `${'group'.padEnd(16)}${'cases'.padStart(10)}${'requests'.padStart(12)}${'not implemented'.padStart(20)}`,
    ...[...countsByGroup(outcomes)].map(([name, counts]) => line(name, counts)),
    line('all', countsOfAll(outcomes)),
  ].join('\n');

const shownDifferences = 6;

/** A failed case in words. */
export const failureText = (outcome: CaseOutcome): string =>
  [
    `FAILED ${outcome.name}`,
    ...(outcome.error === undefined ? [] : [`  ${outcome.error}`]),
    ...outcome.requests
      .filter((request) => request.outcome === 'failed')
      .flatMap(({ url, differences = [] }) => [
        `  ${url}`,
        ...differences
          .slice(0, shownDifferences)
          .map(({ path, expected, actual }) => `    ${path}: expected ${expected}, got ${actual}`),
      ]),
  ].join('\n');
