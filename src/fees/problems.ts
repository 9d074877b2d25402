/** Refusals of an estimate, in the words that clients know. */
import { type HttpProblem, reasonedProblem } from '../api/problem.ts';

export const unparsable = (): HttpProblem => reasonedProblem(400, 'Unable to parse transaction');

/** For transactions that have no price, and for those that lack a part their price depends on. */
export const unknownTransactionType = (): HttpProblem => reasonedProblem(400, 'Unknown transaction type');

export const extraWithoutPrice = (extra: string): HttpProblem =>
  reasonedProblem(400, `The fee schedule does not say what ${extra} costs for this transaction`);
