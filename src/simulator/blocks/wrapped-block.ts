/**
 * Record files as wrapped record blocks ([HIP-1424](https://hips.hedera.com/hip/hip-1424)): the file, its sidecar, and
 * the nodes' signatures of it.
 */
import { sign } from 'node:crypto';
import { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { BlockItemField } from '../../streams/block/block.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import type { SimulatedNode } from '../network/simulated-network.ts';
import type { ProducedBlock } from '../records/draft.ts';
import { timestampOf } from '../records/proto-ids.ts';
import type { BlockChainState, OpenBlock, ProofParts } from './block-chain.ts';
import { blockItem, lengthDelimited } from './item-bytes.ts';
import { headerItem } from './stream-block.ts';

/** Of a record file v6: uncompressed content with its four bytes of version, and the same of its sidecar. */
export interface WrappedFile {
  readonly content: Uint8Array;
  readonly sidecarContent: Uint8Array | undefined;
}

const RECORD_VERSION = 6;
const VERSION_BYTES = 4;

/** A wrapped record block, but for footer and proof. */
export const wrappedBlock = (
  { number, firstConsensus }: ProducedBlock,
  file: WrappedFile,
  chain: BlockChainState,
  hapiVersion: HapiVersion,
): OpenBlock => {
  const recordFile = Buffer.concat([
    lengthDelimited(1, Timestamp.encode(timestampOf(firstConsensus)).finish()),
    lengthDelimited(2, file.content.subarray(VERSION_BYTES)),
    ...(file.sidecarContent === undefined ? [] : [lengthDelimited(3, file.sidecarContent)]),
  ]);
  return {
    number,
    hapiVersion,
    timestamp: firstConsensus,
    items: [headerItem(number, hapiVersion, firstConsensus), blockItem(BlockItemField.recordFile, recordFile)],
    wrapsRecordFile: true,
    lastRound: chain.round,
  };
};

/** The proof of a wrapped record block: every node's signature of the record file, as its signature file has it. */
export const recordFileProof = (nodes: readonly SimulatedNode[], fileHash: Uint8Array): ProofParts => ({
  $case: 'signedRecordFileProof',
  signedRecordFileProof: {
    version: RECORD_VERSION,
    recordFileSignatures: nodes.map(({ nodeId, privateKey }) => ({
      nodeId: BigInt(nodeId),
      signaturesBytes: sign('sha384', fileHash, privateKey),
    })),
  },
});
