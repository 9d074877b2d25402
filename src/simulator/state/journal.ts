import { type FileHandle, open } from 'node:fs/promises';
import type { BlockPlan } from '../ledger-plan.ts';
import type { Submission } from '../submissions.ts';
import { readIfPresent, writeAtomically } from './atomic-file.ts';

/** A block that was decided on: enough to make it again, and its hash to tell that it is the same. */
export interface JournalEntry {
  readonly block: bigint;
  readonly plan: BlockPlan;
  /** Canonical text of the mix. */
  readonly mix: string;
  /** Whether accounts sign honestly. */
  readonly signed: boolean;
  /** Running hash at the end of the block, hex. */
  readonly hash: string;
}

interface WrittenSubmission {
  readonly at: string;
  readonly node: string;
  /** Base64. */
  readonly transaction: string;
}

const written = ({ at, node, transaction }: Submission): WrittenSubmission => ({
  at: at.toString(),
  node: node.toString(),
  transaction: Buffer.from(transaction).toString('base64'),
});

const submissionOf = ({ at, node, transaction }: WrittenSubmission): Submission => ({
  at: BigInt(at),
  node: BigInt(node),
  transaction: Buffer.from(transaction, 'base64'),
});

const toLine = ({ block, plan, mix, signed, hash }: JournalEntry): string =>
  `${JSON.stringify({
    block: block.toString(),
    start: plan.start.toString(),
    interval: plan.interval.toString(),
    transactions: plan.transactions,
    ...(plan.submissions && { submissions: plan.submissions.map(written) }),
    mix,
    signed,
    hash,
  })}\n`;

const fromLine = (line: string): JournalEntry => {
  const { block, start, interval, transactions, submissions, mix, signed, hash } = JSON.parse(line);
  return {
    block: BigInt(block),
    plan: {
      start: BigInt(start),
      interval: BigInt(interval),
      transactions,
      ...(submissions && { submissions: submissions.map(submissionOf) }),
    },
    mix,
    signed,
    hash,
  };
};

/**
 * Blocks since the newest snapshot, one line each. A line is written before any file of its block, so that after a kill
 * the block can be finished instead of being made differently.
 */
export class Journal {
  readonly #path: string;
  readonly #sync: boolean;
  #file: FileHandle | undefined;

  /** `sync`: every line reaches the disk before `append` returns. */
  constructor(path: string, sync: boolean) {
    this.#path = path;
    this.#sync = sync;
  }

  /** All whole lines; one that a kill cut off was followed by no file and counts for nothing. */
  async read(): Promise<JournalEntry[]> {
    const text = (await readIfPresent(this.#path))?.toString('utf8') ?? '';
    const lines = text.split('\n').slice(0, -1);
    return lines.map(fromLine);
  }

  /** Starts over with these entries, and opens the journal for appending. */
  async restart(entries: readonly JournalEntry[]): Promise<void> {
    await this.close();
    await writeAtomically(this.#path, Buffer.from(entries.map(toLine).join('')));
    this.#file = await open(this.#path, 'a');
  }

  async append(entry: JournalEntry): Promise<void> {
    if (this.#file === undefined) throw new Error('The journal is not open');
    await this.#file.appendFile(toLine(entry));
    if (this.#sync) await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
