/** A node says one chain id everywhere: in results, to contracts, for verification, and in what its simulated network signs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';
import { getJson } from './testing/rest-walk.fixture.ts';

const PATIENCE = 240_000;

/** CHAINID, returned as a word. */
const CHAIN_ID_CODE = '0x4660005260206000f3';

let folder: string;
let node: KagamiProcess | undefined;
afterEach(async () => {
  await node?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

const serve = async (setting: string): Promise<string> => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-chain-'));
  node = startKagami(folder, [
    'start',
    ...['--port', '0', '--set', 'kagami.server.additionalPorts=', '--data', folder, '--set', setting],
    ...['--set', 'kagami.simulator.mix=contractcall=1,ethereum=1', '--set', 'kagami.simulator.tps=20'],
  ]);
  await node.says('Kagami runs', PATIENCE);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(node.output())?.[0] ?? '';
};

interface Result {
  /** Null without an Ethereum transaction. */
  readonly nonce: number | null;
  readonly chain_id: string;
}

const resultsOfBothKinds = async (origin: string): Promise<Result[]> =>
  eventually('results with and without an Ethereum transaction', PATIENCE, async () => {
    const answer = await fetch(`${origin}/api/v1/contracts/results?limit=100`);
    if (answer.status !== 200) return undefined;
    const { results } = (await answer.json()) as { results: Result[] };
    return results.some(({ nonce }) => nonce === null) && results.some(({ nonce }) => nonce !== null)
      ? results
      : undefined;
  });

const seenByContracts = async (origin: string): Promise<bigint> => {
  const response = await fetch(`${origin}/api/v1/contracts/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: CHAIN_ID_CODE }),
  });
  return BigInt(((await response.json()) as { result: string }).result);
};

describe('the chain id', () => {
  it.each([
    ['hiero.mirror.rest.chainId=1337', '0x539', 1_337n],
    ['hiero.mirror.web3.evm.network=MAINNET', '0x127', 295n],
    ['kagami.source.kind=simulator', '0x12a', 298n],
  ])('is the same everywhere: %s', { timeout: PATIENCE }, async (setting, shown, chainId) => {
    const origin = await serve(setting);
    const results = await resultsOfBothKinds(origin);
    expect(new Set(results.map(({ chain_id }) => chain_id))).toEqual(new Set([shown]));
    expect(await seenByContracts(origin)).toBe(chainId);
    expect(await getJson(origin, '/chains')).toMatchObject([{ chainId }]);
  });
});
