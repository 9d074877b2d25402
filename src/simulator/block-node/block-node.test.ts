import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  BlockResponse_Code as AccessCode,
  BlockRequest,
  BlockResponse,
} from '../../protobuf/generated/block-node/api/block_access_service.ts';
import {
  SubscribeStreamResponse_Code as Code,
  SubscribeStreamRequest,
  SubscribeStreamResponse,
} from '../../protobuf/generated/block-node/api/block_stream_subscribe_service.ts';
import {
  ServerStatusDetailResponse,
  ServerStatusResponse,
} from '../../protobuf/generated/block-node/api/node_service.ts';
import { NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import { BlockFolder } from '../blocks/block-folder.ts';
import { blockBytes, blockItem } from '../blocks/item-bytes.ts';
import { ledgerKeys } from '../blocks/ledger-keys.ts';
import { type BlockNodeFault, faultAt } from '../testing/faulty-block-node.fixture.ts';
import { BlockNode, type BlockNodeHooks } from './block-node.ts';
import { BlockStore } from './block-store.ts';
import { itemSets } from './subscription.ts';

const MAX = 0xffff_ffff_ffff_ffffn;
const FIRST = 3n;

let directory = '';
let folder: BlockFolder;
let node: BlockNode | undefined;
let client: Client | undefined;

/** Six items of 1,000 bytes that tell the number. */
const blockOf = (number: bigint): Uint8Array =>
  blockBytes(Array.from({ length: 6 }, (_, i) => blockItem(4, Buffer.alloc(1_000, Number(number) * 16 + i))));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kagami-block-node-'));
  folder = new BlockFolder(directory, 'other', 'split');
  await folder.prepare();
  for (let number = FIRST; number <= 6n; number++) await folder.write(number, blockOf(number));
});

afterEach(async () => {
  client?.close();
  await node?.stop();
  node = undefined;
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const start = async (hooks: BlockNodeHooks = {}): Promise<BlockStore> => {
  const store = await BlockStore.open(folder);
  node = await BlockNode.start({ store, port: 0, hooks });
  client = new Client(`127.0.0.1:${node.port}`, credentials.createInsecure());
  return store;
};

const unary = <T>(path: string, request: Uint8Array, decode: (bytes: Uint8Array) => T): Promise<T> =>
  new Promise((resolve, reject) => {
    client?.makeUnaryRequest(
      `/org.hiero.block.api.${path}`,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => bytes,
      request,
      (error, answer) => (error === null && answer !== undefined ? resolve(decode(answer)) : reject(error)),
    );
  });

const subscribe = (startBlockNumber: bigint, endBlockNumber: bigint): ClientReadableStream<Buffer> =>
  (client as Client).makeServerStreamRequest(
    '/org.hiero.block.api.BlockStreamSubscribeService/subscribeBlockStream',
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer) => bytes,
    SubscribeStreamRequest.encode({ startBlockNumber, endBlockNumber }).finish(),
  );

/** What came, in short: `items 3` (by the block that the items tell), `end 3`, `status 1`. */
const told = (bytes: Buffer): string => {
  const { response } = SubscribeStreamResponse.decode(bytes);
  switch (response?.$case) {
    case 'blockItems': {
      const [first] = response.blockItems.blockItems;
      const content = first?.item?.$case === 'signedTransaction' ? first.item.signedTransaction : Buffer.of(0);
      return `items ${(content[0] as number) >> 4} x${response.blockItems.blockItems.length}`;
    }
    case 'endOfBlock':
      return `end ${response.endOfBlock.blockNumber}`;
    default:
      return `status ${response?.status}`;
  }
};

/** Everything until the stream ends, and the gRPC status that it ends with. */
const all = (stream: ClientReadableStream<Buffer>): Promise<{ messages: string[]; code: number }> =>
  new Promise((resolve) => {
    const messages: string[] = [];
    stream.on('data', (bytes: Buffer) => messages.push(told(bytes)));
    stream.on('error', () => undefined);
    stream.on('status', ({ code }) => resolve({ messages, code }));
  });

const statusOf = async (from: bigint, to: bigint): Promise<string | undefined> =>
  (await all(subscribe(BigInt.asUintN(64, from), BigInt.asUintN(64, to)))).messages.at(-1);

describe('serverStatus', () => {
  it('tells the oldest and the newest block', async () => {
    await start();
    const status = await unary('BlockNodeService/serverStatus', new Uint8Array(), (bytes) =>
      ServerStatusResponse.decode(bytes),
    );
    expect(status).toMatchObject({
      firstAvailableBlock: 3n,
      lastAvailableBlock: 6n,
      nextExpectedBlock: 7n,
      onlyLatestState: true,
    });
  });

  it('tells in detail what it knows of the ledger, and nothing before it does', async () => {
    const detail = () =>
      unary('BlockNodeService/serverStatusDetail', new Uint8Array(), (bytes) =>
        ServerStatusDetailResponse.decode(bytes),
      );
    const store = await start();
    const before = await detail();
    expect(before).toMatchObject({ availableRanges: [{ rangeStart: 3n, rangeEnd: 6n }] });
    expect([before.tssData, before.nodeAddressBook]).toEqual([undefined, undefined]);
    client?.close();
    await node?.stop();
    const { publication } = ledgerKeys('block node', 3);
    const addressBook = NodeAddressBook.fromPartial({ nodeAddress: [{ nodeId: 1n, RSAPubKey: '3082' }] });
    node = await BlockNode.start({ store, ledger: { publication, validFrom: 3n, addressBook }, port: 0 });
    client = new Client(`127.0.0.1:${node.port}`, credentials.createInsecure());
    const { tssData, nodeAddressBook, rangedAddressBookHistory } = await detail();
    expect(tssData?.validFromBlock).toBe(3n);
    expect(Buffer.from(tssData?.ledgerId ?? [])).toEqual(Buffer.from(publication.ledgerId));
    expect(tssData?.wrapsVerificationKey).toHaveLength(1_768);
    expect(
      tssData?.currentRoster?.rosterEntries.map(({ nodeId, weight, schnorrPublicKey }) => [
        nodeId,
        weight,
        schnorrPublicKey.length,
      ]),
    ).toEqual([
      [0n, 1_000n, 192],
      [1n, 1_037n, 192],
      [2n, 1_074n, 192],
    ]);
    expect(nodeAddressBook?.nodeAddress.map(({ nodeId }) => nodeId)).toEqual([1n]);
    expect(rangedAddressBookHistory?.addressBooks).toMatchObject([{ startBlock: 0n, endBlock: MAX }]);
  });

  it('tells the greatest number of an empty node', async () => {
    const empty = new BlockFolder(directory, 'empty', 'split');
    node = await BlockNode.start({ store: await BlockStore.open(empty), port: 0 });
    client = new Client(`127.0.0.1:${node.port}`, credentials.createInsecure());
    const status = await unary('BlockNodeService/serverStatus', new Uint8Array(), (bytes) =>
      ServerStatusResponse.decode(bytes),
    );
    expect(status).toMatchObject({ firstAvailableBlock: MAX, lastAvailableBlock: MAX, nextExpectedBlock: MAX });
    expect(await statusOf(-1n, 5n)).toBe(`status ${Code.NOT_AVAILABLE}`);
    expect(await statusOf(0n, -1n)).toBe(`status ${Code.NOT_AVAILABLE}`);
  });
});

describe('getBlock', () => {
  const getBlock = (blockSpecifier: BlockRequest['blockSpecifier']) =>
    unary('BlockAccessService/getBlock', BlockRequest.encode({ blockSpecifier }).finish(), (bytes) =>
      BlockResponse.decode(bytes),
    );

  it('gives the block of a number, and the newest', async () => {
    await start();
    const fourth = await getBlock({ $case: 'blockNumber', blockNumber: 4n });
    expect(fourth.status).toBe(AccessCode.SUCCESS);
    expect(
      fourth.block?.items.map(({ item }) => item?.$case === 'signedTransaction' && item.signedTransaction[0]),
    ).toEqual([0x40, 0x41, 0x42, 0x43, 0x44, 0x45]);
    const newest = await getBlock({ $case: 'retrieveLatest', retrieveLatest: true });
    expect(newest.block?.items[0]?.item).toMatchObject({ signedTransaction: Buffer.alloc(1_000, 0x60) });
    expect((await getBlock({ $case: 'blockNumber', blockNumber: MAX })).block?.items).toHaveLength(6);
  });

  it('says why it gives none', async () => {
    await start();
    expect((await getBlock({ $case: 'blockNumber', blockNumber: 7n })).status).toBe(AccessCode.NOT_AVAILABLE);
    expect((await getBlock({ $case: 'blockNumber', blockNumber: 2n })).status).toBe(AccessCode.NOT_AVAILABLE);
    expect((await getBlock({ $case: 'retrieveLatest', retrieveLatest: false })).status).toBe(
      AccessCode.INVALID_REQUEST,
    );
    expect((await getBlock(undefined)).status).toBe(AccessCode.INVALID_REQUEST);
  });
});

describe('subscribeBlockStream', () => {
  it('sends stored blocks one after another, then SUCCESS', async () => {
    await start();
    expect(await all(subscribe(4n, 5n))).toEqual({
      messages: ['items 4 x6', 'end 4', 'items 5 x6', 'end 5', `status ${Code.SUCCESS}`],
      code: 0,
    });
    const { messages } = await all(subscribe(MAX, 3n));
    expect(messages).toEqual(['items 3 x6', 'end 3', `status ${Code.SUCCESS}`]);
  });

  it('refuses what it must', async () => {
    await start();
    expect(await statusOf(-2n, 5n)).toBe(`status ${Code.INVALID_START_BLOCK_NUMBER}`);
    expect(await statusOf(3n, -2n)).toBe(`status ${Code.INVALID_END_BLOCK_NUMBER}`);
    expect(await statusOf(5n, 4n)).toBe(`status ${Code.INVALID_END_BLOCK_NUMBER}`);
    expect(await statusOf(2n, 5n)).toBe(`status ${Code.NOT_AVAILABLE}`);
    expect(await statusOf(-1n, 2n)).toBe(`status ${Code.NOT_AVAILABLE}`);
    expect(await statusOf(4_007n, -1n)).toBe(`status ${Code.NOT_AVAILABLE}`);
  });

  it('waits for blocks to come, and ends with SUCCESS when it stops', async () => {
    const store = await start();
    const stream = subscribe(7n, MAX);
    const result = all(stream);
    const newest = all(subscribe(MAX, MAX));
    await new Promise((resolve) => setTimeout(resolve, 50));
    store.add(7n, blockOf(7n));
    store.add(8n, blockOf(8n));
    await new Promise<void>((resolve) => {
      stream.on('data', (bytes: Buffer) => {
        if (told(bytes) === 'end 8') resolve();
      });
    });
    await node?.stop();
    const expected = ['items 7 x6', 'end 7', 'items 8 x6', 'end 8', `status ${Code.SUCCESS}`];
    expect((await result).messages).toEqual(expected);
    expect((await newest).messages).toEqual(expected);
  });

  it('ends at a hole with NOT_AVAILABLE', async () => {
    const store = await start();
    store.add(9n, blockOf(9n));
    expect((await all(subscribe(6n, 9n))).messages).toEqual(['items 6 x6', 'end 6', `status ${Code.NOT_AVAILABLE}`]);
  });
});

describe('sets of items', () => {
  it('are cut at items, greedily', () => {
    const block = blockOf(1n);
    expect(itemSets(block).map(({ length }) => length)).toEqual([block.length]);
    const lengths = itemSets(block, 2_100).map(({ length }) => length);
    expect(lengths).toEqual([block.length / 3, block.length / 3, block.length / 3]);
    expect(itemSets(block, 10)).toHaveLength(6);
    expect(Buffer.concat(itemSets(block, 2_100))).toEqual(Buffer.from(block));
  });
});

describe('faults for tests', () => {
  const run = async (fault: BlockNodeFault) => {
    await start(faultAt(fault, 4n, 1));
    return all(subscribe(3n, 5n));
  };
  const third = ['items 3 x6', 'end 3'];
  const rest = ['items 4 x6', 'end 4', 'items 5 x6', 'end 5', `status ${Code.SUCCESS}`];

  it('dies in the middle of a block', async () => {
    const { messages, code } = await run('dies');
    expect(code).not.toBe(0);
    expect(messages.slice(0, 4)).toEqual([...third, 'items 4 x2', 'items 4 x2']);
    expect(messages).not.toContain('end 4');
  });

  it('repeats, skips, reorders', async () => {
    expect((await run('repeats')).messages).toEqual([
      ...third,
      'items 4 x2',
      'items 4 x2',
      'items 4 x6',
      'end 4',
      ...rest,
    ]);
    await node?.stop();
    expect((await run('skips')).messages).toEqual([...third, ...rest.slice(2)]);
    await node?.stop();
    expect((await run('reorders')).messages).toEqual([...third, 'end 4', 'items 4 x6', ...rest.slice(2)]);
  });

  it('lies in one bit', async () => {
    const before = blockOf(4n);
    await start(faultAt('lies', 4n, 1));
    const sets: Buffer[] = [];
    await new Promise<void>((resolve) => {
      const stream = subscribe(4n, 4n);
      stream.on('data', (bytes: Buffer) => sets.push(bytes));
      stream.on('end', resolve);
    });
    const differing = [...(sets[0] as Buffer).subarray(-before.length)].filter((byte, i) => byte !== before[i]);
    expect(differing).toHaveLength(1);
  });

  it('is behind', async () => {
    await start(faultAt('behind', 4n));
    const status = await unary('BlockNodeService/serverStatus', new Uint8Array(), (bytes) =>
      ServerStatusResponse.decode(bytes),
    );
    expect(status.lastAvailableBlock).toBe(4n);
  });
});
