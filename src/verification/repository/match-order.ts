/** When a new match takes the place of a stored one. */
import type { Match } from '../model.ts';

interface Matches {
  readonly runtimeMatch: Match;
  readonly creationMatch: Match;
}

const scores = { perfect: 2, partial: 1, none: 0 };

const score = (match: Match): number => scores[match ?? 'none'];

/** One of the two is better, and none is worse. */
export const isImprovement = (next: Matches, stored: Matches): boolean => {
  const runtime = score(next.runtimeMatch) - score(stored.runtimeMatch);
  const creation = score(next.creationMatch) - score(stored.creationMatch);
  return runtime >= 0 && creation >= 0 && runtime + creation > 0;
};
