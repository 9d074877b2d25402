/**
 * `npm run bench precompiles`: CPU time of the precompiled contracts against those of `@ethereumjs/evm`, on the input with
 * the most time for its gas; both must give the same, and have run as long before they are measured. Then what a call of 15 million gas takes that spends all of it on
 * them. `--ms 300` sets how long each figure is measured, `--only text` takes the inputs whose names hold the text.
 */
import { RustBN254 } from '@ethereumjs/evm';
import { initRustBN } from 'rustbn-wasm';
import { RunClock } from '../../src/evm/engine/clock.ts';
import { createExecute } from '../../src/evm/engine/execute.ts';
import { createKeccak256 } from '../../src/evm/engine/keccak.ts';
import { createPrecompiles } from '../../src/evm/engine/precompiles/precompiles.ts';
import { environmentOf } from '../../src/evm/engine/testing/engine.fixture.ts';
import { createYardstick } from '../../src/evm/engine/testing/ethereumjs-precompiles.fixture.ts';
import { type Bomb, bombCode, bombs } from '../../src/evm/engine/testing/precompile-bombs.fixture.ts';
import { bytesToHex } from '../../src/evm/engine/words.ts';
import { entityRecord, memoryReader } from '../../src/evm/state/testing/memory-reader.fixture.ts';
import { longZeroHex, World } from '../../src/evm/state/world.ts';
import { count, numberOption, printTable, textOption } from '../figures.ts';

const MUCH_GAS = 1_000_000_000;
const CALL_GAS = 15_000_000n;
const SENDER = 2_001n;
const CONTRACT = 2_002n;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Mean CPU milliseconds of a call, of one call at least and as many as take the time asked for. */
const measure = async (call: () => Promise<unknown>, forMs: number): Promise<number> => {
  const started = cpuMs();
  let calls = 0;
  while (calls < 1 || cpuMs() - started < forMs) {
    await call();
    calls += 1;
  }
  return (cpuMs() - started) / calls;
};

/** Gives what calls a contract that does nothing else. */
const callsOf = (execute: Awaited<ReturnType<typeof createExecute>>, bomb: Bomb): (() => Promise<unknown>) => {
  const reader = memoryReader({
    entities: [entityRecord(SENDER), entityRecord(CONTRACT, { type: 'CONTRACT' })],
    codes: [[CONTRACT, bombCode(bomb)]],
  });
  const transaction = {
    from: longZeroHex(SENDER),
    to: longZeroHex(CONTRACT),
    value: 0n,
    gas: CALL_GAS,
    data: new Uint8Array(),
  };
  return () => execute(transaction, environmentOf(new World(reader, { shard: 0n, realm: 0n })));
};

export const run = async (args: readonly string[]): Promise<void> => {
  const forMs = numberOption(args, 'ms', 300);
  const only = textOption(args, 'only') ?? '';
  const precompiles = createPrecompiles(await createKeccak256());
  const yardstick = createYardstick(new RustBN254(await initRustBN()));
  const execute = await createExecute({ systemContracts: new Map(), feeSelectors: new Set() });
  const clock = new RunClock(undefined);
  const rows: string[][] = [];
  for (const bomb of bombs) {
    const { name, address, input } = bomb;
    if (!name.includes(only)) continue;
    const ours = () => precompiles.run(address.toString(16).padStart(40, '0'), input, MUCH_GAS, clock);
    const stock = () => yardstick(address, input, MUCH_GAS);
    const [result, expected] = [await ours(), await stock()];
    if ('halt' in result || !('output' in expected) || bytesToHex(result.output) !== expected.output) {
      throw new Error(`${name}: ${JSON.stringify(result)} against ${JSON.stringify(expected)}`);
    }
    for (const engine of [ours, stock]) await measure(engine, forMs);
    const [ourMs, stockMs] = [await measure(ours, forMs), await measure(stock, forMs)];
    const call = callsOf(execute, bomb);
    await call();
    const callMs = await measure(call, forMs);
    const rate = (ms: number): string => (result.gasUsed / ms / 1_000).toFixed(1);
    rows.push([
      name,
      count(result.gasUsed),
      ourMs.toFixed(4),
      rate(ourMs),
      rate(stockMs),
      (stockMs / ourMs).toFixed(1),
      (callMs / 1_000).toFixed(2),
    ]);
  }
  printTable(['input', 'gas', 'ms', 'Mgas/s', 'stock Mgas/s', 'times as fast', 's per call'], rows);
};
