/** The requests that the JSON-RPC relay and the explorer send, in the form they send them, to a whole simulated ledger. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restRoutes } from '../../server/rest-routes.ts';
import { createAnswerSchemas } from '../../server/testing/answer-schemas.fixture.ts';
import { createRouteFinder } from '../../server/testing/route-finder.fixture.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

let served: ServedLedger;
const schemas = createAnswerSchemas(restRoutes);
const routeOf = createRouteFinder(restRoutes);

/** What is asked for, under the names that the templates below use. */
interface Known {
  readonly account: string;
  readonly evmAddress: string;
  readonly contract: string;
  readonly contractAddress: string;
  readonly resultContract: string;
  readonly resultTime: string;
  readonly resultHash: string;
  readonly block: string;
  readonly blockHash: string;
  readonly from: string;
  readonly to: string;
  readonly topic0: string;
  readonly logHash: string;
  readonly logTime: string;
  readonly slot: string;
  readonly key: string;
  readonly schedule: string;
  readonly token: string;
  readonly nftToken: string;
  readonly serial: string;
  readonly topic: string;
  readonly topicTime: string;
  readonly transaction: string;
  readonly transactionTime: string;
}
let known: Known;

// biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
const json = async (path: string): Promise<any> => {
  const response = await fetch(`${served.origin}${path}`);
  const text = await response.text();
  expect(response.status, `${path}: ${text}`).toBe(200);
  const route = routeOf({ url: path });
  if (route === undefined) throw new Error(`no route for ${path}`);
  expect(schemas.violations(route, 200, text), path).toEqual([]);
  return JSON.parse(text);
};

interface Result {
  readonly contract_id: string;
  readonly timestamp: string;
  readonly hash: string;
  readonly block_hash: string;
  readonly block_number: number;
}

const resultWithActions = async (): Promise<Result> => {
  const { results } = await json('/api/v1/contracts/results?limit=100');
  for (const result of results) {
    const response = await fetch(`${served.origin}/api/v1/contracts/results/${result.hash}/actions`);
    if (response.status !== 200) continue;
    const { actions } = (await response.json()) as { actions: readonly object[] };
    if (actions.length > 0) return result;
  }
  throw new Error('no result has actions');
};

beforeAll(async () => {
  served = await serveSimulatedLedger({
    seed: 'client requests',
    mix: 'everything',
    transactions: 1_200,
    tps: 60,
    nodes: 3,
    users: 40,
    stakingPeriodNanos: 20_000_000_000n,
  });
  const result = await resultWithActions();
  const { from, to } = (await json(`/api/v1/blocks/${result.block_number}`)).timestamp;
  const [log] = (await json('/api/v1/contracts/results/logs?limit=1')).logs;
  const [state] = await served.target.database.query<{ slot: string; contract_id: string }>(
    "select encode(slot, 'hex') as slot, contract_id from contract_state limit 1",
  );
  const [account] = (await json('/api/v1/accounts?limit=1&account.id=gt:1000')).accounts;
  const [schedule] = (await json('/api/v1/schedules?limit=1')).schedules;
  const [token] = (await json('/api/v1/tokens?type=FUNGIBLE_COMMON&limit=1')).tokens;
  const [nftToken] = (await json('/api/v1/tokens?type=NON_FUNGIBLE_UNIQUE&limit=1')).tokens;
  const [nft] = (await json(`/api/v1/tokens/${nftToken.token_id}/nfts`)).nfts;
  const [message] = (await json('/api/v1/transactions?transactiontype=CONSENSUSSUBMITMESSAGE&result=success'))
    .transactions;
  const [transaction] = (await json('/api/v1/transactions?limit=1')).transactions;
  known = {
    account: account.account,
    evmAddress: account.evm_address,
    contract: `0.0.${state?.contract_id}`,
    contractAddress: `0x${BigInt(state?.contract_id ?? 0)
      .toString(16)
      .padStart(40, '0')}`,
    resultContract: result.contract_id,
    resultTime: result.timestamp,
    resultHash: result.hash,
    block: String(result.block_number),
    blockHash: result.block_hash,
    from,
    to,
    topic0: log.topics[0],
    logHash: log.transaction_hash,
    logTime: log.timestamp,
    slot: `0x${state?.slot.padStart(64, '0')}`,
    key: account.key.key,
    schedule: schedule.schedule_id,
    token: token.token_id,
    nftToken: nftToken.token_id,
    serial: String(nft.serial_number),
    topic: message.entity_id,
    topicTime: message.consensus_timestamp,
    transaction: transaction.transaction_id,
    transactionTime: transaction.consensus_timestamp,
  };
}, 120_000);
afterAll(() => served?.stop());

const filled = (template: string): string =>
  `/api/v1/${template.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const value = known[name as keyof Known];
    if (value === undefined) throw new Error(`nothing is known as ${name}`);
    return value;
  })}`;

/** Where a list of the answer must not be empty, its name follows. */
type Request = readonly [template: string, list?: string];

const relay: readonly Request[] = [
  ['accounts/$evmAddress?transactions=false'],
  ['accounts/$account?limit=1&order=desc&timestamp=lte:$to&transactiontype=ETHEREUMTRANSACTION'],
  ['balances?account.id=$account&timestamp=$to'],
  ['blocks/$blockHash'],
  ['blocks/$block'],
  ['blocks?limit=1&order=desc', 'blocks'],
  ['blocks?block.number=gte:$block&block.number=lte:$block&limit=100&order=asc', 'blocks'],
  ['blocks?timestamp=gte:$from&timestamp=lte:$to', 'blocks'],
  ['contracts/$contractAddress?timestamp=$to'],
  ['contracts/$contract'],
  ['contracts/$contract/results?limit=100&order=asc', 'results'],
  ['contracts/$contract/results?timestamp=gte:$from&timestamp=lte:$to&limit=100&order=asc'],
  ['contracts/$contract/state?slot=$slot&timestamp=$to&limit=100&order=desc'],
  ['contracts/$contractAddress/state?limit=100&order=desc', 'state'],
  ['contracts/results?block.hash=$blockHash&limit=100&order=asc&hbar=false', 'results'],
  ['contracts/results?block.number=$block&limit=100&order=asc&hbar=false', 'results'],
  ['contracts/results?block.number=$block&transaction.index=0&hbar=false'],
  ['contracts/results?from=$evmAddress&internal=true&limit=100&order=asc'],
  ['contracts/results?timestamp=gte:$from&timestamp=lte:$to&limit=100&order=asc&hbar=false', 'results'],
  ['contracts/results/$resultHash?hbar=false'],
  ['contracts/results/$resultHash/actions', 'actions'],
  ['contracts/results/logs?timestamp=gte:$from&timestamp=lte:$to&limit=100&order=asc'],
  ['contracts/results/logs?transaction.hash=$logHash&limit=100&order=asc', 'logs'],
  ['contracts/results/logs?timestamp=gte:$logTime&timestamp=lte:$logTime&topic0=$topic0&limit=100&order=asc', 'logs'],
  ['contracts/results/logs?timestamp=$logTime&index=gte:0&limit=100', 'logs'],
  [
    'contracts/$contractAddress/results/logs?timestamp=gte:$from&timestamp=lte:$to&topic0=$topic0&topic0=$slot&limit=100',
  ],
  ['network/exchangerate?timestamp=lte:$to'],
  ['network/fees?timestamp=lte:$to&order=desc', 'fees'],
  ['schedules/$schedule'],
  ['tokens/$token'],
  ['transactions?account.id=$account&timestamp=gte:$from&timestamp=lte:$to'],
  ['transactions/$transaction?nonce=0', 'transactions'],
];

const explorer: readonly Request[] = [
  ['accounts?limit=25&order=desc', 'accounts'],
  ['accounts/$account'],
  ...['nfts', 'tokens', 'rewards', 'allowances/crypto', 'allowances/tokens', 'allowances/nfts'].map(
    (part): Request => [`accounts/$account/${part}?limit=100`],
  ),
  ['accounts/$account/airdrops/pending?limit=100'],
  ['accounts/$account/airdrops/outstanding?limit=100'],
  ['accounts/$account/hooks?limit=100'],
  ['accounts/?account.publickey=$key', 'accounts'],
  ['balances?account.id=$account', 'balances'],
  ['contracts?limit=25', 'contracts'],
  ['contracts/$contract/results/logs?limit=100&order=desc'],
  ['contracts/$resultContract/results/$resultTime'],
  ['network/nodes?limit=25&order=asc', 'nodes'],
  ['network/registered-nodes?limit=25', 'registered_nodes'],
  ['network/stake'],
  ['network/supply'],
  ['network/fees', 'fees'],
  ['network/exchangerate'],
  ['tokens?limit=25&order=desc', 'tokens'],
  ['tokens/?name=oke'],
  ['tokens/$token/balances?limit=100', 'balances'],
  ['tokens/$nftToken/nfts?limit=100', 'nfts'],
  ['tokens/$nftToken/nfts/$serial'],
  ['tokens/$nftToken/nfts/$serial/transactions', 'transactions'],
  ['topics/$topic'],
  ['topics/$topic/messages?limit=100&order=desc', 'messages'],
  ['topics/$topic/messages/1'],
  ['topics/messages/$topicTime'],
  ['transactions?limit=25&order=desc', 'transactions'],
  ['transactions?timestamp=$transactionTime', 'transactions'],
];

describe.each([
  ['the relay', relay],
  ['the explorer', explorer],
] as const)('%s', (_, requests) => {
  it.each(requests.map(([template, list]) => ({ template, list })))('GET $template', async ({ template, list }) => {
    const body = await json(filled(template));
    if (list !== undefined) expect(body[list], template).not.toEqual([]);
  });
});

describe('what the relay relies on', () => {
  it('shows results with their block at once, and with an index if they were executed', async () => {
    const { results } = await json(filled('contracts/results?block.number=$block&limit=100'));
    for (const { block_hash, block_number, transaction_index, gas_used } of results) {
      expect([block_hash, block_number]).toEqual([known.blockHash, Number(known.block)]);
      expect(Number.isInteger(transaction_index) || gas_used === null).toBe(true);
    }
  });

  it('finds every result that is listed by its hash', async () => {
    const { results } = await json('/api/v1/contracts/results?limit=100');
    for (const { hash } of results) {
      const { status } = await fetch(`${served.origin}/api/v1/contracts/results/${hash}`);
      expect([200, 206], hash).toContain(status);
    }
  });

  it('links the pages of an account by a timestamp', async () => {
    const { links } = await json(filled('accounts/$account?limit=1'));
    expect(links.next).toMatch(/^\/api\/v1\/accounts\/0\.0\.\d+\?limit=1&timestamp=lt:\d+\.\d{9}$/);
  });

  it('is healthy where it looks', async () => {
    expect((await fetch(`${served.origin}/health/readiness`)).status).toBe(200);
  });
});
