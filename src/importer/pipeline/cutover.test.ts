import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import type { ChainPosition } from './chain-position.ts';
import { type CutoverRules, cutOver, cutoverRulesOf, type StreamKind } from './cutover.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';

const version = (minor: number): HapiVersion => ({ major: 0, minor, patch: 0 });
const rules: CutoverRules = { hapiVersion: version(76), thresholdMs: 40 };

const NOW = 1_700_000_000_000;

const fileOf = (number: number, stream: 6 | 7, minor: number, lagMs = 0): VerifiedRecordFile =>
  ({
    recordFile: {
      name: `${number}`,
      version: stream,
      hapiVersion: version(minor),
      blockNumber: BigInt(number),
      hash: new Uint8Array(48).fill(number),
      consensusEnd: BigInt(NOW - lagMs) * 1_000_000n,
    },
  }) as VerifiedRecordFile;

interface Ledger {
  /** By block number: the HAPI version, and from where it comes. */
  readonly records: ReadonlyMap<number, VerifiedRecordFile>;
  readonly blocks: ReadonlyMap<number, VerifiedRecordFile>;
}

const ledgerOf = (files: readonly VerifiedRecordFile[], blocks: readonly VerifiedRecordFile[]): Ledger => {
  const byNumber = (all: readonly VerifiedRecordFile[]): Map<number, VerifiedRecordFile> =>
    new Map(all.map((file) => [Number(file.recordFile.blockNumber), file]));
  return { records: byNumber(files), blocks: byNumber(blocks) };
};

/** What comes out up to block `until`, and which stream was read in which turn. */
const run = async (
  ledger: Ledger,
  until: number,
  { last, with: changed = rules }: { last?: ChainPosition; with?: CutoverRules } = {},
): Promise<{ numbers: string[]; turns: string[] }> => {
  const stop = new AbortController();
  const turns: string[] = [];
  const numbers: string[] = [];
  const files = cutOver({
    rules: changed,
    last,
    firstBlock: undefined,
    signal: stop.signal,
    now: () => NOW,
    open: async function* (kind, position, signal) {
      turns.push(`${kind} from ${Number(position?.index ?? -1n) + 1}`);
      let next = Number(position?.index ?? -1n) + 1;
      while (!signal.aborted) {
        const file = ledger[kind].get(next);
        if (file === undefined) await delay(5, undefined, { signal }).catch(() => undefined);
        else {
          next++;
          yield file;
        }
      }
    },
  });
  for await (const { recordFile } of files) {
    numbers.push(`${recordFile.blockNumber}v${recordFile.version}`);
    if (recordFile.blockNumber === BigInt(until)) stop.abort();
  }
  return { numbers, turns };
};

const positionAt = (index: bigint, stream: number, minor: number): ChainPosition => ({
  name: `${index}`,
  consensusEnd: 0n,
  hash: '00',
  index,
  version: stream,
  hapiVersion: version(minor),
});

describe('the cutover', () => {
  it('goes over from record files to blocks once those come to an end', async () => {
    const ledger = ledgerOf(
      [fileOf(0, 6, 75), fileOf(1, 6, 76), fileOf(2, 6, 76)],
      [fileOf(3, 7, 78), fileOf(4, 7, 78)],
    );
    const { numbers, turns } = await run(ledger, 4);
    expect(numbers).toEqual(['0v6', '1v6', '2v6', '3v7', '4v7']);
    expect(turns).toEqual(['records from 0', 'blocks from 3']);
  });

  it('asks either stream in turn until one has something', async () => {
    const records = new Map<number, VerifiedRecordFile>([[0, fileOf(0, 6, 76)]]);
    const blocks = new Map<number, VerifiedRecordFile>();
    const running = run({ records, blocks }, 3);
    await delay(100);
    records.set(1, fileOf(1, 6, 76));
    await delay(150);
    blocks.set(2, fileOf(2, 7, 78));
    await delay(150);
    blocks.set(3, fileOf(3, 7, 78));
    const { numbers, turns } = await running;
    expect(numbers).toEqual(['0v6', '1v6', '2v7', '3v7']);
    expect(turns.slice(0, 3)).toEqual(['records from 0', 'blocks from 1', 'records from 1']);
    // After the first block of a block stream, no other stream is asked however long it takes.
    expect(turns.filter((turn) => turn.endsWith('from 3'))).toEqual([]);
  });

  it('stays with blocks whose first one came when its turn was over', async () => {
    const turns: StreamKind[] = [];
    const stop = new AbortController();
    const files = cutOver({
      rules,
      last: positionAt(0n, 6, 76),
      firstBlock: undefined,
      signal: stop.signal,
      open: async function* (kind, _position, signal) {
        turns.push(kind);
        if (kind === 'blocks' && turns.length === 2) {
          await delay(200);
          expect(signal.aborted).toBe(true);
          yield fileOf(1, 7, 78);
        } else if (kind === 'blocks') yield fileOf(2, 7, 78);
        else await delay(1_000, undefined, { signal }).catch(() => undefined);
      },
    });
    for await (const { recordFile } of files) if (recordFile.blockNumber === 2n) stop.abort();
    expect(turns).toEqual(['records', 'blocks', 'blocks']);
  });

  it('asks for no blocks while the network runs a version before it', async () => {
    const running = run(ledgerOf([fileOf(0, 6, 75)], [fileOf(1, 7, 78)]), 1);
    const first = await Promise.race([running, delay(200, 'still waiting')]);
    expect(first).toBe('still waiting');
  });

  it('asks either stream for the beginning of a ledger', async () => {
    expect((await run(ledgerOf([], [fileOf(0, 7, 78)]), 0)).turns).toEqual(['records from 0', 'blocks from 0']);
  });

  it('goes on with blocks where a database has one', async () => {
    const { turns } = await run(ledgerOf([], [fileOf(6, 7, 78)]), 6, { last: positionAt(5n, 7, 78) });
    expect(turns).toEqual(['blocks from 6']);
  });

  it('gives record files that follow blocks that wrap others no second time', async () => {
    const ledger = ledgerOf([fileOf(2, 6, 76)], [fileOf(0, 6, 76), fileOf(1, 6, 76), fileOf(3, 7, 78)]);
    const { numbers } = await run(ledger, 3);
    expect(numbers).toEqual(['0v6', '1v6', '2v6', '3v7']);
  });
});

describe('what is read once', () => {
  /** What comes out, and which stream was read in which turn; each ends with the last file that there is. */
  const readOnce = async (
    ledger: Ledger,
    { last, with: changed = rules }: { last?: ChainPosition; with?: CutoverRules } = {},
  ): Promise<{ numbers: string[]; turns: string[] }> => {
    const turns: string[] = [];
    const numbers: string[] = [];
    const files = cutOver({
      rules: changed,
      last,
      firstBlock: undefined,
      follow: false,
      signal: new AbortController().signal,
      open: async function* (kind, position) {
        turns.push(kind);
        for (let next = Number(position?.index ?? -1n) + 1; ; next++) {
          const file = ledger[kind].get(next);
          if (file === undefined) return;
          // Longer than the threshold after which the other stream is asked while following.
          await delay(10);
          yield file;
        }
      },
    });
    for await (const { recordFile } of files) numbers.push(`${recordFile.blockNumber}v${recordFile.version}`);
    return { numbers, turns };
  };
  const slow = { ...rules, thresholdMs: 1 };

  it('is the record files, then the blocks', async () => {
    const ledger = ledgerOf(
      [fileOf(0, 6, 75), fileOf(1, 6, 76)],
      [fileOf(0, 6, 75), fileOf(1, 6, 76), fileOf(2, 6, 76), fileOf(3, 7, 78), fileOf(4, 7, 78)],
    );
    expect(await readOnce(ledger, { with: slow })).toEqual({
      numbers: ['0v6', '1v6', '2v6', '3v7', '4v7'],
      turns: ['records', 'blocks'],
    });
    expect(await readOnce(ledger, { last: positionAt(3n, 7, 78) })).toEqual({ numbers: ['4v7'], turns: ['blocks'] });
  });

  it('is the record files alone where no block may follow them, or none does', async () => {
    const early = ledgerOf([fileOf(0, 6, 75)], [fileOf(1, 7, 78)]);
    expect(await readOnce(early)).toEqual({ numbers: ['0v6'], turns: ['records'] });
    const late = ledgerOf([fileOf(0, 6, 76)], []);
    expect(await readOnce(late)).toEqual({ numbers: ['0v6'], turns: ['records', 'blocks', 'records'] });
    expect(await readOnce(ledgerOf([], []))).toEqual({ numbers: [], turns: ['records', 'blocks'] });
  });

  it('begins with wrapped record blocks in the first stage, and ends with record files where those are more', async () => {
    const firstStage = { hapiVersion: version(75), latencyCheckMs: 0, maxLatencyMs: 4_000 };
    const ledger = ledgerOf([fileOf(1, 6, 75), fileOf(2, 6, 75)], [fileOf(1, 6, 75, 9_000)]);
    const read = await readOnce(ledger, { last: positionAt(0n, 6, 75), with: { ...rules, firstStage } });
    expect(read.numbers).toEqual(['1v6', '2v6']);
    expect(read.turns.slice(0, 2)).toEqual(['blocks', 'records']);
  });
});

describe('the first stage', () => {
  const firstStage = { hapiVersion: version(75), latencyCheckMs: 0, maxLatencyMs: 4_000 };

  it('prefers blocks that wrap record files', async () => {
    const ledger = ledgerOf(
      [fileOf(1, 6, 75), fileOf(2, 6, 75)],
      [fileOf(1, 6, 75), fileOf(2, 6, 75), fileOf(3, 7, 78)],
    );
    const { turns } = await run(ledger, 3, { last: positionAt(0n, 6, 75), with: { ...rules, firstStage } });
    expect(turns).toEqual(['blocks from 1']);
  });

  it('reads record files for once when blocks are late, or do not come', async () => {
    const ledger = ledgerOf(
      [fileOf(2, 6, 75), fileOf(3, 6, 75), fileOf(4, 6, 75)],
      [fileOf(1, 6, 75, 5_000), fileOf(3, 6, 75), fileOf(5, 6, 75)],
    );
    const { numbers, turns } = await run(ledger, 5, { last: positionAt(0n, 6, 75), with: { ...rules, firstStage } });
    expect(numbers).toEqual(['1v6', '2v6', '3v6', '4v6', '5v6']);
    expect(turns).toEqual(['blocks from 1', 'records from 2', 'blocks from 3', 'records from 4', 'blocks from 5']);
  });

  it('is off, and its settings are those of the reference', () => {
    expect(cutoverRulesOf(defaultImporterSettings.block.cutover)).toEqual({
      hapiVersion: version(76),
      thresholdMs: 16_000,
      firstStage: undefined,
    });
    const settings = defaultImporterSettings.block.cutover;
    expect(cutoverRulesOf({ ...settings, firstStage: { ...settings.firstStage, enabled: true } }).firstStage).toEqual({
      hapiVersion: version(75),
      latencyCheckMs: 10_000,
      maxLatencyMs: 4_000,
    });
    expect(() => cutoverRulesOf({ ...settings, hapiVersion: 'soon' })).toThrow('is no version such as 0.76.0');
  });
});
