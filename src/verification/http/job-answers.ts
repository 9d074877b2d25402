/** How the second interface shows matches, jobs and errors. */
import { randomUUID } from 'node:crypto';
import { bestOf, type DeployedContract, type Match, type StoredContract, type VerificationResult } from '../model.ts';
import type { Job } from './job-store.ts';

export interface JobError {
  readonly customCode: string;
  readonly message: string;
  readonly errorId: string;
}

export const jobError = (customCode: string, message: string): JobError => ({
  customCode,
  message,
  errorId: randomUUID(),
});

const matchWords: Readonly<Record<'perfect' | 'partial', string>> = { perfect: 'exact_match', partial: 'match' };

export const matchWord = (match: Match): string | null => (match === null ? null : matchWords[match]);

/** Seconds are as fine as times of this interface go. */
export const timeText = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

export const unverified = ({ chainId, address }: DeployedContract) => ({
  match: null,
  creationMatch: null,
  runtimeMatch: null,
  chainId,
  address,
});

/** The contract in short. */
export const minimalContract = (stored: StoredContract) => ({
  match: matchWord(bestOf(stored)),
  creationMatch: matchWord(stored.creationMatch),
  runtimeMatch: matchWord(stored.runtimeMatch),
  chainId: stored.chainId,
  address: stored.address,
  verifiedAt: timeText(stored.verifiedAt),
  matchId: stored.matchId,
});

export const jobAnswer = (job: Job): object => ({
  isJobCompleted: job.finishedAt !== undefined,
  verificationId: job.id,
  jobStartTime: timeText(job.startedAt),
  jobFinishTime: job.finishedAt === undefined ? undefined : timeText(job.finishedAt),
  compilationTime: job.compilationTimeMs?.toString(),
  contract: job.contract ?? unverified(job),
  error: job.error,
});

/** Why nothing matched, with the codes that were compared. */
export const mismatchError = ({ failure, details }: VerificationResult): object => ({
  ...jobError(failure?.code ?? 'no_match', failure?.message ?? "The deployed and recompiled bytecode don't match."),
  recompiledCreationCode: details?.recompiledCreationBytecode,
  recompiledRuntimeCode: details?.recompiledRuntimeBytecode,
  onchainCreationCode: details?.onchainCreationBytecode,
  onchainRuntimeCode: details?.onchainRuntimeBytecode,
  creationTransactionHash: details?.deployment?.transactionHash,
  errorData: failure?.data,
});
