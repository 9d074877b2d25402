/**
 * Rows of one table in the bytes that COPY sends, ready to be sent later. Rows of a large ledger are kept in this form
 * between their making and their writing: as objects they would outlive the young generation of the heap, and the
 * collector would spend more time on them than encoding takes.
 */
import { type CopyBuffer, createCopyBuffer, take } from './copy-buffer.ts';
import { chunkBytes, chunkCapacity, copyHeadroom } from './copy-query.ts';
import { type EncodeRow, rowEncoder } from './row-encoder.ts';
import { type NumericRowOf, type TableName, tableNamed } from './table.ts';

const NO_CHUNK = Buffer.alloc(0);

export class EncodedRows<Name extends TableName> {
  readonly #encode: EncodeRow;
  readonly #full: Buffer[] = [];
  #buffer: CopyBuffer | undefined;
  #count = 0;

  constructor(table: Name) {
    const described = tableNamed(table);
    this.#encode = rowEncoder(described, Object.keys(described.columns));
  }

  /** How many rows there are. */
  get count(): number {
    return this.#count;
  }

  /**
   * The row's object is not kept.
   * @throws KagamiError ROW_INVALID when a value does not fit its column; the rows are then of no use any more
   */
  add(row: NumericRowOf<Name>): void {
    this.#buffer ??= smallChunk();
    const buffer = this.#buffer;
    this.#encode(buffer, row);
    this.#count++;
    if (buffer.position < chunkBytes) return;
    this.#full.push(take(buffer, chunkCapacity));
    buffer.position = copyHeadroom;
  }

  /**
   * All rows in chunks as `startCopy` takes them: the first bytes of each are free. Each chunk is given up as it is handed
   * out, so that its memory is free once it is sent; a second time there are none.
   */
  *chunks(): Generator<Buffer> {
    for (const [index, chunk] of this.#full.entries()) {
      this.#full[index] = NO_CHUNK;
      yield chunk;
    }
    this.#full.length = 0;
    const rest = this.#buffer;
    this.#buffer = undefined;
    if (rest !== undefined && rest.position > copyHeadroom) yield rest.bytes.subarray(0, rest.position);
  }
}

/** The first chunk grows with its rows: a small block has few. */
const smallChunk = (): CopyBuffer => {
  const buffer = createCopyBuffer(0);
  buffer.position = copyHeadroom;
  return buffer;
};
