/** The address whose key made a signature on secp256k1 (Yellow Paper, appendix E); nothing for none. */
import type { Keccak } from '../keccak.ts';
import { paddedSlice } from '../words.ts';
import type { Precompile } from './precompile.ts';
import { createRecovery } from './secp256k1.ts';

const FIRST_V = 27;

export const createEcrecover = (keccak: Keccak): Precompile => {
  const recoverPublicKey = createRecovery();
  return {
    price: () => 3_000,
    run: (data) => {
      const input = paddedSlice(data, 0, 128);
      const parity = (input[63] as number) - FIRST_V;
      const isV = (parity === 0 || parity === 1) && input.subarray(32, 63).every((byte) => byte === 0);
      if (!isV) return new Uint8Array();
      const [hash, r, s] = [0, 64, 96].map((at) => input.subarray(at, at + 32)) as [Uint8Array, Uint8Array, Uint8Array];
      const key = recoverPublicKey(hash, parity === 1, r, s);
      if (key === undefined) return new Uint8Array();
      const output = new Uint8Array(32);
      output.set(keccak(key).subarray(12), 12);
      return output;
    },
  };
};
