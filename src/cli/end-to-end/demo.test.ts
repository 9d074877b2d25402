/** What `npm start` shows after three minutes: every list has entries, and every documented field once has a value. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../api/route.ts';
import { documentedRoutes } from '../../server/routes.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';
import { ShownFields, saysSomething } from './testing/shown-fields.fixture.ts';

const SECONDS = 180;
const TPS = 10;
const MAX_ANSWERS = 250;
/** What the answer about opcodes leaves out otherwise. */
const DETAILS = '?memory=true&stack=true&storage=true';
const TOO_MANY_REQUESTS = 429;

let served: ServedLedger;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;
interface Shape {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
}

type Found = Readonly<Record<string, string>>;

const routes = documentedRoutes.filter(({ method }) => method === 'GET');
const shown = new ShownFields();
/** Hooks with their owners. */
const hooked: Found[] = [];
/** Lists by `path member`, and whether any answer had entries. */
const lists = new Map<string, boolean>();

const get = async (path: string): Promise<Json> => {
  const response = await fetch(`${served.origin}${path}`);
  if (response.status === TOO_MANY_REQUESTS) {
    await pause(1_000);
    return get(path);
  }
  if (response.status >= 500) throw new Error(`${path}: ${response.status}`);
  return response.status === 200 ? JSON.parse(await response.text()) : undefined;
};

/** All pages of a list. */
const walk = async (path: string, member: string): Promise<Json[]> => {
  const entries: Json[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page: Json = await get(next);
    entries.push(...page[member]);
    next = page.links.next;
  }
  return entries;
};

const distinct = <T>(values: readonly T[], by: (value: T) => string): T[] => [
  ...new Map(values.map((value) => [by(value), value])).values(),
];

/** Tells transactions apart by which of their members have something in them. */
const membersOf = (transaction: Json): string =>
  JSON.stringify([transaction.name, transaction.result, transaction.scheduled, transaction.nonce > 0]) +
  Object.keys(transaction).filter((key) => saysSomething(transaction[key])) +
  JSON.stringify(transaction).includes('"is_approval":true');

/** What stands in paths, as the lists tell it, by what paths begin with. */
const findAll = async (): Promise<readonly (readonly [prefix: string, found: readonly Found[]])[]> => {
  const accounts = await walk('/api/v1/accounts?limit=100', 'accounts');
  for (const { account } of accounts) {
    const { hooks } = await get(`/api/v1/accounts/${account}/hooks`);
    for (const { hook_id } of hooks) hooked.push({ idOrAliasOrEvmAddress: account, hookId: String(hook_id) });
  }
  const contracts = await walk('/api/v1/contracts?limit=100', 'contracts');
  const results = await walk('/api/v1/contracts/results?limit=100', 'results');
  const tokens = await walk('/api/v1/tokens?limit=100', 'tokens');
  const serials: Found[] = [];
  for (const { token_id: tokenId, type } of tokens) {
    const nfts = type === 'NON_FUNGIBLE_UNIQUE' ? await walk(`/api/v1/tokens/${tokenId}/nfts?limit=100`, 'nfts') : [];
    serials.push(...nfts.map(({ serial_number }) => ({ tokenId, serialNumber: String(serial_number) })));
  }
  const transactions = await walk('/api/v1/transactions?limit=100', 'transactions');
  const topics: string[] = distinct(
    transactions.filter(({ name }) => name === 'CONSENSUSCREATETOPIC').map(({ entity_id }) => entity_id),
    String,
  );
  const messages: Found[] = [];
  for (const topicId of topics) {
    const { messages: some } = await get(`/api/v1/topics/${topicId}/messages?limit=100`);
    for (const { sequence_number, consensus_timestamp } of some) {
      messages.push({ topicId, sequenceNumber: String(sequence_number), timestamp: consensus_timestamp });
    }
  }
  const schedules = await walk('/api/v1/schedules?limit=100', 'schedules');
  const blocks = await walk('/api/v1/blocks?limit=100', 'blocks');
  return [
    ['/api/v1/accounts/{idOrAliasOrEvmAddress}/hooks/', hooked],
    ['/api/v1/accounts/', accounts.map(({ account }) => ({ idOrAliasOrEvmAddress: account }))],
    ['/api/v1/blocks/', blocks.map(({ hash }) => ({ hashOrNumber: hash }))],
    [
      '/api/v1/contracts/results/{transactionIdOrHash}/opcodes',
      distinct(results, ({ result, type, function_parameters }) => `${result} ${type} ${function_parameters}`)
        .slice(0, 25)
        .map(({ hash }) => ({ transactionIdOrHash: hash })),
    ],
    ['/api/v1/contracts/results/{', results.map(({ hash }) => ({ transactionIdOrHash: hash }))],
    [
      '/api/v1/contracts/{contractIdOrAddress}/results/{timestamp}',
      results.map(({ contract_id, timestamp }) => ({ contractIdOrAddress: contract_id, timestamp })),
    ],
    ['/api/v1/contracts/', contracts.map(({ contract_id }) => ({ contractIdOrAddress: contract_id }))],
    ['/api/v1/schedule', schedules.map(({ schedule_id }) => ({ scheduleId: schedule_id }))],
    ['/api/v1/tokens/{tokenId}/nfts/', serials],
    ['/api/v1/tokens/', tokens.map(({ token_id }) => ({ tokenId: token_id }))],
    ['/api/v1/topics/{topicId}/messages/{', messages],
    ['/api/v1/topics/messages/', messages],
    ['/api/v1/topics/', topics.map((topicId) => ({ topicId }))],
    [
      '/api/v1/transactions/',
      distinct(transactions, membersOf).map(({ transaction_id }) => ({ transactionId: transaction_id })),
    ],
  ];
};

const filled = (path: string, found: Found): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(found[name] ?? 'missing'));

/** Evenly spread over all of them. */
const some = <T>(values: readonly T[]): readonly T[] => {
  const step = Math.max(1, values.length / MAX_ANSWERS);
  return Array.from({ length: Math.min(values.length, MAX_ANSWERS) }, (_, i) => values[Math.floor(i * step)] as T);
};

/** The member that holds the entries, if the answer is a list of pages. */
const listOf = ({ operation }: Route): string | undefined => {
  const { $ref, properties } = operation.answer.schema as Shape;
  const named = $ref === undefined ? undefined : (operation.schemas?.[$ref.split('/').at(-1) as string] as Shape);
  const members = properties ?? named?.properties ?? {};
  if (members.links === undefined) return undefined;
  return Object.entries(members).find(([, { type }]) => type === 'array')?.[0];
};

const look = async (route: Route, path: string, takesLimit: boolean): Promise<void> => {
  const list = listOf(route);
  const answer = await get(path + (takesLimit ? '?limit=100' : route.path.endsWith('/opcodes') ? DETAILS : ''));
  if (answer === undefined) return;
  shown.add(route, answer);
  if (list === undefined) return;
  const key = `${route.path} ${list}`;
  lists.set(key, lists.get(key) === true || answer[list].length > 0);
  if (takesLimit && answer[list].length > 1) shown.add(route, await get(`${path}?limit=1`));
  for (let { next } = answer.links; next !== null; ) {
    const page = await get(next);
    // Beyond the transactions of an account lies a time at which it did not exist.
    if (page === undefined) return;
    shown.add(route, page);
    next = page.links.next;
  }
};

beforeAll(async () => {
  served = await serveSimulatedLedger({
    seed: 'kagami',
    transactions: SECONDS * TPS,
    tps: TPS,
    nodes: 4,
    users: 24,
  });
  const found = await findAll();
  for (const route of routes) {
    shown.expect(route);
    const list = listOf(route);
    if (list !== undefined) lists.set(`${route.path} ${list}`, false);
    const ids = route.path.includes('{') ? (found.find(([prefix]) => route.path.startsWith(prefix))?.[1] ?? []) : [{}];
    const takesLimit = route.operation.parameters.some(({ name }) => name === 'limit');
    for (const id of some(ids)) await look(route, filled(route.path, id), takesLimit);
  }
  const ofContract = routes.find(({ path }) => path === '/api/v1/contracts/{contractIdOrAddress}') as Route;
  for (const { contract_id, created_timestamp } of await walk('/api/v1/contracts?limit=100', 'contracts')) {
    shown.add(ofContract, await get(`/api/v1/contracts/${contract_id}?timestamp=${created_timestamp}`));
  }
  for (const { account } of await walk('/api/v1/accounts?limit=100', 'accounts')) {
    const route = routes.find(({ path }) => path === '/api/v1/accounts/{idOrAliasOrEvmAddress}') as Route;
    shown.add(route, await get(`/api/v1/accounts/${account}?limit=1`));
  }
}, 600_000);
afterAll(() => served?.stop());

/** Fields that a network of three minutes can't fill, and why. */
const empty: readonly (readonly [reason: string, fields: RegExp])[] = [
  [
    'only the current version is listed, which has no end',
    /^((CryptoAllowance|NftAllowance|TokenAllowance|Contract|NetworkNode|RegisteredNode|TokenAirdrop|Topic) timestamp|Hook timestamp_range) to$/,
  ],
  ['shown under `response.enableDelegationAddress` alone, which is off', /delegation_address$|authorization_list/],
  ['set by the network when contracts expire, which no network has turned on', /permanent_removal$/],
  ['proxy accounts are gone since staking came', /proxy_account_id$/],
  [
    'users submit messages themselves, neither by schedules nor by contracts',
    /initial_transaction_id (nonce|scheduled)$/,
  ],
  ['contracts of the simulated network move no NFTs', /^NftTransaction nonce$/],
  ['contracts of the simulated network revert without a reason', /^Opcode reason$/],
  ['a contract whose creation failed is none, and has no results', /^ContractResult failed_initcode$/],
  ['objects without members', /^RegisteredServiceEndpoint (mirror_node|rpc_relay)$/],
];

describe('the demo, three minutes after its start', () => {
  it('has entries in every list', () => {
    expect(lists.size).toBeGreaterThan(25);
    expect([...lists].flatMap(([list, isFilled]) => (isFilled ? [] : [list]))).toEqual([]);
  });

  it('shows every field with a value', () => {
    expect(shown.size).toBeGreaterThan(300);
    const unexpected = shown.empty().filter((field) => !empty.some(([, fields]) => fields.test(field)));
    expect(unexpected).toEqual([]);
  });

  it('has accounts with hooks that keep something', async () => {
    const keeping = await Promise.all(
      hooked.map(async ({ idOrAliasOrEvmAddress: account, hookId }) => {
        const { storage } = await get(`/api/v1/accounts/${account}/hooks/${hookId}/storage`);
        return storage.length > 0 ? [account] : [];
      }),
    );
    expect(new Set(keeping.flat()).size).toBeGreaterThanOrEqual(2);
  });

  it('has stakes in the proportions of a public network', async () => {
    const [stake, supply, { nodes }] = await Promise.all([
      get('/api/v1/network/stake'),
      get('/api/v1/network/supply'),
      get('/api/v1/network/nodes?order=asc'),
    ]);
    const stakes: number[] = nodes.map((node: Json) => node.stake);
    expect(stakes).toHaveLength(4);
    expect(stakes.reduce((sum, part) => sum + part, 0)).toBe(stake.stake_total);
    expect(stakes).toEqual(stakes.toSorted((a, b) => b - a));
    expect(new Set(stakes).size).toBe(4);
    for (const { stake: own, stake_rewarded, stake_not_rewarded, min_stake, max_stake } of nodes) {
      expect([own >= min_stake, own <= max_stake, stake_rewarded > stake_not_rewarded]).toEqual([true, true, true]);
    }
    const rewarded: number = nodes.reduce((sum: number, node: Json) => sum + node.stake_rewarded, 0);
    expect(rewarded).toBeGreaterThan(stake.staking_start_threshold);
    expect(rewarded).toBeLessThanOrEqual(stake.max_stake_rewarded);
    expect(stake.stake_total).toBeLessThan(Number(supply.total_supply));
    const paid = await walk('/api/v1/transactions?limit=100', 'transactions');
    expect(paid.some(({ staking_reward_transfers }) => staking_reward_transfers.length > 0)).toBe(true);
  });

  it('has no field with a value among those that are known to have none', () => {
    const known = empty.filter(([, fields]) => !shown.empty().some((field) => fields.test(field)));
    expect(known).toEqual([]);
  });
});
