/** Compilers that Emscripten built take texts on their stack, which has no room for those of large projects. */

/** What is used of a `soljson.js`. */
export interface SolJson {
  cwrap(name: string, result: string | null, types: readonly string[], ...options: readonly unknown[]): Bound;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, room: number): void;
  /** Releases before 0.6 have no allocator of their own. */
  readonly _solidity_alloc?: (bytes: number) => number;
  readonly _malloc?: (bytes: number) => number;
}

// biome-ignore lint/suspicious/noExplicitAny: functions of compilers take numbers, texts and null, by their own lists
type Bound = (...values: any[]) => unknown;

/** Characters; the smallest stack of a release has about a megabyte. */
const FITS_THE_STACK = 65_536;

/** Makes the compiler take long texts in its heap. The memory is not given back: a process compiles once. */
export const allowLongTexts = (soljson: SolJson): void => {
  const allocate = soljson._solidity_alloc ?? soljson._malloc;
  if (allocate === undefined) return;
  const bind = soljson.cwrap.bind(soljson);
  const inHeap = (text: string): number => {
    const room = soljson.lengthBytesUTF8(text) + 1;
    const pointer = allocate(room);
    soljson.stringToUTF8(text, pointer, room);
    return pointer;
  };
  soljson.cwrap = (name, result, types, ...options) => {
    const bound = bind(name, result, types, ...options);
    if (!types.includes('string')) return bound;
    const boundToPointers = bind(
      name,
      result,
      types.map((type) => (type === 'string' ? 'number' : type)),
      ...options,
    );
    return (...values) => {
      const isLong = values.some((value) => typeof value === 'string' && value.length > FITS_THE_STACK);
      if (!isLong) return bound(...values);
      return boundToPointers(...values.map((value) => (typeof value === 'string' ? inHeap(value) : value)));
    };
  };
};
