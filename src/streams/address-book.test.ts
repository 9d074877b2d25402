import { describe, expect, it } from 'vitest';
import { type DeepPartial, NodeAddressBook } from '../protobuf/generated/services/basic_types.ts';
import { parseAddressBook, parseRsaKey } from './address-book.ts';
import { addressBookBytes, makeNodes } from './testing/network.fixture.ts';

type Address = NonNullable<DeepPartial<NodeAddressBook>['nodeAddress']>[number];

const encode = (...nodeAddress: Address[]): Uint8Array =>
  NodeAddressBook.encode(NodeAddressBook.fromPartial({ nodeAddress })).finish();

const accountId = (num: bigint, realm = 0n): Address['nodeAccountId'] => ({
  shardNum: 0n,
  realmNum: realm,
  account: { $case: 'accountNum', accountNum: num },
});

describe('address book', () => {
  it('parses keys, and finds nodes by id and account', () => {
    const nodes = makeNodes(2);
    const bytes = addressBookBytes(nodes);
    const book = parseAddressBook(bytes);
    expect(book.entries.map(({ nodeId, accountId }) => [nodeId, accountId])).toEqual([
      [0n, 3n],
      [1n, 4n],
    ]);
    expect(book.byAccountId.get(4n)).toBe(book.byNodeId.get(1n));
    expect(book.byNodeId.get(1n)?.publicKey?.equals(nodes[1]?.publicKey as never)).toBe(true);
    expect(book.bytes).toBe(bytes);
  });

  it('takes the account of old books from the memo, and the node id from the account', () => {
    const book = parseAddressBook(
      encode(
        { memo: Buffer.from('0.0.3'), ipAddress: Buffer.from('10.0.0.1'), portno: 50211 },
        { memo: Buffer.from('0.0.7') },
      ),
    );
    expect(book.entries).toMatchObject([
      {
        nodeId: 0n,
        accountId: 3n,
        memo: '0.0.3',
        endpoints: [{ ipAddressV4: '10.0.0.1', port: 50211, domainName: '' }],
      },
      { nodeId: 4n, accountId: 7n, publicKey: null, publicKeyHex: '', nodeCertHash: null, endpoints: [] },
    ]);
  });

  it('keeps a stated node id, and 0 for accounts from 20 on', () => {
    const book = parseAddressBook(
      encode({ nodeId: 9n, nodeAccountId: accountId(5n) }, { nodeId: 0n, nodeAccountId: accountId(20n) }),
    );
    expect(book.entries.map(({ nodeId }) => nodeId)).toEqual([9n, 0n]);
  });

  it('merges the endpoints of entries with one node id', () => {
    const endpoint = (last: number, port: number): NonNullable<Address['serviceEndpoint']>[number] => ({
      ipAddressV4: Buffer.of(10, 0, 0, last),
      port,
    });
    const { entries } = parseAddressBook(
      encode(
        {
          nodeId: 1n,
          nodeAccountId: accountId(4n),
          serviceEndpoint: [endpoint(1, 50211)],
          stake: 7n,
          description: 'a',
        },
        {
          nodeId: 1n,
          nodeAccountId: accountId(4n),
          serviceEndpoint: [endpoint(1, 50211), { domainName: 'node.example', port: 1 }],
        },
      ),
    );
    expect(entries).toMatchObject([
      {
        nodeId: 1n,
        stake: 7n,
        description: 'a',
        endpoints: [
          { ipAddressV4: '10.0.0.1', port: 50211, domainName: '' },
          { ipAddressV4: '', port: 1, domainName: 'node.example' },
        ],
      },
    ]);
  });

  it.each([
    ['a book cut in the middle', encode({ nodeAccountId: accountId(3n), description: 'long enough' }).subarray(0, 12)],
    ['a book cut before the end of a node', encode({ nodeAccountId: accountId(3n), stake: 1n }).subarray(0, -2)],
    ['an empty book', new Uint8Array()],
    ['a node without account', encode({ nodeId: 3n })],
    ['a memo that is no account', encode({ memo: Buffer.from('3') })],
    ['an account out of bounds', encode({ nodeAccountId: accountId(-1n) })],
    ['a foreign realm', encode({ nodeAccountId: accountId(3n, 5n) })],
  ])('refuses %s', (_what, bytes) => {
    expect(() => parseAddressBook(bytes, { source: 'file 102', shard: 0n, realm: 0n })).toThrowError(
      expect.objectContaining({ code: 'STREAM_BAD_ADDRESS_BOOK' }),
    );
  });

  it('has no key for text that is no RSA key', () => {
    expect(parseRsaKey('')).toBeNull();
    expect(parseRsaKey('xyz')).toBeNull();
    expect(parseRsaKey(`302a300506032b6570032100${'11'.repeat(32)}`)).toBeNull();
  });
});
