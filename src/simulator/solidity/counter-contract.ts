import { leftPad, trimLeadingZeros } from '../../ledger/bytes.ts';
import { keccak256 } from '../../ledger/hash.ts';

/** keccak-256 of the event's signature: first topic of its logs. */
export const INCREMENTED_TOPIC = keccak256(Buffer.from('Incremented(uint256)'));
/** Call data of `increment()`. */
export const INCREMENT_CALL = keccak256(Buffer.from('increment()')).subarray(0, 4);

/**
 * Code of a contract that on any call adds one to slot 0, logs `Incremented(newValue)` and returns the new value:
 * SLOAD(0) + 1, SSTORE(0), MSTORE(0), LOG1(0, 32, topic), RETURN(0, 32).
 */
export const RUNTIME_CODE = Buffer.concat([
  Buffer.from('600054600101806000556000527f', 'hex'),
  INCREMENTED_TOPIC,
  Buffer.from('60206000a160206000f3', 'hex'),
]);

/** Code that copies the runtime code (less than 256 bytes), which follows it, to memory and returns it. */
export const initCodeOf = (runtimeCode: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`60${runtimeCode.length.toString(16).padStart(2, '0')}80600b6000396000f3`, 'hex'),
    runtimeCode,
  ]);

export const INIT_CODE = initCodeOf(RUNTIME_CODE);

/** A 256-bit word. */
export const word = (value: bigint): Uint8Array =>
  leftPad(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'), 32);

/** A word as sidecars carry slots and values: without leading zeros, empty for zero. */
export const trimmedWord = (value: bigint): Uint8Array => trimLeadingZeros(word(value));

const BLOOM_BYTES = 256;

/** Bloom filter of one log: contract address and topics, three bits each (Ethereum yellow paper, 4.3.1). */
export const logBloom = (address: Uint8Array, topics: readonly Uint8Array[]): Uint8Array => {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const entry of [address, ...topics]) {
    const digest = keccak256(entry);
    for (let i = 0; i < 6; i += 2) {
      const bit = (((digest[i] as number) << 8) | (digest[i + 1] as number)) & 0x7ff;
      const at = BLOOM_BYTES - 1 - (bit >> 3);
      bloom[at] = (bloom[at] as number) | (1 << (bit & 7));
    }
  }
  return bloom;
};
