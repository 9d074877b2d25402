import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import { blockContentOf, type Content } from '../compression.ts';
import type { HapiVersion } from '../record-file-content.ts';
import { streamError } from '../stream-error.ts';
import { timestampNanos, WireReader } from '../wire.ts';
import { type Block, type BlockFooter, type BlockItem, BlockItemField, type BlockProof } from './block.ts';
import { parseBlockFileName } from './block-file-name.ts';
import { readProof } from './read-proof.ts';

/** As the reference's limits for what a block node sends. */
const MAX_BLOCK_BYTES = 512 * 1024 * 1024;
const MAX_BLOCK_ITEMS = 800_000;

/** Blocks before are a dead preview format. */
const OLDEST_HAPI_MINOR = 71;

const HASH_BYTES = 48;
const SHA2_384 = 0;

export interface ReadBlockOptions {
  /** Refuses blocks of more bytes than these, uncompressed; 512 MiB by default. */
  readonly maxContentBytes?: number;
  /** Refuses blocks of more items than these; 800,000 by default. */
  readonly maxItems?: number;
}

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(BlockItemField).map(([name, field]) => [field, name]),
);

const nameOf = (field: number): string => NAMES.get(field) ?? `field ${field}`;

/**
 * Takes a block apart: a file (plain, gzip or zstd), or the BlockItemSet messages of one block from a block node,
 * concatenated, which are a Block message as well. Checks bounds, order of items, header, footer and the number that
 * `name` states, if it is the path of a block file; hashes and proofs are not checked here.
 * @throws KagamiError STREAM_WRONG_NAME, STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_BAD_COMPRESSION, STREAM_MALFORMED,
 * STREAM_TRAILING_BYTES, STREAM_UNKNOWN_VERSION; details name block and item where they are known.
 */
export const readBlock = (name: string, bytes: Uint8Array, options: ReadBlockOptions = {}): Block => {
  const content = blockContentOf(name, bytes, options.maxContentBytes ?? MAX_BLOCK_BYTES);
  const reader = new BlockReader(name, content, options.maxItems ?? MAX_BLOCK_ITEMS);
  const block = { ...reader.read(), size: bytes.length };
  const stated = parseBlockFileName(name);
  if (stated !== undefined && stated !== block.number) {
    const rule = `the name states block ${stated}, the header block ${block.number}`;
    throw streamError('STREAM_WRONG_NAME', { file: name, block: block.number, rule });
  }
  return block;
};

interface Header {
  readonly number: bigint;
  readonly hapiVersion: HapiVersion;
  readonly softwareVersion: HapiVersion | null;
  readonly timestamp: bigint;
  readonly timestampBytes: Uint8Array;
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

/**
 * Makes its views when they are asked for: those of all items of a large block at once would be most of what the collector
 * carries.
 */
class ContentItem implements BlockItem {
  readonly field: number;
  readonly #content: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #payloadStart: number;
  readonly #payloadEnd: number;

  constructor(field: number, content: Uint8Array, item: Bounds, payload: Bounds) {
    this.field = field;
    this.#content = content;
    this.#start = item.start;
    this.#end = item.end;
    this.#payloadStart = payload.start;
    this.#payloadEnd = payload.end;
  }

  get bytes(): Uint8Array {
    return this.#slice(this.#start, this.#end);
  }

  get payload(): Uint8Array {
    return this.#slice(this.#payloadStart, this.#payloadEnd);
  }

  #slice(start: number, end: number): Uint8Array {
    const { buffer, byteOffset } = this.#content;
    return new Uint8Array(buffer, byteOffset + start, end - start);
  }
}

class BlockReader {
  readonly #name: string;
  readonly #content: Content;
  readonly #maxItems: number;
  readonly #items: BlockItem[] = [];
  readonly #proofs: BlockProof[] = [];
  #header: Header | undefined;
  #recordFile: Uint8Array | null = null;
  #footer: BlockFooter | undefined;
  #sawTransaction = false;
  #sawResult = false;

  constructor(name: string, content: Content, maxItems: number) {
    this.#name = name;
    this.#content = content;
    this.#maxItems = maxItems;
  }

  read(): Omit<Block, 'size'> {
    try {
      return this.#read();
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      throw this.#placed(error);
    }
  }

  #read(): Omit<Block, 'size'> {
    const { bytes, compression } = this.#content;
    const fields = new WireReader(bytes, this.#name);
    while (fields.next()) {
      if (fields.field !== 1) fields.refuse(`field ${fields.field} in a block, which holds items only`);
      if (this.#items.length >= this.#maxItems) {
        const rule = `more than ${this.#maxItems} items`;
        throw streamError('STREAM_OVERSIZED', { file: this.#name, offset: fields.tagStart, rule });
      }
      this.#add(fields);
    }
    const header = this.#header;
    const [first] = this.#items;
    if (header === undefined || first === undefined) return this.#missing('block header');
    if (this.#footer === undefined) return this.#missing('block footer');
    if (this.#proofs.length === 0) return this.#missing('block proof');
    return {
      name: this.#name,
      ...header,
      items: this.#items,
      header: first,
      recordFile: this.#recordFile,
      footer: this.#footer,
      proofs: this.#proofs,
      uncompressedSize: bytes.length,
      compression,
    };
  }

  #missing(what: string): never {
    const { bytes } = this.#content;
    throw streamError('STREAM_TRUNCATED', { file: this.#name, offset: bytes.length, rule: `the ${what} is missing` });
  }

  #add(fields: WireReader): void {
    const item = fields.message();
    if (!item.next()) fields.refuse('the item is empty');
    const { field } = item;
    // A second field would replace the first in some decoders and not in others.
    this.#checkPlace(item);
    this.#take(item);
    item.expectBytes();
    const { start, end } = item;
    if (item.next()) item.refuse(`the item holds field ${item.field} beside field ${field}`);
    this.#items.push(
      new ContentItem(field, this.#content.bytes, { start: fields.start, end: fields.end }, { start, end }),
    );
  }

  /** Refuses an item where it stands: reordered items, items of two blocks in one, and items that we don't know. */
  #checkPlace(item: WireReader): void {
    const { field } = item;
    const name = nameOf(field);
    const isFirst = this.#items.length === 0;
    if (isFirst !== (field === BlockItemField.blockHeader)) {
      item.refuse(isFirst ? `the first item is ${name}, must be blockHeader` : 'a second blockHeader');
    }
    if (field === BlockItemField.blockProof) {
      if (this.#footer === undefined) item.refuse('a blockProof before the blockFooter');
      return;
    }
    if (this.#footer !== undefined) item.refuse(`${name} after the blockFooter`);
    switch (field) {
      case BlockItemField.filteredSingleItem:
      case BlockItemField.redactedItem:
        item.refuse(`${name}: part of the block was left out`);
        break;
      case BlockItemField.transactionResult:
        if (!this.#sawTransaction) item.refuse(`${name} before any signedTransaction`);
        break;
      case BlockItemField.transactionOutput:
      case BlockItemField.traceData:
        if (!this.#sawResult) item.refuse(`${name} before any transactionResult`);
        break;
      default:
        if (!NAMES.has(field)) item.refuse(`${name} of an item is not known`);
    }
    if (this.#recordFile !== null && field !== BlockItemField.blockFooter) {
      item.refuse(`${name} after the record file that the block wraps`);
    }
  }

  #take(item: WireReader): void {
    switch (item.field) {
      case BlockItemField.blockHeader:
        this.#header = readHeader(item);
        break;
      case BlockItemField.roundHeader:
      case BlockItemField.eventHeader:
        this.#checkHapiVersion();
        break;
      case BlockItemField.signedTransaction:
        this.#checkHapiVersion();
        this.#sawTransaction = true;
        break;
      case BlockItemField.transactionResult:
        this.#sawResult = true;
        break;
      case BlockItemField.recordFile:
        if (this.#items.some(({ field }) => !WRAPPED_FIELDS.has(field))) {
          item.refuse('a record file beside rounds or transactions');
        }
        this.#recordFile = item.slice();
        break;
      case BlockItemField.blockFooter:
        if (this.#recordFile === null) this.#checkHapiVersion();
        this.#footer = readFooter(item);
        break;
      case BlockItemField.blockProof: {
        const { number, proof } = readProof(item);
        if (number !== this.#header?.number) item.refuse(`the proof is one of block ${number}`);
        this.#proofs.push(proof);
      }
    }
  }

  /** Only wrapped record blocks state older versions: those of their record files. */
  #checkHapiVersion(): void {
    const version = this.#header?.hapiVersion;
    if (version === undefined || version.major > 0 || version.minor >= OLDEST_HAPI_MINOR) return;
    throw streamError('STREAM_UNKNOWN_VERSION', {
      file: this.#name,
      rule: `block stream of HAPI ${version.major}.${version.minor}.${version.patch}, a preview format; blocks of HAPI 0.71 and later are read`,
    });
  }

  /** `error` with the block and the item where it occurred. */
  #placed(error: KagamiError): KagamiError {
    const block = this.#header?.number;
    const item = this.#items.length;
    const place = block === undefined ? `item ${item}` : `block ${block}, item ${item}`;
    const rule = String(error.details.rule ?? error.message);
    const { offset } = error.details;
    return new KagamiError(
      error.code,
      `${this.#name}: ${place}: ${rule}${offset === undefined ? '' : ` (at byte ${offset})`}`,
      { details: { ...error.details, ...(block === undefined ? {} : { block }), item, rule }, cause: error.cause },
    );
  }
}

/** What stands before the record file of a wrapped record block. */
const WRAPPED_FIELDS: ReadonlySet<number> = new Set([BlockItemField.blockHeader, BlockItemField.stateChanges]);

/** BlockHeader {1 hapi_proto_version, 2 software_version, 3 number, 4 block_timestamp, 5 hash_algorithm}. */
const readHeader = (fields: WireReader): Header => {
  const message = fields.message();
  let number = 0n;
  let hapiVersion: HapiVersion | undefined;
  let softwareVersion: HapiVersion | null = null;
  let timestamp: bigint | undefined;
  let timestampBytes: Uint8Array | undefined;
  while (message.next()) {
    switch (message.field) {
      case 1:
        hapiVersion = readSemanticVersion(message);
        break;
      case 2:
        softwareVersion = readSemanticVersion(message);
        break;
      case 3:
        number = message.int64();
        break;
      case 4:
        if (timestampBytes !== undefined) message.refuse('two block timestamps');
        timestamp = timestampNanos(message);
        timestampBytes = message.slice();
        break;
      case 5:
        if (message.int32() !== SHA2_384) message.refuse(`hash algorithm ${message.int32()}, must be SHA2_384`);
    }
  }
  if (hapiVersion === undefined) fields.refuse('the block header has no HAPI version');
  if (timestamp === undefined || timestampBytes === undefined) fields.refuse('the block header has no timestamp');
  if (number < 0n) fields.refuse('the block number exceeds 2^63 - 1');
  return { number, hapiVersion, softwareVersion, timestamp, timestampBytes };
};

const readSemanticVersion = (fields: WireReader): HapiVersion => {
  const message = fields.message();
  const version = { major: 0, minor: 0, patch: 0 };
  while (message.next()) {
    if (message.field === 1) version.major = message.int32();
    else if (message.field === 2) version.minor = message.int32();
    else if (message.field === 3) version.patch = message.int32();
  }
  return version;
};

/** BlockFooter {1 previous_block_root_hash, 2 root_hash_of_all_block_hashes_tree, 3 start_of_block_state_root_hash}. */
const readFooter = (fields: WireReader): BlockFooter => {
  const message = fields.message();
  const hashes: Uint8Array[] = [];
  while (message.next()) {
    if (message.field < 1 || message.field > 3) continue;
    const value = message.slice();
    if (value.length !== 0 && value.length !== HASH_BYTES) {
      message.refuse(`hash ${message.field} of the footer has ${value.length} bytes, must have ${HASH_BYTES}`);
    }
    hashes[message.field - 1] = value;
  }
  const none = new Uint8Array(0);
  return {
    previousRootHash: hashes[0] ?? none,
    allPreviousRootsHash: hashes[1] ?? none,
    startStateRootHash: hashes[2] ?? none,
  };
};
