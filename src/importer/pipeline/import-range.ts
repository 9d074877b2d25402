/** Which part of a stream is imported: the settings of its first and last block and consensus time. */
import { KagamiError } from '../../errors/kagami-error.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import { streamError } from '../../streams/stream-error.ts';
import { blockNumberOf } from './block-number.ts';
import type { ChainPosition } from './chain-position.ts';

export interface ImportRange {
  /** First and last consensus time, inclusive. */
  readonly from: Nanos | undefined;
  readonly to: Nanos | undefined;
  /** Number of the first block of an empty database, and of the last block, inclusive. */
  readonly firstBlock: bigint | undefined;
  readonly lastBlock: bigint | undefined;
}

interface RangeSettings {
  readonly startDate: string;
  readonly endDate: string;
  readonly startBlockNumber: bigint;
  readonly endBlockNumber: bigint;
}

/** @throws KagamiError CONFIG_INVALID for times that are none, and for a range that ends before it begins. */
export const importRangeOf = (settings: RangeSettings): ImportRange => {
  const from = timeOf(settings.startDate, 'startDate');
  const to = timeOf(settings.endDate, 'endDate');
  const firstBlock = numberOf(settings.startBlockNumber);
  const lastBlock = numberOf(settings.endBlockNumber);
  if (from !== undefined && to !== undefined && from > to) {
    throw invalid('startDate', `startDate (${settings.startDate}) lies after endDate (${settings.endDate})`);
  }
  if (firstBlock !== undefined && lastBlock !== undefined && firstBlock > lastBlock) {
    throw invalid('startBlockNumber', `startBlockNumber (${firstBlock}) lies after endBlockNumber (${lastBlock})`);
  }
  return { from, to, firstBlock, lastBlock };
};

/** Whether nothing of the range is left to import. */
export const isImported = ({ to, lastBlock }: ImportRange, last: ChainPosition | undefined): boolean =>
  last !== undefined &&
  ((to !== undefined && last.consensusEnd >= to) || (lastBlock !== undefined && last.index >= lastBlock));

/**
 * Where a stream is read on: behind the last block, or at the first consensus time if that is later.
 * @throws KagamiError CONFIG_INVALID when blocks would be left out between the two, and that isn't accepted.
 */
export const startOf = (
  { from }: ImportRange,
  last: ChainPosition | undefined,
  acceptGaps: boolean,
): { readonly after: ChainPosition | undefined; readonly from: Nanos | undefined } => {
  if (last === undefined || from === undefined || from <= last.consensusEnd) return { after: last, from };
  if (acceptGaps) return { after: undefined, from };
  throw invalid(
    'startDate',
    `startDate lies after block ${last.index}, the last one in the database, which ends at ` +
      `${formatTimestamp(last.consensusEnd)}: the blocks between would be missing. Remove startDate, or set ` +
      'kagami.source.acceptGaps to go on all the same',
  );
};

export interface RangeOptions {
  readonly acceptGaps?: boolean;
  readonly onPassedOver?: ((file: string, reason: KagamiError, block: bigint) => void) | undefined;
}

const beforeFirst = (file: string, index: bigint, firstBlock: bigint): KagamiError =>
  streamError('SOURCE_OUT_OF_RANGE', {
    file,
    rule: `block ${index}, and the import begins with block ${firstBlock} (startBlockNumber)`,
    block: index,
  });

/**
 * The files of `range`; ends with its last one. On an empty database blocks with a lower number than its first one are
 * left out.
 * @throws KagamiError STREAM_CHAIN_BROKEN when the stream begins after the first block, and gaps aren't accepted.
 */
export async function* filesOfRange(
  files: AsyncIterable<VerifiedRecordFile>,
  range: ImportRange,
  last: ChainPosition | undefined,
  { acceptGaps = false, onPassedOver }: RangeOptions = {},
): AsyncGenerator<VerifiedRecordFile> {
  const { to, firstBlock, lastBlock } = range;
  let previous: Pick<ChainPosition, 'index'> | undefined = last;
  for await (const file of files) {
    const { recordFile } = file;
    if (to !== undefined && recordFile.consensusStart > to) return;
    const index = blockNumberOf(recordFile, previous, firstBlock);
    if (previous === undefined && firstBlock !== undefined && index !== firstBlock) {
      if (index < firstBlock) {
        onPassedOver?.(recordFile.name, beforeFirst(recordFile.name, index, firstBlock), index);
        continue;
      }
      if (!acceptGaps) {
        const rule = `is block ${index}: ${blocksText(firstBlock, index - 1n)} missing`;
        throw streamError('STREAM_CHAIN_BROKEN', { file: recordFile.name, rule });
      }
    }
    if (lastBlock !== undefined && index > lastBlock) return;
    yield file;
    if (index === lastBlock) return;
    previous = { index };
  }
}

const blocksText = (first: bigint, last: bigint): string =>
  first === last ? `block ${first} is` : `blocks ${first} to ${last} are`;

/** -1 stands for none. */
const numberOf = (setting: bigint): bigint | undefined => (setting < 0n ? undefined : setting);

/** Nanoseconds of an ISO 8601 setting; undefined when it is empty. */
export const timeOf = (text: string, setting: string): Nanos | undefined => {
  if (text === '') return undefined;
  const match = /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  const milliseconds = Date.parse(`${match?.[1]}${match?.[3] ?? (match?.[1]?.includes('T') ? 'Z' : '')}`);
  if (Number.isNaN(milliseconds)) throw invalid(setting, `${setting} is not an ISO 8601 time: ${text}`);
  return BigInt(milliseconds) * 1_000_000n + BigInt((match?.[2] ?? '').padEnd(9, '0'));
};

const invalid = (setting: string, message: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', `hiero.mirror.importer: ${message}`, {
    details: { setting: `hiero.mirror.importer.${setting}` },
  });
