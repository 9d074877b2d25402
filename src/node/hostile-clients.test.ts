/** Clients that send nonsense, hold connections, or ask for too much at once. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { responseCodeName } from '../ledger/response-code.ts';
import type { TransactionID } from '../protobuf/generated/services/basic_types.ts';
import { TransactionResponse } from '../protobuf/generated/services/transaction_response.ts';
import { type NodeEndpoint, openNodeEndpoint } from './node-endpoint.ts';
import {
  bodyOf,
  devAccount,
  frame,
  openTestNetwork,
  systemClock,
  type TestNetwork,
  transactionOf,
  transferData,
} from './testing/node.fixture.ts';
import { transactionKey } from './transactions/transaction-key.ts';

const MEBIBYTE = 1_048_576;
const MOST_CONNECTIONS = 24;

let network: TestNetwork;
let endpoint: NodeEndpoint;
let client: Client;
beforeAll(async () => {
  network = await openTestNetwork();
  endpoint = await openNodeEndpoint({
    entrance: network.entrance,
    settings: { enabled: true, port: 0, maxConnections: MOST_CONNECTIONS, maxConcurrentCallsPerConnection: 100 },
    log: { warn: (details) => expect.fail(JSON.stringify(details)) },
    clock: systemClock,
  });
  client = new Client(`127.0.0.1:${endpoint.port}`, credentials.createInsecure());
}, 120_000);
afterAll(async () => {
  client?.close();
  await endpoint?.stop();
  await network?.stop();
});

/** Bytes that are in use after garbage is collected. */
const usedHeap = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

const call = (path: string, bytes: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    client.makeUnaryRequest<Uint8Array, Buffer>(
      path,
      (message) => Buffer.from(message),
      (answer) => answer,
      bytes,
      (error, answer) => (error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error)),
    );
  });
const submit = async (bytes: Uint8Array): Promise<string> =>
  responseCodeName(
    TransactionResponse.decode(await call('/proto.CryptoService/cryptoTransfer', bytes)).nodeTransactionPrecheckCode,
  );
const ask = (bytes: Uint8Array): Promise<string> =>
  call('/proto.CryptoService/cryptoGetBalance', bytes).then(
    () => 'OK',
    (error: ServiceError) => status[error.code] ?? '',
  );
const right = () =>
  transactionOf({ ...frame(), data: transferData([devAccount(0).num, -5n], [devAccount(1).num, 5n]) });

describe('the node', () => {
  it.skipIf(process.platform !== 'linux')('listens on 127.0.0.1 alone', async () => {
    // Every address of 127.0.0.0/8 is this machine's, so that a listener on all interfaces would answer.
    const socket = connect(endpoint.port, '127.0.0.2');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('greets a connection before it hears anything', async () => {
    const socket = connect(endpoint.port, '127.0.0.1');
    const [first] = await new Promise<Buffer>((resolve) => {
      socket.once('data', resolve);
    }).then((bytes) => [bytes[3]]);
    socket.destroy();
    const SETTINGS_FRAME = 4;
    expect(first).toBe(SETTINGS_FRAME);
  });

  it('answers what it does not know, and refuses what nobody knows', async () => {
    // Query { 52: TokenGetInfo }: Response { 152 { header { NOT_SUPPORTED } } }
    expect((await call('/proto.TokenService/getTokenInfo', Uint8Array.of(0xa2, 0x03, 0x00))).toString('hex')).toBe(
      'c209040a02080d',
    );
    // Query { 5: ContractGetBytecode }
    expect(
      (await call('/proto.SmartContractService/ContractGetBytecode', Uint8Array.of(0x2a, 0x00))).toString('hex'),
    ).toBe('2a040a02080d');
    expect(await ask(Uint8Array.of(0xa2, 0x06, 0x00))).toBe('INVALID_ARGUMENT');
    expect(await ask(Uint8Array.of(0x3a, 0x7f))).toBe('INVALID_ARGUMENT');
    expect(await ask(new Uint8Array())).toBe('INVALID_ARGUMENT');
    expect(await ask(new Uint8Array(200_000))).toBe('RESOURCE_EXHAUSTED');
    expect(await submit(new Uint8Array(100_000))).toBe('TRANSACTION_OVERSIZE');
  });

  it('takes 10,000 invalid requests without keeping anything of them', { timeout: 300_000 }, async () => {
    const bytes = right();
    const makers: (() => Promise<string>)[] = [
      () => submit(Buffer.from('nonsense')),
      () => submit(bytes.subarray(0, bytes.length - 7)),
      () => submit(transactionOf({ ...frame(), data: transferData([1_002n, -5n], [1_003n, 5n]) }, [])),
      () => submit(new Uint8Array(6_000)),
      () => ask(Uint8Array.of(0x3a, 0x7f)),
    ];
    const flood = async (count: number): Promise<Set<string>> => {
      const answers = new Set<string>();
      const lanes = Array.from({ length: 50 }, async (_, lane) => {
        for (let i = lane; i < count; i += 50)
          answers.add(await (makers[i % makers.length] as () => Promise<string>)());
      });
      await Promise.all(lanes);
      return answers;
    };
    await flood(1_000);
    const before = usedHeap();
    const answers = await flood(10_000);
    const after = usedHeap();
    expect(answers).not.toContain('OK');
    expect(after - before).toBeLessThan(16 * MEBIBYTE);
    expect(network.entrance.waiting).toBe(0);
    expect(await submit(right())).toBe('OK');
  });

  it('closes connections beyond the most, and serves again when there is room', { timeout: 60_000 }, async () => {
    const sockets: Socket[] = [];
    let closed = 0;
    await Promise.all(
      Array.from(
        { length: MOST_CONNECTIONS * 2 },
        () =>
          new Promise<void>((resolve) => {
            const socket = connect(endpoint.port, '127.0.0.1');
            sockets.push(socket);
            socket.on('error', () => undefined);
            socket.once('data', () => resolve());
            socket.once('close', () => {
              closed++;
              resolve();
            });
          }),
      ),
    );
    expect(closed).toBeGreaterThanOrEqual(MOST_CONNECTIONS);
    for (const socket of sockets) socket.destroy();
    // The server hears of each end a little later.
    const greeted = (): Promise<boolean> =>
      new Promise((resolve) => {
        const session = connectHttp2(`http://127.0.0.1:${endpoint.port}`);
        session.once('remoteSettings', () => {
          session.close();
          resolve(true);
        });
        session.on('error', () => undefined);
        session.once('close', () => resolve(false));
      });
    while (!(await greeted()));
    const bytes = right();
    expect(await submit(bytes)).toBe('OK');
    // The network's own node has not taken it, and knows it from its block only.
    const key = transactionKey(bodyOf(bytes).transactionID as TransactionID) ?? '';
    await vi.waitUntil(() => network.entrance.state.submitted.handled.has(key), { timeout: 30_000 });
    expect(responseCodeName(await network.statusOf(bytes))).toBe('SUCCESS');
  });
});
