/**
 * `npm run bench evm`: CPU time of our interpreter against the stock one of `@ethereumjs/evm`, on the same contracts and state in
 * the same run; both must use the same gas and give the same output. `--ms 500` sets how long each figure is measured,
 * `--only text` takes the loads whose names hold the text.
 */
import { count, numberOption, printTable, textOption } from '../figures.ts';
import { compileContracts } from './compile.ts';
import { createEngines, type Measured } from './engines.ts';
import { type Load, loadsOf } from './loads.ts';

/** CPU milliseconds of this thread, which other programs on the machine don't lengthen. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Mean CPU milliseconds of a call, of three calls at least and as many as take the time asked for. */
const measure = async (call: () => Promise<Measured>, forMs: number): Promise<number> => {
  const started = cpuMs();
  let calls = 0;
  while (calls < 3 || cpuMs() - started < forMs) {
    await call();
    calls += 1;
  }
  return (cpuMs() - started) / calls;
};

/** Of each engine, before it is measured. */
const WARM_UP_CALLS = 3;

const figure = (milliseconds: number): string => milliseconds.toFixed(milliseconds < 10 ? 3 : 0);

export const run = async (args: readonly string[]): Promise<void> => {
  const forMs = numberOption(args, 'ms', 500);
  const only = textOption(args, 'only') ?? '';
  const contracts = compileContracts();
  const { ours, stock } = await createEngines(contracts);
  const rows: string[][] = [];
  const compare = async (name: string, load: Load, kind: 'warm' | 'cold'): Promise<void> => {
    const [a, b] = [await ours[kind](load), await stock[kind](load)];
    if (a.gasUsed !== b.gasUsed || a.output !== b.output) {
      throw new Error(`${name}: ${a.gasUsed} gas and ${a.output} against ${b.gasUsed} gas and ${b.output}`);
    }
    for (let i = 0; i < WARM_UP_CALLS; i += 1) {
      await ours[kind](load);
      await stock[kind](load);
    }
    const [ourMs, stockMs] = [
      await measure(() => ours[kind](load), forMs),
      await measure(() => stock[kind](load), forMs),
    ];
    const gas = Number(a.gasUsed);
    const rate = (ms: number): string => (gas / ms / 1_000).toFixed(1);
    rows.push([
      name,
      count(gas),
      figure(ourMs),
      figure(stockMs),
      rate(ourMs),
      rate(stockMs),
      count(1_000 / ourMs),
      (stockMs / ourMs).toFixed(2),
    ]);
  };
  for (const load of loadsOf(contracts)) {
    if (!load.name.includes(only)) continue;
    await compare(load.name, load, 'warm');
    if (load.name.startsWith('ERC-20')) await compare(`${load.name}, cold`, load, 'cold');
  }
  printTable(['load', 'gas', 'ms', 'stock ms', 'Mgas/s', 'stock Mgas/s', 'calls/s', 'times as fast'], rows);
};
