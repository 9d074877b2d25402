/** In which stream files a simulated ledger is written. */

import type { HapiVersion } from '../../streams/record-file-content.ts';
import type { BlockLayout } from './block-folder.ts';

/**
 * `record`: record files. `block`: a block stream. `wrapped`: every record file as a wrapped record block. `cutover`: record
 * files, and the same wrapped, then a block stream that goes on from there.
 */
export type LedgerFormat = 'record' | 'block' | 'wrapped' | 'cutover';

export const ledgerFormats: readonly LedgerFormat[] = ['record', 'block', 'wrapped', 'cutover'];

export interface LedgerForm {
  readonly format: LedgerFormat;
  /** Number of the first block that is not a record file any more; of a cutover only. */
  readonly cutoverAt: bigint;
  readonly layout: BlockLayout;
  /** Name of the folder that blocks are in. */
  readonly network: string;
  /** How blocks of a block stream are proven. `test`: by a signature that anyone can make, as on early development networks. */
  readonly proofs: 'threshold' | 'test';
  /**
   * Whether genesis publishes the ledger id that goes with threshold signatures. Ledgers that differ in this are the same
   * but for that one transaction, and for others that publish the ledger id again.
   */
  readonly publishesLedger: boolean;
  /** Each so many blocks of a block stream one is signed, and proves those before it; left out: all are. */
  readonly signsEvery?: number;
}

export const RECORD_FORM: LedgerForm = {
  format: 'record',
  cutoverAt: 0n,
  layout: 'split',
  network: 'other',
  proofs: 'threshold',
  publishesLedger: false,
};

const DEFAULT_CUTOVER = 8n;

export interface LedgerFormOptions {
  /** In which stream files; left out: record files. */
  readonly format?: LedgerFormat | undefined;
  /** Number of the first block that is no record file any more, 8 by default; of the format `cutover` only. */
  readonly cutoverAt?: bigint | undefined;
  readonly blockLayout?: BlockLayout | undefined;
  /** Name of the folder that blocks are in, `other` by default. */
  readonly networkName?: string | undefined;
  readonly blockProofs?: LedgerForm['proofs'] | undefined;
  /** Left out: where blocks have threshold signatures. Record files of the same ledger have to say it. */
  readonly publishesLedger?: boolean | undefined;
  /** Each so many blocks of a block stream one is signed, at least 1; those before it have state proofs. All by default. */
  readonly signsEvery?: number | undefined;
}

/** The form that options ask for. */
export const ledgerFormOf = (options: LedgerFormOptions): LedgerForm => {
  const { format = RECORD_FORM.format, blockProofs: proofs = RECORD_FORM.proofs } = options;
  const hasStream = format === 'block' || format === 'cutover';
  return {
    format,
    cutoverAt: options.cutoverAt ?? DEFAULT_CUTOVER,
    layout: options.blockLayout ?? RECORD_FORM.layout,
    network: options.networkName ?? RECORD_FORM.network,
    proofs,
    publishesLedger: options.publishesLedger ?? (hasStream && proofs === 'threshold'),
    ...(options.signsEvery === undefined ? {} : { signsEvery: options.signsEvery }),
  };
};

/** What is written of one block. */
export interface BlockForm {
  readonly writesRecordFile: boolean;
  readonly block: 'none' | 'wrapped' | 'stream';
  /** HAPI version that the network speaks. */
  readonly hapiVersion: HapiVersion;
}

const version = (minor: number): HapiVersion => ({ major: 0, minor, patch: 0 });

/** Of record files alone. */
const RECORD_VERSION = version(71);
const STREAM_VERSION = version(78);
/** Networks announce the cutover by these. */
const WRAPPING_VERSION = version(75);
const LAST_RECORD_VERSION = version(76);

export const blockFormOf = ({ format, cutoverAt }: LedgerForm, number: bigint): BlockForm => {
  switch (format) {
    case 'record':
      return { writesRecordFile: true, block: 'none', hapiVersion: RECORD_VERSION };
    case 'block':
      return { writesRecordFile: false, block: 'stream', hapiVersion: STREAM_VERSION };
    case 'wrapped':
      return { writesRecordFile: false, block: 'wrapped', hapiVersion: STREAM_VERSION };
    case 'cutover':
      if (number >= cutoverAt) return { writesRecordFile: false, block: 'stream', hapiVersion: STREAM_VERSION };
      return {
        writesRecordFile: true,
        block: 'wrapped',
        hapiVersion: number < cutoverAt / 2n ? WRAPPING_VERSION : LAST_RECORD_VERSION,
      };
  }
};
