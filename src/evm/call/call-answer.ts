/** The successful answer. */
import { reasonedProblem } from '../../api/problem.ts';
import type { CallAnswer } from '../workers/simulation-task.ts';
import { failureProblem, hexOf } from './failure-problem.ts';

/** Gas is written as 8 bytes. */
const GAS_DIGITS = 16;

/**
 * The JSON text of an answer.
 * @throws HttpProblem 400 for an unknown block; 400 or 500 for a run that failed
 */
export const callAnswerJson = (answer: CallAnswer): string => {
  switch (answer.kind) {
    case 'unknown-block':
      throw reasonedProblem(400, 'Unknown block number');
    case 'failure':
      throw failureProblem(answer);
    case 'estimate':
      return `{"result":"0x${answer.gas.toString(16).padStart(GAS_DIGITS, '0')}"}`;
    case 'result':
      return `{"result":"${hexOf(answer.output)}"}`;
  }
};
