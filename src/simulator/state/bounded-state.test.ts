import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedLedger, simulateLedger } from '../simulate-ledger.ts';

describe('a ledger in which everybody associates and mints', () => {
  const out = mkdtempSync(`${tmpdir()}/kagami-bounded-`);
  let ledger: SimulatedLedger;
  beforeAll(async () => {
    ledger = await simulateLedger({
      out,
      seed: 'bounded',
      mix: 'associate=70,mint=29,tokencreate=0.3',
      transactions: 12_000,
      tps: 2_000,
      nodes: 3,
      users: 300,
      signTransactions: false,
    });
  });
  afterAll(() => rmSync(out, { recursive: true }));

  it('gives no token more than 100 holders', () => {
    const holders = [...ledger.expected.tokens.values()].map(({ balances }) => balances.size);
    expect(Math.max(...holders)).toBe(100);
  });

  it('mints no more once a collection has 200 NFTs', () => {
    const serials = [...ledger.expected.tokens.values()].map(({ owners }) => owners.size);
    expect(Math.max(...serials)).toBeGreaterThanOrEqual(200);
    // The last minting may bring five.
    expect(Math.max(...serials)).toBeLessThan(205);
  });
});
