/** Bytecode made ready to run. */

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const JUMPDEST = 0x5b;

/** So that a PUSH32 at the very end reads zeros, and running off the end meets a STOP. */
const PADDING = 34;

export interface PreparedCode {
  /** As deployed. */
  readonly code: Uint8Array;
  /** The code followed by zeros. */
  readonly bytes: Uint8Array;
  /** 1 where a jump may land. */
  readonly jumps: Uint8Array;
  /** Pushed words by position of their instruction, filled as they are met. */
  readonly constants: (bigint | undefined)[];
}

const prepare = (code: Uint8Array): PreparedCode => {
  const bytes = new Uint8Array(code.length + PADDING);
  bytes.set(code);
  const jumps = new Uint8Array(bytes.length);
  for (let pc = 0; pc < code.length; pc += 1) {
    const op = bytes[pc] as number;
    if (op === JUMPDEST) jumps[pc] = 1;
    else if (op >= PUSH1 && op <= PUSH32) pc += op - PUSH1 + 1;
  }
  return { code, bytes, jumps, constants: new Array<bigint | undefined>(bytes.length) };
};

/** Prepared codes by the identity of their bytes, the longest unused one dropped first. */
export class CodeCache {
  readonly #capacity: number;
  readonly #codes = new Map<Uint8Array, PreparedCode>();

  constructor(capacity = 200) {
    this.#capacity = capacity;
  }

  get(code: Uint8Array): PreparedCode {
    const known = this.#codes.get(code);
    if (known !== undefined) {
      this.#codes.delete(code);
      this.#codes.set(code, known);
      return known;
    }
    const prepared = prepare(code);
    this.#codes.set(code, prepared);
    if (this.#codes.size > this.#capacity) {
      for (const oldest of this.#codes.keys()) {
        this.#codes.delete(oldest);
        break;
      }
    }
    return prepared;
  }

  /** For code that runs once, as init code does. */
  once(code: Uint8Array): PreparedCode {
    return prepare(code);
  }
}
