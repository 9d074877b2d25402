/**
 * Proves blocks in a thread of their own and turns them into record files there: threshold signatures take some 20 ms,
 * and making records of tens of thousands of transactions a tenth of a second, while the importer's thread makes rows.
 */
import { Worker } from 'node:worker_threads';
import type { GenesisState } from '../../blocks/genesis-state.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { ReadBlockOptions } from '../../streams/block/read-block.ts';
import type { BlockTrust } from '../../streams/block/trust.ts';
import type { ChainState, ProofFault } from '../../streams/block/verdict.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import type { SidecarFile } from '../../streams/sidecar-file.ts';
import { type PackedRecordFile, unpackRecordFile } from './packed-record-file.ts';

const HEAP = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 2_048 };

/** What the thread is asked. It remembers chain and trust from one order to the next. */
export interface ProveOrder {
  readonly blocks: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly limits: ReadBlockOptions;
  /** Goes on behind blocks that are missing. */
  readonly acceptGaps: boolean;
  /** What the last block lacks to be believed may come with the next one. */
  readonly moreToCome: boolean;
  /** Where the chain stands, when it begins or goes back. */
  readonly chain?: ChainState | undefined;
  /** Who is believed, when that has changed. */
  readonly trust?: BlockTrust | undefined;
}

export type ReadBlockOutcome =
  | {
      readonly packed: PackedRecordFile;
      readonly number: bigint;
      readonly wrapped: boolean;
      readonly linked: boolean;
      readonly genesis: GenesisState | undefined;
      readonly chain: ChainState;
    }
  | { readonly fault: ProofFault };

/** What the thread answers: an outcome for each block up to the first that is refused. */
export interface ProveAnswer {
  readonly outcomes: readonly ReadBlockOutcome[];
}

/** A proven block as a record file. */
export interface ReadBlock {
  readonly recordFile: RecordFile;
  readonly sidecars: readonly SidecarFile[];
  readonly number: bigint;
  /** It wraps a record file. */
  readonly wrapped: boolean;
  /** False when nothing was known of the block before, or it is missing. */
  readonly linked: boolean;
  /** What block 0 says of the state before its transactions. */
  readonly genesis: GenesisState | undefined;
  /** Where the chain stands behind it. */
  readonly chain: ChainState;
}

interface Question {
  readonly resolve: (answer: ProveAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export class BlockReader {
  readonly #questions: Question[] = [];
  #worker: Worker | undefined;

  /** Proves consecutive blocks. One order at a time: each goes on where the one before has ended. */
  async prove(order: ProveOrder): Promise<readonly (ReadBlock | KagamiError)[]> {
    const { promise, resolve, reject } = Promise.withResolvers<ProveAnswer>();
    this.#questions.push({ resolve, reject });
    this.#thread().postMessage(order);
    const { outcomes } = await promise;
    return outcomes.map((outcome) => {
      if ('fault' in outcome) {
        const { code, message, details } = outcome.fault;
        return new KagamiError(code, message, { details });
      }
      const { packed, ...rest } = outcome;
      return { ...unpackRecordFile(packed), ...rest };
    });
  }

  /** Ends the thread; what is being proven is refused. */
  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(workerFile(), { name: 'kagami-blocks', resourceLimits: HEAP });
    this.#worker = worker;
    worker.on('message', (answer: ProveAnswer) => this.#questions.shift()?.resolve(answer));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('the thread that proves blocks has ended')));
    return worker;
  }

  #end(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#questions.splice(0)) reject(error);
  }
}

/** The worker's file beside this one: a .ts source in development, .js in the built package. */
const workerFile = (): URL =>
  new URL(`./block-reader-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
