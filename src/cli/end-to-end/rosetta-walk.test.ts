/** A ledger as a Rosetta client rebuilds it: the operations of all blocks, summed, are every account's balance. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

const network_identifier = { blockchain: 'Hedera', network: 'demo' };

interface Status {
  readonly genesis_block_identifier: { readonly index: number; readonly hash: string };
  readonly current_block_identifier: { readonly index: number };
}

interface Block {
  readonly block_identifier: { readonly index: number; readonly hash: string };
  readonly parent_block_identifier: { readonly index: number; readonly hash: string };
  readonly transactions: readonly {
    readonly transaction_identifier: { readonly hash: string };
    readonly operations: readonly {
      readonly status: string;
      readonly account: { readonly address: string };
      readonly amount: { readonly value: string };
    }[];
  }[];
}

/** Requests at a time. */
const PARALLEL = 8;
const SUCCESSFUL: ReadonlySet<string> = new Set([
  'SUCCESS',
  'FEE_SCHEDULE_FILE_PART_UPLOADED',
  'SUCCESS_BUT_MISSING_EXPECTED_OPERATION',
]);

describe.each([false, true])('a Rosetta client, itemized transfers: %s', (itemizedTransfers) => {
  let served: ServedLedger;
  let own: string;

  const ask = async <T>(path: string, request: object = {}, base = own): Promise<T> => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ network_identifier, ...request }),
    });
    const body = (await response.json()) as T;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  };

  const balanceAt = async (address: string, index: number): Promise<bigint> => {
    const { balances } = await ask<{ balances: readonly { value: string }[] }>('/account/balance', {
      account_identifier: { address },
      block_identifier: { index },
    });
    return BigInt(balances[0]?.value ?? 'none');
  };

  beforeAll(async () => {
    served = await serveSimulatedLedger(
      {
        seed: 'rosetta',
        mix: 'everything',
        transactions: 1_500,
        tps: 30,
        nodes: 3,
        users: 25,
        stakingPeriodNanos: 15_000_000_000n,
      },
      { rosetta: true, itemizedTransfers },
    );
    own = `http://127.0.0.1:${served.server.interfacePorts.rosetta}`;
  }, 180_000);

  afterAll(() => served?.stop());

  it('finds the same below /rosetta of the other ports, health and figures on its own', async () => {
    const below = await ask('/rosetta/network/status', {}, served.origin);
    expect(below).toEqual(await ask('/network/status'));
    expect((await fetch(`${own}/health/liveness`)).status).toBe(200);
    expect((await fetch(`${own}/health/readiness`)).status).toBe(200);
    expect(await (await fetch(`${own}/metrics`)).text()).toContain('hiero_mirror_rosetta_request_duration_count');
    expect((await fetch(`${own}/network/list`)).status).toBe(405);
    expect((await fetch(`${own}/call`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('sums operations to the balances of all accounts at every height', async () => {
    const { genesis_block_identifier: genesis, current_block_identifier: current } =
      await ask<Status>('/network/status');
    expect(current.index - genesis.index).toBeGreaterThan(5);
    const sums = new Map<string, bigint>();
    const opened = new Map<string, bigint>();
    let parent = genesis;
    let transactions = 0;
    let failed = 0;
    for (let index = genesis.index; index <= current.index; index++) {
      const { block } = await ask<{ block: Block }>('/block', { block_identifier: { index } });
      expect(block.parent_block_identifier).toEqual(parent);
      parent = block.block_identifier;
      for (const { operations } of block.transactions) {
        transactions++;
        for (const { status, account, amount } of operations) {
          if (!SUCCESSFUL.has(status)) failed++;
          else sums.set(account.address, (sums.get(account.address) ?? 0n) + BigInt(amount.value));
        }
      }
      // What an account had at genesis is known by its balance there and the operations of that block.
      for (const address of sums.keys()) {
        if (opened.has(address)) continue;
        const before = index === genesis.index ? sums.get(address) : 0n;
        opened.set(address, (await balanceAt(address, genesis.index)) - (before ?? 0n));
      }
      const addresses = [...sums.keys()];
      while (addresses.length > 0) {
        const several = addresses.splice(0, PARALLEL);
        const balances = await Promise.all(several.map((address) => balanceAt(address, index)));
        const expected = several.map((address) => (opened.get(address) ?? 0n) + (sums.get(address) ?? 0n));
        expect({ index, several, balances }).toEqual({ index, several, balances: expected });
      }
    }
    expect(transactions).toBeGreaterThan(400);
    expect(failed).toBeGreaterThan(0);
    expect(sums.size).toBeGreaterThan(25);
    // The balances that the importer keeps are those of the latest block.
    const rows = await served.target.database.query<{ id: string; balance: string; alias: Buffer | null }>(
      `select id, balance, alias from entity where type in ('ACCOUNT', 'CONTRACT') and balance is not null
        and deleted is not true`,
    );
    for (const { id, balance } of rows) {
      expect({ id, balance: await balanceAt(`0.0.${id}`, current.index) }).toEqual({ id, balance: BigInt(balance) });
    }
  }, 300_000);
});
