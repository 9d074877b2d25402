/** The part of `kagami check-stream` that is about blocks. */
import type { KagamiError } from '../../errors/kagami-error.ts';
import { configuredLedger, recordSignersOf } from '../../importer/pipeline/block-trust.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { type BlockStreamReport, type CheckedBlock, checkBlocks } from '../../sources/check-blocks.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { openBlockOrigins } from '../../sources/open-block-origins.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { formatBytes, formatCount } from '../terminal/figures.ts';
import { type Fault, faultsText, spanJson, spanText, tookText } from './check-findings.ts';

export interface BlocksFinding {
  readonly report: BlockStreamReport;
  readonly faults: readonly Fault[];
  readonly seconds: number;
}

export interface BlocksTask {
  readonly location: BlockStreamLocation;
  /** Whose signatures prove wrapped record blocks. */
  readonly electorate: Electorate;
  /** The ledger that record files before have told of. */
  readonly ledger: LedgerTrust | undefined;
  readonly onBlock: (block: CheckedBlock) => void;
  readonly signal: AbortSignal;
}

/** @throws KagamiError as `checkBlocks`, CONFIG_INVALID */
export const findInBlocks = async (
  { cwd }: Pick<CommandContext, 'cwd'>,
  { settings }: Pick<ReadySettings, 'settings'>,
  { location, electorate, ledger, onBlock, signal }: BlocksTask,
): Promise<BlocksFinding> => {
  const { importer } = settings.hiero.mirror;
  const { downloader, block } = importer;
  const { firstBlock, lastBlock } = importRangeOf(importer);
  const configured = await configuredLedger(block.initialLedgerIdPublication, cwd);
  const origins = openBlockOrigins(
    { ...location, discoversNodes: false },
    { settings: block, timeoutMs: downloader.timeout, batchSize: downloader.batchSize },
  );
  const faults: Fault[] = [];
  const began = performance.now();
  try {
    let origin = origins[0];
    for (const other of origins.toReversed()) if (await other.isUsable()) origin = other;
    if (origin === undefined) throw new TypeError('there is no source of blocks');
    const report = await checkBlocks({
      origin,
      trust: {
        ledger: ledger ?? configured,
        wrapsKeyHashes: [],
        recordSigners: recordSignersOf(electorate),
        testSignatures: false,
        unsigned: settings.kagami.source.trustUnsigned,
      },
      limits: { maxContentBytes: block.stream.maxBlockSize, maxItems: block.stream.maxBlockItems },
      first: firstBlock,
      last: lastBlock,
      onBlock: (checked) => {
        if (checked.reason !== null) faults.push(faultOf(checked, checked.reason));
        onBlock(checked);
      },
      signal,
    });
    return { report, faults, seconds: (performance.now() - began) / 1_000 };
  } finally {
    for (const origin of origins) origin.close();
  }
};

const faultOf = ({ name }: CheckedBlock, { code, message }: KagamiError): Fault => ({ file: name, code, message });

/** Whether all that is there is good. */
export const areBlocksGood = ({ refused, brokenLinks, missing, blocks }: BlockStreamReport): boolean =>
  blocks > 0 && refused === 0 && brokenLinks === 0 && missing === 0;

const PROOFS: Readonly<Record<keyof BlockStreamReport['proofs'], string>> = {
  schnorr: 'a threshold signature with a Schnorr aggregate',
  wraps: 'a threshold signature with a WRAPS proof',
  'state-proof': 'a state proof',
  'later-block': 'a later block',
  'record-signatures': 'the nodes that signed the record file',
  'test-signature': 'a test signature',
  trusted: 'nothing',
};

const proofsText = ({ proofs }: BlockStreamReport): string =>
  Object.entries(proofs)
    .map(([by, count]) => `${formatCount(count)} by ${PROOFS[by as keyof typeof PROOFS]}`)
    .join(', ');

export const blocksText = (
  context: Pick<CommandContext, 'terminal'>,
  { report, faults, seconds }: BlocksFinding,
): string => {
  const { style } = context.terminal;
  const good = style.green(
    report.trusted === 0
      ? 'Proven: every block is proven, all hashes are right, the chain is unbroken.'
      : 'Hashes and chain are right, but not every block is signed: that these are the ledger is not proven.',
  );
  const bad = style.red(report.blocks === 0 ? 'There are no blocks.' : 'Not proven.');
  return faultsText(style, faults, areBlocksGood(report) ? good : bad, [
    [
      'Blocks',
      report.firstBlock === null
        ? '0'
        : `${formatCount(report.blocks)}, ${report.firstBlock} to ${report.lastBlock}, ${formatBytes(report.bytes)}`,
    ],
    ['Record files', `${formatCount(report.wrapped)} wrapped`],
    ['Proven', [formatCount(report.proven), proofsText(report)].filter(Boolean).join(': ')],
    ['Unsigned', formatCount(report.trusted)],
    ['Refused', formatCount(report.refused)],
    ['Missing', formatCount(report.missing)],
    ['Broken links', formatCount(report.brokenLinks)],
    ['Ledger', report.ledgerId === null ? '-' : toHex(report.ledgerId)],
    ['Transactions', formatCount(report.transactions)],
    ['Consensus time', spanText(report)],
    ['Took', tookText(report.transactions, seconds)],
  ]);
};

const numberText = (value: bigint | null): string | null => (value === null ? null : value.toString());

/** Plain data for JSON. */
export const blocksJson = ({ report, faults }: BlocksFinding): Readonly<Record<string, unknown>> => ({
  ...report,
  firstBlock: numberText(report.firstBlock),
  lastBlock: numberText(report.lastBlock),
  ledgerId: report.ledgerId === null ? null : toHex(report.ledgerId),
  ...spanJson(report),
  faults,
});
