/** Arguments of functions and constructors (Solidity's contract ABI). */
import { leftPad } from '../../ledger/bytes.ts';
import { word } from './counter-contract.ts';

const WORD_BYTES = 32;

/** An address of 20 bytes. */
export const addressArgument = (address: Uint8Array): Uint8Array => leftPad(address, WORD_BYTES);

/** A text and a number: the text stands behind the number, where the first word says. */
export const textAndNumber = (text: string, number: bigint): Uint8Array => {
  const bytes = Buffer.from(text, 'utf8');
  const padding = new Uint8Array((WORD_BYTES - (bytes.length % WORD_BYTES)) % WORD_BYTES);
  return Buffer.concat([word(BigInt(2 * WORD_BYTES)), word(number), word(BigInt(bytes.length)), bytes, padding]);
};

/** A text of less than 32 bytes as a storage slot holds it: its bytes, and twice their number at the end. */
export const shortTextSlot = (text: string): Uint8Array => {
  const slot = new Uint8Array(WORD_BYTES);
  const bytes = Buffer.from(text, 'utf8');
  slot.set(bytes);
  slot[WORD_BYTES - 1] = 2 * bytes.length;
  return slot;
};
