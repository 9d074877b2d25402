/**
 * Rows as the server sends them: the cells of each are ranges of the very bytes that arrived, all in PostgreSQL's text
 * form, and none becomes a string or an object before somebody asks for it. A page of a hundred transactions has ten
 * thousand cells, nearly all of which go into the answer byte by byte; strings of them would keep the garbage collector
 * busier than everything else.
 */

const countBytes = 2;
const lengthBytes = 4;

/** One statement's rows. The cells of a row are as many as the statement has columns. */
export class CellTable {
  /** For each row the bytes that its cells stand in. */
  readonly sources: Buffer[] = [];
  /** For each row where the length of its first cell stands. */
  readonly #starts: number[] = [];
  /** Columns of a row; 0 without rows. */
  columns = 0;

  get rows(): number {
    return this.sources.length;
  }

  /**
   * Adds a row from the body of a DataRow message, whose bytes are kept: the count of the cells, and each with its length
   * before it. https://www.postgresql.org/docs/current/protocol-message-formats.html
   */
  addMessage(bytes: Buffer, start: number): void {
    this.columns = bytes.readUInt16BE(start);
    this.sources.push(bytes);
    this.#starts.push(start + countBytes);
  }

  /** Adds a row of texts. */
  addTexts(texts: readonly (string | null)[]): void {
    const cells = texts.map((text) => (text === null ? null : Buffer.from(text)));
    const size = cells.reduce((sum, cell) => sum + lengthBytes + (cell?.length ?? 0), 0);
    const bytes = Buffer.allocUnsafe(size);
    let at = 0;
    for (const cell of cells) {
      at = bytes.writeInt32BE(cell?.length ?? -1, at);
      if (cell !== null) at += cell.copy(bytes, at);
    }
    this.columns = texts.length;
    this.sources.push(bytes);
    this.#starts.push(0);
  }

  /**
   * Where the first cells of a row begin and end in its bytes, as many as `bounds` has room for. A cell of null has no bytes.
   */
  locate(row: number, bounds: Int32Array): void {
    const bytes = this.sources[row] as Buffer;
    let at = this.#starts[row] as number;
    for (let i = 0; i < bounds.length; i += 2) {
      const length = int32(bytes, at);
      at += lengthBytes;
      bounds[i] = at;
      if (length > 0) at += length;
      bounds[i + 1] = at;
    }
  }

  /** The text of a cell; the empty text for null. */
  text(row: number, column: number): string {
    const bytes = this.sources[row] as Buffer;
    let at = this.#starts[row] as number;
    for (let i = 0; i < column; i++) at += lengthBytes + Math.max(0, int32(bytes, at));
    const start = at + lengthBytes;
    const length = int32(bytes, at);
    return length > 0 ? bytes.toString('utf8', start, start + length) : '';
  }

  /** Whether the first cells of two rows are the same. */
  isSameKey(row: number, other: number): boolean {
    const bytes = this.sources[row] as Buffer;
    const otherBytes = this.sources[other] as Buffer;
    const start = this.#starts[row] as number;
    const otherStart = this.#starts[other] as number;
    // What differs, differs at the end mostly: keys are numbers that rise.
    const size = lengthBytes + Math.max(0, int32(bytes, start));
    for (let i = size - 1; i >= 0; i--) if (bytes[start + i] !== otherBytes[otherStart + i]) return false;
    return true;
  }
}

const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);
