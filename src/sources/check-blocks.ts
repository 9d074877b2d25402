import { recordFileOfBlock } from '../blocks/block-record-file.ts';
import { recordFileOfWrappedBlock } from '../blocks/wrapped-block.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import type { Block } from '../streams/block/block.ts';
import { START_OF_CHAIN } from '../streams/block/chain.ts';
import { recordedLedgerPublication } from '../streams/block/ledger-publication.ts';
import { type ReadBlockOptions, readBlock } from '../streams/block/read-block.ts';
import type { BlockTrust } from '../streams/block/trust.ts';
import type { BlockVerdict, ChainState, ProofFault, ProvenBy } from '../streams/block/verdict.ts';
import { BlockVerifier } from '../streams/block/verify-blocks.ts';
import type { RecordFile } from '../streams/record-file-content.ts';
import { streamError } from '../streams/stream-error.ts';
import type { BlockOrigin } from './block-origin.ts';
import type { RawBlock } from './block-source.ts';
import type { ChainState as LinkState } from './check-stream.ts';

/** The finding about one block. */
export interface CheckedBlock {
  /** As the source numbers it. */
  readonly number: bigint;
  readonly name: string;
  /** `trusted` blocks are good in themselves, but nothing proves them and that was allowed. */
  readonly status: 'proven' | 'trusted' | 'refused';
  /** What proved it; null when refused. */
  readonly by: ProvenBy | null;
  /** Whether a state proof led from it to the block that was signed. */
  readonly throughStateProof: boolean;
  /** Why it was refused, or does not follow the block before. */
  readonly reason: KagamiError | null;
  readonly chain: LinkState;
  /** It wraps a record file. */
  readonly wrapped: boolean;
  /** Null when refused. */
  readonly recordFile: RecordFile | null;
  /** Bytes of the block, uncompressed; 0 when it can't be read. */
  readonly bytes: number;
}

/** What a whole stream comes to. */
export interface BlockStreamReport {
  readonly blocks: number;
  /** Blocks among them that wrap record files. */
  readonly wrapped: number;
  readonly proven: number;
  readonly trusted: number;
  readonly refused: number;
  readonly brokenLinks: number;
  /** Numbers between the first and the last that there is no block of. */
  readonly missing: number;
  /** How many blocks were proven by what. */
  readonly proofs: Readonly<Partial<Record<ProvenBy | 'state-proof', number>>>;
  readonly transactions: number;
  /** Uncompressed. */
  readonly bytes: number;
  readonly firstBlock: bigint | null;
  readonly lastBlock: bigint | null;
  /** Nanoseconds; null without a good block. */
  readonly consensusStart: bigint | null;
  readonly consensusEnd: bigint | null;
  /** 32 bytes: the ledger whose threshold signatures were believed, if any was known. */
  readonly ledgerId: Uint8Array | null;
}

export interface CheckBlocksOptions {
  readonly origin: BlockOrigin;
  /** Who is believed; a ledger id that the blocks publish themselves takes the place of none. */
  readonly trust: BlockTrust;
  readonly limits: ReadBlockOptions;
  /** Numbers of the first and the last block, inclusive; all by default. */
  readonly first?: bigint | undefined;
  readonly last?: bigint | undefined;
  /** Called for each block in order. */
  readonly onBlock?: (block: CheckedBlock) => void;
  readonly signal: AbortSignal;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One threshold signature proves so many blocks at most. */
const BATCH_BLOCKS = 32;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Proves every block of a source without a database: hashes, chain, proofs, and that transactions can be made of it. A
 * block that is proven proves those before it that it is linked to, as in an import. Unlike an import it goes on after a
 * block that it must refuse, and over missing ones.
 * @throws KagamiError SOURCE_EMPTY, or why the source can't be read; findings about blocks are in the report.
 */
export const checkBlocks = async (options: CheckBlocksOptions): Promise<BlockStreamReport> => {
  const check = new BlockCheck(options, await BlockVerifier.open());
  let batch: Found[] = [];
  let bytes = 0;
  for await (const found of foundBlocks(options)) {
    batch.push(found);
    bytes += 'raw' in found ? found.raw.bytes.length : 0;
    if (batch.length < BATCH_BLOCKS && bytes < BATCH_BYTES) continue;
    check.add(batch);
    [batch, bytes] = [[], 0];
  }
  if (!options.signal.aborted) check.add(batch);
  return check.report();
};

/** A block as the source has it, or why it can't be read there. */
type Found = { readonly number: bigint } & ({ readonly raw: RawBlock } | { readonly fault: KagamiError });

async function* foundBlocks({ origin, first, last: to, signal }: CheckBlocksOptions): AsyncGenerator<Found> {
  let next = first ?? (await origin.earliest(signal));
  if (next === undefined) throw streamError('SOURCE_EMPTY', { file: origin.description, rule: 'it has no blocks' });
  while (!signal.aborted && (to === undefined || next <= to)) {
    const request = { next, to, follow: false, leaveWhenDry: false, acceptGaps: true, signal };
    const opened = await origin.open(request);
    if (opened === undefined) return;
    try {
      for await (const raw of opened.blocks) {
        yield { number: raw.number, raw };
        next = raw.number + 1n;
      }
      opened.completed();
      return;
    } catch (fault) {
      if (!isKagamiError(fault) || fault.code !== 'STREAM_OVERSIZED') throw fault;
      opened.failed(fault, true);
      yield { number: next, fault };
      next += 1n;
    }
  }
}

interface Readable {
  readonly number: bigint;
  readonly block: Block;
}

class BlockCheck {
  readonly #options: CheckBlocksOptions;
  readonly #verifier: BlockVerifier;
  readonly #report: Writable<BlockStreamReport> & { proofs: Partial<Record<ProvenBy | 'state-proof', number>> } = {
    blocks: 0,
    wrapped: 0,
    proven: 0,
    trusted: 0,
    refused: 0,
    brokenLinks: 0,
    missing: 0,
    proofs: {},
    transactions: 0,
    bytes: 0,
    firstBlock: null,
    lastBlock: null,
    consensusStart: null,
    consensusEnd: null,
    ledgerId: null,
  };
  #trust: BlockTrust;
  #chain: ChainState = START_OF_CHAIN;
  /** What is before can't be told from where the chain stands. */
  #isBehindRefusal = false;

  constructor(options: CheckBlocksOptions, verifier: BlockVerifier) {
    this.#options = options;
    this.#verifier = verifier;
    this.#trust = options.trust;
  }

  report(): BlockStreamReport {
    return { ...this.#report, ledgerId: this.#trust.ledger?.id ?? null };
  }

  add(batch: readonly Found[]): void {
    let run: Readable[] = [];
    const prove = (): void => {
      if (run.length > 0) this.#prove(run);
      run = [];
    };
    for (const found of batch) {
      const block = this.#read(found);
      if (isKagamiError(block)) {
        prove();
        this.#refuse(found.number, 'raw' in found ? found.raw.name : `block ${found.number}`, null, block);
        continue;
      }
      // What record files say about the ledger has to be known before its own blocks are proven.
      if (run.some((other) => (other.block.recordFile === null) !== (block.recordFile === null))) prove();
      run.push({ number: found.number, block });
    }
    prove();
  }

  #read(found: Found): Block | KagamiError {
    if ('fault' in found) return found.fault;
    const { name, bytes } = found.raw;
    try {
      return readBlock(name, bytes, this.#options.limits);
    } catch (error) {
      if (isKagamiError(error)) return error;
      throw error;
    }
  }

  /** The later ones prove the earlier ones; behind a fault each has to prove itself. */
  #prove(run: readonly Readable[]): void {
    const { verdicts, ...standing } = this.#verifier.verifyBlocks(
      run.map(({ block }) => block),
      this.#trust,
      this.#chain,
    );
    const failed = verdicts.findIndex(({ proven }) => !proven);
    const good = failed < 0 ? run.length : failed;
    for (let i = 0; i < good; i++) {
      this.#accept(run[i] as Readable, verdicts[i] as BlockVerdict & { proven: true }, this.#linkOf(i), null);
    }
    if (good > 0) this.#goOn(standing);
    for (const [i, readable] of run.slice(good).entries()) {
      this.#proveAlone(readable, i === 0 ? verdicts[good] : undefined);
    }
  }

  #linkOf(position: number): LinkState {
    if (position > 0 || this.#chain.last !== null) return 'linked';
    return this.#isBehindRefusal ? 'unknown' : 'first';
  }

  #proveAlone(readable: Readable, known: BlockVerdict | undefined): void {
    const { block } = readable;
    const link = this.#linkOf(0);
    const linked = known ?? this.#verify(block, this.#chain);
    if (linked.proven) {
      this.#accept(readable, linked, link, null);
      return;
    }
    if (this.#chain.last === null) {
      this.#refuse(readable.number, block.name, block, errorOf(linked.fault));
      return;
    }
    // It may be good, and only not what comes after the block before.
    const alone = this.#verify(block, START_OF_CHAIN);
    if (alone.proven) this.#accept(readable, alone, 'broken', errorOf(linked.fault));
    else this.#refuse(readable.number, block.name, block, errorOf(alone.fault));
  }

  #verify(block: Block, chain: ChainState): BlockVerdict {
    const { verdict, ...standing } = this.#verifier.verifyBlock(block, this.#trust, chain);
    if (verdict.proven) this.#goOn(standing);
    return verdict;
  }

  #goOn({ chain, ledger }: Pick<ReturnType<BlockVerifier['verifyBlocks']>, 'chain' | 'ledger'>): void {
    this.#chain = chain;
    this.#trust = { ...this.#trust, ledger };
    this.#isBehindRefusal = false;
  }

  #accept(
    { number, block }: Readable,
    verdict: BlockVerdict & { readonly proven: true },
    chain: LinkState,
    reason: KagamiError | null,
  ): void {
    const wrapped = block.recordFile !== null;
    const { by, throughStateProof, rootHashes } = verdict;
    let recordFile: RecordFile;
    try {
      const convert = wrapped ? recordFileOfWrappedBlock : recordFileOfBlock;
      ({ recordFile } = convert(block, rootHashes[0] as Uint8Array));
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      this.#count({ ...refusalOf(number, block.name, block, error), chain });
      return;
    }
    const published = wrapped ? recordedLedgerPublication(recordFile) : undefined;
    if (published !== undefined) this.#trust = { ...this.#trust, ledger: published };
    const status = by === 'trusted' ? 'trusted' : 'proven';
    const { name, uncompressedSize: bytes } = block;
    this.#count({ number, name, status, by, throughStateProof, reason, chain, wrapped, recordFile, bytes });
  }

  #refuse(number: bigint, name: string, block: Block | null, reason: KagamiError): void {
    this.#chain = START_OF_CHAIN;
    this.#isBehindRefusal = true;
    this.#count(refusalOf(number, name, block, reason));
  }

  #count(checked: CheckedBlock): void {
    const report = this.#report;
    const { number, status, by, chain, wrapped, recordFile, bytes } = checked;
    if (report.lastBlock !== null && number > report.lastBlock + 1n) {
      report.missing += Number(number - report.lastBlock - 1n);
    }
    report.firstBlock ??= number;
    report.lastBlock = number;
    report.blocks++;
    report[status]++;
    report.bytes += bytes;
    if (wrapped) report.wrapped++;
    if (chain === 'broken') report.brokenLinks++;
    if (by !== null) {
      const proof = checked.throughStateProof ? 'state-proof' : by;
      report.proofs[proof] = (report.proofs[proof] ?? 0) + 1;
    }
    if (recordFile !== null) {
      report.transactions += recordFile.items.length;
      report.consensusStart ??= recordFile.consensusStart;
      report.consensusEnd = recordFile.consensusEnd;
    }
    this.#options.onBlock?.(checked);
  }
}

const refusalOf = (number: bigint, name: string, block: Block | null, reason: KagamiError): CheckedBlock => ({
  number,
  name,
  status: 'refused',
  by: null,
  throughStateProof: false,
  reason,
  chain: 'unknown',
  wrapped: block !== null && block.recordFile !== null,
  recordFile: null,
  bytes: block?.uncompressedSize ?? 0,
});

const errorOf = ({ code, message, details }: ProofFault): KagamiError => new KagamiError(code, message, { details });
