/** Whether call data looks like what compilers put before the code of a contract that they create. */

const FEWEST_CHARACTERS = 14;
/** Set the free memory pointer: PUSH1 80 PUSH1 40, as compilers begin; and 60 in place of 80, as old ones do. */
const preambles = ['60806040', '60606040'] as const;
const CODECOPY = '39';
const RETURN = 'f3';

/** `data` in hex, lower case. The order of the marks counts, not their distance. */
export const looksLikeInitCode = (data: string): boolean => {
  if (data.length < FEWEST_CHARACTERS) return false;
  return preambles.some((preamble) => {
    const start = data.indexOf(preamble);
    const copy = start < 0 ? -1 : data.indexOf(CODECOPY, start + preamble.length);
    return copy >= 0 && data.indexOf(RETURN, copy + CODECOPY.length) >= 0;
  });
};
