import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';

const flags: FlagSettings = {
  tps: ['--tps', 'kagami.simulator.tps'],
  mix: ['--mix', 'kagami.simulator.mix'],
  seed: ['--seed', 'kagami.simulator.seed'],
  nodes: ['--nodes', 'kagami.simulator.nodes'],
  out: ['--out', 'kagami.simulator.directory'],
};

export interface SimulateFlags {
  readonly blocks?: number;
  readonly transactions?: number;
  readonly kinds?: boolean;
  readonly format?: string;
  readonly cutoverAt?: number;
  readonly layout?: string;
  readonly publishLedger?: boolean;
  readonly blockNode?: number;
}

const count = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('Must be a whole number of at least 1.');
  return value;
};

const port = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError('Must be a port.');
  return value;
};

export const simulateCommand = (context: CommandContext): Command =>
  new Command('simulate')
    .summary('write the stream files of a simulated network')
    .description(
      'Writes record files, signatures and sidecars of a simulated network as fast as it can. The same seed and options ' +
        'give the same transactions. Balances add up, hashes chain, every node signs.',
    )
    .option('--out <folder>', 'where to write (default: network in the data folder)')
    .option('--blocks <number>', 'record files to write (default: 30)', count)
    .option('--transactions <number>', 'transactions to write, instead of --blocks', count)
    .option('--tps <number>', 'transactions per second; a file covers two seconds (default: 10)')
    .option('--mix <list>', 'kinds of transactions with weights, such as transfer=70,message=20, or the name of a mix')
    .option('--kinds', 'list the kinds that --mix can weigh, and stop')
    .option('--seed <text>', 'what keys, accounts and amounts are made from (default: kagami)')
    .option('--nodes <number>', 'consensus nodes (default: 4)')
    .addOption(
      new Option(
        '--format <format>',
        'record files, blocks, record files wrapped in blocks, or the one after the other',
      )
        .choices(['record', 'block', 'wrapped', 'cutover'])
        .default('record'),
    )
    .option('--cutover-at <number>', 'first block that is no record file, of --format cutover (default: 8)', count)
    .addOption(new Option('--layout <layout>', 'files of blocks (default: split)').choices(['split', 'flat']))
    .option('--publish-ledger', 'record files with the ledger id that blocks are proven by, as --format block has it')
    .option('--sign-every <number>', 'sign one of so many blocks, which proves those before it (default: 1)', count)
    .option('--block-node <port>', 'serve the blocks as a block node until interrupted', port)
    .addHelpText(
      'after',
      `
Examples:
  kagami simulate --out ./demo --blocks 100 --tps 50
  kagami simulate --out ./million --transactions 1000000 --tps 10000
  kagami simulate --out ./blocks --format block --block-node 40840

A second run on the same folder goes on where the first ended. The folder holds the address book for
kagami check-stream and kagami import.`,
    )
    .action(async (options: SimulateFlags & Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(context, overridesOf(options, flags));
      const { runSimulate } = await import('../run/simulate.ts');
      await runSimulate(context, ready, options);
    });
