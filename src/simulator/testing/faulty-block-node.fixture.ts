/** Block nodes that don't do as they should. */
import { SubscribeStreamResponse } from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import { type BlockNodeHooks, ConnectionCut } from '../block-node/block-node.ts';
import { endOfBlockMessage, itemSets, itemsMessage, statusMessage } from '../block-node/subscription.ts';

export type BlockNodeFault =
  /** The connection is cut in the middle of the block. */
  | 'dies'
  /** One bit of the block is another. */
  | 'lies'
  /** The block begins anew half-way, without an end of the first part; then it comes again as a whole. */
  | 'repeats'
  /** The block never comes, nor anything else. */
  | 'stalls'
  /** The end of the block comes before its items. */
  | 'reorders'
  /** The node says that it has blocks up to this one only. */
  | 'behind'
  /** The block is left out, without notice. */
  | 'skips'
  /** The node says ERROR instead of sending the block. */
  | 'fails'
  /** A message that is none. */
  | 'babbles';

const ERROR = 3;
const SMALL_SET_BYTES = 2_048;

/** Items of the block, as its messages carry them. */
const blockOf = (messages: readonly Uint8Array[]): Uint8Array => {
  const sets = messages.slice(0, -1).map((message) => SubscribeStreamResponse.decode(message));
  if (sets.some(({ response }) => response?.$case !== 'blockItems')) throw new Error('Not the messages of a block');
  // Field, then length of the set: two bytes at least, and the items to the end.
  return Buffer.concat(messages.slice(0, -1).map(contentOf));
};

const contentOf = (message: Uint8Array): Uint8Array => {
  let start = 1;
  while (((message[start] as number) & 0x80) !== 0) start++;
  return message.subarray(start + 1);
};

const never = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Hooks of a node that has a fault at one block, as often as `times` says (for ever by default), and then none. */
export const faultAt = (fault: BlockNodeFault, at: bigint, times = Number.POSITIVE_INFINITY): BlockNodeHooks => {
  let left = times;
  const isDue = (number: bigint): boolean => number === at && left-- > 0;
  if (fault === 'behind') {
    return {
      stored: ({ first, last }) => ({ first, last: last === undefined || last < at ? last : at }),
      messages: async function* (number, right, signal) {
        if (number > at) await never(signal);
        else yield* right;
      },
    };
  }
  return {
    messages: async function* (number, right, signal) {
      if (!isDue(number)) {
        yield* right;
        return;
      }
      const block = blockOf(right);
      const sets = itemSets(block, SMALL_SET_BYTES);
      const half = sets.slice(0, Math.ceil(sets.length / 2)).map(itemsMessage);
      switch (fault) {
        case 'dies':
          yield* half;
          throw new ConnectionCut();
        case 'lies': {
          const changed = Buffer.from(block);
          // Somewhere in the middle, in the content of an item.
          const place = changed.length >> 1;
          changed[place] = (changed[place] as number) ^ 0x10;
          yield itemsMessage(changed);
          yield endOfBlockMessage(number);
          return;
        }
        case 'repeats':
          yield* half;
          yield* right;
          yield* right;
          return;
        case 'stalls':
          await never(signal);
          return;
        case 'reorders':
          yield* [...right].toReversed();
          return;
        case 'skips':
          return;
        case 'fails':
          yield statusMessage(ERROR);
          throw new ConnectionCut();
        case 'babbles':
          yield Buffer.from('ffffffff', 'hex');
          return;
      }
    },
  };
};
