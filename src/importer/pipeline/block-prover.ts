/**
 * Has blocks proven in their thread, and settles which wrapped record blocks were altered. A block's signatures cover the
 * record file that it wraps and nothing else; its root hash covers all of it, and is known by the next block, which may have
 * been altered as well. So when a block names another root hash than the one before has, that one is taken once more, from
 * wherever it comes; whichever then agrees with what follows it is the right one, and the rows of the block are corrected.
 */
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import type { BlockProver, DisputedBlock, ProvenBlock } from '../../sources/block-prover.ts';
import type { RawBlock } from '../../sources/block-source.ts';
import type { Electorate } from '../../sources/electorate.ts';
import type { BlockCorrection } from '../../sources/verified-record-files.ts';
import { type DisputedRoot, START_OF_CHAIN } from '../../streams/block/chain.ts';
import type { ReadBlockOptions } from '../../streams/block/read-block.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import type { ChainState } from '../../streams/block/verdict.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { KeptBlock } from './block-corrections.ts';
import type { BlockReader, ReadBlock } from './block-reader.ts';
import { recordSignersOf } from './block-trust.ts';
import type { CommitGate } from './commit-gate.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

export interface BlockProverOptions {
  readonly reader: BlockReader;
  /** Number of the last block or record file before; undefined: an empty database. */
  readonly last: bigint | undefined;
  /** Where the chain of blocks stands behind it. */
  readonly chain: ChainState;
  /** What the database holds of a block; undefined when it has none of that number. */
  readonly kept: (number: bigint) => Promise<KeptBlock | undefined>;
  /** The ledger that is believed, as far as it is known by now: record files may have told its id. */
  readonly ledger: () => Promise<LedgerTrust | null>;
  /** Asked before each proof; the same object while nothing changes. */
  readonly electorate: () => Electorate;
  /** Accepts blocks that nobody signed. */
  readonly trustUnsigned: boolean;
  readonly limits: ReadBlockOptions;
  readonly persistBytes: boolean;
  readonly acceptGaps: boolean;
  readonly gate: CommitGate;
  readonly signal: AbortSignal;
}

export interface ProvenValue {
  readonly block: ReadBlock;
  readonly bytes: Uint8Array;
  readonly from: string;
  /** The block was proven before: it was only looked at once more. */
  readonly isAgain: boolean;
  /** Of blocks before this one, which it shows to have been altered. */
  readonly corrections: readonly BlockCorrection[];
}

/** What may change with the blocks that are being written: who signs, and which ledger it is. */
const ABOUT_SIGNERS: ReadonlySet<ErrorCode> = new Set([
  'STREAM_NO_CONSENSUS',
  'STREAM_BAD_SIGNATURE',
  'STREAM_UNSIGNED',
  'STREAM_UNKNOWN_LEDGER',
]);

type Outcome = ReadBlock | KagamiError;

/** A prover for one walk along the chain. */
export const blockProver = (options: BlockProverOptions): BlockProver<ProvenValue> => {
  const prover = new ChainProver(options);
  return (blocks, moreToCome) => prover.prove(blocks, moreToCome);
};

class ChainProver {
  readonly #options: BlockProverOptions;
  /** Number of the newest block that is proven, or was before, and where the chain stands behind it. */
  #proven: bigint | undefined;
  #standing: ChainState;
  /** Number of the block that the thread stands behind; it has not been told when they differ. */
  #position: bigint | undefined;
  #isTold = false;
  /** Blocks that were proven before, as they were looked at since a block disputed one of them. */
  readonly #corrections = new Map<bigint, BlockCorrection>();
  /** The newest block is not what the next one names, and was not to be had once more. */
  #disputed: DisputedRoot | undefined;
  /** Who gave the block that the thread stands behind. */
  #from: string | undefined;
  #ledger: LedgerTrust | null = null;
  #believed: { readonly electorate: Electorate; readonly ledger: LedgerTrust | null } | undefined;

  constructor(options: BlockProverOptions) {
    this.#options = options;
    this.#proven = options.last;
    this.#standing = options.chain;
    this.#position = options.last;
  }

  async prove(blocks: readonly RawBlock[], moreToCome: boolean): ReturnType<BlockProver<ProvenValue>> {
    const { gate, signal } = this.#options;
    let outcomes = await this.#ask(blocks, moreToCome, await this.#chainBefore(blocks[0]?.number));
    const fault = outcomes.at(-1);
    if (isKagamiError(fault) && ABOUT_SIGNERS.has(fault.code)) {
      // A block before may bring the address book that this one is signed by: it is judged when that one is committed.
      if (outcomes.length > 1) outcomes = outcomes.slice(0, -1);
      else if (this.#proven !== undefined && !gate.isPast(this.#proven)) {
        await gate.past(this.#proven, signal);
        outcomes = await this.#ask(blocks, moreToCome, undefined);
      }
    }
    const judged: (ProvenBlock<ProvenValue> | KagamiError)[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const raw = blocks[i];
      const found = isKagamiError(outcome) ? this.#refusal(outcome, raw) : await this.#take(outcome, raw);
      judged.push(found);
      if (isKagamiError(found)) break;
    }
    return judged;
  }

  async #ask(
    blocks: readonly RawBlock[],
    moreToCome: boolean,
    chain: ChainState | undefined,
  ): Promise<readonly Outcome[]> {
    const { reader, electorate, ledger, trustUnsigned, limits, acceptGaps } = this.#options;
    const current = electorate();
    this.#ledger ??= await ledger();
    const trust = {
      ledger: this.#ledger,
      wrapsKeyHashes: [],
      recordSigners: recordSignersOf(current),
      testSignatures: false,
      unsigned: trustUnsigned,
    };
    const isKnown = this.#believed?.electorate === current && this.#believed.ledger === this.#ledger;
    this.#believed = { electorate: current, ledger: this.#ledger };
    return reader.prove({
      blocks: blocks.map(({ name, bytes }) => ({ name, bytes })),
      limits,
      acceptGaps,
      moreToCome,
      ...(chain === undefined ? {} : { chain }),
      ...(isKnown ? {} : { trust }),
    });
  }

  /** Where the chain stands before a block, if the thread has to be told. */
  async #chainBefore(number: bigint | undefined): Promise<ChainState | undefined> {
    const isFirst = !this.#isTold;
    this.#isTold = true;
    if (number === undefined || this.#proven === undefined) return isFirst ? this.#standing : undefined;
    if (number <= this.#proven) return this.#chainBeforeKept(number, this.#proven);
    if (this.#disputed === undefined && this.#position === this.#proven) return isFirst ? this.#standing : undefined;
    // The blocks that were disputed are not to be had once more.
    await this.#options.gate.past(this.#proven, this.#options.signal);
    const { last } = this.#standing;
    this.#corrections.clear();
    if (this.#disputed !== undefined) {
      const { number: before, named } = this.#disputed;
      this.#corrections.set(before, { number: before, rootHash: fromHex(named) ?? NO_BYTES });
    }
    return { last: last && { ...last, rootHashes: [] }, tree: null };
  }

  /** Where the chain stands before a block that is looked at once more. */
  async #chainBeforeKept(number: bigint, newest: bigint): Promise<ChainState> {
    const { gate, signal, kept } = this.#options;
    this.#corrections.clear();
    this.#disputed = undefined;
    await gate.past(newest, signal);
    const before = await kept(number - 1n);
    const { last, tree } = this.#standing;
    if (before === undefined) return START_OF_CHAIN;
    return {
      last: {
        number: number - 1n,
        rootHashes: before.rootHash === null ? [] : [before.rootHash],
        recordHash: before.recordHash,
      },
      // What is kept has the root hashes of all blocks before the newest one.
      tree: last?.number === number && tree?.count === number ? tree : null,
    };
  }

  async #take(block: ReadBlock, raw: RawBlock | undefined): Promise<ProvenBlock<ProvenValue> | KagamiError> {
    const isAgain = this.#proven !== undefined && block.number <= this.#proven;
    if (isAgain) {
      const fault = await this.#lookAgain(block);
      if (fault !== undefined) return fault;
    }
    this.#position = block.number;
    this.#from = raw?.from;
    let corrections: readonly BlockCorrection[] = [];
    if (!isAgain) {
      corrections = [...this.#corrections.values()];
      this.#corrections.clear();
      this.#disputed = undefined;
      this.#proven = block.number;
      this.#standing = block.chain;
    }
    const bytes = this.#options.persistBytes && raw?.isFile ? raw.bytes : NO_BYTES;
    return {
      value: { block, bytes, from: raw?.from ?? '', isAgain, corrections },
      consensusEnd: block.recordFile.consensusEnd,
      wrapped: block.wrapped,
    };
  }

  /** Holds a block against the one in the database; a refusal when what the nodes signed is not the same. */
  async #lookAgain({ number, recordFile, wrapped }: ReadBlock): Promise<KagamiError | undefined> {
    const kept = await this.#options.kept(number);
    if (kept === undefined || !wrapped || toHex(kept.recordHash) !== toHex(recordFile.hash)) {
      const rule = `block ${number} does not wrap the record file that was imported as this block`;
      this.#position = undefined;
      return streamError('STREAM_CHAIN_BROKEN', { file: recordFile.name, block: number, rule });
    }
    const { ofBlock } = recordFile;
    this.#corrections.set(number, {
      number,
      rootHash: ofBlock?.wrappedRecordBlockHash ?? NO_BYTES,
      whole: { name: recordFile.name, previousRootHash: ofBlock?.previousWrappedRecordBlockHash ?? NO_BYTES },
    });
    return undefined;
  }

  /** A refusal with what it disputes, where the block before it may be the altered one. */
  #refusal(fault: KagamiError, raw: RawBlock | undefined): KagamiError {
    const disputes = fault.details.disputes as DisputedRoot | undefined;
    if (disputes === undefined) return fault;
    if (disputes.number === this.#proven) this.#disputed = disputes;
    const askAgainFrom: DisputedBlock = {
      number: disputes.number,
      isContradiction: raw !== undefined && disputes.number === this.#position && raw.from === this.#from,
    };
    return new KagamiError(fault.code, fault.message, { details: { ...fault.details, askAgainFrom } });
  }
}
