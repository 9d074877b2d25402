/** Verifications that go on after their request was answered. */
import { randomUUID } from 'node:crypto';
import { bestOf, type DeployedContract, type VerificationResult } from '../model.ts';
import type { VerificationRuns } from '../sessions/verification-runs.ts';
import type { Repository } from '../verifier.ts';
import { failureOf, type VerificationLog } from './failure.ts';
import { jobError, minimalContract, mismatchError } from './job-answers.ts';
import type { JobEnd, JobStore } from './job-store.ts';
import { problem } from './problem.ts';

/** What a job does: verifies, or ends with an error of its own. */
export type JobWork = () => Promise<VerificationResult | { readonly error: object }>;

export interface JobRuns {
  /**
   * Starts a job and gives its id.
   * @throws VerificationProblem when one of this contract runs, or too many of this client's
   */
  start(client: string, contract: DeployedContract, work: JobWork): Promise<string>;
  /** To be called more often than the store forgets jobs that nobody works on. */
  keepAlive(): Promise<void>;
}

/** Unfinished jobs that one client may have. */
const maxJobsOfClient = 20;

export const createJobRuns = (
  store: JobStore,
  repository: Repository,
  runs: VerificationRuns,
  log: VerificationLog,
): JobRuns => {
  const running = new Map<string, string>();

  const endOf = async (work: JobWork): Promise<JobEnd> => {
    const result = await work();
    if ('error' in result) return { error: result.error };
    const time = result.details === undefined ? {} : { compilationTimeMs: result.details.compilationTimeMs };
    if (bestOf(result) === null) return { ...time, error: mismatchError(result) };
    const outcome = await repository.store(result);
    if (outcome.stored) return { ...time, contract: minimalContract(outcome.contract) };
    const message = "The contract is already verified and the job didn't yield a better match.";
    return { ...time, error: jobError('already_verified', message) };
  };

  const run = async (id: string, work: JobWork): Promise<void> => {
    let end: JobEnd;
    try {
      end = await endOf(work);
    } catch (error) {
      const { problem: found, unexpected } = failureOf(error);
      if (unexpected) log.error({ err: error, job: id }, 'verification job failed');
      end = { error: jobError(found.customCode, found.message) };
    }
    try {
      await store.finish(id, end);
    } catch (error) {
      log.error({ err: error, job: id }, 'the end of a verification job could not be kept; it will show as abandoned');
    } finally {
      running.delete(id);
    }
  };

  return {
    start: async (client, contract, work) => {
      const own = [...running.values()].filter((owner) => owner === client).length;
      if (own >= maxJobsOfClient) {
        throw problem(429, 'Too many jobs at once; wait for the ends of earlier ones.', 'too_many_requests');
      }
      const id = randomUUID();
      running.set(id, client);
      let started = false;
      try {
        started = !runs.isRunning(contract) && (await store.start(id, contract));
      } finally {
        if (!started) running.delete(id);
      }
      if (!started) {
        const message = `Contract ${contract.address} on chain ${contract.chainId} is already being verified`;
        throw problem(429, message, 'duplicate_verification_request');
      }
      run(id, work);
      return id;
    },
    keepAlive: () => (running.size === 0 ? Promise.resolve() : store.keepAlive([...running.keys()])),
  };
};
