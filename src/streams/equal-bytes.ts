/** Whether two byte strings are the same; both are public, so time needs no hiding. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
