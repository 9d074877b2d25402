/** `kagami simulate`: writes the stream files of a simulated network as fast as the machine allows. */
import { resolve } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { createSubmissionHandler } from '../../node/handle-submission.ts';
import { serveBlocks } from '../../simulator/block-node/serve-blocks.ts';
import { type LedgerFormOptions, ledgerFormats } from '../../simulator/blocks/ledger-form.ts';
import { activityKinds } from '../../simulator/mix.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { watchInterruption } from '../interruption.ts';
import { formatCount, formatElapsed, formatRate } from '../terminal/figures.ts';
import { createProgressBar } from '../terminal/progress.ts';
import { formatPairs } from '../terminal/table.ts';
import { dataFolders } from './data-folders.ts';
import { simulatedChain } from './mirrored-chain.ts';

export interface SimulateSize {
  readonly blocks?: number;
  readonly transactions?: number;
  readonly kinds?: boolean;
  readonly format?: string;
  readonly cutoverAt?: number;
  readonly layout?: string;
  readonly publishLedger?: boolean;
  readonly signEvery?: number;
  /** Port of a block node that serves what was written. */
  readonly blockNode?: number;
}

const DEFAULT_BLOCKS = 30;

/** @throws KagamiError CONFIG_INVALID for a block node without blocks. */
const formOf = ({
  format,
  cutoverAt,
  layout,
  publishLedger,
  signEvery,
  blockNode,
}: SimulateSize): LedgerFormOptions => {
  const form: LedgerFormOptions = {
    format: ledgerFormats.find((known) => known === format),
    ...(cutoverAt !== undefined && { cutoverAt: BigInt(cutoverAt) }),
    ...((layout === 'split' || layout === 'flat') && { blockLayout: layout }),
    ...(publishLedger === true && { publishesLedger: true }),
    ...(signEvery !== undefined && { signsEvery: signEvery }),
  };
  if (blockNode !== undefined && (form.format ?? 'record') === 'record') {
    throw new KagamiError(
      'CONFIG_INVALID',
      '--block-node needs blocks to serve: give --format block, wrapped or cutover',
    );
  }
  return form;
};

export const runSimulate = async (
  context: CommandContext,
  ready: ReadySettings,
  flags: SimulateSize,
): Promise<void> => {
  const { blocks, transactions, kinds = false } = flags;
  const { terminal, cwd } = context;
  if (kinds) {
    terminal.out(`${activityKinds.join('\n')}\n`);
    return;
  }
  const { settings } = ready;
  const { simulator, dataPath } = settings.kagami;
  const out = simulator.directory === '' ? dataFolders(dataPath, cwd).network : resolve(cwd, simulator.directory);
  const perBlock = Math.max(1, Math.floor((simulator.tps * simulator.blockInterval) / 1_000));
  const total = transactions === undefined ? (blocks ?? DEFAULT_BLOCKS) : Math.ceil(transactions / perBlock);
  const form = formOf(flags);
  const interruption = watchInterruption(terminal);
  const progress = createProgressBar(terminal, 'Wrote');
  const began = performance.now();
  try {
    const ledger = await simulateLedger({
      out,
      seed: simulator.seed,
      tps: simulator.tps,
      mix: simulator.mix,
      nodes: simulator.nodes,
      blockIntervalMs: simulator.blockInterval,
      chain: simulatedChain(ready),
      handleSubmission: createSubmissionHandler(),
      form,
      ...(transactions === undefined ? { blocks: blocks ?? DEFAULT_BLOCKS } : { transactions }),
      signal: interruption.signal,
      onProgress: ({ blocks: done, transactions: written }) => {
        progress.update({ done, total: Math.max(done, total), transactions: written });
      },
    });
    progress.finish();
    const seconds = (performance.now() - began) / 1_000;
    const records = ledger.blocks.reduce((sum, { count }) => sum + count, 0);
    terminal.out(
      formatPairs(
        [
          ['Folder', out],
          ['Address book', ledger.addressBookFile],
          ['Blocks', formatCount(ledger.blocks.length)],
          ['Records', `${formatCount(records)}, those of child and system transactions included`],
          ['Took', `${formatElapsed(seconds)}, ${formatRate(records / Math.max(seconds, 1e-3))} records/s`],
        ],
        terminal.style,
      ),
    );
    terminal.out(`\n  Next: kagami import ${out} --network other\n`);
    if (interruption.signal.aborted) context.setExitCode(exitCodes.interrupted);
    else if (flags.blockNode !== undefined) {
      const node = await serveBlocks(out, form, flags.blockNode);
      terminal.out(`\n  Block node on port ${node.port}, until Ctrl-C.\n`);
      await interruption.requested;
      await node.stop();
    }
  } finally {
    progress.finish();
    interruption.release();
  }
};
