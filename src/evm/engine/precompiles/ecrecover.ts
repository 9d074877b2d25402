/** The address whose key made a signature on secp256k1 (Yellow Paper, appendix E); nothing for none. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Keccak } from '../keccak.ts';
import { paddedSlice } from '../words.ts';
import type { Precompile } from './precompile.ts';

const recoverPublicKey = (hash: Uint8Array, recovery: number, signature: Uint8Array): Uint8Array | undefined => {
  try {
    return secp256k1.Signature.fromBytes(signature).addRecoveryBit(recovery).recoverPublicKey(hash).toBytes(false);
  } catch {
    return undefined;
  }
};

const FIRST_V = 27;

export const createEcrecover = (keccak: Keccak): Precompile => ({
  price: () => 3_000,
  run: (data) => {
    const input = paddedSlice(data, 0, 128);
    const recovery = (input[63] as number) - FIRST_V;
    if (input.subarray(32, 63).some((byte) => byte !== 0) || (recovery !== 0 && recovery !== 1))
      return new Uint8Array();
    const key = recoverPublicKey(input.subarray(0, 32), recovery, input.subarray(64, 128));
    if (key === undefined) return new Uint8Array();
    const output = new Uint8Array(32);
    output.set(keccak(key.subarray(1)).subarray(12), 12);
    return output;
  },
});
