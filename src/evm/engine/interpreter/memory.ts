/** Memory of one frame: grows in words, paid with gas, doubled underneath. */
import { readWord, writeWord } from '../words.ts';

const FIRST_CAPACITY = 1_024;

/** Beyond this no gas limit reaches, and the cost would leave exact integers. */
const MOST_BYTES = 2 ** 32;

const costOf = (words: number): number => 3 * words + Math.floor((words * words) / 512);

export class Memory {
  /** At least `size` bytes. */
  bytes = new Uint8Array(FIRST_CAPACITY);
  view = new DataView(this.bytes.buffer);
  /** Bytes in use, a multiple of 32. */
  size = 0;

  /** Grows to hold `end` bytes and returns the gas that is left; negative, and nothing grown, if that is too little. */
  grow(end: number, gas: number): number {
    if (end <= this.size) return gas;
    if (end > MOST_BYTES) return -1;
    const words = Math.ceil(end / 32);
    const left = gas - (costOf(words) - costOf(this.size / 32));
    if (left < 0) return left;
    this.size = words * 32;
    if (this.size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.size, this.bytes.length * 2));
      grown.set(this.bytes);
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    return left;
  }

  /** The offset must lie inside memory, as for all that follow. */
  writeWord(offset: number, word: bigint): void {
    writeWord(this.view, offset, word);
  }

  readWord(offset: number): bigint {
    return readWord(this.view, offset);
  }

  /** A view that lasts until memory grows or is written. */
  peek(offset: number, length: number): Uint8Array {
    return length === 0 ? this.bytes.subarray(0, 0) : this.bytes.subarray(offset, offset + length);
  }

  read(offset: number, length: number): Uint8Array {
    return length === 0 ? new Uint8Array() : this.bytes.slice(offset, offset + length);
  }

  /** Writes `length` bytes of `data` from `from` on, zeros beyond its end. */
  copyFrom(offset: number, data: Uint8Array, from: number, length: number): void {
    if (length === 0) return;
    const available = Math.max(0, Math.min(length, data.length - from));
    if (available > 0) this.bytes.set(data.subarray(from, from + available), offset);
    if (available < length) this.bytes.fill(0, offset + available, offset + length);
  }
}
