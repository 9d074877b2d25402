/**
 * Messages of PostgreSQL's extended query protocol, version 3.0, gathered in one buffer so that any number of them go out in
 * one write. https://www.postgresql.org/docs/current/protocol-message-formats.html
 *
 * Statements are prepared by name or unnamed, always run in the unnamed portal to their end, and give text.
 */

const type = {
  bind: 0x42, // 'B'
  close: 0x43, // 'C'
  describe: 0x44, // 'D'
  execute: 0x45, // 'E'
  parse: 0x50, // 'P'
  sync: 0x53, // 'S'
} as const;

const portal = 0x50; // 'P'
const preparedStatement = 0x53; // 'S'

/** A value as it travels: text, bytes in their binary form, or nothing for NULL. */
type WireValue = string | Uint8Array | null;

const mostParameters = 65_535;
const firstCapacity = 16_384;
/** A larger buffer is not kept for the next write. */
const largestKeptBuffer = 262_144;

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

const bytesOf = (view: ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

const arrayElement = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return arrayLiteral(value);
  if (ArrayBuffer.isView(value)) return `"\\\\x${bytesOf(value).toString('hex')}"`;
  return quoted(wireValue(value) as string);
};

/** `{1,"a",NULL}` */
const arrayLiteral = (values: readonly unknown[]): string => `{${values.map(arrayElement).join(',')}}`;

/** Whether a value has a form here; that of dates and other objects is the driver's own business. */
export const hasWireForm = (value: unknown): boolean => {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return true;
  return Array.isArray(value) && value.every(hasWireForm);
};

/** @throws TypeError for what `hasWireForm` says no to */
const wireValue = (value: unknown): WireValue => {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return null;
    default:
      if (value === null) return null;
      if (ArrayBuffer.isView(value)) return bytesOf(value);
      if (Array.isArray(value)) return arrayLiteral(value);
      throw new TypeError(`A value of type ${typeof value} has no wire form here`);
  }
};

export class FrontendMessages {
  #buffer: Buffer = Buffer.allocUnsafeSlow(firstCapacity);
  #length = 0;
  #spare: Buffer | undefined;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Prepares a statement; the empty name is the unnamed one, which the next Parse replaces. */
  parse(name: string, text: string): void {
    const start = this.#begin(type.parse, name.length * 3 + text.length * 3 + 4);
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#end(start);
  }

  /**
   * Binds values to a prepared statement.
   * @throws TypeError, with nothing added, for values without a wire form
   */
  bind(name: string, values: readonly unknown[]): void {
    if (values.length > mostParameters) throw new TypeError(`A statement has at most ${mostParameters} values`);
    const wireValues = values.map(wireValue);
    let size = name.length * 3 + 16;
    for (const value of wireValues) {
      size += 6 + (value === null ? 0 : typeof value === 'string' ? value.length * 3 : value.byteLength);
    }
    const start = this.#begin(type.bind, size);
    this.#buffer[this.#length++] = 0;
    this.#text(name);
    this.#int16(wireValues.length);
    for (const value of wireValues) this.#int16(value === null || typeof value === 'string' ? 0 : 1);
    this.#int16(wireValues.length);
    for (const value of wireValues) this.#value(value);
    this.#int16(0);
    this.#end(start);
  }

  /** Asks for the columns of what was bound last. */
  describe(): void {
    const start = this.#begin(type.describe, 2);
    this.#buffer[this.#length++] = portal;
    this.#buffer[this.#length++] = 0;
    this.#end(start);
  }

  /** Runs what was bound last. */
  execute(): void {
    const start = this.#begin(type.execute, 5);
    this.#buffer[this.#length++] = 0;
    this.#length = this.#buffer.writeInt32BE(0, this.#length);
    this.#end(start);
  }

  /** Forgets a prepared statement, which need not exist. */
  close(name: string): void {
    const start = this.#begin(type.close, name.length * 3 + 2);
    this.#buffer[this.#length++] = preparedStatement;
    this.#text(name);
    this.#end(start);
  }

  /** Ends a group of messages: their implicit transaction, and what an error among them makes the server skip. */
  sync(): void {
    this.#end(this.#begin(type.sync, 0));
  }

  /** What was gathered; `done` is to be called when it is written. The next messages go into another buffer. */
  take(): { readonly bytes: Buffer; readonly done: () => void } {
    const buffer = this.#buffer;
    const bytes = buffer.subarray(0, this.#length);
    this.#buffer = this.#spare ?? Buffer.allocUnsafeSlow(firstCapacity);
    this.#spare = undefined;
    this.#length = 0;
    return {
      bytes,
      done: () => {
        if (buffer.length <= largestKeptBuffer) this.#spare ??= buffer;
      },
    };
  }

  #begin(messageType: number, size: number): number {
    this.#reserve(size + 5);
    const start = this.#length;
    this.#buffer[start] = messageType;
    this.#length += 5;
    return start;
  }

  /** The length counts itself, but not the type before it. */
  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start - 1, start + 1);
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  #text(text: string): void {
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
    this.#buffer[this.#length++] = 0;
  }

  #int16(value: number): void {
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #value(value: WireValue): void {
    if (value === null) {
      this.#length = this.#buffer.writeInt32BE(-1, this.#length);
      return;
    }
    const at = this.#length;
    this.#length += 4;
    if (typeof value === 'string') this.#length += this.#buffer.write(value, this.#length, 'utf8');
    else {
      this.#buffer.set(value, this.#length);
      this.#length += value.byteLength;
    }
    this.#buffer.writeInt32BE(this.#length - at - 4, at);
  }
}
