/** Slots, each of four bytes: enough for what is asked for within a few seconds. */
const slots = 65_536;

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/** FNV-1a over the characters. http://www.isthe.com/chongo/tech/comp/fnv/ */
const hashOf = (text: string): number => {
  let hash = fnvOffset;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), fnvPrime);
  return hash >>> 0;
};

/**
 * Which texts were noted not long ago, more or less: each is remembered by its hash until another one with the same slot comes.
 */
export class AskedBefore {
  readonly #hashes = new Uint32Array(slots);

  /** Notes a text; gives whether it is remembered already. */
  note(text: string): boolean {
    const hash = hashOf(text);
    const slot = hash % slots;
    if (this.#hashes[slot] === hash) return true;
    this.#hashes[slot] = hash;
    return false;
  }
}
