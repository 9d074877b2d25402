/** One block node over gRPC: its status, and its blocks one after the other. It knows no other node and no proof. */
import {
  ChannelCredentials,
  Client,
  type ClientReadableStream,
  InterceptingCall,
  type Interceptor,
  Metadata,
  type ServiceError,
  status as Status,
} from '@grpc/grpc-js';
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import {
  SubscribeStreamResponse_Code as SubscribeStatus,
  SubscribeStreamRequest,
} from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import { ServerStatusResponse } from '../../protobuf/generated/block-node/api/node_service.ts';
import { blockName } from '../../streams/block/block-file-name.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { AvailableBlocks, BlockRequest, RawBlock } from '../block-source.ts';
import { type AssemblyLimits, BlockAssembly, misbehaviour } from './block-assembly.ts';
import { type BlockNodeAddress, type BlockNodeEndpoint, nameOf, targetOf } from './block-node-address.ts';

export interface BlockNodeLimits extends AssemblyLimits {
  /** Most bytes of one message. */
  readonly maxMessageBytes: number;
  /** Milliseconds that the answer to a question for the status may take. */
  readonly statusTimeoutMs: number;
  /** Milliseconds without a message after which a node is suspected. */
  readonly silenceMs: number;
  /** Milliseconds that a block may take from its header to its end. */
  readonly blockTimeoutMs: number;
  /** Bytes of blocks that are taken from the node before they are asked for. */
  readonly readAheadBytes: number;
}

export interface BlockNodeClientOptions {
  readonly address: BlockNodeAddress;
  readonly limits: BlockNodeLimits;
  /** For tests: PEM of the authority that signed the node's certificate. */
  readonly rootCertificates?: Buffer;
}

/** A subscription, and what its consumer may be told while nothing comes. */
export interface Subscription extends BlockRequest {
  /**
   * Called when the node has been silent for `silenceMs` between two blocks and says that it has no more; throws if the
   * block is to be had elsewhere.
   */
  readonly onSilence?: (next: bigint) => Promise<void>;
}

/** HTTP/2's 64 KiB would have a large block wait for the way there and back again and again. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const KEEPALIVE_MS = 30_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
/** Milliseconds that a connection may take before its first question is asked. */
const CONNECT_MS = 5_000;
/** The greatest uint64: the end of a subscription without one, and the bounds of an empty node's blocks. */
const NONE = (1n << 64n) - 1n;

const SUBSCRIBE = '/org.hiero.block.api.BlockStreamSubscribeService/subscribeBlockStream';
const SERVER_STATUS = '/org.hiero.block.api.BlockNodeService/serverStatus';

const asIs = (bytes: Buffer): Buffer => bytes;

export class BlockNodeClient {
  readonly name: string;
  readonly address: BlockNodeAddress;
  readonly #limits: BlockNodeLimits;
  readonly #subscribing: Client;
  readonly #asking: Client;
  #asked = false;

  constructor({ address, limits, rootCertificates }: BlockNodeClientOptions) {
    this.address = address;
    this.name = nameOf(address);
    this.#limits = limits;
    this.#subscribing = clientOf(address.subscribe, limits, rootCertificates);
    this.#asking = isSameEndpoint(address.subscribe, address.status)
      ? this.#subscribing
      : clientOf(address.status, limits, rootCertificates);
  }

  /**
   * The blocks that the node says it has; undefined when it has none.
   * @throws KagamiError SOURCE_NODE_UNREACHABLE, SOURCE_NODE_MISBEHAVED
   */
  async available(signal?: AbortSignal): Promise<AvailableBlocks | undefined> {
    // The first question has a connection to wait for; a node that can't be reached must not delay the later ones.
    const patience = this.#limits.statusTimeoutMs + (this.#asked ? 0 : CONNECT_MS);
    this.#asked = true;
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const call = this.#asking.makeUnaryRequest(
        SERVER_STATUS,
        asIs,
        asIs,
        Buffer.alloc(0),
        new Metadata(),
        { deadline: Date.now() + patience },
        (error, bytes) => {
          signal?.removeEventListener('abort', cancel);
          if (error !== null) reject(unreachable(this.name, error));
          else resolve(bytes ?? Buffer.alloc(0));
        },
      );
      const cancel = (): void => call.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted) cancel();
    });
    return this.#availableOf(answer);
  }

  /**
   * The blocks from `from` on as they come. Ends with `to`, with `signal`, or when the node ends the stream in good order,
   * which says nothing of completeness.
   * @throws KagamiError SOURCE_NODE_UNREACHABLE, SOURCE_NODE_STALLED, SOURCE_NODE_MISBEHAVED, STREAM_MALFORMED,
   * STREAM_TRUNCATED, STREAM_OVERSIZED, and whatever `onSilence` throws
   */
  async *blocks(subscription: Subscription): AsyncGenerator<RawBlock> {
    const { from, to, signal } = subscription;
    if (signal.aborted) return;
    const stream = new Receiver(this.name, from, this.#limits);
    const call = this.#subscribing.makeServerStreamRequest(
      SUBSCRIBE,
      asIs,
      asIs,
      encodeRequest(from, to ?? NONE),
      new Metadata(),
      { interceptors: [stream.interceptor] },
    );
    stream.listenTo(call);
    const cancel = (): void => stream.end();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        const block = await stream.next(() => this.#suspect(stream, subscription));
        if (block === undefined) return;
        yield block;
        if (block.number === to) return;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      stream.end();
      call.cancel();
    }
  }

  close(): void {
    this.#subscribing.close();
    if (this.#asking !== this.#subscribing) this.#asking.close();
  }

  /** Nothing has come for a while: throws unless the node has no more blocks, and nobody else has. */
  async #suspect(stream: Receiver, { signal, onSilence }: Subscription): Promise<void> {
    const next = stream.expected;
    if (stream.isInBlock) {
      throw stalled(this.name, `nothing came for ${this.#limits.silenceMs} ms in the middle of block ${next}`);
    }
    const available = await this.available(signal);
    if (stream.expected === next && !stream.isInBlock && available !== undefined && available.last >= next) {
      throw stalled(this.name, `it has block ${next}, and does not send it`);
    }
    await onSilence?.(next);
  }

  #availableOf(answer: Buffer): AvailableBlocks | undefined {
    let status: ServerStatusResponse;
    try {
      status = ServerStatusResponse.decode(answer);
    } catch (error) {
      throw misbehaviour(this.name, `its status is malformed: ${error instanceof Error ? error.message : error}`);
    }
    const { firstAvailableBlock: first, lastAvailableBlock: last } = status;
    return first === NONE || last === NONE || last < first ? undefined : { first, last };
  }
}

/** Takes the messages of one subscription, and hands the blocks on. */
class Receiver {
  readonly #node: string;
  readonly #limits: BlockNodeLimits;
  readonly #assembly: BlockAssembly;
  readonly #blocks: RawBlock[] = [];
  #bytes = 0;
  #ended = false;
  #fault: KagamiError | undefined;
  /** When the last message came; `performance.now()`. */
  #heard = performance.now();
  #begun: number | undefined;
  #wake: (() => void) | undefined;
  #letIn: (() => void) | undefined;

  constructor(node: string, from: bigint, limits: BlockNodeLimits) {
    this.#node = node;
    this.#limits = limits;
    this.#assembly = new BlockAssembly(node, from, limits);
  }

  get expected(): bigint {
    return this.#assembly.expected;
  }

  get isInBlock(): boolean {
    return this.#assembly.isInBlock;
  }

  /** Holds each message back while enough blocks wait: a stream of the library would buffer many of any size. */
  readonly interceptor: Interceptor = (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) =>
        next(metadata, {
          onReceiveMessage: (message, pass) => {
            if (this.#bytes < this.#limits.readAheadBytes) pass(message);
            else this.#letIn = () => pass(message);
          },
        }),
    });

  listenTo(call: ClientReadableStream<Buffer>): void {
    call.on('data', (message: Buffer) => this.#take(message));
    call.on('end', () => this.end());
    call.on('error', (error: ServiceError) => {
      if (!this.#ended) this.#fail(unreachable(this.#node, error));
    });
  }

  /** The next block; undefined after the last one. @param suspect called when none has come for a while */
  async next(suspect: () => Promise<void>): Promise<RawBlock | undefined> {
    for (;;) {
      const block = this.#blocks.shift();
      if (block !== undefined) {
        this.#bytes -= block.bytes.length;
        const letIn = this.#letIn;
        if (letIn !== undefined && this.#bytes < this.#limits.readAheadBytes) {
          this.#letIn = undefined;
          // Nobody heard anything while the message was held back.
          this.#heard = performance.now();
          if (this.#begun !== undefined) this.#begun = this.#heard;
          letIn();
        }
        return block;
      }
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#ended) return undefined;
      await this.#somethingNew();
      if (this.#blocks.length > 0 || this.#ended) continue;
      const now = performance.now();
      if (this.#begun !== undefined && now - this.#begun > this.#limits.blockTimeoutMs) {
        throw stalled(this.#node, `block ${this.expected} is not whole after ${this.#limits.blockTimeoutMs} ms`);
      }
      if (now - this.#heard < this.#limits.silenceMs) continue;
      await suspect();
      this.#heard = performance.now();
    }
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  #take(message: Buffer): void {
    if (this.#ended) return;
    this.#heard = performance.now();
    try {
      const { expected } = this.#assembly;
      const event = this.#assembly.add(message);
      if (!this.#assembly.isInBlock) this.#begun = undefined;
      else this.#begun ??= this.#heard;
      if (event === undefined) return;
      if (event.kind === 'status') this.#endWith(event.status, expected);
      else this.#hand(event.number, event.bytes);
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      this.#fail(error);
    }
  }

  #hand(number: bigint, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#blocks.push({
      number,
      bytes,
      name: blockName(number),
      isFile: false,
      from: this.#node,
      receivedAt: this.#heard,
      receivedTime: Date.now(),
    });
    this.#wake?.();
  }

  #endWith(status: number, next: bigint): void {
    if (status === SubscribeStatus.SUCCESS) this.end();
    else this.#fail(refused(this.#node, status, next));
  }

  #fail(fault: KagamiError): void {
    this.#fault = fault;
    this.end();
  }

  /** Resolves with a block, the end, or after a while. */
  async #somethingNew(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#limits.silenceMs / 2);
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}

const clientOf = (endpoint: BlockNodeEndpoint, limits: BlockNodeLimits, rootCertificates?: Buffer): Client =>
  new Client(
    `dns:///${targetOf(endpoint)}`,
    endpoint.requiresTls ? ChannelCredentials.createSsl(rootCertificates ?? null) : ChannelCredentials.createInsecure(),
    {
      'grpc.max_receive_message_length': limits.maxMessageBytes,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      // Whom to ask again, and when, is for whoever chooses among the nodes.
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 2_000,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.service_config_disable_resolution': 1,
      'grpc.enable_channelz': 0,
      'grpc-node.flow_control_window': WINDOW_BYTES,
    },
  );

const isSameEndpoint = (a: BlockNodeEndpoint, b: BlockNodeEndpoint): boolean =>
  targetOf(a) === targetOf(b) && a.requiresTls === b.requiresTls;

const encodeRequest = (startBlockNumber: bigint, endBlockNumber: bigint): Buffer =>
  Buffer.from(SubscribeStreamRequest.encode({ startBlockNumber, endBlockNumber }).finish());

const unreachable = (node: string, error: ServiceError): KagamiError => {
  const { code, details } = error;
  const oversized = code === Status.RESOURCE_EXHAUSTED && /larger than max/i.test(details);
  return streamError(
    oversized ? 'STREAM_OVERSIZED' : 'SOURCE_NODE_UNREACHABLE',
    { file: `block node ${node}`, rule: `${Status[code] ?? code}: ${details}` },
    error,
  );
};

const stalled = (node: string, rule: string): KagamiError =>
  streamError('SOURCE_NODE_STALLED', { file: `block node ${node}`, rule });

const STATUS_NAMES = new Map(Object.entries(SubscribeStatus).map(([name, code]) => [code as number, name]));

const refused = (node: string, status: number, next: bigint): KagamiError =>
  streamError(status === SubscribeStatus.NOT_AVAILABLE ? 'SOURCE_BLOCK_MISSING' : 'SOURCE_NODE_UNREACHABLE', {
    file: `block node ${node}`,
    rule: `ended the stream before block ${next} with ${STATUS_NAMES.get(status) ?? `status ${status}`}`,
    block: next,
  });
