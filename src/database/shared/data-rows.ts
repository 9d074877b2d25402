/**
 * Takes DataRow messages out of what a connection receives, before the driver makes strings of their cells. All other
 * messages reach the driver as they came, in their order.
 */
import type { EventEmitter } from 'node:events';

const dataRow = 0x44; // 'D'
/** Type and length, which counts itself. */
const headBytes = 5;
const typeBytes = 1;

export interface DataRowTaker {
  /** Takes the body of a message that begins at `start`. */
  addMessage(bytes: Buffer, start: number): void;
}

type OnData = (bytes: Buffer) => void;

class Tap {
  readonly #driver: OnData;
  readonly #takerNow: () => DataRowTaker | undefined;
  /** A message whose end has not come, in the pieces that have. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** How many bytes must be there before it is worth looking again. */
  #needed = headBytes;

  constructor(driver: OnData, takerNow: () => DataRowTaker | undefined) {
    this.#driver = driver;
    this.#takerNow = takerNow;
  }

  receive(chunk: Buffer): void {
    if (this.#pieceBytes === 0) {
      this.#read(chunk);
      return;
    }
    this.#pieces.push(chunk);
    this.#pieceBytes += chunk.length;
    if (this.#pieceBytes < this.#needed) return;
    const whole = Buffer.concat(this.#pieces, this.#pieceBytes);
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#read(whole);
  }

  #read(bytes: Buffer): void {
    /** Where what is the driver's begins. */
    let forDriver = 0;
    let at = 0;
    this.#needed = headBytes;
    while (at + headBytes <= bytes.length) {
      const end = at + typeBytes + bytes.readUInt32BE(at + typeBytes);
      if (end > bytes.length) {
        this.#needed = end - at;
        break;
      }
      if (bytes[at] === dataRow) {
        // Whose rows these are shows when the driver has seen what came before them.
        if (forDriver < at) this.#driver(bytes.subarray(forDriver, at));
        const taker = this.#takerNow();
        forDriver = at;
        if (taker !== undefined) {
          taker.addMessage(bytes, at + headBytes);
          forDriver = end;
        }
      }
      at = end;
    }
    if (forDriver < at) this.#driver(forDriver === 0 && at === bytes.length ? bytes : bytes.subarray(forDriver, at));
    if (at < bytes.length) {
      this.#pieces.push(bytes.subarray(at));
      this.#pieceBytes = bytes.length - at;
    }
  }
}

/**
 * @param stream of a connected client, between two messages
 * @param takerNow who takes the rows of the statement that is answered at the moment; undefined: the driver
 */
export const tapDataRows = (stream: EventEmitter, takerNow: () => DataRowTaker | undefined): void => {
  for (const driver of stream.listeners('data') as OnData[]) {
    stream.removeListener('data', driver);
    const tap = new Tap((bytes) => driver.call(stream, bytes), takerNow);
    stream.on('data', (chunk: Buffer) => tap.receive(chunk));
  }
};
