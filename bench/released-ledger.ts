/**
 * A simulated ledger with messages to topics whose files are made beforehand, so that the simulator takes nothing while
 * something is measured, and come to a folder one block after the other when their time has come.
 */
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { simulateLedger } from '../src/simulator/simulate-ledger.ts';

export interface LedgerOptions {
  /** Folder in which the ledger and the released files are kept. */
  readonly folder: string;
  readonly topics: number;
  /** Messages per second. */
  readonly rate: number;
  readonly seconds: number;
  /** Milliseconds of a block. */
  readonly interval: number;
  /** Milliseconds since the epoch at which the first message is sent. */
  readonly begin: number;
}

interface LedgerFile {
  /** Folder of the node, and of its sidecars. */
  readonly folder: string;
  readonly name: string;
}

interface LedgerBlock {
  /** What the names of its files begin with. */
  readonly base: string;
  /** Milliseconds since the epoch. */
  readonly end: number;
}

const SEED = 'subscriptions';
const NANOS_PER_MS = 1_000_000n;
const SIGNATURE = '.rcd_sig';
const RECORDS = /^record0\./;

const filesOf = async (made: string): Promise<readonly LedgerFile[]> => {
  const nodes = (await readdir(made)).filter((name) => RECORDS.test(name));
  const files: LedgerFile[] = [];
  for (const folder of nodes.flatMap((node) => [node, join(node, 'sidecar')])) {
    const entries = await readdir(join(made, folder), { withFileTypes: true }).catch(() => []);
    files.push(...entries.filter((entry) => entry.isFile()).map(({ name }) => ({ folder, name })));
  }
  return files;
};

export class ReleasedLedger {
  /** Folder in which released files lie. */
  readonly released: string;
  readonly addressBook: string;
  readonly #made: string;
  readonly #files: readonly LedgerFile[];
  readonly #blocks: readonly LedgerBlock[];
  #next = 0;

  private constructor(folder: string, files: readonly LedgerFile[], blocks: readonly LedgerBlock[]) {
    this.#made = join(folder, 'made');
    this.released = join(folder, 'released');
    this.addressBook = join(folder, 'addressBook.bin');
    this.#files = files;
    this.#blocks = blocks;
  }

  /** Makes all blocks, and releases those before the first message. */
  static async make({ folder, topics, rate, seconds, interval, begin }: LedgerOptions): Promise<ReleasedLedger> {
    const made = join(folder, 'made');
    const same = { out: made, seed: SEED, users: 200, blockIntervalMs: interval };
    const founding = await simulateLedger({
      ...same,
      transactions: topics,
      tps: Math.ceil((topics * 1_000) / interval),
      mix: 'topiccreate=1',
      start: BigInt(begin - interval) * NANOS_PER_MS,
    });
    const blocks = Math.ceil((seconds * 1_000) / interval);
    const activity = await simulateLedger({ ...same, blocks, tps: rate, mix: 'message=1' });
    const timed = [...founding.blocks, ...activity.blocks].map(({ name, consensusEnd }) => ({
      base: name.slice(0, name.indexOf('Z') + 1),
      end: Number(consensusEnd / NANOS_PER_MS),
    }));
    const ledger = new ReleasedLedger(folder, await filesOf(made), timed);
    await copyFile(founding.addressBookFile, ledger.addressBook);
    for (let number = 0; number < founding.blocks.length; number++) await ledger.#releaseNext();
    return ledger;
  }

  /** Releases each block when it ends, until all are released or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    for (let block = this.#blocks[this.#next]; block !== undefined; block = this.#blocks[this.#next]) {
      await pause(Math.max(0, block.end - Date.now()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#releaseNext();
    }
  }

  /** The signatures come last, as a block is looked for by them. */
  async #releaseNext(): Promise<void> {
    const base = this.#blocks[this.#next++]?.base ?? '';
    const files = this.#files.filter(({ name }) => name.startsWith(base));
    const isSignature = ({ name }: LedgerFile): boolean => name.endsWith(SIGNATURE);
    for (const { folder, name } of [...files.filter((file) => !isSignature(file)), ...files.filter(isSignature)]) {
      await mkdir(join(this.released, folder), { recursive: true });
      await rename(join(this.#made, folder, name), join(this.released, folder, name));
    }
  }
}
