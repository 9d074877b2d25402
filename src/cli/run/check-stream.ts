/** `kagami check-stream`: proves a folder or bucket of stream files without a database. */
import type { KagamiError } from '../../errors/kagami-error.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { type CheckedFile, checkStream, type StreamReport } from '../../sources/check-stream.ts';
import { openSource } from '../../sources/open-source.ts';
import { parseRatio, weighNodes } from '../../streams/consensus.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { watchInterruption } from '../interruption.ts';
import { formatBytes, formatCount, formatElapsed, formatRate } from '../terminal/figures.ts';
import { createProgressBar } from '../terminal/progress.ts';
import { formatPairs } from '../terminal/table.ts';
import { openAddressBook } from './address-book.ts';
import { chooseStoredSource, namedNetwork } from './source-choice.ts';

interface Fault {
  readonly file: string;
  readonly code: string;
  readonly message: string;
}

/** Refused files are printed up to this number; the rest is only counted. `--json` has them all. */
const SHOWN_FAULTS = 20;

export const runCheckStream = async (
  context: CommandContext,
  ready: ReadySettings,
  { json = false }: { readonly json?: boolean },
): Promise<void> => {
  const { terminal, cwd } = context;
  const { settings, logger } = ready;
  const { importer, common } = settings.hiero.mirror;
  const { trustUnsigned } = settings.kagami.source;
  const location = chooseStoredSource(ready, cwd);
  const { from, to } = importRangeOf(importer);
  const book = await openAddressBook(
    { configured: importer.initialAddressBook, location, cwd, network: namedNetwork(ready), begins: from },
    common,
    !trustUnsigned,
  );
  if (trustUnsigned) logger.warn('Files that no node signed are accepted: nothing proves that they are the ledger.');
  const electorate = {
    book,
    weights: weighNodes(book, undefined, importer.consensusMode),
    ratio: parseRatio(importer.downloader.consensusRatio),
  };
  const interruption = watchInterruption(terminal);
  const source = openSource(location, false);
  const progress = createProgressBar(terminal, 'Checked');
  const faults: Fault[] = [];
  const began = performance.now();
  let done = 0;
  let transactions = 0;
  const onFile = (file: CheckedFile): void => {
    done++;
    transactions += file.proof?.recordFile.items.length ?? 0;
    if (file.reason) faults.push(faultOf(file.base, file.reason));
    if (!json) progress.update({ done, total: undefined, transactions });
  };
  try {
    const report = await checkStream({
      source,
      electorate,
      trustUnsigned,
      from,
      to,
      onFile,
      signal: interruption.signal,
    });
    progress.finish();
    const seconds = (performance.now() - began) / 1_000;
    terminal.out(json ? `${reportJson(report, faults)}\n` : reportText(context, report, faults, seconds));
    if (interruption.signal.aborted) context.setExitCode(exitCodes.interrupted);
    else if (report.refused > 0 || report.brokenLinks > 0 || report.files === 0) context.setExitCode(exitCodes.stream);
  } finally {
    progress.finish();
    source.close();
    interruption.release();
  }
};

const faultOf = (file: string, { code, message }: KagamiError): Fault => ({ file, code, message });

const reportText = (
  { terminal: { style } }: CommandContext,
  report: StreamReport,
  faults: readonly Fault[],
  seconds: number,
): string => {
  const span = ({ consensusStart, consensusEnd }: StreamReport): string =>
    consensusStart === null || consensusEnd === null
      ? '-'
      : `${formatTimestamp(consensusStart)} to ${formatTimestamp(consensusEnd)}`;
  const lines = faults
    .slice(0, SHOWN_FAULTS)
    .map(({ code, message }) => `${style.red('refused')} ${message} ${style.dim(code)}\n`);
  if (faults.length > SHOWN_FAULTS)
    lines.push(`and ${formatCount(faults.length - SHOWN_FAULTS)} more (--json lists all)\n`);
  const good = report.files > 0 && report.refused === 0 && report.brokenLinks === 0;
  const verdict = good
    ? style.green(
        report.trusted === 0
          ? 'Proven: enough nodes signed every file, all hashes are right, the chain is unbroken.'
          : 'Hashes and chain are right, but not every file is signed: that these are the ledger is not proven.',
      )
    : style.red(report.files === 0 ? 'There are no record files.' : 'Not proven.');
  return [
    ...lines,
    `${verdict}\n`,
    formatPairs(
      [
        ['Files', `${formatCount(report.files)} from ${formatCount(report.nodes)} nodes, ${formatBytes(report.bytes)}`],
        ['Proven', formatCount(report.proven)],
        ['Unsigned', formatCount(report.trusted)],
        ['Refused', formatCount(report.refused)],
        ['Broken links', formatCount(report.brokenLinks)],
        ['Sidecars', formatCount(report.sidecars)],
        ['Transactions', formatCount(report.transactions)],
        ['Consensus time', span(report)],
        [
          'Took',
          `${formatElapsed(seconds)}, ${formatRate(report.transactions / Math.max(seconds, 1e-3))} transactions/s`,
        ],
      ],
      style,
    ),
  ].join('');
};

const reportJson = ({ firstFailure: _, ...report }: StreamReport, faults: readonly Fault[]): string =>
  JSON.stringify(
    {
      ...report,
      consensusStart: report.consensusStart === null ? null : formatTimestamp(report.consensusStart),
      consensusEnd: report.consensusEnd === null ? null : formatTimestamp(report.consensusEnd),
      faults,
    },
    undefined,
    2,
  );
