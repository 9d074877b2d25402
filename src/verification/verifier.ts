/** What the HTTP interface asks of verification. */
import type {
  CompilationTarget,
  DeployedContract,
  Inspection,
  StoredContract,
  UploadedFile,
  VerificationRequest,
  VerificationResult,
} from './model.ts';

export type StoreOutcome =
  | { readonly stored: true; readonly contract: StoredContract }
  /** What is stored is as good or better; `existing` says what. */
  | { readonly stored: false; readonly existing: StoredContract };

/** A page of verified contracts, oldest first unless told otherwise. */
export interface ListQuery {
  readonly chainId: string;
  readonly match: 'full' | 'partial' | 'any';
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset?: number;
  /** Continue after this `matchId`. */
  readonly after?: string;
}

export interface Repository {
  /** The best match stored for the contract that stands there now (not for an earlier one at the same address). */
  find(contract: DeployedContract): Promise<StoredContract | undefined>;
  /** On every chain that has it. */
  findOnAllChains(address: string): Promise<readonly StoredContract[]>;
  /** Stores a result with a match if it is better than what is stored. */
  store(result: VerificationResult): Promise<StoreOutcome>;
  list(query: ListQuery): Promise<readonly StoredContract[]>;
  count(query: Pick<ListQuery, 'chainId' | 'match'>): Promise<number>;
  /** Contracts whose runtime code begins with the same 75 bytes, best first, 20 at most. */
  similar(runtimeBytecode: string): Promise<readonly StoredContract[]>;
}

export interface Verifier {
  readonly repository: Repository;
  /** Chains that can be verified against: the mirrored network first, then configured ones. */
  readonly chains: readonly {
    readonly chainId: string;
    readonly name: string;
    readonly rpc: readonly string[];
    readonly explorer: boolean;
  }[];
  /**
   * Expands archives and finds what the files describe. Never fetches anything. Metadata that can't be used, such as that
   * of another language, counts among the unused files.
   * @throws KagamiError VERIFICATION_INPUT_INVALID for broken or too large archives; VERIFICATION_BUSY, _TIMEOUT, _FAILED
   */
  inspect(files: readonly UploadedFile[], client?: string): Promise<Inspection>;
  /**
   * Compiles and compares; resolves also when nothing matches (`failure`).
   * @throws KagamiError VERIFICATION_BUSY when too much is waiting, and what the database throws.
   */
  verify(request: VerificationRequest): Promise<VerificationResult>;
  /**
   * Compiles for metadata only, for `input-solc-json`: files of the form that `inspect` takes.
   * @throws KagamiError VERIFICATION_INPUT_INVALID, COMPILER_FAILED (`details.errors`: those of the compiler),
   * COMPILER_UNAVAILABLE, COMPILER_UNREACHABLE, COMPILER_TIMEOUT, COMPILER_OUT_OF_MEMORY, VERIFICATION_BUSY
   */
  metadataOf(input: unknown, compilerVersion: string, client?: string): Promise<readonly UploadedFile[]>;
  /** Runtime code that stands at the address, 0x and hex digits; `0x` for none. */
  runtimeCode(contract: DeployedContract): Promise<string>;
  /**
   * What a contract keeps in a slot (32 bytes) of its storage; leading zeros may be left out.
   * @throws KagamiError VERIFICATION_FAILED when no node of the chain tells it
   */
  storageAt(contract: DeployedContract, slot: Buffer): Promise<Uint8Array>;
  /**
   * Asks the configured explorer.
   * @throws KagamiError EXPLORER_NOT_CONFIGURED, EXPLORER_UNREACHABLE, EXPLORER_FAILED, EXPLORER_RATE_LIMITED,
   * EXPLORER_NOT_VERIFIED, EXPLORER_MALFORMED.
   */
  fromExplorer(contract: DeployedContract, apiKey: string | undefined): Promise<CompilationTarget>;
  close(): Promise<void>;
}
