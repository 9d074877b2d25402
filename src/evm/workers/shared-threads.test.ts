/** Endless loops of one client on the threads that another one's calls need. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { assemble, returning } from '../engine/testing/engine.fixture.ts';
import { longZeroHex } from '../state/world.ts';
import { openSimulationThreads, type SimulationThreads } from './simulation-threads.ts';
import { web3SettingsWith } from './testing/web3-settings.fixture.ts';

const PATIENCE_MS = 120_000;
const LOOP = 2_000n;
const SHORT = 2_001n;

let test: TestDatabase;
let threads: SimulationThreads;

beforeAll(async () => {
  test = await createTestDatabase({ max: 4 });
  const contracts = [
    [LOOP, assemble('JUMPDEST 0 JUMP')],
    [SHORT, returning('42')],
  ] as const;
  for (const [id, code] of contracts) {
    await test.database.query(
      `insert into entity (id, num, realm, shard, type, created_timestamp, timestamp_range, memo, deleted)
       values ($1::bigint, $1::bigint, 0, 0, 'CONTRACT', 1, int8range(1, null), '', false)`,
      [id.toString()],
    );
    await test.database.query('insert into contract (id, runtime_bytecode) values ($1, $2)', [id.toString(), code]);
  }
  await test.database.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index)
     values ('', 0, 0, repeat('ab', 48), '', 1, 10, 1, 0, 6, '', 1)`,
  );
  const settings = web3SettingsWith({ requestTimeout: PATIENCE_MS });
  threads = openSimulationThreads({
    settings: { ...settings, workers: { ...settings.workers, threads: 1 } },
    common: { shard: 0n, realm: 0n },
    connectionString: test.connectionString,
    schema: 'public',
  });
}, PATIENCE_MS);
afterAll(async () => {
  await threads?.stop(0);
  await test?.drop();
});

const call = (client: string, contract: bigint, gas: bigint) =>
  threads.calls.run(
    {
      block: { kind: 'latest' },
      data: new Uint8Array(),
      from: undefined,
      to: longZeroHex(contract),
      gas,
      isGasGiven: true,
      gasPrice: 0n,
      value: 0n,
      estimate: false,
      stateOverrides: [],
    },
    { client, likeness: String(contract), gas: Number(gas) },
  );

it('another client is answered while they run and wait', { timeout: PATIENCE_MS }, async () => {
  await call('ordinary', SHORT, 100_000n);
  let ended = 0;
  const loops = Array.from({ length: 6 }, (_, index) =>
    call(`hostile ${index % 2}`, LOOP, 150_000_000n).then((answer) => {
      ended += 1;
      return answer.kind === 'failure' ? answer.status : answer.kind;
    }),
  );
  for (let asked = 0; asked < 3; asked++) {
    expect(await call('ordinary', SHORT, 100_000n)).toMatchObject({ kind: 'result' });
  }
  expect(ended).toBeLessThan(loops.length);
  expect(await Promise.all(loops)).toEqual(Array(6).fill('INSUFFICIENT_GAS'));
});
