/** Finds uploaded sources by the hash of their text, also when line ends or the end of the file have changed. */
import { toHex } from '../../ledger/bytes.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { SourceText } from './metadata.ts';

const lineEnds: readonly ((text: string) => string)[] = [
  (text) => text.replace(/\r?\n/g, '\r\n'),
  (text) => text.replaceAll('\r\n', '\n'),
];

const fileEnds: readonly ((text: string) => string)[] = [
  (text) => text.trimEnd(),
  (text) => `${text.trimEnd()}\n`,
  (text) => `${text.trimEnd()}\r\n`,
  (text) => `${text}\n`,
  (text) => `${text}\r\n`,
];

/** 0x and 64 hex digits. */
export const hashOfText = (text: string): string => `0x${toHex(keccak256(Buffer.from(text, 'utf8')))}`;

export class SourceIndex {
  readonly #sources: readonly SourceText[];
  readonly #byHash: ReadonlyMap<string, SourceText>;
  #variations: ReadonlyMap<string, SourceText> | undefined;

  constructor(sources: readonly SourceText[]) {
    this.#sources = sources;
    this.#byHash = new Map(sources.map((source) => [hashOfText(source.text), source]));
  }

  /** The text with that hash, under the path it was uploaded as. */
  find(hash: string): SourceText | undefined {
    return this.#byHash.get(hash) ?? this.#allVariations().get(hash);
  }

  /** Made when something is missed, and once for all contracts of an upload. */
  #allVariations(): ReadonlyMap<string, SourceText> {
    this.#variations ??= new Map(
      this.#sources.flatMap(({ path, text }) => {
        const texts = new Set(lineEnds.flatMap((lines) => fileEnds.map((end) => end(lines(text)))));
        return [...texts].map((variation) => [hashOfText(variation), { path, text: variation }] as const);
      }),
    );
    return this.#variations;
  }
}
