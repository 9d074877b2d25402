import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { RunEnvironment, RunOutcome, RunTransaction } from '../engine/run.ts';
import type { BlockChoice, BlockRecord, StateSource } from '../state/state-source.ts';
import { entityRecord, memoryReader } from '../state/testing/memory-reader.fixture.ts';
import { createSimulate } from './simulate.ts';
import { type SimulationSettings, simulationSettingsOf } from './simulation-settings.ts';
import type { CallTask } from './simulation-task.ts';
import { web3SettingsWith } from './testing/web3-settings.fixture.ts';

const ALICE = 1001n;
const ALIAS = '67d8d32e9bf1a9968a5ff53b87d777aa8ebbee69';
const hashOf = (index: bigint) => new Uint8Array(48).fill(Number(index));

const blockRecord = (index: bigint): BlockRecord => ({
  index,
  consensusStart: index * 2_000_000_000n + 5n,
  consensusEnd: index * 2_000_000_000n + 1_999_999_999n,
  hash: hashOf(index),
});
const NEWEST = 20n;

/** Blocks 1 to 20, in each of which account 1001 has as many tinybars as the block's end says. */
const source = (): StateSource & { readonly reads: string[] } => {
  const reads: string[] = [];
  const reader = (balance: bigint) => {
    const memory = memoryReader({
      entities: [entityRecord(ALICE, { balance }), entityRecord(1002n, { type: 'CONTRACT', evmAddress: ALIAS })],
      slots: [[1002n, '1'.repeat(64), '2'.repeat(64)]],
      codes: [[1002n, new Uint8Array([0xfe])]],
    });
    return {
      ...memory,
      entity: (id: bigint) => {
        reads.push(`entity ${id}`);
        return memory.entity(id);
      },
    };
  };
  const chosen = (choice: BlockChoice): bigint | undefined => {
    switch (choice.kind) {
      case 'latest':
        return NEWEST;
      case 'earliest':
        return 1n;
      case 'number':
        return choice.number >= 1n && choice.number <= NEWEST ? choice.number : undefined;
      case 'hash':
        return choice.hash.startsWith('0c0c') ? 12n : undefined;
    }
  };
  return {
    reads,
    block: async (choice) => {
      const index = chosen(choice);
      return index === undefined ? undefined : blockRecord(index);
    },
    blockOf: () => Promise.reject(new Error('unused')),
    latest: () => reader(777n),
    at: (timestamp) => reader(timestamp),
    rates: async () => ({ exchangeRate: { hbarEquiv: 1n, centEquiv: 12n }, gasPriceMilliTinycents: 852_000n }),
    onBlockCommitted: () => undefined,
  };
};

const { evm } = web3SettingsWith({ evm: { validatePayerBalance: false } });
const settings = simulationSettingsOf(evm, { shard: 0n, realm: 0n });

const task = (changes: Partial<CallTask> = {}): CallTask => ({
  block: { kind: 'latest' },
  data: new Uint8Array([1, 2]),
  from: undefined,
  to: ALIAS,
  gas: 100_000n,
  isGasGiven: true,
  gasPrice: 0n,
  value: 0n,
  estimate: false,
  stateOverrides: [],
  ...changes,
});

const outcome = (changes: Partial<RunOutcome> = {}): RunOutcome => ({
  status: 'SUCCESS',
  output: new Uint8Array([9]),
  executed: true,
  gasUsed: 30_000n,
  refund: 0n,
  childStatuses: [],
  logs: [],
  createdId: undefined,
  address: ALIAS,
  ...changes,
});

type Run = (transaction: RunTransaction, environment: RunEnvironment) => RunOutcome | Promise<RunOutcome>;

const simulateWith = (run: Run, changes: Partial<SimulationSettings> = {}) => {
  const ledger = source();
  const simulate = createSimulate({
    execute: async (transaction, environment) => run(transaction, environment),
    source: ledger,
    settings: { ...settings, ...changes },
    clock: () => 1_700_000_000_000_000_123n,
  });
  return { simulate, reads: ledger.reads };
};

/** What the run of a task was given. */
const givenFor = async (changes: Partial<CallTask>, with_: Partial<SimulationSettings> = {}) => {
  const runs: { transaction: RunTransaction; environment: RunEnvironment }[] = [];
  const { simulate } = simulateWith((transaction, environment) => {
    runs.push({ transaction, environment });
    return outcome();
  }, with_);
  await simulate(task(changes), { deadlineMs: 5_000 });
  const [run] = runs;
  if (run === undefined) throw new Error('nothing ran');
  return run;
};

describe('a simulated call', () => {
  it('runs with what the request, the block and the network say', async () => {
    const { transaction, environment } = await givenFor({ from: ALIAS, value: 5n });
    expect(transaction).toEqual({ from: ALIAS, to: ALIAS, value: 5n, gas: 100_000n, data: new Uint8Array([1, 2]) });
    const { world, blockHash, ...rest } = environment;
    expect(rest).toEqual({
      block: { number: 20n, timestamp: 40n, hash: hashOf(20n) },
      network: { chainId: 296n, ledgerId: '0x01' },
      version: '0.67',
      exchangeRate: { hbarEquiv: 1n, centEquiv: 12n },
      gasPriceMilliTinycents: 852_000n,
      now: 1_700_000_000_000_000_123n,
      deadlineMs: 5_000,
      minimumAccountBalance: 100_000_000_000_000_000n,
      mostData: { call: 131_072, creation: 131_072 },
    });
    expect((await world.entity(ALICE))?.balance).toBe(777n);
    expect([await blockHash(20n), await blockHash(3n)]).toEqual([
      new Uint8Array(32).fill(20),
      new Uint8Array(32).fill(3),
    ]);
    expect([await blockHash(21n), await blockHash(0n), await blockHash(-1n)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [{ kind: 'earliest' }, 1n],
    [{ kind: 'number', number: 20n }, 20n],
    [{ kind: 'hash', hash: '0c'.repeat(32) }, 12n],
  ] as const)('%#: on a past block sees the state at its end', async (block, index) => {
    const { environment } = await givenFor({ block });
    expect(environment.block.number).toBe(index);
    expect((await environment.world.entity(ALICE))?.balance).toBe(blockRecord(index).consensusEnd);
    expect(environment.now).toBe(1_700_000_000_000_000_123n);
  });

  it('runs by the rules of its block, on the newest one by the newest rules', async () => {
    const versions = {
      versions: [
        [5n, '0.30'],
        [10n, '0.38'],
      ],
      latestVersion: '0.51',
    } as const;
    const versionOn = async (block: BlockChoice) => (await givenFor({ block }, versions)).environment.version;
    expect(await versionOn({ kind: 'latest' })).toBe('0.51');
    expect(await versionOn({ kind: 'number', number: 20n })).toBe('0.38');
    expect(await versionOn({ kind: 'number', number: 9n })).toBe('0.30');
  });

  it.each([
    [
      { from: ALIAS, gasPrice: 3n },
      { gas: 100_000n, gasPrice: 3n },
    ],
    [
      { from: ALIAS, value: 1n },
      { gas: 100_000n, gasPrice: 71n },
    ],
    [
      { from: ALIAS, value: 1n, isGasGiven: false },
      { gas: 0n, gasPrice: 71n },
    ],
    [{ from: ALIAS }, undefined],
    [{ gasPrice: 3n }, undefined],
    [{ from: '0'.repeat(40), gasPrice: 3n }, undefined],
  ])('%#: asks for a payer who can pay only where the request says what for', async (changes, expected) => {
    const { environment } = await givenFor(changes, { validatePayerBalance: true });
    expect(environment.payment).toEqual(expected);
    expect((await givenFor(changes)).environment.payment).toBeUndefined();
  });

  it('answers with the output, of which nothing else travels', async () => {
    const memory = new Uint8Array(4096).fill(7);
    const { simulate } = simulateWith(() => outcome({ output: memory.subarray(8, 10) }));
    const answer = await simulate(task(), { deadlineMs: 0 });
    expect(answer).toEqual({
      kind: 'result',
      output: new Uint8Array([7, 7]),
      gasUsed: 30_000n,
      runs: 1,
      blockTime: undefined,
    });
    expect(answer.kind === 'result' && answer.output.buffer.byteLength).toBe(2);
  });

  it('answers with the failure', async () => {
    const { simulate } = simulateWith(() =>
      outcome({ status: 'CONTRACT_REVERT_EXECUTED', childStatuses: ['INVALID_TOKEN_ID'] }),
    );
    expect(await simulate(task({ block: { kind: 'number', number: 2n }, estimate: true }), { deadlineMs: 0 })).toEqual({
      kind: 'failure',
      status: 'CONTRACT_REVERT_EXECUTED',
      output: new Uint8Array([9]),
      executed: true,
      childStatuses: ['INVALID_TOKEN_ID'],
      gasUsed: 30_000n,
      runs: 1,
      blockTime: 5_999_999_999n,
    });
  });

  it('runs nothing on an unknown block', async () => {
    const { simulate } = simulateWith(() => Promise.reject(new Error('ran')));
    expect(await simulate(task({ block: { kind: 'number', number: 21n } }), { deadlineMs: 0 })).toEqual({
      kind: 'unknown-block',
    });
  });

  it('passes on what the database and the deadline throw', async () => {
    const { simulate } = simulateWith(() => Promise.reject(new KagamiError('SIMULATION_TIMEOUT', 'late')));
    await expect(simulate(task({ estimate: true }), { deadlineMs: 0 })).rejects.toMatchObject({
      code: 'SIMULATION_TIMEOUT',
    });
  });
});

describe('a payer', () => {
  const paying = (changes: Partial<CallTask>, balance: bigint) => {
    const { simulate } = simulateWith(
      ({ gas }) =>
        gas >= 31_000n
          ? outcome({ payerBalance: balance })
          : outcome({ status: 'INSUFFICIENT_GAS', gasUsed: gas, payerBalance: balance }),
      { validatePayerBalance: true },
    );
    return simulate(task({ from: ALIAS, isGasGiven: false, gas: 15_000_000n, ...changes }), { deadlineMs: 0 });
  };
  const refusal = { kind: 'failure', status: 'INSUFFICIENT_PAYER_BALANCE', executed: false, output: new Uint8Array() };

  it('who names no gas limit pays what the estimate finds', async () => {
    const changes = { estimate: true, value: 5n };
    const found = await paying(changes, 1n << 60n);
    if (found.kind !== 'estimate') throw new Error(found.kind);
    expect(found.gas).toBeLessThan(34_000n);
    expect(await paying(changes, found.gas * 71n + 5n)).toMatchObject({ kind: 'estimate', gas: found.gas });
    expect(await paying(changes, found.gas * 71n + 4n)).toMatchObject(refusal);
  });

  it('who names no gas limit pays what a call uses', async () => {
    expect(await paying({ value: 5n }, 30_000n * 71n + 5n)).toMatchObject({ kind: 'result' });
    expect(await paying({ value: 5n }, 30_000n * 71n + 4n)).toMatchObject(refusal);
  });

  it('pays the price that the request names', async () => {
    expect(await paying({ gasPrice: 100n }, 3_000_000n)).toMatchObject({ kind: 'result' });
    expect(await paying({ gasPrice: 100n }, 2_999_999n)).toMatchObject(refusal);
  });
});

describe('settings of the network', () => {
  it('keep back what may not be refunded', async () => {
    const { simulate } = simulateWith(() => outcome(), { maxGasRefundPercentage: 20n });
    expect(await simulate(task(), { deadlineMs: 0 })).toMatchObject({ kind: 'result', gasUsed: 80_000n });
    expect(await simulate(task({ gas: 31_000n }), { deadlineMs: 0 })).toMatchObject({ gasUsed: 30_000n });
  });

  it('bound the gas of a call', async () => {
    const { simulate } = simulateWith(() => outcome(), { maxGas: 99_999n });
    expect(await simulate(task(), { deadlineMs: 0 })).toMatchObject({
      kind: 'failure',
      status: 'MAX_GAS_LIMIT_EXCEEDED',
      executed: false,
    });
    expect(await simulate(task({ gas: 99_999n }), { deadlineMs: 0 })).toMatchObject({ kind: 'result' });
  });

  it('number new entities', async () => {
    const { environment } = await givenFor({}, { entityNumBuffer: 5n });
    const usual = (await givenFor({})).environment;
    expect((await usual.world.newEntityId()) - (await environment.world.newEntityId())).toBe(995n);
  });
});

describe('an estimate', () => {
  it('runs on one state, whose changes never reach the next run and which is read once', async () => {
    const limits: bigint[] = [];
    const { simulate, reads } = simulateWith(async ({ gas }, { world, now }) => {
      limits.push(gas);
      expect(now).toBe(1_700_000_000_000_000_123n);
      const entity = await world.entity(ALICE);
      if (entity === undefined) throw new Error('no such account');
      expect(entity.balance).toBe(777n);
      expect(await world.slot(1002n, '1'.repeat(64))).toBe('2'.repeat(64));
      expect(await world.newEntityId()).toBe(2003n);
      world.putEntity({ ...entity, balance: 0n });
      world.putSlot(1002n, '1'.repeat(64), '3'.repeat(64));
      world.checkpoint();
      return gas >= 31_000n ? outcome() : outcome({ status: 'INSUFFICIENT_GAS', gasUsed: gas });
    });
    expect(await simulate(task({ estimate: true }), { deadlineMs: 0 })).toEqual({
      kind: 'estimate',
      gas: 32_187n,
      gasUsed: 30_000n,
      runs: 6,
      blockTime: undefined,
    });
    expect(limits).toEqual([100_000n, 65_000n, 47_500n, 38_750n, 34_375n, 32_187n]);
    expect(reads).toEqual(['entity 1001']);
  });
});

describe('state overrides', () => {
  const seen = async (stateOverrides: CallTask['stateOverrides']) =>
    (await givenFor({ stateOverrides })).environment.world;

  it('take the place of stored state', async () => {
    const world = await seen([
      { address: ALICE.toString(16).padStart(40, '0'), balance: 5n, nonce: 9n },
      { address: ALIAS, code: new Uint8Array([0x60]), stateDiff: [{ slot: '3'.repeat(64), value: '4'.repeat(64) }] },
    ]);
    expect(await world.entity(ALICE)).toMatchObject({ type: 'CONTRACT', balance: 5n, nonce: 9n });
    expect(await world.entity(1002n)).toMatchObject({ type: 'CONTRACT', balance: 0n, evmAddress: ALIAS });
    expect(await world.code(1002n)).toEqual(new Uint8Array([0x60]));
    expect(await world.slot(1002n, '3'.repeat(64))).toBe('4'.repeat(64));
    expect(await world.slot(1002n, '1'.repeat(64))).toBe('2'.repeat(64));
    expect(world.depth).toBe(0);
  });

  it('with a whole storage leave nothing of the stored one', async () => {
    const world = await seen([{ address: ALIAS, state: [{ slot: '3'.repeat(64), value: '4'.repeat(64) }] }]);
    expect(await world.slot(1002n, '3'.repeat(64))).toBe('4'.repeat(64));
    expect(await world.slot(1002n, '1'.repeat(64))).toBe('0'.repeat(64));
    expect(await (await seen([{ address: ALIAS, state: [] }])).slot(1002n, '1'.repeat(64))).toBe('2'.repeat(64));
  });

  it('make up what is not there, by either form of address', async () => {
    const unknownAlias = 'ab'.repeat(20);
    const world = await seen([
      { address: unknownAlias, code: new Uint8Array([0]), balance: 3n },
      { address: (5000).toString(16).padStart(40, '0'), nonce: 1n },
      { address: `${'0'.repeat(24)}${'f'.repeat(16)}`, nonce: 1n },
    ]);
    expect(await world.entityAt(unknownAlias)).toMatchObject({ id: 2003n, type: 'CONTRACT', balance: 3n });
    expect(await world.code(2003n)).toEqual(new Uint8Array([0]));
    expect(await world.entity(5000n)).toMatchObject({ type: 'CONTRACT', nonce: 1n, evmAddress: undefined });
    expect(await world.entityAt(`${'0'.repeat(24)}${'f'.repeat(16)}`)).toBeUndefined();
  });
});
