/** Gas that the EVM really used, which older networks charged more than. */
import { atLeastHapi, type RecordItem } from '../record-item.ts';
import { int64 } from '../transactions/column-values.ts';

/** What sidecars tell about the run of a transaction. */
export interface TracedRun {
  /** Gas used by the outermost call; undefined when the sidecars have no trace. */
  readonly gasUsed: bigint | undefined;
  readonly isCreation: boolean;
  /** Code that a creation ran. */
  readonly initcode: Uint8Array | undefined;
}

/**
 * Intrinsic gas of a transaction since Istanbul (Ethereum yellow paper, appendix G;
 * [EIP-2028](https://eips.ethereum.org/EIPS/eip-2028)).
 */
const TRANSACTION_GAS = 21_000n;
const CREATION_GAS = 32_000n;
const ZERO_BYTE_GAS = 4;
const OTHER_BYTE_GAS = 16;

const gasOfBytes = (bytes: Uint8Array): bigint => {
  let gas = 0;
  for (const byte of bytes) gas += byte === 0 ? ZERO_BYTE_GAS : OTHER_BYTE_GAS;
  return BigInt(gas);
};

/**
 * Gas units; null when it is unknown. Since HAPI 0.69 what is used is what is charged; before, it follows from the trace
 * and the intrinsic gas of the transaction's data.
 */
export const gasConsumed = (
  item: RecordItem,
  gasCharged: bigint,
  { gasUsed, isCreation, initcode }: TracedRun,
  functionParameters: Uint8Array,
): bigint | null => {
  if (atLeastHapi(item, 0, 69)) return gasCharged;
  if (gasUsed === undefined) return null;
  const intrinsic = TRANSACTION_GAS + gasOfBytes(initcode ?? functionParameters) + (isCreation ? CREATION_GAS : 0n);
  return int64(gasUsed + intrinsic);
};
