/**
 * Reads balance files, which hold the balances of all accounts at one moment of consensus: CSV of versions 1 and 2, and
 * protobuf. Nothing is held but the part in work, since a file has millions of accounts.
 */
import type { Nanos } from '../ledger/timestamp.ts';
import type { AccountHoldings } from './balance-entry.ts';
import { hashContent } from './balance-file-content.ts';
import { CsvBalanceParser } from './balance-file-csv.ts';
import { parseBalanceFileName } from './balance-file-name.ts';
import { ProtobufBalanceParser } from './balance-file-protobuf.ts';
import { streamError } from './stream-error.ts';

export interface BalanceFileOptions {
  /** Accounts of another shard are refused; 0 by default. */
  readonly shard?: bigint;
  /** Refuses more uncompressed content than this many bytes. */
  readonly maxContentBytes?: number;
}

export interface BalanceFile {
  readonly name: string;
  readonly consensusTimestamp: Nanos;
  /** SHA-384 of the uncompressed content. */
  readonly fileHash: Uint8Array;
  /** Bytes of the uncompressed content. */
  readonly size: number;
  readonly accounts: number;
  readonly tokenBalances: number;
  readonly duplicateTokenBalances: number;
}

/**
 * Reads the file `path` from `chunks` and hands its accounts on in groups, in the order of the file. What was handed on
 * counts only when the call returns: the hash, and with it any proof, is known at the end.
 * @throws KagamiError STREAM_WRONG_NAME, also when the name states another time than the content; STREAM_TRUNCATED,
 * STREAM_OVERSIZED, STREAM_BAD_COMPRESSION, STREAM_UNKNOWN_VERSION, STREAM_MALFORMED, STREAM_TRAILING_BYTES.
 */
export const readBalanceFile = async (
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  take: (accounts: readonly AccountHoldings[], consensusTimestamp: Nanos) => void | Promise<void>,
  { shard = 0n, maxContentBytes }: BalanceFileOptions = {},
): Promise<BalanceFile> => {
  const parsedName = parseBalanceFileName(path);
  if (parsedName?.kind !== 'balance') {
    throw streamError('STREAM_WRONG_NAME', { file: path, rule: 'not the name of a balance file' });
  }
  const { name, nanos, format } = parsedName;
  const parser = format === 'csv' ? new CsvBalanceParser(name, shard) : new ProtobufBalanceParser(name, shard);
  let accounts = 0;
  let tokenBalances = 0;
  const content = await hashContent(
    name,
    chunks,
    async (chunk) => {
      const group = parser.push(chunk);
      const { consensusTimestamp } = parser;
      if (consensusTimestamp === undefined) return;
      if (consensusTimestamp !== nanos) {
        throw streamError('STREAM_WRONG_NAME', { file: name, rule: `it holds the balances of ${consensusTimestamp}` });
      }
      if (group.length === 0) return;
      accounts += group.length;
      for (const { tokens } of group) tokenBalances += tokens.length;
      await take(group, consensusTimestamp);
    },
    maxContentBytes,
  );
  parser.finish();
  return {
    name,
    consensusTimestamp: nanos,
    fileHash: content.hash,
    size: content.size,
    accounts,
    tokenBalances,
    duplicateTokenBalances: parser.duplicates,
  };
};
