import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { NodeAddressBook } from '../protobuf/generated/services/basic_types.ts';
import { decodeItems, numOf, readLedgerFiles } from './ledger-replay.fixture.ts';
import type { BlockSummary } from './simulation.ts';
import { type RunSimulatorOptions, runSimulator, type SimulatorClock, transactionsInInterval } from './simulator.ts';

/** Time that passes only by sleeping, from 2026-03-01T00:00:01Z on. */
const fakeClock = (): SimulatorClock & { time: number } => ({
  time: 1_772_323_201_000,
  now() {
    return this.time;
  },
  async sleep(milliseconds) {
    this.time += milliseconds;
    await new Promise((resolve) => setImmediate(resolve));
  },
});

describe('runSimulator', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(`${tmpdir()}/kagami-live-`);
    folders.push(made);
    return made;
  };
  afterAll(() => {
    for (const made of folders) rmSync(made, { recursive: true });
  });

  const settings = { seed: 'live', tps: 5, nodes: 2, users: 12 };

  /** Runs until so many blocks of this run are on disk. */
  const runFor = async (count: number, options: Omit<RunSimulatorOptions, 'onBlock'>): Promise<BlockSummary[]> => {
    const blocks: BlockSummary[] = [];
    const stopping = new AbortController();
    const running = await runSimulator({
      ...options,
      signal: stopping.signal,
      onBlock: (block) => {
        blocks.push(block);
        if (blocks.length >= count) stopping.abort();
      },
    });
    await running.done;
    return blocks;
  };

  it('writes genesis and founding four days back, a file a day, then one for every interval on the clock', async () => {
    const directory = folder();
    const clock = fakeClock();
    const blocks = await runFor(8, { ...settings, directory, clock });
    expect(blocks.map((block) => block.number)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    expect(blocks[0]?.name).toBe('2026-02-25T00_00_00.000000000Z.rcd.gz');
    expect(blocks.slice(2).map((block) => block.name.slice(0, 19))).toEqual([
      '2026-02-26T00_00_00',
      '2026-02-27T00_00_00',
      '2026-02-28T00_00_00',
      '2026-03-01T00_00_00',
      '2026-03-01T00_00_02',
      '2026-03-01T00_00_04',
    ]);
    const users = readLedgerFiles(`${directory}/record0.0.3`)
      .slice(5)
      .map(
        (file) => decodeItems(file).filter(({ body, record }) => isUserTransaction(body.data?.$case, record)).length,
      );
    expect(users).toEqual([10, 10, 10]);
    expect(clock.time).toBe(1_772_323_206_000);
  });

  it('goes on after a stop, with the pause as a gap in consensus time', async () => {
    const directory = folder();
    const clock = fakeClock();
    await runFor(7, { ...settings, directory, clock });
    clock.time += 3_600_000;
    const resumed = await runFor(2, { ...settings, directory, clock, mix: 'transfers' });
    expect(resumed.map((block) => block.number)).toEqual([7n, 8n]);
    expect(resumed[0]?.name.slice(0, 19)).toBe('2026-03-01T01_00_04');
    expect(readLedgerFiles(`${directory}/record0.0.4`)).toHaveLength(9);
  });

  it('keeps secrets to their owner and publishes the address book', async () => {
    const directory = folder();
    const running = await runSimulator({ ...settings, directory, clock: fakeClock() });
    await running.stop();
    expect(statSync(`${directory}/network.json`).mode & 0o777).toBe(0o600);
    expect(statSync(`${directory}/state.bin`).mode & 0o777).toBe(0o600);
    const book = NodeAddressBook.decode(readFileSync(running.addressBookFile));
    expect(book.nodeAddress.map((node) => node.nodeId)).toEqual([0n, 1n]);
    expect(running.expectedLedger().balances.get(800n)).toBeGreaterThan(0n);
  });

  it('refuses a second simulator on its folder until it has stopped', async () => {
    const directory = folder();
    const running = await runSimulator({ ...settings, directory, clock: fakeClock() });
    await expect(runSimulator({ ...settings, directory })).rejects.toMatchObject({ code: 'SIMULATOR_FOLDER_BUSY' });
    await running.stop();
    const next = await runSimulator({ ...settings, directory, clock: fakeClock() });
    await next.stop();
  });

  it('removes old files only behind what was imported, and keeps the newest', { timeout: 120_000 }, async () => {
    const directory = folder();
    const names: string[] = [];
    const stopping = new AbortController();
    const running = await runSimulator({
      ...settings,
      tps: 1,
      nodes: 1,
      directory,
      clock: fakeClock(),
      keepFiles: 5,
      signal: stopping.signal,
      onBlock: ({ name, number }) => {
        names.push(name);
        if (number >= 33n) stopping.abort();
      },
    });
    // Nothing is removed before anything was imported, however many files there are.
    running.imported(names[1] ?? '');
    await running.done;
    const left = readdirSync(`${directory}/record0.0.3`).filter((name) => name.endsWith('.rcd.gz'));
    expect(left).toEqual(names.slice(2));
  });

  it('spreads fractions of transactions over intervals', () => {
    const counts = Array.from({ length: 10 }, (_, i) => transactionsInInterval(i, 0.3, 2_000));
    expect(counts.reduce((sum, count) => sum + count)).toBe(6);
    expect(Math.max(...counts)).toBe(1);
    expect(transactionsInInterval(886_161_600, 10_000, 2_000)).toBe(20_000);
  });
});

type Record = ReturnType<typeof decodeItems>[number]['record'];

const isUserTransaction = (data: string | undefined, record: Record): boolean =>
  record.transactionID?.nonce === 0 &&
  record.parentConsensusTimestamp === undefined &&
  !record.transactionID.scheduled &&
  data !== 'nodeStakeUpdate' &&
  numOf(record.transactionID.accountID) !== 50n;
