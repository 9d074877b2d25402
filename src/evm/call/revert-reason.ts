/** What revert data says in words. */

/** Selector of Error(string). */
const ERROR_SELECTOR = 0x08c379a0;
const WORD = 32;

/** A word as a number that can be a place in the data; undefined when it is larger than any data. */
const smallWord = (view: DataView, at: number): number | undefined => {
  for (let i = 0; i < WORD - 4; i++) if (view.getUint8(at + i) !== 0) return undefined;
  return view.getUint32(at + WORD - 4);
};

/** The text of `revert("...")` and `require(..., "...")`; empty for anything else. */
export const revertReason = (output: Uint8Array): string => {
  const view = new DataView(output.buffer, output.byteOffset, output.byteLength);
  if (output.length < 4 + 2 * WORD || view.getUint32(0) !== ERROR_SELECTOR) return '';
  const offset = smallWord(view, 4);
  if (offset === undefined || 4 + offset + WORD > output.length) return '';
  const length = smallWord(view, 4 + offset);
  const start = 4 + offset + WORD;
  if (length === undefined || start + length > output.length) return '';
  return new TextDecoder().decode(output.subarray(start, start + length));
};
