/** What a session knows about its contracts beside the files themselves, and how uploads and verifications change it. */
import type { CandidateContract, DeployedContract, Inspection, InvalidSource } from '../model.ts';

export type SessionStatus = 'perfect' | 'partial' | 'error';

/** What became of the last attempt to verify. */
export interface SessionOutcome {
  readonly status: SessionStatus;
  readonly statusMessage?: string;
  /** When the contract had been stored before this attempt; ISO 8601. */
  readonly storageTimestamp?: string;
}

export interface SessionContract extends Partial<DeployedContract>, SessionOutcome {
  readonly verificationId: string;
  readonly compiledPath: string;
  readonly name: string;
  readonly compilerVersion: string;
  readonly constructorArguments?: readonly unknown[];
  readonly found: readonly string[];
  readonly missing: readonly string[];
  readonly invalid: Readonly<Record<string, InvalidSource>>;
  readonly creatorTxHash?: string;
}

export interface SessionState {
  readonly contracts: readonly SessionContract[];
  readonly unused: readonly string[];
  /** How many files the contracts come from. */
  readonly inspected: number;
}

/** Where, and by which transaction, a contract of the session was deployed. */
export interface DeploymentClaim extends DeployedContract {
  readonly verificationId: string;
  readonly creatorTxHash?: string;
}

export const emptySession: SessionState = { contracts: [], unused: [], inspected: 0 };

const describe = (candidate: CandidateContract, before: SessionContract | undefined): SessionContract => ({
  ...(before ?? { status: 'error' }),
  verificationId: candidate.verificationId,
  compiledPath: candidate.compiledPath,
  name: candidate.name,
  compilerVersion: candidate.compilerVersion,
  ...(candidate.constructorArguments === undefined ? {} : { constructorArguments: candidate.constructorArguments }),
  found: Object.keys(candidate.found),
  missing: Object.keys(candidate.missing),
  invalid: candidate.invalid,
});

/** Takes what the files say now; a look at fewer files than were looked at before changes nothing. */
export const withInspection = (state: SessionState, inspection: Inspection, fileCount: number): SessionState => {
  if (fileCount < state.inspected) return state;
  const before = new Map(state.contracts.map((contract) => [contract.verificationId, contract]));
  const contracts = inspection.contracts.map((candidate) => describe(candidate, before.get(candidate.verificationId)));
  return { contracts, unused: inspection.unused, inspected: fileCount };
};

/** Keeps what a client says of its contracts; claims on contracts that the session doesn't have are passed over. */
export const withClaims = (state: SessionState, claims: readonly DeploymentClaim[]): SessionState => {
  const byId = new Map(claims.map((claim) => [claim.verificationId, claim]));
  const contracts = state.contracts.map((contract) => {
    const claim = byId.get(contract.verificationId);
    if (claim === undefined) return contract;
    const { creatorTxHash: _before, ...rest } = contract;
    return { ...rest, ...claim };
  });
  return { ...state, contracts };
};

export const withOutcomes = (state: SessionState, outcomes: ReadonlyMap<string, SessionOutcome>): SessionState => {
  const contracts = state.contracts.map((contract) => {
    const outcome = outcomes.get(contract.verificationId);
    if (outcome === undefined) return contract;
    const { status: _status, statusMessage: _message, storageTimestamp: _timestamp, ...rest } = contract;
    return { ...rest, ...outcome };
  });
  return { ...state, contracts };
};

/** The answer of every session endpoint. */
export const sessionAnswer = (state: SessionState, files: readonly string[]): object => ({
  contracts: state.contracts.map((contract) => ({
    verificationId: contract.verificationId,
    constructorArgumentsArray: contract.constructorArguments,
    compiledPath: contract.compiledPath,
    name: contract.name,
    compilerVersion: contract.compilerVersion,
    address: contract.address,
    chainId: contract.chainId,
    files: { found: contract.found, missing: contract.missing, invalid: contract.invalid },
    status: contract.status,
    statusMessage: contract.statusMessage,
    storageTimestamp: contract.storageTimestamp,
  })),
  unused: state.unused,
  files,
});
