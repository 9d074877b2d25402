import { decimal, duration, flag, integer, text } from '../setting.ts';

/** `kagami.simulator.*`: the simulated network that `kagami start` runs when no source is configured. */
export const simulatorSettings = {
  enabled: flag(true, 'Runs the simulated network when `kagami.source.folder` is empty.'),
  seed: text('kagami', 'Everything that the simulated network does follows from this text: keys, accounts, amounts.'),
  tps: decimal(10, 'Transactions per second.', { min: 0, max: 100_000 }),
  mix: text(
    '',
    'Kinds of transactions with weights, such as `transfer=70,message=20,mint=10`, or the name of a mix; empty: about ' +
      'what a public network sees. `kagami simulate --kinds` lists the kinds.',
  ),
  nodes: integer(4, 'Consensus nodes that sign each file.', { min: 1, max: 100 }),
  directory: text('', 'Folder that the simulated network writes to; empty: `network` under `kagami.dataPath`.'),
  blockInterval: duration(2_000, 'Time covered by one record file (block).'),
};
