/** Airdrops that wait to be claimed ([HIP-904](https://hips.hedera.com/hip/hip-904)). */
import type { Moment } from './moment.ts';
import type { PendingAirdropKey, PendingAirdropRecord } from './records.ts';

const asked = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
  with ordinality as asked(sender, receiver, token_id, serial_number, n)`;

const isAsked = `sender_account_id = asked.sender and receiver_account_id = asked.receiver
  and token_id = asked.token_id and serial_number = asked.serial_number`;

const latestStatement = `
  select asked.n, a.amount from ${asked} cross join lateral (
    select amount from token_airdrop where ${isAsked} and state = 'PENDING'
  ) a`;

/** Earlier versions have an index by time alone. */
const pastStatement = `
  select asked.n, a.amount from ${asked} cross join lateral (
    select amount, state from token_airdrop where ${isAsked} and lower(timestamp_range) <= $5
    union all
    select amount, state from token_airdrop_history where timestamp_range @> $5::bigint and ${isAsked}
  ) a where a.state = 'PENDING'`;

export const loadAirdrops = async (
  { db, at }: Moment,
  keys: readonly PendingAirdropKey[],
): Promise<(PendingAirdropRecord | undefined)[]> => {
  const values: unknown[] = [
    keys.map(({ senderId }) => senderId),
    keys.map(({ receiverId }) => receiverId),
    keys.map(({ tokenId }) => tokenId),
    keys.map(({ serialNumber }) => serialNumber),
  ];
  const rows =
    at === undefined
      ? await db.query<{ readonly n: string; readonly amount: string | null }>(latestStatement, values, 'evm-airdrops')
      : await db.query<{ readonly n: string; readonly amount: string | null }>(
          pastStatement,
          [...values, at],
          'evm-past-airdrops',
        );
  const amounts = new Map(rows.map(({ n, amount }) => [Number(n), BigInt(amount ?? 0)]));
  return keys.map((key, index) => {
    const amount = amounts.get(index + 1);
    return amount === undefined ? undefined : { ...key, amount };
  });
};
