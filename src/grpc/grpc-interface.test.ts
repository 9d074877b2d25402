import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, status } from '@grpc/grpc-js';
import fastify from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { selfSignedCertificate } from '../ledger/testing/certificate.fixture.ts';
import { HealthCheckRequest, HealthCheckResponse } from '../protobuf/generated/grpc/health.ts';
import { ServerReflectionRequest, ServerReflectionResponse } from '../protobuf/generated/grpc/reflection_v1.ts';
import { ConsensusTopicQuery, ConsensusTopicResponse } from '../protobuf/generated/mirror/consensus_service.ts';
import {
  at,
  callOf,
  connect,
  type GrpcFixture,
  openGrpc,
  subscribeTo,
  topicId,
} from './testing/grpc-server.fixture.ts';
import { insertBlock, insertTopic, messagesOf } from './testing/topic-rows.fixture.ts';

const SECOND = 1_000_000_000n;
const SUBSCRIBE = '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic';

let test: TestDatabase;
let fixture: GrpcFixture;
let client: Client;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertTopic(test.database, 900n);
  await insertBlock(test.database, 1_000n * SECOND, messagesOf(900n, 1n, 10n * SECOND, 3));
});

beforeEach(async () => {
  fixture = await openGrpc(test.database);
  client = connect(fixture.address);
});

afterEach(() => fixture.stop());

afterAll(() => test.drop());

describe('health', () => {
  const check = (service: string, method = 'Check', onMessage?: () => boolean) =>
    callOf(
      client,
      `/grpc.health.v1.Health/${method}`,
      (value: HealthCheckRequest) => HealthCheckRequest.encode(value).finish(),
      HealthCheckResponse.decode,
      { service },
      onMessage,
    );

  it('follows whether the network is known', async () => {
    expect((await check('')).messages).toMatchObject([{ status: 2 }]);
    await test.database.query(
      `insert into address_book (start_consensus_timestamp, file_id, file_data) values (1, 102, '')`,
    );
    expect((await check('')).messages).toMatchObject([{ status: 1 }]);
    expect((await check('com.hedera.mirror.api.proto.ConsensusService')).messages).toMatchObject([{ status: 1 }]);
    expect(await check('nobody')).toEqual({ messages: [], code: 5, details: 'unknown service' });
    expect((await check('nobody', 'Watch', () => true)).messages).toMatchObject([{ status: 3 }]);
  });
});

describe.each(['v1', 'v1alpha'])('reflection %s', (version) => {
  const ask = (messageRequest: ServerReflectionRequest['messageRequest']): Promise<ServerReflectionResponse> =>
    new Promise((resolve, reject) => {
      const call = client.makeBidiStreamRequest(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        (value: ServerReflectionRequest) => Buffer.from(ServerReflectionRequest.encode(value).finish()),
        ServerReflectionResponse.decode,
      );
      call.on('data', resolve);
      call.on('error', reject);
      call.end({ host: 'here', messageRequest });
    });
  const filesOf = ({ messageResponse }: ServerReflectionResponse): string[] =>
    messageResponse?.$case === 'fileDescriptorResponse'
      ? messageResponse.fileDescriptorResponse.fileDescriptorProto.map(
          (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
        )
      : [];

  it('lists the services', async () => {
    const { messageResponse, validHost } = await ask({ $case: 'listServices', listServices: '' });
    expect(validHost).toBe('here');
    expect(messageResponse).toMatchObject({
      listServicesResponse: {
        service: [
          { name: 'com.hedera.mirror.api.proto.ConsensusService' },
          { name: 'com.hedera.mirror.api.proto.NetworkService' },
          { name: 'grpc.health.v1.Health' },
        ],
      },
    });
  });

  it.each([
    ['fileContainingSymbol', 'com.hedera.mirror.api.proto.NetworkService', 'mirror/mirror_network_service.proto'],
    [
      'fileContainingSymbol',
      'com.hedera.mirror.api.proto.NetworkService.getNodes',
      'mirror/mirror_network_service.proto',
    ],
    ['fileContainingSymbol', 'proto.NodeAddress', 'services/basic_types.proto'],
    ['fileByFilename', 'mirror/consensus_service.proto', 'mirror/consensus_service.proto'],
  ] as const)('gives the files of %s %s', async (kind, name, file) => {
    const request =
      kind === 'fileByFilename'
        ? ({ $case: kind, fileByFilename: name } as const)
        : ({ $case: kind, fileContainingSymbol: name } as const);
    const files = filesOf(await ask(request));
    expect(files[0]).toBe(file);
    expect(files).toContain('services/timestamp.proto');
  });

  it('has no other files', async () => {
    const { messageResponse } = await ask({ $case: 'fileContainingSymbol', fileContainingSymbol: 'a.B' });
    expect(messageResponse).toMatchObject({ errorResponse: { errorCode: 5, errorMessage: 'a.B not found' } });
  });
});

describe('gRPC-Web', () => {
  const framed = (bytes: Uint8Array): Buffer => {
    const header = Buffer.alloc(5);
    header.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([header, bytes]);
  };
  const framesIn = (bytes: Buffer): { flag: number; content: Buffer }[] => {
    const frames = [];
    for (let position = 0; position < bytes.length; ) {
      const end = position + 5 + bytes.readUInt32BE(position + 1);
      frames.push({ flag: bytes.readUInt8(position), content: bytes.subarray(position + 5, end) });
      position = end;
    }
    return frames;
  };
  const query = (topic: bigint): Buffer =>
    framed(
      ConsensusTopicQuery.encode({
        topicID: topicId(topic),
        consensusStartTime: at(0n),
        consensusEndTime: undefined,
        limit: 3n,
      }).finish(),
    );
  const post = async (contentType: string, body: Buffer | string) => {
    const app = fastify();
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, sent, done) => done(null, sent));
    fixture.interface.registerWeb(app);
    return app.inject({ method: 'POST', url: SUBSCRIBE, headers: { 'content-type': contentType }, payload: body });
  };

  it.each(['application/grpc-web', 'application/grpc-web+proto'])('answers %s in frames', async (type) => {
    const answer = await post(type, query(900n));
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, type]);
    const frames = framesIn(answer.rawPayload);
    expect(frames.slice(0, 3).map(({ content }) => ConsensusTopicResponse.decode(content).sequenceNumber)).toEqual([
      1n,
      2n,
      3n,
    ]);
    expect(frames[3]).toEqual({ flag: 0x80, content: Buffer.from('grpc-status:0\r\ngrpc-message:\r\n') });
  });

  it('answers grpc-web-text in base64', async () => {
    const answer = await post('application/grpc-web-text', query(900n).toString('base64'));
    // Each piece is padded by itself.
    const bytes = Buffer.concat(answer.payload.match(/[^=]+=*/g)?.map((piece) => Buffer.from(piece, 'base64')) ?? []);
    expect(framesIn(bytes)).toHaveLength(4);
  });

  it.each([
    ['a topic that is not there', query(999n), 'grpc-status:5\r\ngrpc-message:0.0.999 does not exist\r\n'],
    ['nothing', Buffer.alloc(0), 'grpc-status:13\r\ngrpc-message:The request has no message\r\n'],
    [
      'a message that is compressed',
      Buffer.concat([Buffer.from([1, 0, 0, 0, 0])]),
      'grpc-status:12\r\ngrpc-message:Compressed messages are not supported\r\n',
    ],
    [
      'a message that is too large',
      Buffer.from([0, 0, 0, 4, 1]),
      'grpc-status:8\r\ngrpc-message:Received message larger than max (1025 vs 1024)\r\n',
    ],
    [
      'a wrong length',
      Buffer.from([0, 0, 0, 0, 9, 1]),
      'grpc-status:13\r\ngrpc-message:The length of the message is wrong\r\n',
    ],
  ])('tells the status of %s', async (_name, body, trailers) => {
    const frames = framesIn((await post('application/grpc-web+proto', body)).rawPayload);
    expect(frames).toEqual([{ flag: 0x80, content: Buffer.from(trailers) }]);
  });

  it('speaks nothing else', async () => {
    expect((await post('application/json', '{}')).statusCode).toBe(415);
  });
});

it('names the setting of a port that is taken', async () => {
  const port = Number(fixture.address.split(':')[1]);
  await expect(openGrpc(test.database, { settings: { port } })).rejects.toMatchObject({
    code: 'PORT_UNAVAILABLE',
    details: { setting: 'hiero.mirror.grpc.port', port },
  });
});

it('speaks TLS with a certificate of its own, and nothing else then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kagami-grpc-tls-'));
  const { certificate, key } = selfSignedCertificate('mirror.example');
  const [cert, other] = [Buffer.from(certificate), Buffer.from(selfSignedCertificate('mirror.example').certificate)];
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, key);
  const secured = await openGrpc(test.database, { limits: { tls } });
  const trusting = (root: Buffer): Client =>
    new Client(secured.address, credentials.createSsl(root, null, null, { checkServerIdentity: () => undefined }), {
      'grpc.use_local_subchannel_pool': 1,
    });
  const ask = (by: Client) => subscribeTo(by, { topicID: topicId(900n), consensusStartTime: at(0n), limit: 3n });
  try {
    const { messages, code } = await ask(trusting(cert));
    expect([messages.map(({ sequenceNumber }) => sequenceNumber), code]).toEqual([[1n, 2n, 3n], 0]);
    expect(await ask(trusting(other))).toMatchObject({ messages: [], code: status.UNAVAILABLE });
    expect(await ask(connect(secured.address))).toMatchObject({ messages: [], code: status.UNAVAILABLE });
  } finally {
    await secured.stop();
    rmSync(folder, { recursive: true });
  }
});

it('names the setting of a certificate that is not there', async () => {
  const tls = { cert: '/nowhere/cert.pem', key: fileURLToPath(import.meta.url) };
  await expect(openGrpc(test.database, { limits: { tls } })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    details: { setting: 'kagami.grpc.tls.cert' },
  });
});
