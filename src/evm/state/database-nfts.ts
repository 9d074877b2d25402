/** Serials of non-fungible tokens. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { bytesOf, idOrNone } from './entity-row.ts';
import { type Moment, versionAt } from './moment.ts';
import type { NftRecord } from './records.ts';

export interface NftKey {
  readonly tokenId: EntityId;
  readonly serialNumber: bigint;
}

interface NftRow {
  readonly account_id: string;
  readonly created_timestamp: string | null;
  readonly delegating_spender: string | null;
  readonly metadata: Buffer | null;
  readonly n: string;
  readonly spender: string | null;
}

const columns = 'account_id, created_timestamp, deleted, delegating_spender, metadata, spender';
const selected = `asked.n, ${columns
  .split(', ')
  .map((column) => `v.${column}`)
  .join(', ')}`;
const asked = 'unnest($1::bigint[], $2::bigint[]) with ordinality as asked(token_id, serial_number, n)';
const isOwned = 'v.deleted is not true and v.account_id is not null';

const latestStatement = `
  select ${selected} from ${asked}
  join nft v on v.token_id = asked.token_id and v.serial_number = asked.serial_number and ${isOwned}
  join entity e on e.id = asked.token_id and e.deleted is not true`;

const condition = 'token_id = asked.token_id and serial_number = asked.serial_number';

const pastStatement = `
  select ${selected} from ${asked}
  cross join lateral ${versionAt('nft', columns, condition, '$3::bigint')} v
  cross join lateral ${versionAt('entity', 'deleted', 'id = asked.token_id', '$3::bigint')} e
  where ${isOwned} and e.deleted is not true`;

/** Serials that exist and whose token does; undefined for the others. */
export const loadNfts = async ({ db, at }: Moment, keys: readonly NftKey[]): Promise<(NftRecord | undefined)[]> => {
  const tokenIds = keys.map(({ tokenId }) => tokenId);
  const serialNumbers = keys.map(({ serialNumber }) => serialNumber);
  const rows =
    at === undefined
      ? await db.query<NftRow>(latestStatement, [tokenIds, serialNumbers], 'evm-nfts')
      : await db.query<NftRow>(pastStatement, [tokenIds, serialNumbers, at], 'evm-past-nfts');
  const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
  return keys.map(({ tokenId, serialNumber }, index) => {
    const row = byNumber.get(index + 1);
    if (row === undefined) return undefined;
    return {
      tokenId,
      serialNumber,
      ownerId: BigInt(row.account_id),
      spenderId: idOrNone(row.spender),
      delegatingSpenderId: idOrNone(row.delegating_spender),
      createdTimestamp: BigInt(row.created_timestamp ?? 0),
      metadata: bytesOf(row.metadata) ?? new Uint8Array(),
    };
  });
};

const lastSerial = (until: string): string => `
  select asked.id, minted.serial_number from unnest($1::bigint[]) as asked(id) cross join lateral (
    select serial_number from nft where token_id = asked.id${until} order by serial_number desc limit 1
  ) minted`;

const latestSerialStatement = lastSerial('');
const pastSerialStatement = lastSerial(' and coalesce(created_timestamp, 0) <= $2');

/** Largest serials ever minted, burned ones included; 0n before the first. */
export const loadLastSerials = async ({ db, at }: Moment, tokenIds: readonly EntityId[]): Promise<bigint[]> => {
  const rows = await db.query<{ readonly id: string; readonly serial_number: string }>(
    at === undefined ? latestSerialStatement : pastSerialStatement,
    at === undefined ? [tokenIds] : [tokenIds, at],
    at === undefined ? 'evm-last-serials' : 'evm-past-last-serials',
  );
  const serials = new Map(rows.map(({ id, serial_number }) => [BigInt(id), BigInt(serial_number)]));
  return tokenIds.map((id) => serials.get(id) ?? 0n);
};
