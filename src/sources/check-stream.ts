import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import { MAX_NANOS } from '../ledger/timestamp.ts';
import { checkChain } from '../streams/record-file.ts';
import { streamError } from '../streams/stream-error.ts';
import type { Electorate } from './electorate.ts';
import { type FileGroup, listGroups } from './file-groups.ts';
import { GroupProof, type ProvenRecordFile } from './group-proof.ts';
import type { StreamSource } from './stream-source.ts';

/**
 * `linked`: follows the file before; `first`: nothing before it; `broken`: the file before has another hash;
 * `unknown`: files before it were refused and it doesn't follow the last good one.
 */
export type ChainState = 'linked' | 'first' | 'broken' | 'unknown';

/** The finding about one record file. */
export interface CheckedFile {
  readonly base: string;
  /** `trusted` files are good in themselves, but no node signed them and that was allowed. */
  readonly status: 'proven' | 'trusted' | 'refused';
  /** Why it was refused. */
  readonly reason: KagamiError | null;
  /** What was proven; null when refused. */
  readonly proof: ProvenRecordFile | null;
  readonly chain: ChainState;
  /** Nodes that have a signature file for it. */
  readonly signatureFiles: number;
}

/** What a whole folder comes to. */
export interface StreamReport {
  readonly nodes: number;
  readonly files: number;
  readonly proven: number;
  readonly trusted: number;
  readonly refused: number;
  readonly brokenLinks: number;
  readonly transactions: number;
  readonly sidecars: number;
  /** Content of the record files, uncompressed, in bytes. */
  readonly bytes: number;
  /** Nanoseconds; null without a good file. */
  readonly consensusStart: bigint | null;
  readonly consensusEnd: bigint | null;
  readonly firstFailure: KagamiError | null;
}

export interface CheckStreamOptions {
  readonly source: StreamSource;
  readonly electorate: Electorate;
  readonly trustUnsigned?: boolean;
  readonly maxContentBytes?: number;
  /** First and last consensus time of file names to check, in nanoseconds; all by default. */
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
  /** Called for each record file in stream order. */
  readonly onFile?: (file: CheckedFile) => void;
  readonly signal?: AbortSignal;
}

const GROUPS_PER_PAGE = 500;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Proves every record file of a source, with all signatures and sidecars, without a database. Unlike an import it goes
 * on after a file that it must refuse.
 * @throws KagamiError SOURCE_EMPTY, SOURCE_UNREADABLE; findings about files are in the report.
 */
export const checkStream = async (options: CheckStreamOptions): Promise<StreamReport> => {
  const report: Writable<StreamReport> = {
    nodes: 0,
    files: 0,
    proven: 0,
    trusted: 0,
    refused: 0,
    brokenLinks: 0,
    transactions: 0,
    sidecars: 0,
    bytes: 0,
    consensusStart: null,
    consensusEnd: null,
    firstFailure: null,
  };
  const chain = new ChainCheck();
  let after = (options.from ?? 0n) - 1n;
  const end = options.to ?? MAX_NANOS;
  for (let more = true; more && !options.signal?.aborted; ) {
    const page = await listGroups(options.source, options.electorate, after, GROUPS_PER_PAGE);
    if (page.nodes === 0) {
      throw streamError('SOURCE_EMPTY', { file: options.source.description, rule: 'no record stream folders' });
    }
    report.nodes = page.nodes;
    for (const group of page.groups) {
      if (options.signal?.aborted || group.nanos > end) return report;
      const file = await checkGroup(group, options, chain);
      addTo(report, file);
      options.onFile?.(file);
      after = group.nanos;
    }
    more = page.more;
  }
  return report;
};

const checkGroup = async (group: FileGroup, options: CheckStreamOptions, chain: ChainCheck): Promise<CheckedFile> => {
  const signatureFiles = group.copies.filter(({ signatureNames }) => signatureNames.length > 0).length;
  const proof = new GroupProof(options.source, { ...options, verifyAll: true, readSidecar: () => true });
  try {
    const proven = await proof.attempt(group, options.electorate);
    const { state, fault } = chain.add(proven);
    const status = proven.tally === null ? 'trusted' : 'proven';
    return { base: group.base, status, reason: fault, proof: proven, chain: state, signatureFiles };
  } catch (error) {
    if (!isKagamiError(error)) throw error;
    chain.skip();
    return { base: group.base, status: 'refused', reason: error, proof: null, chain: 'unknown', signatureFiles };
  }
};

const addTo = (report: Writable<StreamReport>, { status, reason, proof, chain }: CheckedFile): void => {
  report.files++;
  report[status]++;
  if (chain === 'broken') report.brokenLinks++;
  report.firstFailure ??= reason;
  if (proof === null) return;
  const { recordFile } = proof;
  report.transactions += recordFile.items.length;
  report.sidecars += proof.sidecars.length;
  report.bytes += recordFile.uncompressedSize;
  report.consensusStart ??= recordFile.consensusStart;
  report.consensusEnd = recordFile.consensusEnd;
};

/** Follows the chain of hashes over files of which some may be refused. */
class ChainCheck {
  #previousHash: Uint8Array | undefined;
  #skipped = false;

  skip(): void {
    this.#skipped = true;
  }

  add({ recordFile }: ProvenRecordFile): { readonly state: ChainState; readonly fault: KagamiError | null } {
    const previousHash = this.#previousHash;
    const skipped = this.#skipped;
    this.#previousHash = recordFile.hash;
    this.#skipped = false;
    if (previousHash === undefined) return { state: skipped ? 'unknown' : 'first', fault: null };
    try {
      checkChain(recordFile, previousHash);
      return { state: 'linked', fault: null };
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      return skipped ? { state: 'unknown', fault: null } : { state: 'broken', fault: error };
    }
  }
}
