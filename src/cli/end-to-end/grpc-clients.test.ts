/** The SDK's own clients of the gRPC interface, over a simulated ledger. */

import { readFile } from 'node:fs/promises';
import { AddressBookQuery, Client, FileId, TopicId, TopicMessageQuery } from '@hiero-ledger/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddressBook } from '../../streams/address-book.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

let served: ServedLedger;
let client: Client;
let book: Buffer;

interface MessageRow extends Record<string, string> {
  readonly topic_id: string;
  readonly sequence_number: string;
  readonly consensus_timestamp: string;
}

describe('the SDK over gRPC', () => {
  beforeAll(async () => {
    served = await serveSimulatedLedger(
      {
        seed: 'topics',
        transactions: 1_500,
        tps: 100,
        nodes: 4,
        users: 20,
        mix: 'topiccreate=5,message=60,transfer=35',
      },
      { grpc: true },
    );
    book = await readFile(served.ledger.addressBookFile);
    client = Client.forNetwork({ '127.0.0.1:50211': '0.0.3' }, { scheduleNetworkUpdate: false });
    client.setMirrorNetwork([`127.0.0.1:${served.server.interfacePorts.grpc}`]);
  }, 120_000);

  afterAll(async () => {
    client?.close();
    await served?.stop();
  });

  it('reads the address book', async () => {
    const { nodeAddresses } = await new AddressBookQuery().setFileId(FileId.ADDRESS_BOOK).execute(client);
    const expected = parseAddressBook(book);
    expect(nodeAddresses.map(({ accountId, nodeId }) => [accountId?.toString(), nodeId?.toNumber()])).toEqual(
      expected.entries.map(({ accountId, nodeId }) => [`0.0.${accountId}`, Number(nodeId)]),
    );
  });

  it('learns the network from the port of HTTP alone, which serves gRPC too', async () => {
    const learnt = await Client.forMirrorNetwork(`127.0.0.1:${served.server.ports[0]}`);
    try {
      const { entries } = parseAddressBook(book);
      const accounts = new Set(Object.values(learnt.network).map((account) => account.toString()));
      expect(accounts).toEqual(new Set(entries.map(({ accountId }) => `0.0.${accountId}`)));
      const nodes = await fetch(`${served.origin}/api/v1/network/nodes`);
      expect(((await nodes.json()) as { nodes: unknown[] }).nodes).toHaveLength(entries.length);
    } finally {
      learnt.close();
    }
  });

  it('receives every message of every topic, chunks put together, in order', async () => {
    const rows = await served.target.database.query<MessageRow>(
      `select topic_id, sequence_number, consensus_timestamp from topic_message
        where coalesce(chunk_total, 1) = 1 or chunk_num = chunk_total order by consensus_timestamp`,
    );
    const topics = [...new Set(rows.map(({ topic_id }) => topic_id))];
    expect(topics.length).toBeGreaterThan(2);
    const received = await Promise.all(
      topics.slice(0, 5).map(async (topic) => {
        const expected = rows.filter(({ topic_id }) => topic_id === topic);
        const numbers: string[] = [];
        await new Promise<void>((resolve, reject) => {
          const subscription = new TopicMessageQuery()
            .setTopicId(TopicId.fromString(topic))
            .setStartTime(0)
            .setErrorHandler((_message, error) => reject(error))
            .subscribe(client, null, ({ sequenceNumber }) => {
              numbers.push(sequenceNumber.toString());
              if (numbers.length === expected.length) {
                subscription.unsubscribe();
                resolve();
              }
            });
        });
        return { numbers, expected: expected.map(({ sequence_number }) => sequence_number) };
      }),
    );
    for (const { numbers, expected } of received) expect(numbers).toEqual(expected);
  });

  it('is told of a topic that is not there', async () => {
    const error = await new Promise<Error>((resolve) => {
      new TopicMessageQuery()
        .setTopicId(TopicId.fromString('0.0.99999999'))
        .setMaxAttempts(1)
        .setErrorHandler((_message, fault) => resolve(fault))
        .subscribe(client, null, () => undefined);
    });
    expect(error.message).toContain('0.0.99999999 does not exist');
  });
});
