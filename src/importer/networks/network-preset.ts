/** What is known of the public networks: where their streams lie, and the address books that prove the first of them. */
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { decodeEntityId, type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { type Nanos, streamNameToNanos } from '../../ledger/timestamp.ts';
import { NodeAddress, NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import { type AddressBook, parseAddressBook } from '../../streams/address-book.ts';

const PUBLIC_NETWORKS = ['demo', 'mainnet', 'testnet', 'previewnet'] as const;
export type PublicNetwork = (typeof PUBLIC_NETWORKS)[number];

export interface BootstrapBook {
  /** The book is in force from this consensus time on, in nanoseconds; 0 for the first one. */
  readonly validFrom: Nanos;
  readonly book: AddressBook;
}

export interface NetworkPreset {
  readonly network: PublicNetwork;
  readonly recordBucket: string;
  readonly blockBucket: string;
  /** The buckets give their objects to anyone; the others ask whoever reads to pay. */
  readonly anonymous: boolean;
  /** Consensus time in the name of the first record file, as far as it is known. */
  readonly firstBlock: Nanos | null;
  /** Oldest first. */
  readonly addressBooks: readonly BootstrapBook[];
}

/** The network that a setting names: case is ignored, and so is a text after the first `-`. */
export const networkName = (setting: string): string => (setting.split('-', 1)[0] ?? '').trim().toLowerCase();

/** Undefined for networks that aren't public. */
export const networkPreset = (setting: string): NetworkPreset | undefined => {
  const network = PUBLIC_NETWORKS.find((name) => name === networkName(setting));
  if (network === undefined) return undefined;
  const file = JSON.parse(readFileSync(new URL(`./${network}.json`, import.meta.url), 'utf8')) as PresetFile;
  return {
    network,
    recordBucket: file.recordBucket,
    blockBucket: file.blockBucket,
    anonymous: file.anonymous,
    firstBlock: file.firstBlock === null ? null : (streamNameToNanos(file.firstBlock) ?? null),
    addressBooks: file.addressBooks.map((book) => ({
      validFrom: BigInt(book.validFrom),
      book: parseAddressBook(serialize(book), { source: `address book of ${network} from ${book.validFrom}` }),
    })),
  };
};

/** The address book in force at a consensus time: the youngest that began before it, else the first. */
export const bootstrapAddressBook = ({ addressBooks }: NetworkPreset, at: Nanos): AddressBook => {
  const [first] = addressBooks;
  if (first === undefined) throw new TypeError('a public network has an address book');
  return (addressBooks.findLast(({ validFrom }) => validFrom <= at) ?? first).book;
};

/** Our JSON of a network; 64-bit numbers are texts. */
interface PresetFile {
  readonly recordBucket: string;
  readonly blockBucket: string;
  readonly anonymous: boolean;
  /** As its record file is named. */
  readonly firstBlock: string | null;
  readonly addressBooks: readonly BookFile[];
}

interface BookFile {
  readonly validFrom: string;
  /** As the oldest books do: nodes are known by the account in their memo, ids are left out. */
  readonly idsInMemoOnly: boolean;
  readonly nodes: readonly NodeFile[];
}

interface NodeFile {
  readonly nodeId: string;
  readonly accountId: string;
  readonly memo?: string;
  readonly description?: string;
  readonly stake?: string;
  readonly certHash?: string;
  readonly publicKey: string;
  /** `address:port` each. */
  readonly endpoints: readonly string[];
}

/** The content of the ledger's address book file. */
const serialize = ({ idsInMemoOnly, nodes }: BookFile): Uint8Array =>
  NodeAddressBook.encode(
    NodeAddressBook.fromPartial({
      nodeAddress: nodes.map((node) => {
        const identity = idsInMemoOnly
          ? { memo: Buffer.from(node.accountId) }
          : {
              nodeId: BigInt(node.nodeId),
              nodeAccountId: accountOf(parseEntityId(node.accountId) ?? 0n),
              memo: Buffer.from(node.memo ?? ''),
            };
        return NodeAddress.fromPartial({
          ...identity,
          RSAPubKey: node.publicKey,
          description: node.description ?? '',
          stake: BigInt(node.stake ?? 0),
          nodeCertHash: Buffer.from(node.certHash ?? ''),
          serviceEndpoint: node.endpoints.map(endpointOf),
        });
      }),
    }),
  ).finish();

const accountOf = (id: EntityId) => {
  const { shard, realm, num } = decodeEntityId(id);
  return { shardNum: shard, realmNum: realm, account: { $case: 'accountNum' as const, accountNum: num } };
};

const endpointOf = (text: string) => {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon);
  const port = Number(text.slice(colon + 1));
  return isIPv4(host) ? { ipAddressV4: Buffer.from(host.split('.').map(Number)), port } : { domainName: host, port };
};
