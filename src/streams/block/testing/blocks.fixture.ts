import { sign } from 'node:crypto';
import { sha384 } from '../../../ledger/hash.ts';
import type { HapiVersion, RecordFileItem, SidecarMetadata } from '../../record-file-content.ts';
import type { TestNode } from '../../testing/network.fixture.ts';
import { writeRecordFileV6 } from '../../write/record-file-v6.ts';
import { type BlockFooter, type BlockItem, BlockItemField as Field, type MerkleSibling } from '../block.ts';
import { HashTree, TreeHasher } from '../hash-tree.ts';
import { emptyHashOf, hashItems, type RootForm, rootHashOf } from '../root-hash.ts';
import type { BlockTrust, LedgerTrust, RecordSigners } from '../trust.ts';

/** Protobuf by hand: what the tests need and no more. */
const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.of(...bytes, Number(rest));
};

export const bytesField = (field: number, content: Uint8Array): Buffer =>
  Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(content.length)), content]);

export const numberField = (field: number, value: bigint): Buffer =>
  value === 0n ? Buffer.alloc(0) : Buffer.concat([varint(BigInt(field * 8)), varint(value)]);

export const blockItem = (field: number, payload: Uint8Array): BlockItem => ({
  field,
  bytes: bytesField(field, payload),
  payload,
});

export const blockBytes = (items: readonly { readonly bytes: Uint8Array }[]): Buffer =>
  Buffer.concat(items.map(({ bytes }) => bytesField(1, bytes)));

export const versionBytes = ({ major, minor, patch }: HapiVersion): Buffer =>
  Buffer.concat([numberField(1, BigInt(major)), numberField(2, BigInt(minor)), numberField(3, BigInt(patch))]);

export const timestampBytes = (nanos: bigint): Buffer =>
  Buffer.concat([numberField(1, nanos / 1_000_000_000n), numberField(2, nanos % 1_000_000_000n)]);

export const headerItem = (number: bigint, hapiVersion: HapiVersion, nanos: bigint): BlockItem =>
  blockItem(
    Field.blockHeader,
    Buffer.concat([
      bytesField(1, versionBytes(hapiVersion)),
      bytesField(2, versionBytes(hapiVersion)),
      numberField(3, number),
      bytesField(4, timestampBytes(nanos)),
    ]),
  );

const footerItem = ({ previousRootHash, allPreviousRootsHash, startStateRootHash }: BlockFooter): BlockItem =>
  blockItem(
    Field.blockFooter,
    Buffer.concat([
      bytesField(1, previousRootHash),
      bytesField(2, allPreviousRootsHash),
      bytesField(3, startStateRootHash),
    ]),
  );

/** A BlockProof item of one block around one of its kinds of proof. */
export const proofItem = (number: bigint, kind: number, content: Uint8Array): BlockItem =>
  blockItem(Field.blockProof, Buffer.concat([numberField(1, number), bytesField(kind, content)]));

export const signedProof = (number: bigint, signature: Uint8Array): BlockItem =>
  proofItem(number, 2, bytesField(1, signature));

const publicationOf = ({ id, roster, wrapsKey }: LedgerTrust): Buffer =>
  Buffer.concat([
    bytesField(1, id),
    bytesField(2, wrapsKey ?? Buffer.alloc(0)),
    ...(roster ?? []).map(({ nodeId, weight, key }) =>
      bytesField(3, Buffer.concat([numberField(1, nodeId), numberField(2, weight), bytesField(3, key)])),
    ),
  ]);

/** The LedgerIdPublication transaction with its result. */
export const publicationItems = (ledger: LedgerTrust, status = 22n): BlockItem[] => [
  blockItem(Field.signedTransaction, bytesField(1, bytesField(77, publicationOf(ledger)))),
  blockItem(Field.transactionResult, numberField(1, status)),
];

/** Items of one round with `transactions` transactions, in every tree of the block. */
export const roundItems = (seed: number, transactions: number): BlockItem[] => [
  blockItem(Field.roundHeader, numberField(1, BigInt(seed + 1))),
  blockItem(Field.eventHeader, bytesField(1, numberField(1, BigInt(seed)))),
  ...Array.from({ length: transactions }, (_, i) => [
    blockItem(Field.signedTransaction, bytesField(1, Buffer.alloc(40, seed + i))),
    blockItem(Field.transactionResult, numberField(1, 22n)),
    blockItem(Field.transactionOutput, bytesField(1, Buffer.alloc(4, seed + i))),
    blockItem(Field.traceData, bytesField(1, Buffer.alloc(5, seed + i))),
    blockItem(Field.stateChanges, bytesField(1, Buffer.alloc(6, seed + i))),
  ]).flat(),
];

export interface OpenBlock {
  readonly number: bigint;
  readonly items: readonly BlockItem[];
  readonly footer: BlockFooter;
  readonly timestamp: Uint8Array;
  readonly rootHash: Uint8Array;
  readonly form: RootForm;
}

export interface ChainOptions {
  readonly count: number;
  readonly form?: RootForm;
  readonly hapiVersion?: HapiVersion;
  /** Published in block 0. */
  readonly ledger?: LedgerTrust | null;
  /** Instead of rounds: what stands between header and footer. */
  readonly itemsOf?: (index: number) => readonly BlockItem[];
}

const VERSIONS: Readonly<Record<RootForm, HapiVersion>> = {
  'sixteen-leaves': { major: 0, minor: 78, patch: 0 },
  'eight-leaves': { major: 0, minor: 75, patch: 1 },
  'zero-hashes': { major: 0, minor: 71, patch: 0 },
};

export const START = 1_780_000_000_000_000_000n;

/** Blocks 0, 1, 2, ... without their proofs. */
export const openChain = (options: ChainOptions): OpenBlock[] => {
  const { count, form = 'sixteen-leaves', ledger = null } = options;
  const hapiVersion = options.hapiVersion ?? VERSIONS[form];
  const hasher = new TreeHasher();
  const tree = new HashTree(hasher);
  const empty = emptyHashOf(form);
  let previousRootHash = empty;
  return Array.from({ length: count }, (_, index) => {
    const number = BigInt(index);
    const nanos = START + number * 2_000_000_000n;
    const items = [
      headerItem(number, hapiVersion, nanos),
      ...(index === 0 && ledger !== null ? publicationItems(ledger) : []),
      ...(options.itemsOf?.(index) ?? roundItems(index, 3)),
    ];
    const footer = {
      previousRootHash,
      allPreviousRootsHash: tree.root(empty),
      startStateRootHash: Buffer.alloc(48, index + 1),
    };
    const timestamp = timestampBytes(nanos);
    const rootHash = rootHashOf({ timestampBytes: timestamp, footer, trees: hashItems(items, hasher) }, form, hasher);
    tree.add(form === 'zero-hashes' ? hasher.leaf(rootHash) : rootHash);
    previousRootHash = rootHash;
    return { number, items: [...items, footerItem(footer)], footer, timestamp, rootHash, form };
  });
};

export const closed = ({ items }: OpenBlock, ...proofs: readonly BlockItem[]): Buffer =>
  blockBytes([...items, ...proofs]);

/** The siblings above the first leaf of a block's tree, lowest first; the last one empty over a single child. */
const siblingsOf = ({ items, footer, form }: OpenBlock): MerkleSibling[] => {
  const hasher = new TreeHasher();
  const empty = emptyHashOf(form);
  const [headers, inputs, outputs, changes, trace] = hashItems(items, hasher).map((tree) => tree.root(empty));
  const right = (hash: Uint8Array | undefined): MerkleSibling => ({ isLeft: false, hash: hash as Uint8Array });
  return [
    right(footer.allPreviousRootsHash),
    right(hasher.node(footer.startStateRootHash, headers as Uint8Array)),
    right(hasher.pairwise([inputs, outputs, changes, trace] as Uint8Array[])),
    right(form === 'sixteen-leaves' ? hasher.pairwise(Array.from({ length: 8 }, () => empty)) : Buffer.alloc(0)),
  ];
};

const siblingBytes = ({ isLeft, hash }: MerkleSibling): Buffer =>
  bytesField(1, Buffer.concat([numberField(1, isLeft ? 1n : 0n), bytesField(2, hash)]));

/** The state proof of `chain[index]` through the signature of `chain[signed]`, in the form of HAPI 0.77 and later or 0.73. */
export const stateProof = (
  chain: readonly OpenBlock[],
  index: number,
  signed: number,
  signature: Uint8Array,
  old = false,
): BlockItem => {
  const hasher = new TreeHasher();
  const block = chain[index] as OpenBlock;
  const last = chain[signed] as OpenBlock;
  const siblings = chain.slice(old ? index : index + 1, signed + 1).flatMap((step) => {
    const up = siblingsOf(step).slice(0, old ? 3 : 4);
    return step === last ? up : [...up, { isLeft: true, hash: hasher.leaf(step.timestamp) }];
  });
  const start = old ? block.footer.previousRootHash : block.rootHash;
  const paths = [
    Buffer.concat([numberField(2, 2n), bytesField(6, last.timestamp)]),
    Buffer.concat([...siblings.map(siblingBytes), numberField(2, 2n), bytesField(3, start)]),
    numberField(2, 0xffffffffn),
  ];
  const content = Buffer.concat([...paths.map((path) => bytesField(1, path)), bytesField(2, bytesField(1, signature))]);
  return proofItem(block.number, 3, content);
};

export interface WrappedOptions {
  readonly count: number;
  readonly form?: RootForm;
  readonly nodes: readonly TestNode[];
  readonly itemsOf: (index: number) => readonly RecordFileItem[];
  /** Sidecar files of each, uncompressed. */
  readonly sidecarsOf?: (
    index: number,
  ) => readonly { readonly content: Uint8Array; readonly metadata: SidecarMetadata }[];
  readonly amendmentsOf?: (index: number) => readonly RecordFileItem[];
}

export interface WrappedBlock extends OpenBlock {
  readonly fileHash: Uint8Array;
  /** With the signatures of all nodes. */
  readonly bytes: Uint8Array;
}

/** A chain of wrapped record blocks around record files of version 6. */
export const wrappedChain = (options: WrappedOptions): WrappedBlock[] => {
  let running: Uint8Array = Buffer.alloc(48);
  const fileHashes: Uint8Array[] = [];
  const itemsOf = (index: number): BlockItem[] => {
    const sidecars = options.sidecarsOf?.(index) ?? [];
    const file = writeRecordFileV6({
      hapiVersion: { major: 0, minor: 64, patch: 1 },
      startRunningHash: running,
      blockNumber: BigInt(index),
      items: options.itemsOf(index),
      sidecars: sidecars.map(({ metadata }) => metadata),
      compressionLevel: null,
    });
    running = file.endRunningHash;
    fileHashes.push(file.fileHash);
    const amendments = (options.amendmentsOf?.(index) ?? []).map(({ transaction, record }) =>
      bytesField(4, Buffer.concat([bytesField(1, transaction), bytesField(2, record)])),
    );
    const payload = Buffer.concat([
      bytesField(1, timestampBytes(START + BigInt(index) * 2_000_000_000n)),
      bytesField(2, file.bytes.subarray(4)),
      ...sidecars.map(({ content }) => bytesField(3, content)),
      ...amendments,
    ]);
    return [blockItem(Field.recordFile, payload)];
  };
  const hapiVersion = { major: 0, minor: 64, patch: 1 };
  const chain = openChain({ count: options.count, form: options.form ?? 'sixteen-leaves', hapiVersion, itemsOf });
  return chain.map((block, index) => {
    const fileHash = fileHashes[index] as Uint8Array;
    const proof = recordFileProof(block.number, fileHash, options.nodes);
    return { ...block, fileHash, bytes: closed(block, proof) };
  });
};

export const recordFileProof = (
  number: bigint,
  fileHash: Uint8Array,
  nodes: readonly TestNode[],
  version = 6n,
): BlockItem => {
  const signatures = nodes.map(({ nodeId, privateKey }) =>
    bytesField(2, Buffer.concat([bytesField(1, sign('sha384', fileHash, privateKey)), numberField(2, nodeId)])),
  );
  return proofItem(number, 4, Buffer.concat([numberField(1, version), ...signatures]));
};

export const testSignature = ({ number, rootHash }: OpenBlock): BlockItem => signedProof(number, sha384(rootHash));

export const NO_TRUST: BlockTrust = {
  ledger: null,
  wrapsKeyHashes: [],
  recordSigners: null,
  testSignatures: false,
  unsigned: false,
};

/** One vote for each node, of which a third is needed. */
export const signersOf = (nodes: readonly TestNode[]): RecordSigners => ({
  nodes: nodes.map(({ nodeId, publicKey }) => ({
    nodeId,
    publicKeyHex: publicKey.export({ format: 'der', type: 'spki' }).toString('hex'),
    weight: 1n,
  })),
  totalWeight: BigInt(nodes.length),
  ratio: { numerator: 1n, denominator: 3n },
});
