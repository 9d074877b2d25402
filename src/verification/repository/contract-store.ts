/** Verified contracts in the database: writing. */
import type { Database, DatabaseClient } from '../../database/connection.ts';
import { addressBytes } from '../chain/address.ts';
import type { ContractIdentity } from '../chain/chain.ts';
import type { CompilerInput, VerificationResult, VerifiedDetails } from '../model.ts';
import { isImprovement } from './match-order.ts';
import { type ContractRow, contentHash, contractColumns, detailsText, runtimePrefix } from './stored-rows.ts';

/** The row that counts for the contract, and whether it was written now. */
export interface StoreAnswer {
  readonly matchId: string;
  readonly stored: boolean;
}

type Matched = VerificationResult & { readonly details: VerifiedDetails };

const identityCondition = 'v.chain_id = $1 and v.address = $2 and v.created_timestamp is not distinct from $3::bigint';

const insertContract = `insert into kagami.verified_contract (chain_id, address, created_timestamp, contract_id,
    runtime_match, creation_match, runtime_prefix, details) values ($1, $2, $3, $4, $5, $6, $7, $8)
  returning match_id`;

const updateContract = `update kagami.verified_contract set runtime_match = $2, creation_match = $3,
    runtime_prefix = $4, details = $5, verified_at = now() where match_id = $1`;

const insertSources = `insert into kagami.verified_source (hash, content)
  select * from unnest($1::bytea[], $2::bytea[]) on conflict do nothing`;

const insertPlaces = `insert into kagami.verified_contract_source (match_id, position, path, hash)
  select $1, place.position, place.path, place.hash
  from unnest($2::text[], $3::bytea[]) with ordinality as place (path, hash, position)`;

const writeSources = async (client: DatabaseClient, matchId: string, { sources }: CompilerInput): Promise<void> => {
  const contents = Object.values(sources).map(({ content }) => Buffer.from(content, 'utf8'));
  const hashes = contents.map(contentHash);
  // No text column takes NUL; no compiler takes such a path either.
  const paths = Object.keys(sources).map((path) => path.replaceAll('\0', ''));
  const unique = new Map(hashes.map((hash, i) => [hash.toString('hex'), i]));
  // In one order everywhere, so that writers of the same sources don't wait for each other in a circle.
  const order = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, i]) => i);
  await client.query(insertSources, [order.map((i) => hashes[i]), order.map((i) => contents[i])]);
  await client.query('delete from kagami.verified_contract_source where match_id = $1', [matchId]);
  await client.query(insertPlaces, [matchId, paths, hashes]);
};

/**
 * Writes the match unless one that is as good is there. Writers of one contract wait for each other.
 * @param result with a match
 */
export const storeContract = (db: Database, identity: ContractIdentity, result: Matched): Promise<StoreAnswer> =>
  db.transaction(async (client) => {
    const { chainId, runtimeMatch, creationMatch, details } = result;
    const address = Buffer.from(addressBytes(identity.address) ?? []);
    const key = [chainId, address, identity.createdTimestamp];
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `kagami verification ${chainId} ${identity.address}`,
    ]);
    const select = `select ${contractColumns} from kagami.verified_contract v where ${identityCondition}`;
    const [existing] = await client.query<ContractRow>(select, key);
    const matches = { runtimeMatch, creationMatch };
    if (existing !== undefined) {
      const stored = { runtimeMatch: existing.runtime_match, creationMatch: existing.creation_match };
      if (!isImprovement(matches, stored)) return { matchId: existing.match_id, stored: false };
    }
    const prefix = runtimePrefix(details.onchainRuntimeBytecode ?? '0x');
    const values = [runtimeMatch, creationMatch, prefix, detailsText(details)];
    let matchId = existing?.match_id;
    if (matchId === undefined) {
      const [row] = await client.query<{ match_id: string }>(insertContract, [...key, identity.contractId, ...values]);
      matchId = String(row?.match_id);
    } else await client.query(updateContract, [matchId, ...values]);
    await writeSources(client, matchId, details.target.input);
    return { matchId, stored: true };
  });
