import type { Queryable } from '../src/database/connection.ts';
import { formatEntityId } from '../src/ledger/entity-id.ts';
import { formatTimestamp } from '../src/ledger/timestamp.ts';

export interface BenchEndpoint {
  readonly name: string;
  /** One page after the other, all different, so that no answer comes from the cache. */
  readonly next: () => string;
}

const numbersFrom = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

type Random = () => number;

const oneOf = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

const NANOS_PER_SECOND = 1_000_000_000n;

/** Empty where the ledger has no contract logs. */
const contractEndpoints = async (database: Queryable, random: Random): Promise<readonly BenchEndpoint[]> => {
  const logs = await database.query<{ contract_id: string; consensus_timestamp: string; topic: string }>(
    `select contract_id, consensus_timestamp, encode(topic0, 'hex') as topic from contract_log
     where topic0 is not null limit 20000`,
  );
  if (logs.length === 0) return [];
  const log = () => oneOf(logs, random);
  return [
    {
      name: '/contracts/results?limit=25',
      next: () => `/api/v1/contracts/results?limit=25&timestamp=lte:${formatTimestamp(log().consensus_timestamp)}`,
    },
    {
      name: '/contracts/{id}/results',
      next: () => {
        const { contract_id, consensus_timestamp } = log();
        return `/api/v1/contracts/${formatEntityId(contract_id)}/results?limit=25&timestamp=lte:${formatTimestamp(consensus_timestamp)}`;
      },
    },
    {
      name: '/contracts/results/logs?topic0=',
      next: () => {
        const { consensus_timestamp, topic } = log();
        const last = BigInt(consensus_timestamp);
        const from = formatTimestamp(last - 60n * NANOS_PER_SECOND);
        return `/api/v1/contracts/results/logs?limit=25&topic0=${topic}&timestamp=gte:${from}&timestamp=lte:${formatTimestamp(last)}`;
      },
    },
  ];
};

/** Empty where the ledger has no tokens. */
const tokenEndpoints = async (database: Queryable, random: Random): Promise<readonly BenchEndpoint[]> => {
  const tokens = await database.query<{ token_id: string }>('select token_id from token limit 1000');
  const nfts = await database.query<{ token_id: string; serial_number: string; account_id: string }>(
    'select token_id, serial_number, account_id from nft where account_id is not null and not deleted limit 20000',
  );
  const holders = await database.query<{ account_id: string; token_id: string }>(
    'select account_id, token_id from token_account where associated limit 20000',
  );
  if (tokens.length === 0 || nfts.length === 0 || holders.length === 0) return [];
  return [
    {
      name: '/tokens?limit=25',
      next: () =>
        `/api/v1/tokens?limit=25&token.id=gte:${formatEntityId(oneOf(tokens, random).token_id)}&order=${random() < 0.5 ? 'asc' : 'desc'}`,
    },
    {
      name: '/tokens/{id}/nfts',
      next: () => {
        const { token_id, serial_number } = oneOf(nfts, random);
        return `/api/v1/tokens/${formatEntityId(token_id)}/nfts?limit=25&serialnumber=lte:${serial_number}`;
      },
    },
    {
      name: '/accounts/{id}/nfts',
      next: () => {
        const { account_id, token_id, serial_number } = oneOf(nfts, random);
        return `/api/v1/accounts/${formatEntityId(account_id)}/nfts?limit=25&token.id=lte:${formatEntityId(token_id)}&serialnumber=lte:${serial_number}`;
      },
    },
    {
      name: '/accounts/{id}/tokens',
      next: () => {
        const { account_id, token_id } = oneOf(holders, random);
        return `/api/v1/accounts/${formatEntityId(account_id)}/tokens?limit=25&token.id=gte:${formatEntityId(token_id)}`;
      },
    },
  ];
};

/** List endpoints over the ledger that `database` holds, with parameters that hit its rows. */
export const benchEndpoints = async (database: Queryable): Promise<readonly BenchEndpoint[]> => {
  const [span] = await database.query<{ first: string; last: string; blocks: string }>(
    'select min(consensus_start) as first, max(consensus_end) as last, max(index) as blocks from record_file where index > 1',
  );
  const accounts = await database.query<{ id: string }>(
    "select id from entity where type = 'ACCOUNT' and id > 1000 order by md5(id::text) limit 100000",
  );
  const busy = await database.query<{ id: string }>(
    `select payer_account_id as id from (select payer_account_id from transaction limit 20000) newest
     group by 1 having count(*) > 5 order by 1`,
  );
  const topics = await database.query<{ topic_id: string; messages: string }>(
    'select topic_id, count(*) as messages from topic_message group by 1 order by 2 desc limit 10',
  );
  const ids = await database.query<{ payer_account_id: string; valid_start_ns: string }>(
    'select payer_account_id, valid_start_ns from transaction where nonce = 0 and not scheduled limit 20000',
  );
  if (span === undefined) throw new Error('the ledger is empty');
  const random = numbersFrom(7);
  const first = BigInt(span.first);
  const width = Number(BigInt(span.last) - first);
  const moment = (): string => formatTimestamp(first + BigInt(Math.floor(random() * width)));
  const one = <T>(list: readonly T[]): T => oneOf(list, random);
  const account = (): string => formatEntityId(one(accounts).id);
  const busyAccount = (): string => formatEntityId(one(busy.length > 0 ? busy : accounts).id);
  const transactionId = (): string => {
    const { payer_account_id, valid_start_ns } = one(ids);
    return `${formatEntityId(payer_account_id)}-${formatTimestamp(valid_start_ns).replace('.', '-')}`;
  };
  const endpoints: BenchEndpoint[] = [
    { name: '/transactions?limit=25', next: () => `/api/v1/transactions?limit=25&timestamp=lte:${moment()}` },
    { name: '/transactions?limit=100', next: () => `/api/v1/transactions?limit=100&timestamp=lte:${moment()}` },
    {
      name: '/transactions?account.id=',
      next: () => `/api/v1/transactions?account.id=${busyAccount()}&limit=25&timestamp=lte:${moment()}`,
    },
    { name: '/transactions/{id}', next: () => `/api/v1/transactions/${transactionId()}` },
    { name: '/accounts?limit=25', next: () => `/api/v1/accounts?limit=25&account.id=gte:${account()}` },
    { name: '/accounts/{id}', next: () => `/api/v1/accounts/${account()}` },
    { name: '/accounts/{id}?timestamp=', next: () => `/api/v1/accounts/${busyAccount()}?timestamp=lte:${moment()}` },
    { name: '/balances?limit=25', next: () => `/api/v1/balances?limit=25&account.id=gte:${account()}` },
    { name: '/blocks?limit=25', next: () => `/api/v1/blocks?limit=25&timestamp=lte:${moment()}` },
    { name: '/blocks/{number}', next: () => `/api/v1/blocks/${1 + Math.floor(random() * Number(span.blocks))}` },
  ];
  endpoints.push(...(await contractEndpoints(database, random)), ...(await tokenEndpoints(database, random)));
  if (topics.length > 0) {
    endpoints.push({
      name: '/topics/{id}/messages',
      next: () => {
        const { topic_id, messages } = one(topics);
        return `/api/v1/topics/${formatEntityId(topic_id)}/messages?limit=25&sequencenumber=gte:${Math.ceil(random() * Number(messages))}`;
      },
    });
  }
  return endpoints;
};
