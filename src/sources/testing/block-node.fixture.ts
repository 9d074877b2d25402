/** A block node for tests: real gRPC, blocks in memory, and faults on demand. */
import { setTimeout as pause } from 'node:timers/promises';
import { Server, ServerCredentials, type ServerWritableStream, type sendUnaryData } from '@grpc/grpc-js';
import { Block } from '../../protobuf/generated/block/stream/block.ts';
import { BlockItem } from '../../protobuf/generated/block/stream/block_item.ts';
import {
  SubscribeStreamResponse_Code as Code,
  SubscribeStreamRequest,
  SubscribeStreamResponse,
} from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import { ServerStatusResponse } from '../../protobuf/generated/block-node/api/node_service.ts';
import { WireReader } from '../../streams/wire.ts';
import type { BlockNodeAddress } from '../block-node/block-node-address.ts';

const NONE = (1n << 64n) - 1n;
const MAX_FUTURE = 4_000n;
const UNKNOWN_STATUS = 99;

/** What a node does wrong with one block; `once` is over after the first time. */
export type BlockFault =
  | { readonly kind: 'die' } /** the connection is cut before the end of the block */
  | { readonly kind: 'error' } /** status ERROR in place of the block */
  | { readonly kind: 'refuse' } /** status NOT_AVAILABLE in place of the block */
  | { readonly kind: 'mumble' } /** a status that nobody knows */
  | { readonly kind: 'success' } /** the stream ends in good order in place of the block */
  | { readonly kind: 'stall' } /** nothing after the first half of the block */
  | { readonly kind: 'drip'; readonly pauseMs: number } /** an item at a time, with pauses */
  | { readonly kind: 'silent' } /** nothing in place of the block */
  | { readonly kind: 'repeat' } /** the block comes twice, with its end */
  | { readonly kind: 'restart' } /** half of the block, then the whole of it */
  | { readonly kind: 'reorder' } /** the block after it comes first */
  | { readonly kind: 'hole' } /** the block is left out */
  | { readonly kind: 'headless' } /** items without the header */
  | { readonly kind: 'wrong-end' } /** the end names another block */
  | { readonly kind: 'empty-set' } /** a set without items before the block */
  | { readonly kind: 'garbage' } /** a message that is no protobuf */
  | { readonly kind: 'replace'; readonly bytes: Uint8Array }; /** another block in its place */

export interface TestBlockNodeOptions {
  /** Serialized blocks, by number from `first` on. */
  readonly blocks?: readonly Uint8Array[];
  readonly first?: bigint;
  /** Most bytes of a set of items that is sent at once. */
  readonly setBytes?: number;
  /** 0: any free port. */
  readonly port?: number;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
}

/** A block of a header with its number and of `payload` in items that no decoder knows. */
export const plainBlock = (number: bigint, payload: readonly Uint8Array[] = []): Uint8Array =>
  Block.encode({
    items: [
      BlockItem.fromPartial({ item: { $case: 'blockHeader', blockHeader: { number } } }),
      ...payload.map((signedTransaction) =>
        BlockItem.fromPartial({ item: { $case: 'signedTransaction', signedTransaction } }),
      ),
    ],
  }).finish();

/** A block item with its tag, as it stands in a block. */
const itemsOf = (block: Uint8Array): Uint8Array[] => {
  const items: Uint8Array[] = [];
  const fields = new WireReader(block, 'block');
  try {
    while (fields.next()) items.push(block.subarray(fields.tagStart, fields.end));
  } catch {
    // A block that was cut off is sent up to where it ends.
    items.push(block.subarray(fields.tagStart));
  }
  return items;
};

export class TestBlockNode {
  /** By block number. */
  readonly faults = new Map<bigint, BlockFault & { readonly once?: boolean }>();
  /** Start numbers of the subscriptions so far. */
  readonly subscriptions: bigint[] = [];
  statusRequests = 0;
  /** Answers no question for its status. */
  deaf = false;
  /** What it says to have beyond its newest block; less than that if negative. */
  boast = 0n;
  port = 0;
  #server: Server | undefined;
  #first: bigint;
  #blocks: Uint8Array[];
  readonly #setBytes: number;
  readonly #options: TestBlockNodeOptions;
  #arrived = Promise.withResolvers<void>();
  readonly #calls = new Set<ServerWritableStream<Buffer, Buffer>>();

  constructor(options: TestBlockNodeOptions = {}) {
    this.#options = options;
    this.#first = options.first ?? 0n;
    this.#blocks = [...(options.blocks ?? [])];
    this.#setBytes = options.setBytes ?? 1_048_576;
  }

  get last(): bigint {
    return this.#first + BigInt(this.#blocks.length) - 1n;
  }

  address(priority = 0): BlockNodeAddress {
    const requiresTls = this.#options.tls !== undefined;
    // A certificate is for a name.
    const endpoint = { host: requiresTls ? 'localhost' : '127.0.0.1', port: this.port, requiresTls };
    return { priority, status: endpoint, subscribe: endpoint };
  }

  async start(): Promise<this> {
    const server = new Server({ 'grpc.max_concurrent_streams': 8 });
    const asIs = (bytes: Buffer): Buffer => bytes;
    const method = {
      requestDeserialize: asIs,
      requestSerialize: asIs,
      responseDeserialize: asIs,
      responseSerialize: asIs,
    };
    server.addService(
      {
        subscribeBlockStream: {
          ...method,
          path: '/org.hiero.block.api.BlockStreamSubscribeService/subscribeBlockStream',
          requestStream: false,
          responseStream: true,
        },
        serverStatus: {
          ...method,
          path: '/org.hiero.block.api.BlockNodeService/serverStatus',
          requestStream: false,
          responseStream: false,
        },
      },
      {
        subscribeBlockStream: (call: ServerWritableStream<Buffer, Buffer>) => void this.#subscribe(call),
        serverStatus: (_call: unknown, answer: sendUnaryData<Buffer>) => this.#status(answer),
      },
    );
    const { tls, port = 0 } = this.#options;
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }]);
    this.port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.port === 0 ? port : this.port}`, credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    this.#server = server;
    return this;
  }

  /** Dies as a killed process does; `start` brings it back on the same port. */
  kill(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.#calls.clear();
  }

  /** Adds the next blocks; subscriptions that wait get them. */
  add(...blocks: readonly Uint8Array[]): void {
    this.#blocks.push(...blocks);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  /** Lets go of the blocks before a number. */
  prune(first: bigint): void {
    this.#blocks.splice(0, Number(first - this.#first));
    this.#first = first;
  }

  blockAt(number: bigint): Uint8Array | undefined {
    return number < this.#first ? undefined : this.#blocks[Number(number - this.#first)];
  }

  #status(answer: sendUnaryData<Buffer>): void {
    this.statusRequests++;
    if (this.deaf) return;
    const empty = this.#blocks.length === 0;
    const message = ServerStatusResponse.fromPartial({
      firstAvailableBlock: empty ? NONE : this.#first,
      lastAvailableBlock: empty ? NONE : this.last + this.boast,
      onlyLatestState: true,
      nextExpectedBlock: this.last + 1n,
    });
    answer(null, Buffer.from(ServerStatusResponse.encode(message).finish()));
  }

  async #subscribe(call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
    this.#calls.add(call);
    call.on('error', () => undefined);
    const gone = new Promise<'gone'>((resolve) => {
      for (const event of ['cancelled', 'close', 'error']) call.on(event, () => resolve('gone'));
    });
    const { startBlockNumber: start, endBlockNumber: end } = SubscribeStreamRequest.decode(call.request);
    this.subscriptions.push(start);
    const refusal = this.#refusal(start, end);
    if (refusal !== undefined) {
      this.#end(call, refusal);
      return;
    }
    const last = BigInt.asIntN(64, end);
    for (let number = start; last < 0n || number <= last; number++) {
      while (this.blockAt(number) === undefined) {
        if (number < this.#first) {
          this.#end(call, Code.NOT_AVAILABLE);
          return;
        }
        if ((await Promise.race([this.#arrived.promise, gone])) === 'gone') return;
      }
      if (!(await this.#send(call, number, gone))) return;
    }
    this.#end(call, Code.SUCCESS);
  }

  #refusal(start: bigint, end: bigint): Code | undefined {
    const [from, to] = [BigInt.asIntN(64, start), BigInt.asIntN(64, end)];
    if (from < 0n) return Code.INVALID_START_BLOCK_NUMBER;
    if (to < -1n || (to >= 0n && to < from)) return Code.INVALID_END_BLOCK_NUMBER;
    if (this.#blocks.length === 0 || from < this.#first || from > this.last + MAX_FUTURE) return Code.NOT_AVAILABLE;
    return undefined;
  }

  /** False when nothing is to follow. */
  async #send(call: ServerWritableStream<Buffer, Buffer>, number: bigint, gone: Promise<'gone'>): Promise<boolean> {
    const fault = this.faults.get(number);
    if (fault?.once) this.faults.delete(number);
    const block = fault?.kind === 'replace' ? fault.bytes : (this.blockAt(number) as Uint8Array);
    const items = itemsOf(block);
    const half = items.slice(0, Math.ceil(items.length / 2));
    const whole = async (bytes: Uint8Array, of: bigint): Promise<void> => {
      await this.#sendItems(call, itemsOf(bytes), gone);
      await this.#write(call, { $case: 'endOfBlock', endOfBlock: { blockNumber: of } }, gone);
    };
    switch (fault?.kind) {
      case 'die':
        await this.#sendItems(call, half, gone);
        call.emit('error', { code: 14, details: 'gone away' });
        return false;
      case 'error':
        this.#end(call, Code.ERROR);
        return false;
      case 'refuse':
        this.#end(call, Code.NOT_AVAILABLE);
        return false;
      case 'mumble':
        this.#end(call, UNKNOWN_STATUS as Code);
        return false;
      case 'drip':
        for (const item of items) {
          await this.#sendItems(call, [item], gone);
          await Promise.race([pause(fault.pauseMs), gone]);
        }
        await this.#write(call, { $case: 'endOfBlock', endOfBlock: { blockNumber: number } }, gone);
        return true;
      case 'success':
        this.#end(call, Code.SUCCESS);
        return false;
      case 'stall':
        await this.#sendItems(call, half, gone);
        await gone;
        return false;
      case 'silent':
        await gone;
        return false;
      case 'hole':
        return true;
      case 'repeat':
        await whole(block, number);
        break;
      case 'restart':
        await this.#sendItems(call, half, gone);
        break;
      case 'reorder':
        await whole(this.blockAt(number + 1n) ?? block, number + 1n);
        break;
      case 'headless':
        await this.#sendItems(call, items.slice(1), gone);
        return true;
      case 'wrong-end':
        await this.#sendItems(call, items, gone);
        await this.#write(call, { $case: 'endOfBlock', endOfBlock: { blockNumber: number + 7n } }, gone);
        return true;
      case 'empty-set':
        await this.#write(call, { $case: 'blockItems', blockItems: { blockItems: [] } }, gone);
        break;
      case 'garbage':
        call.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]));
        return true;
      default:
    }
    await whole(block, number);
    return (await Promise.race([gone, Promise.resolve('here')])) !== 'gone';
  }

  async #sendItems(
    call: ServerWritableStream<Buffer, Buffer>,
    items: Uint8Array[],
    gone: Promise<'gone'>,
  ): Promise<void> {
    let set: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (set.length === 0) return;
      const payload = Buffer.concat(set);
      set = [];
      bytes = 0;
      // Field 2 of the response: the items as they stand in the block.
      await this.#writeBytes(call, Buffer.concat([Buffer.from([0x12]), varint(payload.length), payload]), gone);
    };
    for (const item of items) {
      if (bytes + item.length > this.#setBytes) await flush();
      set.push(item);
      bytes += item.length;
    }
    await flush();
  }

  #write(
    call: ServerWritableStream<Buffer, Buffer>,
    response: SubscribeStreamResponse['response'],
    gone: Promise<'gone'>,
  ): Promise<void> {
    return this.#writeBytes(call, Buffer.from(SubscribeStreamResponse.encode({ response }).finish()), gone);
  }

  async #writeBytes(call: ServerWritableStream<Buffer, Buffer>, bytes: Buffer, gone: Promise<'gone'>): Promise<void> {
    if (call.write(bytes)) return;
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    call.once('drain', resolve);
    await Promise.race([drained, gone]);
    call.off('drain', resolve);
  }

  #end(call: ServerWritableStream<Buffer, Buffer>, status: Code): void {
    call.write(Buffer.from(SubscribeStreamResponse.encode({ response: { $case: 'status', status } }).finish()));
    call.end();
  }
}

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
};
