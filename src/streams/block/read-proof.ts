import type { WireReader } from '../wire.ts';
import type { BlockProof, MerklePath, MerkleSibling } from './block.ts';

const SIGNED_BLOCK_PROOF = 2;
const BLOCK_STATE_PROOF = 3;
const SIGNED_RECORD_FILE_PROOF = 4;

/** Bounds of what a proof may hold; real ones have three paths, five siblings for each skipped block and tens of nodes. */
const MAX_PATHS = 64;
const MAX_SIBLINGS = 100_000;
const MAX_SIGNATURES = 10_000;

const LEAF_KINDS: Readonly<Record<number, MerklePath['leaf']['kind']>> = {
  3: 'hash',
  4: 'state-item',
  5: 'block-item',
  6: 'timestamp',
};

/**
 * Reads the BlockProof message that `fields` stands on: the number of the block that it states, and the proof.
 * @throws KagamiError STREAM_MALFORMED, STREAM_TRUNCATED.
 */
export const readProof = (fields: WireReader): { readonly number: bigint; readonly proof: BlockProof } => {
  const message = fields.message();
  let number = 0n;
  let proof: BlockProof | undefined;
  while (message.next()) {
    if (message.field === 1) {
      number = message.int64();
      continue;
    }
    if (proof !== undefined) message.refuse('a block proof holds more than one proof');
    switch (message.field) {
      case SIGNED_BLOCK_PROOF:
        proof = { kind: 'signed', signature: readSignature(message) };
        break;
      case BLOCK_STATE_PROOF:
        proof = readStateProof(message);
        break;
      case SIGNED_RECORD_FILE_PROOF:
        proof = readRecordFileProof(message);
        break;
      default:
        proof = { kind: 'unknown', field: message.field };
    }
  }
  return { number, proof: proof ?? fields.refuse('a block proof holds no proof') };
};

/** TssSignedBlockProof {1 block_signature}. */
const readSignature = (fields: WireReader): Uint8Array => {
  const message = fields.message();
  let signature: Uint8Array | undefined;
  while (message.next()) if (message.field === 1) signature = message.slice();
  return signature ?? fields.refuse('a signed block proof has no signature');
};

/** StateProof {1 paths, 2 signed_block_proof}. */
const readStateProof = (fields: WireReader): BlockProof => {
  const message = fields.message();
  const paths: MerklePath[] = [];
  let signature: Uint8Array | undefined;
  while (message.next()) {
    if (message.field === 1) paths.push(readPath(message));
    else if (message.field === 2) signature = readSignature(message);
    if (paths.length > MAX_PATHS) fields.refuse(`a state proof has more than ${MAX_PATHS} paths`);
  }
  return { kind: 'state', paths, signature: signature ?? fields.refuse('a state proof has no signature') };
};

/** MerklePath {1 siblings, 2 next_path_index, 3..6 the leaf}. */
const readPath = (fields: WireReader): MerklePath => {
  const message = fields.message();
  const siblings: MerkleSibling[] = [];
  let leaf: MerklePath['leaf'] = { kind: 'none', bytes: new Uint8Array(0) };
  let nextPathIndex = 0;
  while (message.next()) {
    const kind = LEAF_KINDS[message.field];
    if (message.field === 1) siblings.push(readSibling(message));
    else if (message.field === 2) nextPathIndex = message.int32();
    else if (kind !== undefined) leaf = { kind, bytes: message.slice() };
    if (siblings.length > MAX_SIBLINGS) fields.refuse(`a path of a state proof has more than ${MAX_SIBLINGS} siblings`);
  }
  return { leaf, siblings, nextPathIndex };
};

/** SiblingNode {1 is_left, 2 hash}. */
const readSibling = (fields: WireReader): MerkleSibling => {
  const message = fields.message();
  let isLeft = false;
  let hash: Uint8Array = new Uint8Array(0);
  while (message.next()) {
    if (message.field === 1) isLeft = message.int32() !== 0;
    else if (message.field === 2) hash = message.slice();
  }
  return { isLeft, hash };
};

/** SignedRecordFileProof {1 version, 2 record_file_signatures {1 signatures_bytes, 2 node_id}}. */
const readRecordFileProof = (fields: WireReader): BlockProof => {
  const message = fields.message();
  const signatures: { nodeId: bigint; signature: Uint8Array }[] = [];
  let version = 0;
  while (message.next()) {
    if (message.field === 1) version = message.int32();
    else if (message.field === 2) signatures.push(readNodeSignature(message));
    if (signatures.length > MAX_SIGNATURES) fields.refuse(`a proof has more than ${MAX_SIGNATURES} signatures`);
  }
  return { kind: 'record-file', version, signatures };
};

const readNodeSignature = (fields: WireReader): { nodeId: bigint; signature: Uint8Array } => {
  const message = fields.message();
  let nodeId = 0n;
  let signature: Uint8Array = new Uint8Array(0);
  while (message.next()) {
    if (message.field === 1) signature = message.slice();
    else if (message.field === 2) nodeId = message.int64();
  }
  return { nodeId, signature };
};
