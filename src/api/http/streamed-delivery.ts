/** Answers that go out piece by piece, compressed on the way where the client takes that. */
import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { chooseCoding } from './content-coding.ts';
import { commonHeaders } from './delivery.ts';
import type { StoredAnswer } from './stored-answer.ts';

export interface StreamedDelivery {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** Speed counts more than size: whoever makes the pieces waits for them to be taken. */
const BROTLI_QUALITY = 4;

const compressors = {
  gzip: () => createGzip(),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
} as const;

/** An error of `parts` breaks the connection off, since status and headers are gone by then. */
export const streamedDelivery = (
  { status, headers }: StoredAnswer,
  parts: AsyncIterable<string>,
  acceptEncoding: string | undefined,
): StreamedDelivery => {
  const source = Readable.from(parts, { objectMode: false });
  const coding = chooseCoding(acceptEncoding, ['br', 'gzip']);
  if (coding === undefined) return { status, headers: { ...commonHeaders, ...headers }, body: source };
  const body = pipeline(source, compressors[coding](), () => undefined);
  return { status, headers: { ...commonHeaders, ...headers, 'content-encoding': coding }, body };
};
