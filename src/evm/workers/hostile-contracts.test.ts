/** Contracts that want all there is of time and memory end by gas or at the deadline, and disturb nobody. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { assemble, returning } from '../engine/testing/engine.fixture.ts';
import { bombCode, bombs } from '../engine/testing/precompile-bombs.fixture.ts';
import type { AddressHex } from '../state/records.ts';
import { longZeroHex } from '../state/world.ts';
import type { CallAnswer } from './simulation-task.ts';
import { openSimulationThreads, type SimulationThreads } from './simulation-threads.ts';
import { web3SettingsWith } from './testing/web3-settings.fixture.ts';

const GAS = 15_000_000n;
/** Longer than a busy machine takes. */
const PATIENCE_MS = 60_000;
const SHORT_PATIENCE_MS = 1_500;
const SHORT = 1_900n;

interface Hostile {
  readonly code: Uint8Array;
  /** Status, or bytes of output. */
  readonly ending: string;
}

const outOfGas = (code: string): Hostile => ({ code: assemble(code), ending: 'INSUFFICIENT_GAS' });

/** By what they want; loops begin at a jump destination at the start. */
const hostile: Readonly<Record<string, Hostile>> = {
  'to loop forever': outOfGas('JUMPDEST 0 JUMP'),
  'to hash forever': outOfGas('JUMPDEST 4096 0 KECCAK256 POP 0 JUMP'),
  'memory at once': outOfGas('1 0xffffffffff MSTORE STOP'),
  'memory bit by bit': outOfGas('JUMPDEST 1 MSIZE MSTORE 0 JUMP'),
  'to call itself deep down': { code: assemble('0 0 0 0 0 ADDRESS GAS CALL STOP'), ending: '0 bytes' },
  'to return much': { code: assemble('0x080000 0 RETURN'), ending: '524288 bytes' },
  'to return too much': outOfGas('0xffffffff 0 RETURN'),
  'to call many others': outOfGas('JUMPDEST 0 0 0 0 0 0x04 GAS CALL POP 0 JUMP'),
  'to call itself in every frame': outOfGas('JUMPDEST 0 0 0 0 0 ADDRESS 2 GAS DIV CALL POP 0 JUMP'),
  'to write ever new slots': outOfGas('0 JUMPDEST 1 ADD DUP1 DUP1 SSTORE 2 JUMP'),
  'to copy much code': outOfGas('JUMPDEST 0x010000 0 0 ADDRESS EXTCODECOPY 0 JUMP'),
  'to create without end': {
    code: assemble('JUMPDEST 0 0 0 CREATE POP 0 JUMP'),
    ending: 'MAX_CHILD_RECORDS_EXCEEDED',
  },
  'to raise large powers': outOfGas(`JUMPDEST 0x${'ff'.repeat(32)} DUP1 EXP POP 0 JUMP`),
  'nothing but jump destinations': { code: new Uint8Array(24_576).fill(0x5b), ending: '0 bytes' },
  'to log without end': outOfGas('JUMPDEST 4096 0 LOG0 0 JUMP'),
  ...Object.fromEntries(
    bombs.map((bomb) => [bomb.name, { code: bombCode(bomb), ending: bomb.once ? '0 bytes' : 'INSUFFICIENT_GAS' }]),
  ),
};
const names = Object.keys(hostile);
const idOf = (name: string): bigint => 2_000n + BigInt(names.indexOf(name));

let test: TestDatabase;
let threads: SimulationThreads;

const open = (requestTimeout: number): SimulationThreads =>
  openSimulationThreads({
    settings: web3SettingsWith({ requestTimeout }),
    common: { shard: 0n, realm: 0n },
    connectionString: test.connectionString,
    schema: 'public',
  });

beforeAll(async () => {
  test = await createTestDatabase({ max: 4 });
  const contracts = [
    ...names.map((name) => [idOf(name), hostile[name]?.code] as const),
    [SHORT, returning('42')] as const,
  ];
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
  threads = open(PATIENCE_MS);
}, 60_000);
afterAll(async () => {
  await threads?.stop(1_000);
  await test?.drop();
});

const call = (to: AddressHex, gas = GAS, pool = threads): Promise<CallAnswer> =>
  pool.calls.run({
    block: { kind: 'latest' },
    data: new Uint8Array(),
    from: undefined,
    to,
    gas,
    isGasGiven: true,
    gasPrice: 0n,
    value: 0n,
    estimate: false,
    stateOverrides: [],
  });

const endingOf = (answer: CallAnswer): string => {
  if (answer.kind === 'failure') return answer.status;
  return answer.kind === 'result' ? `${answer.output.length} bytes` : answer.kind;
};

const FORTY_TWO = { kind: 'result', output: new Uint8Array([...new Uint8Array(31), 42]) };

describe('contracts that want', () => {
  it.each(names)('%s end, and short calls beside them are answered', { timeout: PATIENCE_MS }, async (name) => {
    const [ending, ...beside] = await Promise.all([
      call(longZeroHex(idOf(name))),
      ...Array.from({ length: 4 }, () => call(longZeroHex(SHORT))),
    ]);
    expect(endingOf(ending)).toBe(hostile[name]?.ending);
    for (const answer of beside) {
      expect(answer).toMatchObject(FORTY_TWO);
    }
  });

  it('more time than there is, with gas without end, are stopped', { timeout: PATIENCE_MS }, async () => {
    const impatient = open(SHORT_PATIENCE_MS);
    try {
      const running = call(longZeroHex(idOf('to loop forever')), 1_000_000_000_000n, impatient);
      await expect(running).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT' });
    } finally {
      await impatient.stop(0);
    }
  });

  it('more of a precompiled contract than there is time for end at the deadline, and their thread lives on', {
    timeout: 3 * PATIENCE_MS,
  }, async () => {
    const impatient = open(SHORT_PATIENCE_MS);
    const short = (): Promise<CallAnswer> => call(longZeroHex(SHORT), GAS, impatient);
    try {
      // A thread may take longer to start than a call has.
      while ((await short().catch(() => undefined)) === undefined);
      for (const { name, once = false } of bombs) {
        const running = call(longZeroHex(idOf(name)), 1_000_000_000_000n, impatient);
        if (once) await running.catch(() => undefined);
        else await expect(running, name).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT' });
      }
      expect(await short()).toMatchObject(FORTY_TWO);
      expect(impatient.figures).toMatchObject({ running: 0, lost: 0 });
    } finally {
      await impatient.stop(0);
    }
  });

  it('a precompiled contract each second leave ordinary calls an answer', { timeout: 3 * PATIENCE_MS }, async () => {
    const endings: Promise<string>[] = [];
    const eachPrecompile = [...new Map(bombs.map((bomb) => [bomb.address, bomb])).values()];
    for (const { name } of eachPrecompile) {
      endings.push(call(longZeroHex(idOf(name))).then(endingOf));
      const second = performance.now() + 1_000;
      while (performance.now() < second) expect(await call(longZeroHex(SHORT))).toMatchObject(FORTY_TWO);
    }
    expect(await Promise.all(endings)).toEqual(eachPrecompile.map(({ name }) => hostile[name]?.ending));
  });
});
