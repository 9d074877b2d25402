import { streamNameToNanos } from '../ledger/timestamp.ts';

/**
 * A record stream file name taken apart. Names are only ever parsed, never rebuilt from a time: the same instant is
 * written with or without trailing zeros (`…24.063739000Z`, `…05.249678Z`).
 */
export interface StreamFileName {
  readonly name: string;
  /** The name up to and including `Z`; equal for a data file, its signatures and its sidecars. */
  readonly base: string;
  readonly kind: 'record' | 'signature' | 'sidecar';
  /** Consensus time that the name states, in nanoseconds. */
  readonly nanos: bigint;
  /** Whether the name ends in `.gz`; content decides, see `contentOf`. */
  readonly compressed: boolean;
  /** Number of the sidecar, from 1; 0 for other kinds. */
  readonly sidecarId: number;
}

const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2}_\d{2}_\d{2}(?:\.\d{1,9})?Z)(?:_(\d{1,3}))?\.rcd(_sig)?(\.gz)?$/;

/** Parses the last part of a path; undefined when it doesn't name a record stream file. */
export const parseStreamFileName = (path: string): StreamFileName | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, base = '', sidecar, signature, gzip] = match;
  if (sidecar !== undefined && signature !== undefined) return undefined;
  const nanos = streamNameToNanos(base);
  if (nanos === undefined) return undefined;
  return {
    name,
    base,
    kind: sidecar !== undefined ? 'sidecar' : signature !== undefined ? 'signature' : 'record',
    nanos,
    compressed: gzip !== undefined,
    sidecarId: sidecar === undefined ? 0 : Number(sidecar),
  };
};

/** Order of the stream: by time, then by text for two spellings of one instant. */
export const compareStreamNames = (
  a: { readonly nanos: bigint; readonly base: string },
  b: { readonly nanos: bigint; readonly base: string },
): number => {
  if (a.nanos !== b.nanos) return a.nanos < b.nanos ? -1 : 1;
  return a.base === b.base ? 0 : a.base < b.base ? -1 : 1;
};
