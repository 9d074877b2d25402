/** Which blocks a subscriber gets, and the messages that carry them (BlockStreamSubscribeService). */
import {
  SubscribeStreamResponse_Code as Code,
  SubscribeStreamResponse,
} from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import { WireReader } from '../../streams/wire.ts';
import { lengthDelimited } from '../blocks/item-bytes.ts';

/** How far ahead of the newest block a subscriber may ask. */
const MAX_FUTURE_BLOCKS = 4_000n;
/** Sets of stored blocks are cut at items so that they stay within this, unless one item alone is larger. */
const MAX_SET_BYTES = 1_048_576;
/** Stands for "not given": the greatest uint64. */
const UNKNOWN = -1n;
const BLOCK_ITEMS_FIELD = 2;

/** Blocks from one number to another. */
export interface BlockRange {
  /** Undefined for whatever comes next. */
  readonly start: bigint | undefined;
  /** Undefined for all that will ever come. */
  readonly end: bigint | undefined;
}

/** What is stored: numbers of the oldest and the newest block, undefined while there is none. */
export interface Stored {
  readonly first: bigint | undefined;
  readonly last: bigint | undefined;
}

/** What a request asks for, or the status that refuses it. */
export const rangeOf = (
  request: { readonly startBlockNumber: bigint; readonly endBlockNumber: bigint },
  { first, last }: Stored,
): BlockRange | { readonly refused: Code } => {
  const start = BigInt.asIntN(64, request.startBlockNumber);
  const end = BigInt.asIntN(64, request.endBlockNumber);
  if (start < UNKNOWN) return { refused: Code.INVALID_START_BLOCK_NUMBER };
  if (end < UNKNOWN) return { refused: Code.INVALID_END_BLOCK_NUMBER };
  const wanted = end === UNKNOWN ? undefined : end;
  if (start === UNKNOWN) {
    if (wanted === undefined) return { start: last === undefined ? undefined : last + 1n, end: undefined };
    return first === undefined || first > end ? { refused: Code.NOT_AVAILABLE } : { start: first, end };
  }
  if (wanted !== undefined && end < start) return { refused: Code.INVALID_END_BLOCK_NUMBER };
  if (first === undefined || last === undefined || start < first) return { refused: Code.NOT_AVAILABLE };
  if (start > last + MAX_FUTURE_BLOCKS) return { refused: Code.NOT_AVAILABLE };
  return { start, end: wanted };
};

const responseBytes = (response: NonNullable<SubscribeStreamResponse['response']>): Uint8Array =>
  SubscribeStreamResponse.encode(SubscribeStreamResponse.fromPartial({ response })).finish();

export const statusMessage = (status: Code): Uint8Array => responseBytes({ $case: 'status', status });

export const endOfBlockMessage = (blockNumber: bigint): Uint8Array =>
  responseBytes({ $case: 'endOfBlock', endOfBlock: { blockNumber } });

/** The message with items of a block: a BlockItemSet has its items where a Block has them. */
export const itemsMessage = (items: Uint8Array): Uint8Array => lengthDelimited(BLOCK_ITEMS_FIELD, items);

/** A block in sets of whole items, each of at most `maxBytes` unless it is one item. */
export const itemSets = (block: Uint8Array, maxBytes = MAX_SET_BYTES): Uint8Array[] => {
  if (block.length <= maxBytes) return [block];
  const sets: Uint8Array[] = [];
  const items = new WireReader(block, 'block');
  let start = 0;
  let end = 0;
  while (items.next()) {
    if (items.end - start > maxBytes && end > start) {
      sets.push(block.subarray(start, end));
      start = end;
    }
    end = items.end;
  }
  sets.push(block.subarray(start, end));
  return sets;
};

/** All messages of a block. */
export const blockMessages = (number: bigint, block: Uint8Array): Uint8Array[] => [
  ...itemSets(block).map(itemsMessage),
  endOfBlockMessage(number),
];
