/** What can be done with a session: add files, verify the contracts they describe, see what became of it. */
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import {
  bestOf,
  type CandidateContract,
  type CompilationTarget,
  type DeployedContract,
  type Inspection,
  type UploadedFile,
} from '../model.ts';
import type { Verifier } from '../verifier.ts';
import {
  type DeploymentClaim,
  type SessionOutcome,
  sessionAnswer,
  withClaims,
  withInspection,
  withOutcomes,
} from './session-state.ts';
import type { SessionStore } from './session-store.ts';
import { conflictMessage, isSettled } from './storing.ts';
import type { VerificationRuns } from './verification-runs.ts';

export interface SessionDesk {
  /** Every method but `clear` answers the whole session in the form of `sessionAnswer`. */
  data(id: string): Promise<object>;
  clear(id: string): Promise<void>;
  /** Files that can't be read, such as broken archives, are refused and don't come into the session. */
  addFiles(id: string, client: string, files: readonly UploadedFile[]): Promise<object>;
  /** @throws KagamiError VERIFICATION_SESSION_EMPTY when the session has no contract. */
  requireContracts(id: string): Promise<void>;
  /** Verifies the contracts that the claims name. */
  verify(id: string, client: string, claims: readonly DeploymentClaim[], dryRun: boolean): Promise<object>;
  /**
   * Takes a contract from the explorer into the session, verifies and stores it.
   * @throws KagamiError VERIFICATION_NOTHING_NEW when the session has its files, and what Verifier.fromExplorer does
   */
  verifyFromExplorer(id: string, client: string, contract: DeployedContract, apiKey?: string): Promise<object>;
}

export const sourcesProblem = ({ name, missing, invalid }: CandidateContract): string | undefined => {
  const missingPaths = Object.keys(missing);
  const invalidPaths = Object.keys(invalid);
  if (missingPaths.length + invalidPaths.length === 0) return undefined;
  return (
    `Invalid or missing sources in ${name}:\nMissing sources: ${missingPaths.join(', ')}\n` +
    `Invalid sources: ${invalidPaths.join(', ')}`
  );
};

const failed = (statusMessage: string): SessionOutcome => ({ status: 'error', statusMessage });

export const createSessionDesk = (verifier: Verifier, store: SessionStore, runs: VerificationRuns): SessionDesk => {
  const { repository } = verifier;

  const data = async (id: string): Promise<object> => {
    const { state, paths } = await store.read(id);
    return sessionAnswer(state, paths);
  };

  /** Adds files and looks at all that the session has then; undefined when none of them is new. */
  const take = async (id: string, client: string, files: readonly UploadedFile[]): Promise<Inspection | undefined> => {
    const added = await store.addFiles(id, files);
    if (added.length === 0) return undefined;
    try {
      const all = await store.files(id);
      const inspection = await verifier.inspect(all, client);
      await store.update(id, (state) => withInspection(state, inspection, all.length));
      return inspection;
    } catch (error) {
      await store.dropFiles(id, added);
      throw error;
    }
  };

  const attempt = async (
    client: string,
    claim: DeploymentClaim,
    candidate: CandidateContract,
    furtherSources: readonly UploadedFile[],
    dryRun: boolean,
  ): Promise<SessionOutcome> => {
    const { address, chainId, creatorTxHash } = claim;
    const before = await repository.find({ address, chainId });
    const storageTimestamp = before?.verifiedAt.toISOString();
    if (isSettled(before, creatorTxHash)) return { status: 'perfect', ...(storageTimestamp && { storageTimestamp }) };
    const incomplete = sourcesProblem(candidate);
    if (incomplete !== undefined) return failed(incomplete);
    const request = {
      address,
      chainId,
      target: candidate,
      furtherSources,
      ...(creatorTxHash === undefined ? {} : { creatorTransaction: creatorTxHash }),
    };
    const result = await runs.verify(client, request);
    const match = bestOf(result);
    if (match === null) return failed(result.failure?.message ?? "The deployed and recompiled bytecode don't match.");
    if (!dryRun) {
      const outcome = await repository.store(result);
      if (!outcome.stored && bestOf(outcome.existing) !== 'perfect') return failed(conflictMessage(claim));
      const kept = outcome.stored ? outcome.contract : outcome.existing;
      return { status: outcome.stored ? match : 'perfect', storageTimestamp: kept.verifiedAt.toISOString() };
    }
    return { status: match, ...(storageTimestamp && { storageTimestamp }) };
  };

  /** What keeps one contract from being verified is told of that contract and spoils no other. */
  const attemptSafely = async (...values: Parameters<typeof attempt>): Promise<SessionOutcome> => {
    try {
      return await attempt(...values);
    } catch (error) {
      if (!isKagamiError(error) || error.code.startsWith('DATABASE_')) throw error;
      return failed(error.message);
    }
  };

  const verify = async (
    id: string,
    client: string,
    claims: readonly DeploymentClaim[],
    dryRun: boolean,
  ): Promise<object> => {
    await store.update(id, (current) => withClaims(current, claims));
    const files = await store.files(id);
    const { contracts } = await verifier.inspect(files, client);
    const wanted = new Map(claims.map((claim) => [claim.verificationId, claim]));
    for (const candidate of contracts) {
      const claim = wanted.get(candidate.verificationId);
      if (claim === undefined) continue;
      const outcome = await attemptSafely(client, claim, candidate, files, dryRun);
      await store.update(id, (current) => withOutcomes(current, new Map([[claim.verificationId, outcome]])));
    }
    return data(id);
  };

  /** The sources that an explorer gave and the metadata of the contract that they are for, as files. */
  const filesOfTarget = async (target: CompilationTarget, client: string): Promise<UploadedFile[]> => {
    const { input, compilerVersion, path, name } = target;
    const { contracts } = await verifier.inspect(await verifier.metadataOf(input, compilerVersion, client), client);
    const contract = contracts.find((candidate) => candidate.compiledPath === path && candidate.name === name);
    if (contract === undefined) {
      const message = "The sources returned by the explorer don't include the expected contract definition.";
      throw new KagamiError('VERIFICATION_NO_SUCH_CONTRACT', message);
    }
    const sources = Object.entries(contract.found).map(([source, text]) => ({
      path: source,
      content: Buffer.from(text),
    }));
    return [...sources, { path: 'metadata.json', content: Buffer.from(JSON.stringify(contract.metadata)) }];
  };

  return {
    data,
    clear: (id) => store.remove(id),
    addFiles: async (id, client, files) => {
      await take(id, client, files);
      return data(id);
    },
    requireContracts: async (id) => {
      const { state } = await store.read(id);
      if (state.contracts.length > 0) return;
      throw new KagamiError('VERIFICATION_SESSION_EMPTY', 'There are currently no pending contracts.');
    },
    verify,
    verifyFromExplorer: async (id, client, contract, apiKey) => {
      const target = await verifier.fromExplorer(contract, apiKey);
      const inspection = await take(id, client, await filesOfTarget(target, client));
      if (inspection === undefined) {
        throw new KagamiError('VERIFICATION_NOTHING_NEW', "The contract didn't add any new file");
      }
      const { contracts } = inspection;
      const described = contracts.filter(
        ({ compiledPath, name }) => compiledPath === target.path && name === target.name,
      );
      const { state } = await store.read(id);
      const placed = new Set(
        state.contracts.filter(({ address }) => address !== undefined).map((c) => c.verificationId),
      );
      const claims = described
        .filter(({ verificationId }) => !placed.has(verificationId))
        .map(({ verificationId }) => ({ ...contract, verificationId }));
      return verify(id, client, claims, false);
    },
  };
};
