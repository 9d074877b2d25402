/** The gRPC interface over a database of its own, and a client as SDKs are one. */
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { Registry } from 'prom-client';
import { loadSettings } from '../../config/load.ts';
import type { GrpcServerSettings, GrpcSettings } from '../../config/settings/grpc.ts';
import type { Database } from '../../database/connection.ts';
import { ConsensusTopicQuery, ConsensusTopicResponse } from '../../protobuf/generated/mirror/consensus_service.ts';
import { AddressBookQuery } from '../../protobuf/generated/mirror/mirror_network_service.ts';
import { NodeAddress } from '../../protobuf/generated/services/basic_types.ts';
import { createGrpcInterface, type GrpcInterface } from '../grpc-interface.ts';

const { hiero, kagami } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings;

export const grpcSettings: GrpcSettings = { ...hiero.mirror.grpc, port: 0 };
const grpcLimits: GrpcServerSettings = kagami.grpc;

export interface GrpcFixture {
  readonly interface: GrpcInterface;
  readonly registry: Registry;
  readonly address: string;
  /** Errors that were logged. */
  readonly logged: readonly unknown[];
  stop(): Promise<void>;
}

export interface GrpcFixtureOptions {
  readonly settings?: Partial<GrpcSettings>;
  readonly limits?: Partial<GrpcServerSettings>;
  readonly clock?: () => bigint;
}

export const openGrpc = async (
  database: Pick<Database, 'query' | 'copyOut'>,
  { settings, limits, clock = () => BigInt(Date.now()) * 1_000_000n }: GrpcFixtureOptions = {},
): Promise<GrpcFixture> => {
  const registry = new Registry();
  const logged: unknown[] = [];
  const served = createGrpcInterface({
    database,
    settings: { ...grpcSettings, ...settings },
    limits: { ...grpcLimits, shutdownTimeout: 200, ...limits },
    host: '127.0.0.1',
    shard: 0n,
    realm: 0n,
    clock,
    registry,
    log: { warn: (details) => logged.push(details) },
  });
  const port = await served.open();
  return { interface: served, registry, address: `127.0.0.1:${port}`, logged, stop: () => served.stop() };
};

export const connect = (address: string): Client =>
  // Clients of one process share connections unless their options differ.
  new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });

export interface Outcome<T> {
  readonly messages: readonly T[];
  readonly code: number;
  readonly details: string;
}

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Calls a method and gives all it answers; `onMessage` may cancel by returning true. */
export const callOf = <Q, A>(
  client: Client,
  path: string,
  encode: (query: Q) => Uint8Array,
  decode: (bytes: Uint8Array) => A,
  query: Q,
  onMessage: (message: A) => boolean = () => false,
): Promise<Outcome<A>> =>
  new Promise((resolve) => {
    const messages: A[] = [];
    const call = client.makeServerStreamRequest(path, (value: Q) => bytesOf(encode(value)), decode, query);
    call.on('data', (message: A) => {
      messages.push(message);
      if (onMessage(message)) call.cancel();
    });
    call.on('error', ({ code, details }: ServiceError) => resolve({ messages, code, details }));
    call.on('end', () => resolve({ messages, code: 0, details: '' }));
  });

export const subscribeTo = (
  client: Client,
  query: Partial<ConsensusTopicQuery>,
  onMessage?: (message: ConsensusTopicResponse) => boolean,
): Promise<Outcome<ConsensusTopicResponse>> =>
  callOf(
    client,
    '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic',
    (value: ConsensusTopicQuery) => ConsensusTopicQuery.encode(value).finish(),
    ConsensusTopicResponse.decode,
    { topicID: undefined, consensusStartTime: undefined, consensusEndTime: undefined, limit: 0n, ...query },
    onMessage,
  );

export const askNodes = (client: Client, query: Partial<AddressBookQuery>): Promise<Outcome<NodeAddress>> =>
  callOf(
    client,
    '/com.hedera.mirror.api.proto.NetworkService/getNodes',
    (value: AddressBookQuery) => AddressBookQuery.encode(value).finish(),
    NodeAddress.decode,
    { fileId: undefined, limit: 0, ...query },
  );

export const topicId = (topicNum: bigint) => ({ shardNum: 0n, realmNum: 0n, topicNum });
export const fileId = (fileNum: bigint) => ({ shardNum: 0n, realmNum: 0n, fileNum });

/** Nanoseconds as a Timestamp. */
export const at = (nanos: bigint) => ({ seconds: nanos / 1_000_000_000n, nanos: Number(nanos % 1_000_000_000n) });
