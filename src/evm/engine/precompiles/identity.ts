/** Gives back its input (Yellow Paper, appendix E). */
import { type Precompile, wordPrice } from './precompile.ts';

export const identity: Precompile = {
  price: wordPrice(15, 3),
  run: (input) => input,
};
