import { DefaultSerializer, deserialize } from 'node:v8';
import { type Chain, chains } from '../../config/chain.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { sha384 } from '../../ledger/hash.ts';
import type { LedgerForm } from '../blocks/ledger-form.ts';
import type { SystemFile } from '../network/system-files.ts';
import type { LedgerState } from './ledger-state.ts';
import { nothingSubmitted } from './submitted-state.ts';

/** What was decided when the simulation folder was made, and stays. */
export interface LedgerOrigin {
  /** Tinybars. */
  readonly supply: bigint;
  readonly users: number;
  readonly stakingPeriodNanos: bigint;
  readonly chain: Chain;
  /** System files that genesis writes beside those of every network. */
  readonly files: readonly SystemFile[];
  /** Which files are written; left out: record files. */
  readonly form?: LedgerForm;
}

export interface Snapshot {
  readonly origin: LedgerOrigin;
  readonly state: LedgerState;
}

const FORMAT = 5;
const HASH_BYTES = 48;
const NO_HASH = new Uint8Array(HASH_BYTES);

/** SHA-384 of the rest, then the serialized snapshot; object identity within the state survives. */
export const encodeSnapshot = (snapshot: Snapshot): Buffer => {
  // Room for the hash comes first, so that megabytes need not be copied.
  const serializer = new DefaultSerializer();
  serializer.writeRawBytes(NO_HASH);
  serializer.writeHeader();
  serializer.writeValue({ format: FORMAT, ...snapshot });
  const bytes = serializer.releaseBuffer();
  bytes.set(sha384(bytes.subarray(HASH_BYTES)));
  return bytes;
};

/** @throws KagamiError SIMULATOR_STATE_DAMAGED when the bytes are not a whole snapshot of this format. */
export const decodeSnapshot = (bytes: Buffer, path: string): Snapshot => {
  const content = bytes.subarray(HASH_BYTES);
  if (!sha384(content).equals(bytes.subarray(0, HASH_BYTES))) {
    throw new KagamiError('SIMULATOR_STATE_DAMAGED', `${path} is damaged`, { details: { path } });
  }
  const { format, ...snapshot } = deserialize(content) as Snapshot & { format: number };
  if (format !== FORMAT) {
    throw new KagamiError('SIMULATOR_STATE_DAMAGED', `${path} has format ${format}, not ${FORMAT}`, {
      details: { path },
    });
  }
  // Folders from before chains could be chosen do not say which one they have; older ones took nothing from clients.
  const { origin, state } = snapshot;
  return {
    origin: { ...origin, chain: origin.chain ?? chains.OTHER, files: origin.files ?? [] },
    state: { ...state, submitted: state.submitted ?? nothingSubmitted() },
  };
};
