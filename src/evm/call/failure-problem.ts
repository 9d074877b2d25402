/** How a failed run is told: the status by its HAPI name, what the contract said, and what failed on the way. */
import { HttpProblem, type ProblemMessage } from '../../api/problem.ts';
import type { Status } from '../hapi/operation.ts';
import type { CallAnswer } from '../workers/simulation-task.ts';
import { revertReason } from './revert-reason.ts';

type Failure = Extract<CallAnswer, { readonly kind: 'failure' }>;

/** Statuses that stand for a fault of the server. */
const serverFaults: ReadonlySet<string> = new Set<Status>([
  'FAIL_BALANCE',
  'FAIL_FEE',
  'FAIL_INVALID',
  'PLATFORM_NOT_ACTIVE',
  'PLATFORM_TRANSACTION_NOT_CREATED',
  'UNKNOWN',
  'WAITING_FOR_LEDGER_ID',
]);

/** Words that say more than the status, where nothing was executed. */
const particulars: Partial<Readonly<Record<Status, string>>> = {
  PAYER_ACCOUNT_NOT_FOUND: 'Sender account not found.',
};

export const hexOf = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;

const firstMessage = ({ status, output, executed }: Failure): ProblemMessage => {
  if (!executed) return { message: status, detail: particulars[status] ?? '', data: '' };
  const detail = status === 'CONTRACT_REVERT_EXECUTED' ? revertReason(output) : '';
  return { message: status, detail, data: hexOf(output) };
};

/** The answer to a run that failed: 400, or 500 and nothing more for the statuses that blame the server. */
export const failureProblem = (failure: Failure): HttpProblem => {
  if (serverFaults.has(failure.status)) {
    return new HttpProblem(500, [{ message: failure.status, detail: '', data: '' }]);
  }
  const children = failure.childStatuses
    .filter((status) => status !== 'SUCCESS' && status !== 'REVERTED_SUCCESS')
    .map((message): ProblemMessage => ({ message, detail: '', data: '' }));
  return new HttpProblem(400, [firstMessage(failure), ...children]);
};
