/** EVM rules of network versions. Gas is Cancun's in all of them, but for creations and call data. */
import type { EvmVersion } from './run.ts';

export interface VersionRules {
  /** 0x44 is the previous block's random value; before that it pushes 0. */
  readonly hasPrevRandao: boolean;
  readonly hasPush0: boolean;
  /**
   * TLOAD, TSTORE, MCOPY, BLOBHASH, BLOBBASEFEE, the KZG precompile, the self-destruct rule of
   * [EIP-6780](https://eips.ethereum.org/EIPS/eip-6780), and the price of init code.
   */
  readonly isCancun: boolean;
  /** Value sent to an unknown alias makes a hollow account. */
  readonly createsHollowAccounts: boolean;
  /** Special treatment of the lowest entity numbers. */
  readonly hasSystemAccountRules: boolean;
  /** Calls of addresses without an entity succeed with empty output. */
  readonly allowsMissingTargets: boolean;
  /** A transaction pays for the bytes of its call data. Networks waived that until the winter of 2023. */
  readonly chargesForData: boolean;
  /** A creation pays for the bytes of its code. Networks waived that until the summer of 2025. */
  readonly chargesForCode: boolean;
}

const london: VersionRules = {
  hasPrevRandao: false,
  hasPush0: false,
  isCancun: false,
  createsHollowAccounts: false,
  hasSystemAccountRules: false,
  allowsMissingTargets: false,
  chargesForData: false,
  chargesForCode: false,
};
const paris: VersionRules = { ...london, hasPrevRandao: true, createsHollowAccounts: true };
const shanghai: VersionRules = { ...paris, hasPush0: true, hasSystemAccountRules: true };
const shanghaiWithDataCost: VersionRules = { ...shanghai, chargesForData: true };
const shanghaiLenient: VersionRules = { ...shanghaiWithDataCost, allowsMissingTargets: true };
const cancun: VersionRules = { ...shanghaiLenient, isCancun: true };
const cancunWithCodeCost: VersionRules = { ...cancun, chargesForCode: true };

export const versionRules: Readonly<Record<EvmVersion, VersionRules>> = {
  '0.30': london,
  '0.34': paris,
  '0.38': shanghai,
  '0.45': shanghaiWithDataCost,
  '0.46': shanghaiLenient,
  '0.50': cancun,
  '0.51': cancun,
  '0.65': cancunWithCodeCost,
  '0.66': cancunWithCodeCost,
  '0.67': cancunWithCodeCost,
};

const LATEST_EVM_VERSION: EvmVersion = '0.67';

/** First block of each version, ascending. */
export type VersionTable = readonly (readonly [firstBlock: bigint, version: EvmVersion])[];

export const mainnetVersions: VersionTable = [
  [0n, '0.30'],
  [44_029_066n, '0.34'],
  [49_117_794n, '0.38'],
  [60_258_042n, '0.46'],
  [65_435_845n, '0.50'],
  [66_602_102n, '0.51'],
  [85_011_472n, '0.65'],
  [85_659_065n, '0.66'],
  [87_129_575n, '0.67'],
];

/** Version of a block; the latest one where the table says nothing. */
export const versionAt = (table: VersionTable, block: bigint): EvmVersion =>
  table.findLast(([firstBlock]) => firstBlock <= block)?.[1] ?? LATEST_EVM_VERSION;
