import { TOKEN_NAME_BYTES, TOKEN_SYMBOL_BYTES } from '../limits.ts';
import { refuse } from '../operation.ts';

/** Refuses names and symbols of more bytes than the network takes. */
export const checkLengths = ({ name, symbol }: { readonly name: string; readonly symbol: string }): void => {
  if (Buffer.byteLength(symbol) > TOKEN_SYMBOL_BYTES) refuse('TOKEN_SYMBOL_TOO_LONG');
  if (Buffer.byteLength(name) > TOKEN_NAME_BYTES) refuse('TOKEN_NAME_TOO_LONG');
};
