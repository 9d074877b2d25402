/**
 * A live folder that fills with the files of a finished ledger as its plan says: late, twice, in another order, broken
 * and repaired, forged, missing. What is left when all is done proves every block.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nanosToStreamName, streamNameToNanos } from '../../ledger/timestamp.ts';
import type { BlockPlan, CopyPlan, FaultPlan, Harm } from './fault-plan.fixture.ts';
import { damaged, forgedBlock, inventedBlock } from './faulty-copies.fixture.ts';

const RECORD = '.rcd.gz';
const SIGNATURE = '.rcd_sig';

/** A finished ledger of the simulator. */
export class FinishedLedger {
  readonly folder: string;
  /** Folder names of the nodes. */
  readonly nodes: readonly string[];
  /** Time parts of the files' names, in order. */
  readonly bases: readonly string[];
  readonly #keys: readonly KeyObject[];

  constructor(folder: string) {
    this.folder = folder;
    this.nodes = readdirSync(folder)
      .filter((name) => name.startsWith('record'))
      .sort();
    this.bases = readdirSync(join(folder, this.nodes[0] ?? ''))
      .filter((name) => name.endsWith(RECORD))
      .map((name) => name.slice(0, -RECORD.length))
      .sort();
    const { nodes } = JSON.parse(readFileSync(join(folder, 'network.json'), 'utf8')) as {
      nodes: { privateKey: string }[];
    };
    this.#keys = nodes.map(({ privateKey }) => createPrivateKey(privateKey));
  }

  read(node: number, name: string): Uint8Array {
    return readFileSync(join(this.folder, this.nodes[node] ?? '', name));
  }

  sidecarsOf(base: string): string[] {
    const names = readdirSync(join(this.folder, this.nodes[0] ?? '', 'sidecar'));
    return names.filter((name) => name.startsWith(`${base}_`));
  }

  keyOf(node: number): KeyObject {
    return this.#keys[node] as KeyObject;
  }
}

export class FaultyStream {
  readonly #ledger: FinishedLedger;
  readonly #plan: Pick<FaultPlan, 'feed'>;
  readonly #folder: string;
  readonly #timers = new Set<NodeJS.Timeout>();
  #opened = 0;

  constructor(ledger: FinishedLedger, plan: Pick<FaultPlan, 'feed'>, folder: string) {
    this.#ledger = ledger;
    this.#plan = plan;
    this.#folder = folder;
    for (const node of ledger.nodes) mkdirSync(join(folder, node, 'sidecar'), { recursive: true });
  }

  /** Lets the files arrive that may, now that so many blocks are in the database. */
  advance(blocks: number): void {
    for (;;) {
      const next = this.#plan.feed[this.#opened];
      // Before the first block is imported nothing says that it is the first: the others come after it.
      if (next === undefined || (this.#opened > 0 && blocks === 0) || this.#opened - next.ahead > blocks) return;
      this.#open(this.#opened++, next);
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #open(block: number, { copies, stray }: BlockPlan): void {
    copies.forEach((copy, node) => {
      if (copy.lie === undefined) this.#deliver(block, node, copy);
      else this.#lie(block, node, copy);
    });
    if (stray !== undefined) this.#later(copies[stray.node]?.recordAt ?? 0, () => this.#stray(block, stray));
  }

  /** The true files, perhaps harmed at first. */
  #deliver(block: number, node: number, copy: CopyPlan): void {
    const base = this.#ledger.bases[block] as string;
    const { harm, againAfter } = copy;
    for (const { at, name } of this.#filesOf(base, copy)) {
      const bytes = this.#ledger.read(node, name);
      const put = (): void => this.#put(node, name, bytes);
      if (harm === undefined) this.#later(at, put);
      else {
        this.#later(at, () => this.#putHarmed(block, node, name, bytes, harm.kind));
        this.#later(at + harm.healedAfter, put);
      }
      if (againAfter !== undefined) this.#later(at + (harm?.healedAfter ?? 0) + againAfter, put);
    }
  }

  #filesOf(base: string, { recordAt, signatureAt, sidecarAt }: CopyPlan): { at: number; name: string }[] {
    const sidecars = this.#ledger.sidecarsOf(base).map((name) => ({ at: sidecarAt, name: join('sidecar', name) }));
    return [{ at: recordAt, name: base + RECORD }, { at: signatureAt, name: base + SIGNATURE }, ...sidecars];
  }

  #lie(block: number, node: number, { lie, recordAt, signatureAt }: CopyPlan): void {
    const base = this.#ledger.bases[block] as string;
    const record = this.#ledger.read(node, base + RECORD);
    if (lie === 'signs nothing') this.#later(recordAt, () => this.#put(node, base + RECORD, record));
    if (lie !== 'forged') return;
    const forged = forgedBlock(base + RECORD, record, this.#ledger.keyOf(node));
    this.#later(recordAt, () => this.#put(node, base + RECORD, forged.record));
    this.#later(signatureAt, () => this.#put(node, base + SIGNATURE, forged.signature));
  }

  #stray(block: number, { kind, node }: NonNullable<BlockPlan['stray']>): void {
    const base = this.#ledger.bases[block] as string;
    const record = this.#ledger.read(node, base + RECORD);
    switch (kind) {
      case 'wrong name':
        this.#put(node, 'record file of today.rcd.gz', record);
        this.#put(node, `${base}.rcd_sig_copy`, record);
        return;
      case 'unfinished':
        this.#put(node, `${base}${RECORD}.part`, damaged(record, 'truncated'));
        return;
      case 'name of another time': {
        const other = nanosToStreamName((streamNameToNanos(base) ?? 0n) + 7n);
        this.#put(node, other + RECORD, record);
        this.#put(node, other + SIGNATURE, this.#ledger.read(node, base + SIGNATURE));
        return;
      }
      case 'invented block': {
        const invented = inventedBlock(base + RECORD, record, this.#ledger.keyOf(node));
        this.#put(node, invented.base + RECORD, invented.record);
        this.#put(node, invented.base + SIGNATURE, invented.signature);
      }
    }
  }

  #putHarmed(block: number, node: number, name: string, bytes: Uint8Array, harm: Harm): void {
    const path = this.#pathOf(node, name);
    // On a busy machine the timer of the true file may come first: nothing would heal it again.
    if (existsSync(path)) return;
    switch (harm) {
      case 'folder in its place':
        mkdirSync(path, { recursive: true });
        return;
      case 'signature of another node':
      case 'signature of another block': {
        if (!name.endsWith(SIGNATURE)) return;
        const { bases, nodes } = this.#ledger;
        const [base, other] =
          harm === 'signature of another node'
            ? [bases[block], (node + 1) % nodes.length]
            : [bases[block === 0 ? 1 : block - 1], node];
        this.#put(node, name, this.#ledger.read(other ?? 0, base + SIGNATURE));
        return;
      }
      default:
        // In place, as a copy that is under way looks.
        writeFileSync(path, damaged(bytes, harm));
    }
  }

  #put(node: number, name: string, bytes: Uint8Array): void {
    const path = this.#pathOf(node, name);
    const unfinished = join(dirname(path), `.${name.replaceAll('/', '_')}.new`);
    writeFileSync(unfinished, bytes);
    rmSync(path, { recursive: true, force: true });
    renameSync(unfinished, path);
  }

  #pathOf(node: number, name: string): string {
    return join(this.#folder, this.#ledger.nodes[node] ?? '', name);
  }

  #later(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (existsSync(this.#folder)) action();
    }, ms);
    this.#timers.add(timer);
  }
}
