/** `/account/balance` and `/account/all-balances`: what an account had at the end of a block. */
import type { Database, Queryable } from '../../database/connection.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { hbarAmount } from '../amount.ts';
import type { BlockLookup } from '../blocks/block-lookup.ts';
import { optionalPartialIdentifier } from '../blocks/identifiers.ts';
import type { Endpoint } from '../endpoint.ts';
import { type JsonObject, optionalObject, textOf } from '../request.ts';
import { malformed, rosettaError } from '../rosetta-error.ts';
import { type Address, parseAddress } from './address.ts';

export interface BalanceEndpointOptions {
  readonly database: Pick<Database, 'transaction'>;
  readonly blocks: BlockLookup;
  /** The account whose balance every snapshot has. */
  readonly treasury: EntityId;
}

interface AccountRow {
  readonly id: string;
  readonly deleted: boolean | null;
  readonly modified: string;
  readonly key: Buffer | null;
}

const accountSql = (condition: string): string => `select id, deleted, lower(timestamp_range) as modified, key from (
    select id, deleted, timestamp_range, key from entity
    where ${condition} and type in ('ACCOUNT', 'CONTRACT') and timestamp_range @> $2::bigint
    union all
    select id, deleted, timestamp_range, key from entity_history
    where ${condition} and type in ('ACCOUNT', 'CONTRACT') and timestamp_range @> $2::bigint
  ) versions order by lower(timestamp_range) desc limit 1`;

const byIdSql = accountSql('id = $1');
const byAliasSql = accountSql('alias = $1');

const lowerBoundSql = `select from_timestamp from mirror_node_time_partitions
  where parent = 'account_balance' and from_timestamp <= $1 order by from_timestamp desc limit 2`;

const snapshotSql = `select consensus_timestamp from account_balance
  where account_id = $1 and consensus_timestamp between $2 and $3 order by consensus_timestamp desc limit 1`;

const balanceSql = `select
    coalesce((
      select balance from account_balance where account_id = $1 and consensus_timestamp between $2 and $3
      order by consensus_timestamp desc limit 1
    ), 0) + coalesce((
      select sum(amount) from crypto_transfer
      where entity_id = $1 and consensus_timestamp > $3 and consensus_timestamp <= $4
        and (errata is null or errata <> 'DELETE')
    ), 0) as balance`;

/** The newest version of the account that there is at that time. */
const readAccount = async (database: Queryable, address: Address, at: bigint): Promise<AccountRow | undefined> => {
  const [row] =
    address.kind === 'id'
      ? await database.query<AccountRow>(byIdSql, [address.id, at], 'rosetta-account-by-id')
      : await database.query<AccountRow>(byAliasSql, [Buffer.from(address.alias), at], 'rosetta-account-by-alias');
  return row;
};

/**
 * From the newest snapshot, among those of the two months up to it, on.
 * @throws RosettaError 110 when there is none
 */
const readBalance = async (
  database: Queryable,
  { id, treasury, limit, end }: { id: EntityId; treasury: EntityId; limit: bigint; end: bigint },
): Promise<bigint> => {
  const partitions = await database.query<{ from_timestamp: string }>(lowerBoundSql, [limit], 'rosetta-partitions');
  const lower = partitions.at(-1)?.from_timestamp ?? 0n;
  const [snapshot] = await database.query<{ consensus_timestamp: string }>(
    snapshotSql,
    [treasury, lower, limit],
    'rosetta-snapshot',
  );
  if (snapshot === undefined) throw rosettaError('nodeIsStarting');
  const values = [id, lower, snapshot.consensus_timestamp, end];
  const [row] = await database.query<{ balance: string }>(balanceSql, values, 'rosetta-balance');
  return BigInt(row?.balance ?? 0);
};

const ED25519_KEY = Buffer.from([0x12, 0x20]);
const ED25519_KEY_BYTES = 34;

const publicKeyOf = (key: Buffer | null): string | undefined =>
  key?.length === ED25519_KEY_BYTES && key.subarray(0, 2).equals(ED25519_KEY) ? `0x${key.toString('hex')}` : undefined;

const metadataOf = (address: Address, account: AccountRow): object | undefined => {
  const publicKey = publicKeyOf(account.key);
  const metadata = {
    ...(address.kind === 'alias' ? { account_id: formatEntityId(account.id) } : {}),
    ...(publicKey === undefined ? {} : { public_key: publicKey }),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
};

const addressOf = (request: JsonObject): Address => {
  const identifier = optionalObject(request, 'account_identifier');
  if (identifier === undefined) throw malformed('Account is nil');
  const text = textOf(identifier, 'address');
  if (text === '') throw malformed('Account.Address is missing');
  return parseAddress(text);
};

export const balanceEndpoints = ({ database, blocks, treasury }: BalanceEndpointOptions): readonly Endpoint[] => {
  const read = (request: JsonObject) => {
    const address = addressOf(request);
    const identifier = optionalPartialIdentifier(request);
    return database.transaction(
      async (client) => {
        const block = await blocks.find(client, identifier);
        const { end } = block;
        const account = await readAccount(client, address, end);
        const id = account === undefined ? (address.kind === 'id' ? address.id : undefined) : BigInt(account.id);
        const deletedAt = account?.deleted === true ? BigInt(account.modified) : undefined;
        const times = deletedAt === undefined ? { limit: end, end } : { limit: deletedAt - 1n, end: deletedAt };
        const balance = id === undefined ? 0n : await readBalance(client, { id, treasury, ...times });
        const metadata = account && metadataOf(address, account);
        return { block: block.identifier, held: { balances: [hbarAmount(balance)], ...(metadata && { metadata }) } };
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  };
  return [
    {
      paths: ['/account/balance'],
      offline: false,
      serve: async (request) => {
        const { block, held } = await read(request);
        return { block_identifier: block, ...held };
      },
    },
    {
      paths: ['/account/all-balances', '/account/all_balances'],
      offline: false,
      serve: async (request) => {
        const { block, held } = await read(request);
        return { block_identifier: block, account_balances: [held] };
      },
    },
  ];
};
