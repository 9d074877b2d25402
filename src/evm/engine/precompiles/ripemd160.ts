/** RIPEMD-160, filled up to a word (Yellow Paper, appendix E). */
import { createRIPEMD160 } from 'hash-wasm';
import { type Precompile, wordPrice } from './precompile.ts';

export const createRipemd160 = async (): Promise<Precompile> => {
  const hasher = await createRIPEMD160();
  return {
    price: wordPrice(600, 120),
    run: (input) => {
      const output = new Uint8Array(32);
      hasher.init();
      hasher.update(input);
      output.set(hasher.digest('binary'), 12);
      return output;
    },
  };
};
