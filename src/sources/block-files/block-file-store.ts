/** Where block files lie. Implementations are safe to call concurrently. */
export interface BlockFileStore {
  /** For people: the folder or bucket. */
  readonly description: string;
  /** The file of a block; undefined when there is none. @throws KagamiError STREAM_OVERSIZED, or of `isSourceFailure` */
  read(number: bigint): Promise<BlockFile | undefined>;
  /** Number of the earliest block from `from` on that there is; undefined when there is none. @throws as `read` */
  firstFrom(from: bigint): Promise<bigint | undefined>;
  close(): void;
}

export interface BlockFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
