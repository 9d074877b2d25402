/** `kagami check-stream`: proves the record files and blocks of a folder, a bucket or a block node without a database. */
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import { type CheckedFile, checkStream, type StreamReport } from '../../sources/check-stream.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { openSource } from '../../sources/open-source.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { recordedLedgerPublication } from '../../streams/block/ledger-publication.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import { parseRatio, weighNodes } from '../../streams/consensus.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { watchInterruption } from '../interruption.ts';
import { formatBytes, formatCount } from '../terminal/figures.ts';
import { createProgressBar } from '../terminal/progress.ts';
import { openAddressBook } from './address-book.ts';
import { chooseStoredStreams, placeOfFiles, type StreamChoice } from './block-choice.ts';
import { blocksBegin } from './block-stream-task.ts';
import { areBlocksGood, type BlocksFinding, blocksJson, blocksText, findInBlocks } from './check-blocks.ts';
import { type Fault, faultsText, spanJson, spanText, tookText } from './check-findings.ts';
import { namedNetwork } from './source-choice.ts';

interface RecordsFinding {
  readonly report: StreamReport;
  readonly faults: readonly Fault[];
  readonly seconds: number;
  /** The ledger that the files told of, which signs the blocks behind them. */
  readonly ledger: LedgerTrust | undefined;
}

export const runCheckStream = async (
  context: CommandContext,
  ready: ReadySettings,
  { json = false }: { readonly json?: boolean },
): Promise<void> => {
  const { terminal, cwd } = context;
  const streams = await chooseStoredStreams(ready, cwd);
  const electorate = await openElectorate(ready, cwd, streams);
  if (ready.settings.kagami.source.trustUnsigned) {
    ready.logger.warn('What no node signed is accepted: nothing proves that it is the ledger.');
  }
  const interruption = watchInterruption(terminal);
  const progress = createProgressBar(terminal, 'Checked');
  let done = 0;
  let transactions = 0;
  const checked = (more: number): void => {
    done++;
    transactions += more;
    if (!json) progress.update({ done, total: undefined, transactions });
  };
  const { signal } = interruption;
  try {
    const records =
      streams.records === undefined
        ? undefined
        : await findInRecords(ready, streams.records, electorate, checked, signal);
    const blocks = signal.aborted
      ? undefined
      : await findInBlocksOf(context, ready, streams, { electorate, ledger: records?.ledger, checked, signal });
    progress.finish();
    terminal.out(json ? `${findingsJson(records, blocks)}\n` : findingsText(context, records, blocks));
    const isGood =
      (records === undefined || areRecordsGood(records.report)) &&
      (blocks === undefined || areBlocksGood(blocks.report));
    if (signal.aborted) context.setExitCode(exitCodes.interrupted);
    else if (!isGood) context.setExitCode(exitCodes.stream);
  } finally {
    progress.finish();
    interruption.release();
  }
};

const openElectorate = async (ready: ReadySettings, cwd: string, streams: StreamChoice): Promise<Electorate> => {
  const { importer, common } = ready.settings.hiero.mirror;
  const book = await openAddressBook(
    {
      configured: importer.initialAddressBook,
      location: placeOfFiles(streams),
      cwd,
      network: namedNetwork(ready),
      begins: importRangeOf(importer).from ?? blocksBegin(streams, importer),
    },
    common,
    // Blocks of a block stream are signed by the ledger as a whole.
    streams.records !== undefined && !ready.settings.kagami.source.trustUnsigned,
  );
  return {
    book,
    weights: weighNodes(book, undefined, importer.consensusMode),
    ratio: parseRatio(importer.downloader.consensusRatio),
  };
};

const findInRecords = async (
  { settings }: ReadySettings,
  location: SourceLocation,
  electorate: Electorate,
  checked: (transactions: number) => void,
  signal: AbortSignal,
): Promise<RecordsFinding> => {
  const { from, to } = importRangeOf(settings.hiero.mirror.importer);
  const source = openSource(location, false);
  const faults: Fault[] = [];
  let ledger: LedgerTrust | undefined;
  const onFile = ({ base, reason, proof }: CheckedFile): void => {
    if (reason !== null) faults.push(faultOf(base, reason));
    if (proof !== null) ledger = recordedLedgerPublication(proof.recordFile) ?? ledger;
    checked(proof?.recordFile.items.length ?? 0);
  };
  const began = performance.now();
  try {
    const { trustUnsigned } = settings.kagami.source;
    const report = await checkStream({ source, electorate, trustUnsigned, from, to, onFile, signal });
    return { report, faults, seconds: (performance.now() - began) / 1_000, ledger };
  } finally {
    source.close();
  }
};

interface BlocksQuestion {
  readonly electorate: Electorate;
  readonly ledger: LedgerTrust | undefined;
  readonly checked: (transactions: number) => void;
  readonly signal: AbortSignal;
}

/** Undefined where there are record files and no blocks, and of buckets, where those are a stream of their own. */
const findInBlocksOf = async (
  context: CommandContext,
  ready: ReadySettings,
  { records, blocks }: StreamChoice,
  { checked, ...question }: BlocksQuestion,
): Promise<BlocksFinding | undefined> => {
  if (blocks === undefined || records?.kind === 'bucket') return undefined;
  try {
    return await findInBlocks(context, ready, {
      location: blocks,
      onBlock: ({ recordFile }) => checked(recordFile?.items.length ?? 0),
      ...question,
    });
  } catch (error) {
    if (records !== undefined && isKagamiError(error) && error.code === 'SOURCE_EMPTY') return undefined;
    throw error;
  }
};

const faultOf = (file: string, { code, message }: KagamiError): Fault => ({ file, code, message });

const areRecordsGood = ({ refused, brokenLinks, files }: StreamReport): boolean =>
  files > 0 && refused === 0 && brokenLinks === 0;

const findingsText = (
  context: CommandContext,
  records: RecordsFinding | undefined,
  blocks: BlocksFinding | undefined,
): string =>
  [records && recordsText(context, records), blocks && blocksText(context, blocks)].filter(Boolean).join('\n');

const recordsText = ({ terminal: { style } }: CommandContext, { report, faults, seconds }: RecordsFinding): string => {
  const good = style.green(
    report.trusted === 0
      ? 'Proven: enough nodes signed every file, all hashes are right, the chain is unbroken.'
      : 'Hashes and chain are right, but not every file is signed: that these are the ledger is not proven.',
  );
  const bad = style.red(report.files === 0 ? 'There are no record files.' : 'Not proven.');
  return faultsText(style, faults, areRecordsGood(report) ? good : bad, [
    ['Files', `${formatCount(report.files)} from ${formatCount(report.nodes)} nodes, ${formatBytes(report.bytes)}`],
    ['Proven', formatCount(report.proven)],
    ['Unsigned', formatCount(report.trusted)],
    ['Refused', formatCount(report.refused)],
    ['Broken links', formatCount(report.brokenLinks)],
    ['Sidecars', formatCount(report.sidecars)],
    ['Transactions', formatCount(report.transactions)],
    ['Consensus time', spanText(report)],
    ['Took', tookText(report.transactions, seconds)],
  ]);
};

const findingsJson = (records: RecordsFinding | undefined, blocks: BlocksFinding | undefined): string =>
  JSON.stringify({ ...(records && recordsJson(records)), ...(blocks && { blocks: blocksJson(blocks) }) }, undefined, 2);

const recordsJson = ({
  report: { firstFailure: _, ...report },
  faults,
}: RecordsFinding): Readonly<Record<string, unknown>> => ({ ...report, ...spanJson(report), faults });
