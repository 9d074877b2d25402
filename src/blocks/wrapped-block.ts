/** Wrapped record blocks: record files of old networks in the form of blocks. */
import type { Block } from '../streams/block/block.ts';
import { amendedItems, readWrappedRecordFile } from '../streams/block/wrapped-record-file.ts';
import type { RecordFile, RecordFileItem } from '../streams/record-file-content.ts';
import { consensusTimestampOf } from '../streams/record-timestamps.ts';
import { streamError } from '../streams/stream-error.ts';
import type { BlockRecordFile } from './block-record-file.ts';
import { genesisStateOf } from './genesis-state.ts';

/**
 * The record file that the block wraps, with its amendments where their consensus times put them, and its sidecars.
 * Everything else is as in the file that the nodes signed. `rootHash` is the proven root hash of the block, 48 bytes.
 * @throws KagamiError as `readWrappedRecordFile`; STREAM_MALFORMED when the block wraps no record file
 */
export const recordFileOfWrappedBlock = (block: Block, rootHash: Uint8Array): BlockRecordFile => {
  const wrapped = wrappedIn(block);
  const { recordFile, sidecars } = wrapped;
  return {
    recordFile: {
      ...recordFile,
      items: amendedItems(wrapped),
      ...spanWith(recordFile, wrapped.amendments),
      // Files of old don't state the number of their block; the block does.
      blockNumber: block.number,
      ofBlock: {
        softwareVersion: null,
        roundStart: null,
        roundEnd: null,
        wrappedRecordBlockHash: rootHash,
        previousWrappedRecordBlockHash: block.footer.previousRootHash,
      },
    },
    sidecars,
    genesis: genesisStateOf(block, recordFile.consensusStart),
  };
};

/** A missing transaction may be the first or last of the block. */
const spanWith = (
  { name, consensusStart, consensusEnd }: RecordFile,
  amendments: readonly RecordFileItem[],
): Pick<RecordFile, 'consensusStart' | 'consensusEnd'> => {
  let start = consensusStart;
  let end = consensusEnd;
  for (const { record } of amendments) {
    const time = consensusTimestampOf(record, record, name);
    if (time < start) start = time;
    if (time > end) end = time;
  }
  return { consensusStart: start, consensusEnd: end };
};

const wrappedIn = (block: Block): ReturnType<typeof readWrappedRecordFile> => {
  const proof = block.proofs.find(({ kind }) => kind === 'record-file');
  if (block.recordFile === null || proof?.kind !== 'record-file') {
    throw streamError('STREAM_MALFORMED', {
      file: block.name,
      block: block.number,
      rule: `block ${block.number} wraps no record file, or has no proof of one`,
    });
  }
  return readWrappedRecordFile(block.name, block.recordFile, proof.version);
};
