import { createPublicKey, type KeyObject } from 'node:crypto';
import { isKagamiError } from '../errors/kagami-error.ts';
import { decodeEntityId, type EntityId, encodeEntityId, formatEntityId, parseEntityId } from '../ledger/entity-id.ts';
import { type NodeAddress, NodeAddressBook } from '../protobuf/generated/services/basic_types.ts';
import { streamError } from './stream-error.ts';
import { WireReader } from './wire.ts';

export interface ServiceEndpoint {
  /** Dotted IPv4 address, empty when the endpoint has a domain name only. */
  readonly ipAddressV4: string;
  readonly port: number;
  readonly domainName: string;
}

export interface AddressBookEntry {
  readonly nodeId: bigint;
  readonly accountId: EntityId;
  /** Hex text of the DER SubjectPublicKeyInfo, as the book holds it; empty without key. */
  readonly publicKeyHex: string;
  /** The parsed RSA key; null when there is none or it isn't one. */
  readonly publicKey: KeyObject | null;
  readonly memo: string | null;
  readonly nodeCertHash: Uint8Array | null;
  readonly description: string;
  /** Deprecated stake field of the book, in tinybars. */
  readonly stake: bigint;
  readonly endpoints: readonly ServiceEndpoint[];
}

export interface AddressBook {
  /** One for each node id, in the order of the book. */
  readonly entries: readonly AddressBookEntry[];
  readonly byNodeId: ReadonlyMap<bigint, AddressBookEntry>;
  readonly byAccountId: ReadonlyMap<EntityId, AddressBookEntry>;
  /** The serialized NodeAddressBook, the content of its file on the ledger. */
  readonly bytes: Uint8Array;
}

export interface ParseAddressBookOptions {
  /** Where the bytes come from, for errors. */
  readonly source?: string;
  /** When given, every node's account must be of this shard and realm. */
  readonly shard?: bigint;
  readonly realm?: bigint;
}

/**
 * Parses the content of file 0.0.101 or 0.0.102. A book cut off in the middle, as one uploaded in parts is until its
 * last part, is refused.
 * @throws KagamiError STREAM_BAD_ADDRESS_BOOK.
 */
export const parseAddressBook = (bytes: Uint8Array, options: ParseAddressBookOptions = {}): AddressBook => {
  const source = options.source ?? 'address book';
  const byNodeId = new Map<bigint, AddressBookEntry>();
  for (const address of decode(bytes, source).nodeAddress) {
    const accountId = accountOf(address, source, options);
    const nodeId = nodeIdOf(address, accountId);
    const first = byNodeId.get(nodeId);
    byNodeId.set(
      nodeId,
      first === undefined
        ? entryOf(address, nodeId, accountId)
        : { ...first, endpoints: mergeEndpoints(first.endpoints, endpointsOf(address)) },
    );
  }
  if (byNodeId.size === 0) throw streamError('STREAM_BAD_ADDRESS_BOOK', { file: source, rule: 'it lists no nodes' });
  const entries = [...byNodeId.values()];
  return { entries, byNodeId, byAccountId: new Map(entries.map((entry) => [entry.accountId, entry])), bytes };
};

const decode = (bytes: Uint8Array, source: string): NodeAddressBook => {
  try {
    // The codec takes some cut messages for whole ones; the splitter doesn't.
    const fields = new WireReader(bytes, source);
    while (fields.next()) fields.slice();
    return NodeAddressBook.decode(bytes);
  } catch (error) {
    throw streamError('STREAM_BAD_ADDRESS_BOOK', { file: source, rule: 'not a NodeAddressBook message' }, error);
  }
};

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

const accountOf = (address: NodeAddress, source: string, options: ParseAddressBookOptions): EntityId => {
  const accountId = statedAccountOf(address);
  if (accountId === undefined) {
    throw streamError('STREAM_BAD_ADDRESS_BOOK', { file: source, rule: `node ${address.nodeId} has no valid account` });
  }
  const { shard, realm } = decodeEntityId(accountId);
  if (shard !== (options.shard ?? shard) || realm !== (options.realm ?? realm)) {
    throw streamError('STREAM_BAD_ADDRESS_BOOK', {
      file: source,
      rule: `node account ${formatEntityId(accountId)} is outside shard ${options.shard}, realm ${options.realm}`,
    });
  }
  return accountId;
};

/** Old books give the account as text in the memo only. */
const statedAccountOf = ({ nodeAccountId, memo }: NodeAddress): EntityId | undefined => {
  if (nodeAccountId?.account?.$case !== 'accountNum') {
    const text = textOf(memo);
    return /^\d+\.\d+\.\d+$/.test(text) ? parseEntityId(text) : undefined;
  }
  try {
    return encodeEntityId(nodeAccountId.shardNum, nodeAccountId.realmNum, nodeAccountId.account.accountNum);
  } catch (error) {
    if (isKagamiError(error, 'INVALID_ENTITY_ID')) return undefined;
    throw error;
  }
};

/** Books from before node ids were written leave 0; the first nodes' accounts tell the id: 0.0.3 is node 0, and so on. */
const nodeIdOf = (address: NodeAddress, accountId: EntityId): bigint => {
  const { num } = decodeEntityId(accountId);
  return address.nodeId === 0n && num < 20n && num !== 3n ? num - 3n : address.nodeId;
};

const entryOf = (address: NodeAddress, nodeId: bigint, accountId: EntityId): AddressBookEntry => ({
  nodeId,
  accountId,
  publicKeyHex: address.RSAPubKey,
  publicKey: parseRsaKey(address.RSAPubKey),
  memo: address.memo.length === 0 ? null : textOf(address.memo),
  nodeCertHash: address.nodeCertHash.length === 0 ? null : address.nodeCertHash,
  description: address.description,
  stake: address.stake,
  endpoints: endpointsOf(address),
});

/** Null unless `hex` is a DER SubjectPublicKeyInfo of an RSA key. */
export const parseRsaKey = (hex: string): KeyObject | null => {
  if (hex === '') return null;
  try {
    const key = createPublicKey({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    return null;
  }
};

const endpointsOf = (address: NodeAddress): ServiceEndpoint[] => {
  const endpoints: ServiceEndpoint[] = [];
  const ip = textOf(address.ipAddress);
  if (ip !== '') endpoints.push({ ipAddressV4: ip, port: address.portno, domainName: '' });
  const services = address.serviceEndpoint.map(({ ipAddressV4, port, domainName }) => ({
    ipAddressV4: ipAddressV4.length === 4 ? ipAddressV4.join('.') : '',
    port,
    domainName,
  }));
  return mergeEndpoints(endpoints, services);
};

const mergeEndpoints = (first: readonly ServiceEndpoint[], second: readonly ServiceEndpoint[]): ServiceEndpoint[] => {
  const merged = new Map<string, ServiceEndpoint>();
  for (const endpoint of [...first, ...second]) {
    merged.set(`${endpoint.ipAddressV4}|${endpoint.port}|${endpoint.domainName}`, endpoint);
  }
  return [...merged.values()];
};
