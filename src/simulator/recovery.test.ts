import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeItems, readLedgerFiles, replay } from './ledger-replay.fixture.ts';
import { EARLY_DAYS } from './opening/early-days.ts';
import { simulateLedger } from './simulate-ledger.ts';

const KILLS = 8;

const killSoon = async (out: string, delay: number): Promise<void> => {
  const path = new URL('./crash-child.fixture.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, [path, out], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const started = new Promise<void>((resolve) => {
    child.stdout?.once('data', () => resolve());
  });
  await Promise.race([started, ended.then((code) => Promise.reject(new Error(`the child ended with ${code}`)))]);
  await sleep(delay);
  child.kill('SIGKILL');
  await ended;
};

describe('a simulation that is killed', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(`${tmpdir()}/kagami-crash-`);
    folders.push(made);
    return made;
  };
  afterAll(() => {
    for (const made of folders) rmSync(made, { recursive: true });
  });

  it('goes on to the very ledger that an undisturbed one makes', { timeout: 180_000 }, async () => {
    const out = folder();
    for (let i = 0; i < KILLS; i++) await killSoon(out, Math.random() * 150);
    const resumed = await simulateLedger({ out, seed: 'crash', blocks: 3, tps: 20, nodes: 2, users: 12 });

    const undisturbed = folder();
    const activityBlocks = Number(resumed.expected.blocks) - 2 - EARLY_DAYS;
    // Some of the killed processes came to write blocks; on a slow machine not each of them does.
    expect(activityBlocks).toBeGreaterThan(3);
    const whole = await simulateLedger({
      out: undisturbed,
      seed: 'crash',
      blocks: activityBlocks,
      tps: 20,
      nodes: 2,
      users: 12,
    });

    expect(resumed.expected).toEqual(whole.expected);
    for (const place of ['record0.0.3', 'record0.0.3/sidecar', 'record0.0.4', 'record0.0.4/sidecar']) {
      const names = readdirSync(`${undisturbed}/${place}`);
      expect(readdirSync(`${out}/${place}`)).toEqual(names);
      for (const name of names.filter((entry) => entry !== 'sidecar')) {
        expect(readFileSync(`${out}/${place}/${name}`).equals(readFileSync(`${undisturbed}/${place}/${name}`))).toBe(
          true,
        );
      }
    }
    const replayed = replay(readLedgerFiles(`${out}/record0.0.4`).flatMap(decodeItems));
    for (const [num, balance] of resumed.expected.balances) expect(replayed.balances.get(num)).toBe(balance);
  });

  it('writes the files of a block that the journal knows and the folder lacks', async () => {
    const out = folder();
    const options = { out, seed: 's', tps: 20, nodes: 2, users: 12 };
    const before = await simulateLedger({ ...options, blocks: 1 });
    const state = readFileSync(`${out}/state.bin`);
    const after = await simulateLedger({ ...options, blocks: 1 });
    const [block] = after.blocks;
    const base = block?.name.replace('.rcd.gz', '') ?? '';
    const data = readFileSync(`${out}/record0.0.3/${block?.name}`);
    // As if the process had died after the journal line: state of the block before, no files, and a torn next line.
    writeFileSync(`${out}/state.bin`, state);
    appendFileSync(
      `${out}/journal.log`,
      `${JSON.stringify({
        block: '6',
        start: ((before.expected.lastConsensusTimestamp / 2_000_000_000n + 1n) * 2_000_000_000n).toString(),
        interval: '2000000000',
        transactions: 40,
        mix: 'default',
        signed: false,
        hash: block?.hash,
      })}\n{"block":"7","sta`,
    );
    for (const node of [3, 4]) {
      for (const suffix of ['.rcd_sig', '.rcd.gz']) rmSync(`${out}/record0.0.${node}/${base}${suffix}`);
    }
    writeFileSync(`${out}/record0.0.3/${base}.rcd.gz.unfinished`, 'half');

    const resumed = await simulateLedger({ ...options, blocks: 0 });
    expect(resumed.expected).toEqual(after.expected);
    expect(readFileSync(`${out}/record0.0.3/${block?.name}`).equals(data)).toBe(true);
    expect(readdirSync(`${out}/record0.0.3`).some((name) => name.endsWith('.unfinished'))).toBe(false);
    expect(readLedgerFiles(`${out}/record0.0.4`)).toHaveLength(4 + EARLY_DAYS);
  });

  it('refuses a journal whose block comes out differently, a damaged state, and files without state', async () => {
    const out = folder();
    const options = { out, seed: 's', tps: 20, nodes: 1, users: 12, blocks: 1 };
    await simulateLedger(options);
    const entry = { block: '6', start: '1767225700000000000', interval: '2000000000', transactions: 4, mix: 'default' };
    writeFileSync(`${out}/journal.log`, `${JSON.stringify({ ...entry, signed: false, hash: '00'.repeat(48) })}\n`);
    await expect(simulateLedger(options)).rejects.toMatchObject({ code: 'SIMULATOR_STATE_DAMAGED' });
    writeFileSync(`${out}/journal.log`, '');
    const state = readFileSync(`${out}/state.bin`);
    state[state.length - 1] = (state.at(-1) ?? 0) ^ 1;
    writeFileSync(`${out}/state.bin`, state);
    await expect(simulateLedger(options)).rejects.toMatchObject({ code: 'SIMULATOR_STATE_DAMAGED' });
    rmSync(`${out}/state.bin`);
    await expect(simulateLedger(options)).rejects.toMatchObject({ code: 'SIMULATOR_STATE_DAMAGED' });
  });
});
