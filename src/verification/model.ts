/** What contract verification speaks of; shared by matching, repository, sessions and the HTTP interface. */

/** A file as a user sent it, before anybody knows what it is. */
export interface UploadedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

export interface MissingSource {
  /** 0x and 64 hex digits, as the metadata names it. */
  readonly keccak256: string;
  readonly urls: readonly string[];
}

export interface InvalidSource {
  readonly expectedHash: string;
  readonly calculatedHash: string;
  readonly msg: string;
}

export type Language = 'Solidity' | 'Vyper' | 'Yul' | 'Fe';

/** A contract that uploaded metadata describes, with the uploaded sources that belong to it. */
export interface CandidateContract {
  /** 40 hex digits that follow from the metadata alone. */
  readonly verificationId: string;
  readonly language: Language;
  /** The compiler's metadata as parsed. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** `0.8.26+commit.8a97fa7a`, from the metadata. */
  readonly compilerVersion: string;
  readonly compiledPath: string;
  readonly name: string;
  /** Source unit name to text. */
  readonly found: Readonly<Record<string, string>>;
  readonly missing: Readonly<Record<string, MissingSource>>;
  readonly invalid: Readonly<Record<string, InvalidSource>>;
  /** ABI inputs of the constructor; absent without one. */
  readonly constructorArguments?: readonly unknown[];
}

export interface Inspection {
  readonly contracts: readonly CandidateContract[];
  /** Paths of uploaded sources that no contract uses. */
  readonly unused: readonly string[];
}

/** How bytecode agrees; `perfect` is called `exact_match` by the job interface, `partial` `match`. */
export type Match = 'perfect' | 'partial' | null;

/** Standard JSON input of a compiler. */
export interface CompilerInput {
  readonly language: Language;
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What to compile: a contract within a compiler's input. */
export interface CompilationTarget {
  readonly compilerVersion: string;
  readonly input: CompilerInput;
  readonly path: string;
  readonly name: string;
}

/**
 * A contract on a chain: chain id as decimal digits, address with its [EIP-55](https://eips.ethereum.org/EIPS/eip-55)
 * check sum.
 */
export interface DeployedContract {
  readonly chainId: string;
  readonly address: string;
}

export interface VerificationRequest extends DeployedContract {
  readonly target: CompilationTarget | CandidateContract;
  /** Ethereum hash (32 bytes), Hedera hash (48 bytes) or transaction id; left out: looked for. */
  readonly creatorTransaction?: string;
  /** Every source of the upload, for contracts that only compile equal with files that they don't import. */
  readonly furtherSources?: readonly UploadedFile[];
  /** Who asks, such as an IP address: clients take turns when many wait. */
  readonly client?: string;
}

export interface Transformation {
  readonly type: 'insert' | 'replace' | 'delete';
  readonly reason: string;
  readonly offset: number;
  readonly id?: string;
  /** Bytes that are taken out; only of `delete`. */
  readonly length?: number;
}

/** A finished verification, also when nothing matched. */
export interface VerificationResult extends DeployedContract {
  readonly runtimeMatch: Match;
  readonly creationMatch: Match;
  /** Code and text of the failure when there is no match. */
  readonly failure?: { readonly code: string; readonly message: string; readonly data?: unknown };
  /** Compiled and matched details, for storing and for answers; absent when compilation failed. */
  readonly details?: VerifiedDetails;
}

export interface VerifiedDetails {
  readonly target: CompilationTarget;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly abi: readonly unknown[];
  readonly userdoc?: unknown;
  readonly devdoc?: unknown;
  readonly storageLayout?: unknown;
  readonly transientStorageLayout?: unknown;
  readonly sourceIds?: unknown;
  readonly compilationTimeMs: number;
  readonly onchainRuntimeBytecode?: string;
  readonly onchainCreationBytecode?: string;
  readonly recompiledRuntimeBytecode: string;
  readonly recompiledCreationBytecode: string;
  readonly runtimeSourceMap?: string;
  readonly creationSourceMap?: string;
  readonly linkReferences?: { readonly runtime: unknown; readonly creation: unknown };
  readonly immutableReferences?: unknown;
  readonly cborAuxdata?: { readonly runtime: unknown; readonly creation: unknown };
  readonly transformations: {
    readonly runtime: { readonly list: readonly Transformation[]; readonly values: Readonly<Record<string, unknown>> };
    readonly creation: { readonly list: readonly Transformation[]; readonly values: Readonly<Record<string, unknown>> };
  };
  readonly libraryMap: Readonly<Record<string, string>>;
  readonly deployment?: {
    readonly transactionHash: string;
    readonly blockNumber?: string;
    readonly transactionIndex?: string;
    readonly deployer?: string;
  };
}

/** A verified contract as the repository keeps it. */
export interface StoredContract extends DeployedContract {
  readonly matchId: string;
  readonly runtimeMatch: Match;
  readonly creationMatch: Match;
  readonly verifiedAt: Date;
  readonly details: VerifiedDetails;
}

/** The best of the two matches. */
export const bestOf = (result: { readonly runtimeMatch: Match; readonly creationMatch: Match }): Match => {
  if (result.runtimeMatch === 'perfect' || result.creationMatch === 'perfect') return 'perfect';
  return result.runtimeMatch ?? result.creationMatch;
};
