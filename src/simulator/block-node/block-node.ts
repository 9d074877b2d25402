/**
 * A block node: serves a chain of blocks by the services that block nodes of public networks have, from their oldest
 * stored block to the one that is made now ([HIP-1081](https://hips.hedera.com/hip/hip-1081)).
 */
import { once } from 'node:events';
import {
  status as grpcStatus,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js';
import {
  BlockResponse_Code as AccessCode,
  BlockRequest,
} from '../../protobuf/generated/block-node/api/block_access_service.ts';
import {
  SubscribeStreamResponse_Code as Code,
  SubscribeStreamRequest,
} from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import {
  ServerStatusDetailResponse,
  ServerStatusRequest,
  ServerStatusResponse,
} from '../../protobuf/generated/block-node/api/node_service.ts';
import { lengthDelimited } from '../blocks/item-bytes.ts';
import type { BlockStore } from './block-store.ts';
import type { KnownLedger } from './known-ledger.ts';
import { type BlockRange, blockMessages, rangeOf, type Stored, statusMessage } from './subscription.ts';

/** Greatest uint64: no block. */
const NO_BLOCK = 0xffff_ffff_ffff_ffffn;
const MAX_MESSAGE_BYTES = 131_072_000;
/** How long clients have to end their calls. */
const MAX_SHUTDOWN_MS = 2_000;
const BLOCK_STREAM_VERSION = { major: 0, minor: 78, patch: 0 };

/** Ends a subscription in the middle of whatever is sent, as subscribers see a connection that is lost: UNAVAILABLE. */
export class ConnectionCut extends Error {}

/** What a node does otherwise than a good one; tests have nodes that die, lie, stall. */
export interface BlockNodeHooks {
  /** What the node says, and believes, to have. */
  readonly stored?: (stored: Stored) => Stored;
  /**
   * The messages by which a subscriber gets a block, in place of the right ones. May wait, and may throw ConnectionCut;
   * `signal` aborts when the subscriber is gone.
   */
  readonly messages?: (
    number: bigint,
    right: readonly Uint8Array[],
    signal: AbortSignal,
  ) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export interface BlockNodeOptions {
  readonly store: BlockStore;
  /** What serverStatusDetail says about the ledger; nothing by default, as of a node that has not learnt it. */
  readonly ledger?: KnownLedger;
  readonly host?: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly hooks?: BlockNodeHooks;
}

const methods = <Definition extends ServiceDefinition>(definition: Definition): Definition => definition;

const method = (
  service: string,
  name: string,
  responseStream: boolean,
  requestDeserialize: (bytes: Buffer) => unknown,
) => ({
  path: `/org.hiero.block.api.${service}/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: (): Buffer => Buffer.alloc(0),
  requestDeserialize,
  responseSerialize: (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  responseDeserialize: (bytes: Buffer): Buffer => bytes,
});

const nodeService = methods({
  serverStatus: method('BlockNodeService', 'serverStatus', false, (bytes) => ServerStatusRequest.decode(bytes)),
  serverStatusDetail: method('BlockNodeService', 'serverStatusDetail', false, (bytes) =>
    ServerStatusRequest.decode(bytes),
  ),
});
const accessService = methods({
  getBlock: method('BlockAccessService', 'getBlock', false, (bytes) => BlockRequest.decode(bytes)),
});
const subscribeService = methods({
  subscribeBlockStream: method('BlockStreamSubscribeService', 'subscribeBlockStream', true, (bytes) =>
    SubscribeStreamRequest.decode(bytes),
  ),
});

/** TSS data are told whole or not at all. */
const learnt = ({
  publication,
  validFrom,
  addressBook,
}: KnownLedger): Parameters<typeof ServerStatusDetailResponse.fromPartial>[0] => ({
  ...(publication && {
    tssData: {
      ledgerId: publication.ledgerId,
      wrapsVerificationKey: publication.historyProofVerificationKey,
      currentRoster: {
        rosterEntries: publication.nodeContributions.map(({ nodeId, weight, historyProofKey }) => ({
          nodeId,
          weight,
          schnorrPublicKey: historyProofKey,
        })),
      },
      validFromBlock: validFrom,
    },
  }),
  ...(addressBook && {
    nodeAddressBook: addressBook,
    rangedAddressBookHistory: { addressBooks: [{ addressBook, startBlock: 0n, endBlock: NO_BLOCK }] },
  }),
});

type Subscriber = ServerWritableStream<SubscribeStreamRequest, Uint8Array>;

/** A block node on a port of this machine, without TLS, as block nodes are. */
export class BlockNode {
  readonly #store: BlockStore;
  readonly #ledger: KnownLedger | undefined;
  readonly #hooks: BlockNodeHooks;
  readonly #server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  readonly #stopping = new AbortController();
  #port = 0;

  private constructor({ store, ledger, hooks = {} }: BlockNodeOptions) {
    this.#store = store;
    this.#ledger = ledger;
    this.#hooks = hooks;
    this.#server.addService(nodeService, {
      serverStatus: (_call: unknown, answer: sendUnaryData<Uint8Array>) => answer(null, this.#status()),
      serverStatusDetail: (_call: unknown, answer: sendUnaryData<Uint8Array>) => answer(null, this.#statusDetail()),
    });
    this.#server.addService(accessService, {
      getBlock: ({ request }: { request: BlockRequest }, answer: sendUnaryData<Uint8Array>) => {
        this.#block(request).then(
          (block) => answer(null, block),
          (error: Error) => answer({ code: grpcStatus.INTERNAL, details: error.message }),
        );
      },
    });
    this.#server.addService(subscribeService, {
      subscribeBlockStream: (call: Subscriber) => {
        void this.#subscribe(call);
      },
    });
  }

  /** Starts to listen. */
  static async start(options: BlockNodeOptions): Promise<BlockNode> {
    const node = new BlockNode(options);
    const address = `${options.host ?? '127.0.0.1'}:${options.port}`;
    node.#port = await new Promise<number>((resolve, reject) => {
      node.#server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    return node;
  }

  get port(): number {
    return this.#port;
  }

  /** Ends all streams with SUCCESS, as an orderly shutdown does, and stops to listen. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const force = setTimeout(() => this.#server.forceShutdown(), MAX_SHUTDOWN_MS);
    await new Promise<void>((resolve) => {
      this.#server.tryShutdown(() => resolve());
    });
    clearTimeout(force);
  }

  /** Cuts all connections, as a node that is killed does. */
  kill(): void {
    this.#stopping.abort(new ConnectionCut('killed'));
    this.#server.forceShutdown();
  }

  #stored(): Stored {
    const { first, last } = this.#store;
    return this.#hooks.stored?.({ first, last }) ?? { first, last };
  }

  #status(): Uint8Array {
    const { first = NO_BLOCK, last = NO_BLOCK } = this.#stored();
    return ServerStatusResponse.encode({
      firstAvailableBlock: first,
      lastAvailableBlock: last,
      onlyLatestState: true,
      nextExpectedBlock: last === NO_BLOCK ? NO_BLOCK : last + 1n,
    }).finish();
  }

  #statusDetail(): Uint8Array {
    const { first, last } = this.#stored();
    const ranges = first === undefined || last === undefined ? [] : [{ rangeStart: first, rangeEnd: last }];
    return ServerStatusDetailResponse.encode(
      ServerStatusDetailResponse.fromPartial({
        versionInformation: { streamProtoVersion: BLOCK_STREAM_VERSION, blockNodeVersion: BLOCK_STREAM_VERSION },
        availableRanges: ranges,
        storedRanges: ranges,
        ...(this.#ledger && learnt(this.#ledger)),
      }),
    ).finish();
  }

  /** BlockResponse { 1: status, 2: block }. */
  async #block({ blockSpecifier }: BlockRequest): Promise<Uint8Array> {
    const answer = (code: AccessCode, block?: Uint8Array): Uint8Array =>
      Buffer.concat([Buffer.of(0x08, code), ...(block === undefined ? [] : [lengthDelimited(2, block)])]);
    const wantsLatest =
      blockSpecifier?.$case === 'retrieveLatest'
        ? blockSpecifier.retrieveLatest
        : blockSpecifier?.blockNumber === NO_BLOCK;
    const { first, last } = this.#stored();
    const number = wantsLatest
      ? last
      : blockSpecifier?.$case === 'blockNumber'
        ? blockSpecifier.blockNumber
        : undefined;
    if (!wantsLatest && (number === undefined || BigInt.asIntN(64, number) < 0n)) {
      return answer(AccessCode.INVALID_REQUEST);
    }
    if (number === undefined || first === undefined || last === undefined || number < first || number > last) {
      return answer(AccessCode.NOT_AVAILABLE);
    }
    const block = await this.#store.read(number);
    return block === undefined ? answer(AccessCode.NOT_AVAILABLE) : answer(AccessCode.SUCCESS, block);
  }

  async #subscribe(call: Subscriber): Promise<void> {
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    call.on('error', () => gone.abort());
    const range = this.#stopping.signal.aborted
      ? { refused: Code.NOT_AVAILABLE }
      : rangeOf(call.request, this.#stored());
    try {
      const code =
        'refused' in range
          ? range.refused
          : await this.#send(call, range, AbortSignal.any([gone.signal, this.#stopping.signal]));
      if (gone.signal.aborted) return;
      call.write(statusMessage(code));
      call.end();
    } catch (error) {
      if (gone.signal.aborted) return;
      const code = error instanceof ConnectionCut ? grpcStatus.UNAVAILABLE : grpcStatus.INTERNAL;
      // The library ends the call with this status; destroying the stream would leave the subscriber waiting.
      call.emit('error', { code, details: String(error) });
    }
  }

  /** Sends blocks until the range, the subscriber or the node ends. */
  async #send(call: Subscriber, { start, end }: BlockRange, signal: AbortSignal): Promise<Code> {
    if (start === undefined) await this.#store.wait(0n, signal);
    for (let number = start ?? this.#store.last ?? 0n; end === undefined || number <= end; number++) {
      await this.#store.wait(number, signal);
      if (signal.aborted) return Code.SUCCESS;
      const block = await this.#store.read(number);
      if (block === undefined) return Code.NOT_AVAILABLE;
      const right = blockMessages(number, block);
      for await (const message of this.#hooks.messages?.(number, right, signal) ?? right) {
        if (signal.aborted) return Code.SUCCESS;
        // A slow subscriber is waited for; the HTTP/2 window is the only flow control.
        if (!call.write(message)) await once(call, 'drain', { signal }).catch(() => undefined);
      }
    }
    return Code.SUCCESS;
  }
}
