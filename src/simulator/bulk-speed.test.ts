import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { readLedgerFiles } from './ledger-replay.fixture.ts';
import { simulateLedger } from './simulate-ledger.ts';

it('writes a two-second file of 20,000 transactions with 80,000 transfers', { timeout: 120_000 }, async () => {
  const out = mkdtempSync(`${tmpdir()}/kagami-bulk-`);
  try {
    const started = performance.now();
    const ledger = await simulateLedger({
      out,
      seed: 'bulk',
      transactions: 20_000,
      tps: 10_000,
      mix: 'transfers',
      users: 200,
    });
    const seconds = (performance.now() - started) / 1_000;
    console.info(
      `20,000 transfers in ${seconds.toFixed(1)} s with genesis and keys: ${Math.round(20_000 / seconds)} tx/s`,
    );
    const file = readLedgerFiles(`${out}/record0.0.6`)[2];
    // With the node stake and exchange rate updates that the day before left due.
    expect(file?.items).toHaveLength(20_002);
    expect(ledger.blocks).toHaveLength(3);
    expect(ledger.expected.hbarTransfers).toBeGreaterThan(80_000);
  } finally {
    rmSync(out, { recursive: true });
  }
});
