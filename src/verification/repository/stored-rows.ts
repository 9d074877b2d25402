/** Verified contracts as rows and back. */
import { createHash } from 'node:crypto';
import { checksumAddress } from '../chain/address.ts';
import type { Match, StoredContract, VerifiedDetails } from '../model.ts';

export interface ContractRow {
  readonly match_id: string;
  readonly chain_id: string;
  readonly address: Buffer;
  readonly runtime_match: Match;
  readonly creation_match: Match;
  /** ISO 8601. */
  readonly verified_at: string;
  readonly details: string;
}

export interface SourceRow {
  readonly match_id: string;
  readonly path: string;
  readonly hash: Buffer;
  readonly content: Buffer;
}

/** Columns of `v`, a row of kagami.verified_contract. */
export const contractColumns = `v.match_id, v.chain_id, v.address, v.runtime_match, v.creation_match,
  to_char(v.verified_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as verified_at, v.details`;

export const contentHash = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest();

/** The details without sources, which are kept apart. */
export const detailsText = (details: VerifiedDetails): string => {
  const { target } = details;
  return JSON.stringify({ ...details, target: { ...target, input: { ...target.input, sources: {} } } });
};

/** @throws Error when a source is not what its hash says */
export const storedContract = (row: ContractRow, sources: readonly SourceRow[]): StoredContract => {
  const details = JSON.parse(row.details) as VerifiedDetails;
  const { target } = details;
  const texts = sources.map(({ path, hash, content }) => {
    if (!contentHash(content).equals(hash)) throw new Error(`The stored source ${path} has been changed`);
    return [path, { content: content.toString('utf8') }] as const;
  });
  return {
    matchId: row.match_id,
    chainId: row.chain_id,
    address: checksumAddress(row.address),
    runtimeMatch: row.runtime_match,
    creationMatch: row.creation_match,
    verifiedAt: new Date(row.verified_at),
    details: { ...details, target: { ...target, input: { ...target.input, sources: Object.fromEntries(texts) } } },
  };
};

/** Bytes at the beginning of runtime code by which similar contracts are found. */
const PREFIX_LENGTH = 75;

/** Libraries begin with PUSH20 and their own address. */
const pushesOwnAddress = /^73([0-9a-f]{40})30/;

/** @param code 0x and hex digits */
export const runtimePrefix = (code: string): Buffer => {
  const digits = code.slice(2, 2 + 2 * PREFIX_LENGTH).toLowerCase();
  return Buffer.from(digits.replace(pushesOwnAddress, `73${'0'.repeat(40)}30`), 'hex');
};
