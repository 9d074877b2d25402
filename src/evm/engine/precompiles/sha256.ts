/** SHA-256 (Yellow Paper, appendix E). */
import { hash } from 'node:crypto';
import { type Precompile, wordPrice } from './precompile.ts';

export const sha256: Precompile = {
  price: wordPrice(60, 12),
  run: (input) => new Uint8Array(hash('sha256', input, 'buffer')),
};
