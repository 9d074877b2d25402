/** Verifications as clients ask for them: one at a time for a contract, a few at a time for a client, not for ever. */
import { KagamiError } from '../../errors/kagami-error.ts';
import type { DeployedContract, VerificationRequest, VerificationResult } from '../model.ts';
import type { Verifier } from '../verifier.ts';
import type { ClientQueue } from './client-queue.ts';

export interface VerificationRuns {
  /**
   * Verifies for `client`.
   * @throws KagamiError VERIFICATION_RUNNING, VERIFICATION_CLIENT_BUSY, VERIFICATION_TIMEOUT, and what Verifier.verify does
   */
  verify(client: string, request: VerificationRequest): Promise<VerificationResult>;
  /** Whether this process verifies the contract now. */
  isRunning(contract: DeployedContract): boolean;
}

const keyOf = ({ chainId, address }: DeployedContract): string => `${chainId}:${address}`;

export const createVerificationRuns = (verifier: Verifier, queue: ClientQueue, timeoutMs: number): VerificationRuns => {
  const running = new Set<string>();
  /** The contract and the place stay taken until the work has really ended, also when nobody waits for it any more. */
  const run = async (client: string, request: VerificationRequest): Promise<VerificationResult> => {
    const key = keyOf(request);
    running.add(key);
    try {
      const leave = await queue.enter(client);
      try {
        return await verifier.verify({ ...request, client });
      } finally {
        leave();
      }
    } finally {
      running.delete(key);
    }
  };
  return {
    isRunning: (contract) => running.has(keyOf(contract)),
    verify: async (client, request) => {
      const { address, chainId } = request;
      if (running.has(keyOf(request))) {
        throw new KagamiError(
          'VERIFICATION_RUNNING',
          `The contract ${address} on chainId ${chainId} is already being verified, please wait`,
        );
      }
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          const message = `The verification of ${address} on chainId ${chainId} took longer than ${timeoutMs / 1000} s`;
          reject(new KagamiError('VERIFICATION_TIMEOUT', message));
        }, timeoutMs);
      });
      const work = run(client, request);
      work.catch(() => undefined);
      return Promise.race([work, late]).finally(() => clearTimeout(timer));
    },
  };
};
