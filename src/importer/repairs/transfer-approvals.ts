/**
 * Before HAPI 0.38 records did not say that a contract moved what it had been approved for. A debit of someone other than
 * the contract counts as approved, unless the contract's key is one of those that sign for that account.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { isPast, type Repair } from './repair.ts';

/** Creation of the last contract that may still move without approval, and the last transaction before HAPI 0.38. */
const AFTER: Nanos = 1_680_284_879_342_064_922n;
const UNTIL: Nanos = 1_686_243_920_981_874_002n;
const LAST_GRANDFATHERED_CONTRACT = 2_119_900n;

/** Read a day at a time, so that what is kept in memory stays small. */
const STEP: Nanos = 86_400_000_000_000n;

/** $1 to $2: period, the first exclusive; $3 last contract that is left out. Positions of NFTs count from 1. */
const UNAPPROVED = `
with result as (
  select consensus_timestamp, payer_account_id, contract_id
  from contract_result where consensus_timestamp > $1 and consensus_timestamp <= $2 and contract_id > $3
), moved as (
  select 'hbar' as kind, t.consensus_timestamp, r.contract_id, t.entity_id::bigint as sender,
    null::bigint as token_id, null::bigint as position
  from result r join crypto_transfer t using (consensus_timestamp, payer_account_id)
  where t.amount < 0 and t.is_approval = false
  union all
  select 'token', t.consensus_timestamp, r.contract_id, t.account_id::bigint, t.token_id::bigint, null
  from result r join token_transfer t using (consensus_timestamp, payer_account_id)
  where t.amount < 0 and t.is_approval = false
  union all
  select 'nft', t.consensus_timestamp, r.contract_id, (n.entry ->> 'sender_account_id')::bigint, null, n.position
  from result r join transaction t using (consensus_timestamp, payer_account_id)
  cross join jsonb_array_elements(t.nft_transfer) with ordinality as n(entry, position)
  where not (n.entry ->> 'is_approval')::boolean
)
select m.kind, m.consensus_timestamp, m.contract_id, m.sender, m.token_id, m.position, version.key
from moved m
cross join lateral (
  select key from entity where id = m.sender and timestamp_range @> m.consensus_timestamp::bigint and key is not null
  union all
  select key from entity_history
  where id = m.sender and timestamp_range @> m.consensus_timestamp::bigint and key is not null
) version
where m.sender <> m.contract_id`;

interface Unapproved {
  readonly kind: 'hbar' | 'token' | 'nft';
  readonly consensus_timestamp: string;
  readonly contract_id: string;
  readonly sender: string;
  readonly token_id: string | null;
  readonly position: string | null;
  readonly key: Buffer;
}

const APPROVE_HBARS = `
update crypto_transfer t set is_approval = true
from unnest($1::bigint[], $2::bigint[]) as m(consensus_timestamp, sender)
where t.consensus_timestamp = m.consensus_timestamp and t.entity_id = m.sender and t.amount < 0`;

const APPROVE_TOKENS = `
update token_transfer t set is_approval = true
from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as m(consensus_timestamp, sender, token_id)
where t.consensus_timestamp = m.consensus_timestamp and t.account_id = m.sender and t.token_id = m.token_id
  and t.amount < 0`;

const APPROVE_NFTS = `
update transaction t set nft_transfer = (
  select jsonb_agg(
    case when n.position = any(m.positions) then jsonb_set(n.entry, '{is_approval}', 'true') else n.entry end
    order by n.position)
  from jsonb_array_elements(t.nft_transfer) with ordinality as n(entry, position)
)
from (
  select consensus_timestamp, array_agg(position) as positions
  from unnest($1::bigint[], $2::bigint[]) as u(consensus_timestamp, position) group by consensus_timestamp
) m
where t.consensus_timestamp = m.consensus_timestamp`;

export const transferApprovals: Repair = {
  name: 'transfer-approvals',
  setting: 'syntheticCryptoTransferApprovalMigration',
  isDue: (reach) => isPast(UNTIL, reach),
  async run(client) {
    let approved = 0;
    for (let after = AFTER; after < UNTIL; after += STEP) {
      const until = after + STEP < UNTIL ? after + STEP : UNTIL;
      const moved = await client.query<Unapproved>(UNAPPROVED, [after, until, LAST_GRANDFATHERED_CONTRACT]);
      const byApproval = moved.filter(({ key, contract_id }) => !maySignAlone(key, BigInt(contract_id)));
      await approve(client, byApproval);
      approved += byApproval.length;
    }
    return approved;
  },
};

const approve = async (client: DatabaseClient, moved: readonly Unapproved[]): Promise<void> => {
  const columns = (kind: Unapproved['kind'], ...names: readonly (keyof Unapproved)[]) => {
    const rows = moved.filter((row) => row.kind === kind);
    return rows.length === 0 ? undefined : names.map((name) => rows.map((row) => row[name]));
  };
  const hbars = columns('hbar', 'consensus_timestamp', 'sender');
  if (hbars !== undefined) await client.query(APPROVE_HBARS, hbars);
  const tokens = columns('token', 'consensus_timestamp', 'sender', 'token_id');
  if (tokens !== undefined) await client.query(APPROVE_TOKENS, tokens);
  const nfts = columns('nft', 'consensus_timestamp', 'position');
  if (nfts !== undefined) await client.query(APPROVE_NFTS, nfts);
};

/**
 * Whether the contract is one key of a threshold key that any single key satisfies. An unreadable key says nothing, and
 * what it would have signed stays as it is.
 */
const maySignAlone = (bytes: Uint8Array, contractId: bigint): boolean => {
  let key: Key;
  try {
    key = Key.decode(bytes);
  } catch {
    return true;
  }
  if (key.key?.$case !== 'thresholdKey' || key.key.thresholdKey.threshold > 1) return false;
  const keys = key.key.thresholdKey.keys?.keys ?? [];
  return keys.some((one) => {
    const id = one.key?.$case === 'contractID' ? one.key.contractID : undefined;
    return (
      id?.contract?.$case === 'contractNum' &&
      encodeEntityId(id.shardNum, id.realmNum, id.contract.contractNum) === contractId
    );
  });
};
