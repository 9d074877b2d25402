import { decimal, duration, flag, integer, type SettingsOf, text } from '../setting.ts';

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
  blockInterval: duration(
    2_000,
    'Time covered by one record file (block); a transaction that a client submits has one sooner.',
  ),
  submit: {
    enabled: flag(
      true,
      'Takes transactions of SDKs and answers their queries, as a consensus node (0.0.3) does, for programs of this ' +
        'machine. `kagami start` prints accounts that pay.',
    ),
    port: integer(50_211, 'Port of 127.0.0.1 for that; SDKs look for 50211 in address books. 0: any free one.', {
      min: 0,
      max: 65_535,
    }),
    maxConnections: integer(256, 'Most connections to that port; further ones are closed at once.', { min: 1 }),
    maxConcurrentCallsPerConnection: integer(
      100,
      'Calls at a time on one connection; further ones wait in the client.',
      { min: 1 },
    ),
  },
};

export type SubmitSettings = SettingsOf<typeof simulatorSettings.submit>;
