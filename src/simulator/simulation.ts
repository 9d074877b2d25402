import { access, mkdir } from 'node:fs/promises';
import { KagamiError } from '../errors/kagami-error.ts';
import { toHex } from '../ledger/bytes.ts';
import { LedgerIdPublicationTransactionBody } from '../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import type { HapiVersion } from '../streams/record-file-content.ts';
import { type ClosedBlock, testSignature } from './blocks/block-chain.ts';
import { BlockFolder } from './blocks/block-folder.ts';
import { BlockRecorder } from './blocks/block-recorder.ts';
import { BlockSigner } from './blocks/block-signer.ts';
import { type BlockForm, blockFormOf, type LedgerForm, RECORD_FORM } from './blocks/ledger-form.ts';
import { type LedgerKeys, ledgerKeys } from './blocks/ledger-keys.ts';
import { type ExpectedLedger, expectedLedger } from './expected/expected-ledger.ts';
import { wordsFromSeed } from './keys/seed.ts';
import { createFillerSigner, createSigner, type Signer } from './keys/signer.ts';
import type { BlockPlan } from './ledger-plan.ts';
import { type Mix, parseMix } from './mix.ts';
import { addressBookBytes, openNetwork, type SimulatedNetwork } from './network/simulated-network.ts';
import { FIRST_USER_NUM } from './network/system-accounts.ts';
import { produceBlock } from './produce-block.ts';
import type { BuilderSettings } from './records/block-builder.ts';
import type { ProducedBlock } from './records/draft.ts';
import { StreamFolder } from './records/stream-folder.ts';
import { runningHashOf, type WrittenBlock, writeBlock } from './records/written-block.ts';
import { readIfPresent, writeAtomically } from './state/atomic-file.ts';
import { lockFolder } from './state/folder-lock.ts';
import { Journal, type JournalEntry } from './state/journal.ts';
import { emptyLedger, type LedgerState } from './state/ledger-state.ts';
import { decodeSnapshot, encodeSnapshot, type LedgerOrigin } from './state/snapshot.ts';
import type { HandleSubmission } from './submissions.ts';

/** File of a simulation folder with the serialized NodeAddressBook. */
export const ADDRESS_BOOK_FILE = 'addressBook.bin';
/** File with the serialized LedgerIdPublicationTransactionBody by which blocks are proven. */
export const LEDGER_ID_FILE = 'ledgerIdPublication.bin';
const STATE_FILE = 'state.bin';
const JOURNAL_FILE = 'journal.log';

export interface SimulationOptions {
  /** Folder of streams, keys and state; made if there is none. */
  readonly directory: string;
  readonly seed: string;
  readonly nodeCount: number;
  /** Decided once, when the folder is made. */
  readonly origin: LedgerOrigin;
  /** Whether the network is one for development, decided once as well. */
  readonly development: boolean;
  /** Left out: nobody can send transactions. */
  readonly handleSubmission?: HandleSubmission | undefined;
  /** Whether accounts sign honestly, or filler takes the place of their signatures. */
  readonly signed: boolean;
  readonly compressionLevel: number;
  /** Whether every block's journal line must reach the disk first: against power failure, not needed against kills. */
  readonly sync: boolean;
}

export interface BlockSummary {
  readonly number: bigint;
  /** Name of the data file. */
  readonly name: string;
  /** Records in it. */
  readonly count: number;
  /** Running hash at its end, which is the block's hash, hex. */
  readonly hash: string;
  /** Nanoseconds of its last record. */
  readonly consensusEnd: bigint;
  /** The Block message, where the ledger is written as blocks and this one has its proof. */
  readonly blockBytes?: Uint8Array;
  /** Blocks that are proven with it, in order: itself and those that waited for its signature. */
  readonly blocks: readonly ClosedBlock[];
}

const SNAPSHOT_EVERY = 50;
/** Blocks whose files may be in the making at one time; so many may be incomplete after a kill. */
const MAX_PENDING_WRITES = 2;

/**
 * A simulated ledger in a folder. State is a snapshot plus a journal of the blocks since: as blocks follow from the state
 * and their plan alone, a killed simulation makes the journal's blocks again in memory, checks their hashes, and writes
 * the files that are missing. State and files therefore never disagree.
 */
export class Simulation {
  readonly network: SimulatedNetwork;
  readonly folder: StreamFolder;
  readonly blockFolder: BlockFolder;
  readonly #options: SimulationOptions;
  readonly #origin: LedgerOrigin;
  readonly #form: LedgerForm;
  /** Of a network with threshold signatures. */
  readonly #keys: LedgerKeys | undefined;
  readonly #signer: BlockSigner;
  readonly #state: LedgerState;
  readonly #journal: Journal;
  readonly #unlock: () => Promise<void>;
  readonly #signers: Readonly<Record<'signed' | 'filler', Signer>>;
  #pending: Promise<unknown>[] = [];
  #sinceSnapshot = 0;
  /** A block failed half-way, so the state in memory is of no block. */
  #failed = false;

  private constructor(parts: {
    readonly options: SimulationOptions;
    readonly network: SimulatedNetwork;
    readonly folder: StreamFolder;
    readonly origin: LedgerOrigin;
    readonly state: LedgerState;
    readonly journal: Journal;
    readonly unlock: () => Promise<void>;
  }) {
    this.#options = parts.options;
    this.network = parts.network;
    this.folder = parts.folder;
    this.#origin = parts.origin;
    this.#form = parts.origin.form ?? RECORD_FORM;
    const { network: name, layout, publishesLedger } = this.#form;
    this.blockFolder = new BlockFolder(parts.options.directory, name, layout);
    this.#keys = publishesLedger ? ledgerKeys(parts.options.seed, parts.options.nodeCount) : undefined;
    const sign = this.#form.proofs === 'threshold' && this.#keys !== undefined ? this.#keys.sign : testSignature;
    this.#signer = new BlockSigner(sign, this.#form.signsEvery ?? 1);
    this.#state = parts.state;
    this.#journal = parts.journal;
    this.#unlock = parts.unlock;
    this.#signers = { signed: createSigner(parts.options.seed), filler: createFillerSigner(parts.options.seed) };
  }

  /**
   * Opens a simulation folder, making or recovering it.
   * @throws KagamiError SIMULATOR_FOLDER_BUSY, SIMULATOR_FOLDER_MISMATCH, SIMULATOR_STATE_DAMAGED.
   */
  static async open(options: SimulationOptions): Promise<Simulation> {
    const { directory, seed, nodeCount, development } = options;
    await mkdir(directory, { recursive: true });
    const unlock = await lockFolder(directory);
    try {
      const network = await openNetwork(directory, { seed, nodeCount, development });
      await writeAtomically(`${directory}/${ADDRESS_BOOK_FILE}`, addressBookBytes(network));
      const folder = new StreamFolder({ directory, nodes: network.nodes, compressionLevel: options.compressionLevel });
      const statePath = `${directory}/${STATE_FILE}`;
      const stored = await readIfPresent(statePath);
      const journal = new Journal(`${directory}/${JOURNAL_FILE}`, options.sync);
      const { origin, state } =
        stored === undefined
          ? { origin: options.origin, state: emptyLedger(wordsFromSeed(seed, 'activity'), FIRST_USER_NUM) }
          : decodeSnapshot(stored, statePath);
      refuseOtherChain(origin, options, directory);
      refuseOtherForm(origin, options, directory);
      const simulation = new Simulation({ options, network, folder, origin, state, journal, unlock });
      await simulation.#prepareFolders();
      if (stored === undefined) {
        await refuseForeignFiles(simulation, directory);
        await simulation.#saveState();
      }
      await simulation.#recover();
      return simulation;
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Number of the first block that the ledger as a whole signs. */
  get firstSignedBlock(): bigint {
    return this.#form.format === 'cutover' ? this.#form.cutoverAt : 0n;
  }

  /** Number of the newest block, -1n before genesis. */
  get blockNumber(): bigint {
    return this.#state.blockNumber;
  }

  /** Consensus time of the newest record, nanoseconds; 0n before genesis. */
  get lastConsensus(): bigint {
    return this.#state.lastConsensus;
  }

  /** The ledger as the newest block left it; nobody else may change it. */
  get state(): LedgerState {
    return this.#state;
  }

  /** What a reader of all blocks so far should find. */
  expectedLedger(): ExpectedLedger {
    return expectedLedger(this.#state);
  }

  /** Makes the next block and hands its files to the folder; `settled` waits for those. */
  async produce(plan: BlockPlan, mix: Mix): Promise<BlockSummary> {
    const { signed } = this.#options;
    if (this.#failed) throw new Error('This simulation has failed');
    this.#failed = true;
    const written = this.#produce(plan, mix, signed);
    const hash = toHex(written.endRunningHash);
    const newest = written.blocks.at(-1);
    await this.#journal.append({ block: written.number, plan, mix: mix.text, signed, hash });
    while (this.#pending.length >= MAX_PENDING_WRITES) await this.#pending.shift();
    const write = this.#write(written);
    // Who waits for it later sees the failure; until then it must not count as unhandled.
    write.catch(() => undefined);
    this.#pending.push(write);
    this.#sinceSnapshot++;
    this.#failed = false;
    if (this.#sinceSnapshot >= SNAPSHOT_EVERY) await this.#snapshot();
    return {
      number: written.number,
      name: written.name,
      count: written.count,
      hash,
      consensusEnd: this.#state.lastConsensus,
      ...(newest?.number === written.number && { blockBytes: newest.bytes }),
      blocks: written.blocks,
    };
  }

  /** Waits until all files of all blocks are complete. */
  async settled(): Promise<void> {
    while (this.#pending.length > 0) await this.#pending.shift();
  }

  /** Completes all files, saves the state and gives the folder back; a failed simulation leaves both to the journal. */
  async close(): Promise<void> {
    try {
      if (!this.#failed) await this.#snapshot();
      await this.#journal.close();
    } finally {
      await this.#unlock();
    }
  }

  async #prepareFolders(): Promise<void> {
    const { format } = this.#form;
    if (format === 'record' || format === 'cutover') await this.folder.prepare();
    if (format !== 'record') await this.blockFolder.prepare();
    if (this.#keys !== undefined) {
      const publication = LedgerIdPublicationTransactionBody.encode(this.#keys.publication).finish();
      await writeAtomically(`${this.#options.directory}/${LEDGER_ID_FILE}`, publication);
    }
  }

  async #snapshot(): Promise<void> {
    await this.settled();
    // The state tells nothing of blocks that wait for a signature.
    await this.#writeBlocks(this.#signer.flush());
    await this.#saveState();
    await this.#journal.restart([]);
    this.#sinceSnapshot = 0;
  }

  async #saveState(): Promise<void> {
    const bytes = encodeSnapshot({ origin: this.#origin, state: this.#state });
    await writeAtomically(`${this.#options.directory}/${STATE_FILE}`, bytes, 0o600, this.#options.sync);
  }

  /** HAPI version that the network speaks in the block that comes next. */
  get hapiVersion(): HapiVersion {
    return this.#nextForm().hapiVersion;
  }

  /** The form of the block that comes next. */
  #nextForm(): BlockForm {
    return blockFormOf(this.#form, this.#state.blockNumber + 1n);
  }

  #make(plan: BlockPlan, mix: Mix, signed: boolean, recorder?: BlockRecorder): ProducedBlock {
    const settings: BuilderSettings = {
      seed: this.#options.seed,
      signer: signed ? this.#signers.signed : this.#signers.filler,
      nodeCount: this.network.nodes.length,
      stakingPeriodNanos: this.#origin.stakingPeriodNanos,
      chain: this.#origin.chain,
      collectsFees: mix.collectsFees,
      observer: recorder,
      publication: this.#keys?.publication,
    };
    const { supply, users, files } = this.#origin;
    const { handleSubmission } = this.#options;
    const ledger = { network: this.network, supply, users, files, handleSubmission };
    return produceBlock(this.#state, ledger, plan, mix, settings);
  }

  #produce(plan: BlockPlan, mix: Mix, signed: boolean): WrittenBlock {
    const form = this.#nextForm();
    const recorder = form.block === 'stream' ? new BlockRecorder() : undefined;
    const block = this.#make(plan, mix, signed, recorder);
    return writeBlock(block, { form, network: this.network, state: this.#state, recorder, signer: this.#signer });
  }

  async #write({ recordFile, blocks }: Pick<WrittenBlock, 'recordFile' | 'blocks'>): Promise<void> {
    if (recordFile !== undefined) await this.folder.write(recordFile);
    await this.#writeBlocks(blocks);
  }

  async #writeBlocks(blocks: readonly ClosedBlock[]): Promise<void> {
    for (const { number, bytes } of blocks) await this.blockFolder.write(number, bytes);
  }

  async #recover(): Promise<void> {
    const entries = (await this.#journal.read()).filter((entry) => entry.block > this.#state.blockNumber);
    const unsure = entries.length - MAX_PENDING_WRITES - (this.#form.signsEvery ?? 1);
    for (const [index, entry] of entries.entries()) {
      const mix = parseMix(entry.mix);
      if (index < unsure && this.#nextForm().block === 'none') {
        this.#state.runningHash = runningHashOf(this.#make(entry.plan, mix, entry.signed));
      } else {
        const written = this.#produce(entry.plan, mix, entry.signed);
        if (index >= unsure) await this.#complete(written);
      }
      this.#check(entry);
    }
    this.#sinceSnapshot = entries.length;
    await this.#journal.restart(entries);
  }

  #check(entry: JournalEntry): void {
    if (this.#state.blockNumber === entry.block && toHex(this.#state.runningHash) === entry.hash) return;
    throw new KagamiError(
      'SIMULATOR_STATE_DAMAGED',
      `Block ${entry.block} of ${this.#options.directory} can't be made again: its hash was ${entry.hash}, ` +
        `now it is ${toHex(this.#state.runningHash)}`,
      { details: { directory: this.#options.directory, block: entry.block } },
    );
  }

  /** Writes a block's files unless the last one of them is there. */
  async #complete(written: WrittenBlock): Promise<void> {
    const { recordFile, blocks } = written;
    const last = this.network.nodes.at(-1);
    const signature = `${this.#options.directory}/record0.0.${last?.accountNum}/${recordFile?.base}.rcd_sig`;
    const hasRecord = recordFile === undefined || (await exists(signature));
    const newest = blocks.at(-1);
    const hasBlocks = newest === undefined || (await this.blockFolder.has(newest.number));
    if (!hasRecord || !hasBlocks) await this.#write(written);
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** What was signed for one chain is worth nothing on another. */
const refuseOtherChain = (
  { chain }: LedgerOrigin,
  { origin: { chain: wanted } }: SimulationOptions,
  directory: string,
): void => {
  if (chain.chainId === wanted.chainId && chain.ledgerId === wanted.ledgerId) return;
  throw new KagamiError(
    'SIMULATOR_FOLDER_MISMATCH',
    `${directory} holds a simulated network of chain id ${chain.chainId} and ledger id ${chain.ledgerId}, ` +
      `not of ${wanted.chainId} and ${wanted.ledgerId}`,
    { details: { directory } },
  );
};

/** A folder goes on in the files that it began with. */
const refuseOtherForm = (origin: LedgerOrigin, options: SimulationOptions, directory: string): void => {
  const { form = RECORD_FORM } = origin;
  const { form: wanted = RECORD_FORM } = options.origin;
  if (form.format === wanted.format) return;
  throw new KagamiError(
    'SIMULATOR_FOLDER_MISMATCH',
    `${directory} holds a simulated ledger of format '${form.format}', not '${wanted.format}'`,
    { details: { directory } },
  );
};

/** Without state there must be no blocks either: a new chain among the files of an old one would prove nothing. */
const refuseForeignFiles = async ({ folder, blockFolder }: Simulation, directory: string): Promise<void> => {
  const first = [...(await folder.blocks()), ...(await blockFolder.numbers())][0];
  if (first === undefined) return;
  const details = { directory, first: first.toString() };
  throw new KagamiError('SIMULATOR_STATE_DAMAGED', `${directory} has stream files but no ${STATE_FILE}`, { details });
};
