/** GET /api/v1/network/supply: how many tinybars exist and how many of them are released. */
import { failedToConvert, valuesOf } from '../../api/java-parameters.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { one } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import { record } from '../../api/resource/record.ts';
import type { RouteContext } from '../../api/route.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, startOfMonth } from '../../ledger/timestamp.ts';
import { text, timestamp } from './schemas.ts';
import { type TimestampBounds, timestamps } from './timestamp-bounds.ts';

const tinybarsPerHbar = 100_000_000n;
const totalTinybars = 50_000_000_000n * tinybarsPerHbar;

interface SupplyRow {
  /** Tinybars of the accounts that hold the unreleased supply. */
  readonly unreleased: string;
  readonly consensus_timestamp: string;
}

const currentSql = `
  select coalesce(sum(e.balance), 0) as unreleased, coalesce(max(e.balance_timestamp), 0) as consensus_timestamp
  from unnest($1::bigint[], $2::bigint[]) as held(first_id, last_id)
  join entity e on e.id between held.first_id and held.last_id`;

/** The newest snapshot of each account, found by one index probe per account and partition. */
const historicalSql = `
  select coalesce(sum(newest.balance), 0) as unreleased,
    coalesce(max(newest.consensus_timestamp), 0) as consensus_timestamp
  from unnest($1::bigint[], $2::bigint[]) as held(first_id, last_id)
  cross join lateral generate_series(held.first_id, held.last_id) as account(id)
  cross join lateral (
    select balance, consensus_timestamp from account_balance
    where account_id = account.id and consensus_timestamp between $3 and $4
    order by consensus_timestamp desc limit 1
  ) as newest`;

const readSupply = async (context: RouteContext, bounds: TimestampBounds): Promise<SupplyRow | undefined> => {
  const ranges = context.javaSettings.network.unreleasedSupplyAccounts;
  const id = (num: number): string => encodeEntityId(context.shard, context.realm, BigInt(num)).toString();
  const held = [ranges.map(({ from }) => id(from)), ranges.map(({ to }) => id(to))];
  if (!bounds.lowerGiven && !bounds.upperGiven) {
    return (await context.db.query<SupplyRow>(currentSql, held, 'network_supply_current'))[0];
  }
  const earliest = startOfMonth(bounds.upper, 1);
  const startsTooEarly = bounds.lower < earliest;
  const values = [...held, (startsTooEarly ? earliest : bounds.lower).toString(), bounds.upper.toString()];
  return (await context.db.query<SupplyRow>(historicalSql, values, 'network_supply_historical'))[0];
};

/** Hbars with exactly eight decimals. */
const hbars = (tinybars: bigint): string => {
  const digits = tinybars.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
};

const plainText = 'text/plain;charset=UTF-8';

type Quantity = 'totalcoins' | 'circulating';

interface Supply {
  /** Tinybars. */
  readonly released: bigint;
  readonly consensusTimestamp: string;
}

const supply = record<Supply>('NetworkSupplyResponse', {
  released_supply: { schema: text, json: ({ released }) => `"${released}"` },
  timestamp: { schema: timestamp, json: ({ consensusTimestamp }) => `"${formatTimestamp(consensusTimestamp)}"` },
  total_supply: { schema: text, json: () => `"${totalTinybars}"` },
});

/** Undefined: both, as JSON. */
const quantity: JavaParameter<Quantity | undefined> = {
  read: (query, name) => {
    const [given, ...more] = valuesOf(query, name);
    if (given === undefined || (given === '' && more.length === 0)) return undefined;
    const quantity = given.toLowerCase();
    if (more.length > 0 || (quantity !== 'totalcoins' && quantity !== 'circulating')) throw failedToConvert(name);
    return quantity;
  },
  doc: {
    description: 'The one quantity to give as text.',
    schema: { type: 'string', enum: ['circulating', 'totalcoins'] },
  },
};

export const supplyRoute = javaEndpoint({
  path: '/api/v1/network/supply',
  cacheSeconds: 60,
  operationId: 'getNetworkSupply',
  summary: 'Get the supply',
  description:
    'The total and the released supply in tinybars. With `q` one of them alone, in hbars with eight decimals, as text.',
  tag: 'network',
  parameters: { timestamp: timestamps, q: quantity },
  answer: { ...one(supply, 'The supply.'), texts: ['text/plain'] },
  problems: [400, 404],

  handle: async ({ query }, context) => {
    const { q: quantity, timestamp: bounds } = query;
    if (bounds.lower > bounds.upper) throw reasonedProblem(400, 'Invalid range provided for timestamp');
    const row = await readSupply(context, bounds);
    if (row === undefined || row.consensus_timestamp === '0') throw reasonedProblem(404, 'Network supply not found');
    const released = totalTinybars - BigInt(row.unreleased);
    if (quantity !== undefined) {
      return { status: 200, body: hbars(quantity === 'totalcoins' ? totalTinybars : released), contentType: plainText };
    }
    return { status: 200, body: supply.json({ released, consensusTimestamp: row.consensus_timestamp }) };
  },
});
