import { type Nanos, streamNameToNanos } from '../ledger/timestamp.ts';

export type BalanceFormat = 'csv' | 'pb';

/** The name of a balance file or of its signature, taken apart. Names are parsed, never rebuilt from a time. */
export interface BalanceFileName {
  readonly name: string;
  /** The name up to and including `Z`; equal for all formats of one snapshot and their signatures. */
  readonly base: string;
  readonly kind: 'balance' | 'signature';
  readonly format: BalanceFormat;
  /** Consensus time that the name states, in nanoseconds. */
  readonly nanos: Nanos;
}

const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2}_\d{2}_\d{2}(?:\.\d{1,9})?Z)_Balances\.(csv|pb)(_sig)?(?:\.gz)?$/;

/** Parses the last part of a path; undefined when it names neither a balance file nor a signature of one. */
export const parseBalanceFileName = (path: string): BalanceFileName | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, base = '', format, signature] = match;
  const nanos = streamNameToNanos(base);
  if (nanos === undefined) return undefined;
  return {
    name,
    base,
    kind: signature === undefined ? 'balance' : 'signature',
    format: format as BalanceFormat,
    nanos,
  };
};
