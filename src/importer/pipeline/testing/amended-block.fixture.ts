/** Wrapped record blocks with transactions that nobody signed. */
import { TransactionRecord } from '../../../protobuf/generated/services/transaction_record.ts';
import { blockBytes, blockItem, lengthDelimited } from '../../../simulator/blocks/item-bytes.ts';
import { BlockItemField } from '../../../streams/block/block.ts';
import { readBlock } from '../../../streams/block/read-block.ts';
import { readWrappedRecordFile } from '../../../streams/block/wrapped-record-file.ts';

/** The block with an amendment: its first transaction once more, a nanosecond later. */
export const withAmendment = (bytes: Uint8Array): Uint8Array => {
  const block = readBlock('block', bytes);
  const payload = block.recordFile as Uint8Array;
  const [first] = readWrappedRecordFile('block', payload, 6).recordFile.items;
  if (first === undefined) throw new TypeError('the block has no transaction');
  const record = TransactionRecord.decode(first.record);
  const { seconds = 0n, nanos = 0 } = record.consensusTimestamp ?? {};
  const later = TransactionRecord.encode({ ...record, consensusTimestamp: { seconds, nanos: nanos + 1 } }).finish();
  const amendment = Buffer.concat([lengthDelimited(1, first.transaction), lengthDelimited(2, later)]);
  const amended = Buffer.concat([payload, lengthDelimited(4, amendment)]);
  return blockBytes(
    block.items.map((item) =>
      item.field === BlockItemField.recordFile ? blockItem(BlockItemField.recordFile, amended) : item,
    ),
  );
};
