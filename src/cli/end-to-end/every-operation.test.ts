/** Every operation of the OpenAPI document, as its readers meet it: found from lists, and with values of all kinds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiParameter, Route } from '../../api/route.ts';
import { documentedRoutes } from '../../server/routes.ts';
import { type AnswerSchemas, createAnswerSchemas } from '../../server/testing/answer-schemas.fixture.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

let served: ServedLedger;
const schemas: AnswerSchemas = createAnswerSchemas(documentedRoutes);

beforeAll(async () => {
  served = await serveSimulatedLedger({
    seed: 'every operation',
    mix: 'everything',
    transactions: 1_200,
    tps: 60,
    nodes: 3,
    users: 40,
    stakingPeriodNanos: 20_000_000_000n,
  });
}, 120_000);
afterAll(() => served?.stop());

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape
  readonly json: any;
}

const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(`${served.origin}${path}`, init);
  const text = await response.text();
  const contentType = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    contentType,
    text,
    json: contentType.startsWith('application/json') ? JSON.parse(text) : undefined,
  };
};

const get = (path: string): Promise<Answer> => send(path);

/** A member of the first entry of a list. */
const first = async (path: string, list: string, member: string): Promise<string> => {
  const entry = (await get(`/api/v1${path}`)).json?.[list]?.[0]?.[member];
  if (entry === undefined || entry === null) throw new Error(`${path} shows no ${member}`);
  return String(entry);
};

const entityOf = (transactionType: string): Promise<string> =>
  first(`/transactions?transactiontype=${transactionType}&result=success&limit=1`, 'transactions', 'entity_id');

type Found = Readonly<Record<string, string>>;

const nftToken = (): Promise<string> => first('/tokens?type=NON_FUNGIBLE_UNIQUE&limit=1', 'tokens', 'token_id');

const aTopic = async (): Promise<Found> => {
  const topicId = await entityOf('CONSENSUSSUBMITMESSAGE');
  const messages = `/topics/${topicId}/messages`;
  return {
    topicId,
    sequenceNumber: await first(messages, 'messages', 'sequence_number'),
    timestamp: await first(messages, 'messages', 'consensus_timestamp'),
  };
};

/** A result with all that belongs to it; others are of token transfers, which lack most, or of calls without actions. */
const aResult = async (): Promise<Found> => {
  const { results } = (await get('/api/v1/contracts/results?limit=100')).json;
  for (const { contract_id, timestamp, hash } of results) {
    const { status, json } = await get(`/api/v1/contracts/results/${hash}/actions`);
    if (status !== 200 || json.actions.length === 0) continue;
    return { contractIdOrAddress: contract_id, timestamp, transactionIdOrHash: hash };
  }
  throw new Error('/contracts/results shows none with actions');
};

/** Where the lists show the things that paths name, by what the path begins with. */
const finders: readonly (readonly [prefix: string, find: () => Promise<Found>])[] = [
  [
    '/api/v1/accounts/',
    async () => ({
      idOrAliasOrEvmAddress: await first('/accounts?limit=1&order=desc', 'accounts', 'account'),
      hookId: '1',
    }),
  ],
  ['/api/v1/blocks/', async () => ({ hashOrNumber: await first('/blocks?limit=1', 'blocks', 'hash') })],
  ['/api/v1/contracts/', aResult],
  ['/api/v1/schedule', async () => ({ scheduleId: await first('/schedules?limit=1', 'schedules', 'schedule_id') })],
  [
    '/api/v1/tokens/',
    async () => {
      const tokenId = await nftToken();
      return { tokenId, serialNumber: await first(`/tokens/${tokenId}/nfts`, 'nfts', 'serial_number') };
    },
  ],
  ['/api/v1/topics/', aTopic],
  [
    '/api/v1/transactions/',
    async () => ({ transactionId: await first('/transactions?limit=1', 'transactions', 'transaction_id') }),
  ],
];

const filled = (path: string, found: Found): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = found[name];
    if (value === undefined) throw new Error(`no finder gives ${name} of ${path}`);
    return encodeURIComponent(value);
  });

const found = new Map<string, Promise<Found>>();

const pathOf = async (route: Route): Promise<string> => {
  const [prefix, find] = finders.find(([beginning]) => route.path.startsWith(beginning)) ?? [];
  if (prefix === undefined || find === undefined) return route.path;
  const known = found.get(prefix) ?? find();
  found.set(prefix, known);
  return filled(route.path, await known);
};

const getRoutes = documentedRoutes.filter(({ method }) => method === 'GET');

describe('an operation for one who begins with the lists', () => {
  it.each(getRoutes.map((route) => [route.path, route] as const))('%s', async (_, route) => {
    const path = await pathOf(route);
    const { status, text } = await get(path);
    expect(status, `${path}: ${text}`).toBe(200);
    expect(schemas.violations(route, status, text), path).toEqual([]);
  });
});

/** Values that no parameter means, and some that it may. Each as it stands in a URL. */
const oddValues: readonly string[] = [
  '',
  '-1',
  '0',
  'abc',
  '1.5',
  '9'.repeat(40),
  `0x${'f'.repeat(300)}`,
  '9223372036854775808',
  'gt:9223372036854775807',
  'ne:',
  'a:b:c',
  'NaN',
  'null',
  'x'.repeat(5_000),
  encodeURIComponent("'; drop table transaction; --"),
  encodeURIComponent("1' or '1'='1"),
  encodeURIComponent('<script>alert(1)</script>'),
  encodeURIComponent('茶\u{1f375}\u0301'),
  encodeURIComponent('\u202e٣'),
  '%00',
  '%ff%fe',
  '%zz',
  '%0d%0aset-cookie:a=b',
];

/** What a fault of ours would show: SQL, stack frames, files, names of the driver. */
const leaks = /\bselect\b.*\bfrom\b|syntax error|at \w+.*:\d+:\d+|node_modules|\.ts\b|kagami\.|postgres/is;

/** @param asked none when the value may have led to another route */
const faultsOf = (url: string, asked: Route | undefined, { status, contentType, text, json }: Answer): string[] => {
  const faults: string[] = [];
  const told = (what: string): number => faults.push(`${status} ${url.slice(0, 200)}: ${what} ${text.slice(0, 200)}`);
  if (status >= 500) told('a fault');
  if (status < 400) {
    if (asked === undefined || json === undefined) return faults;
    for (const { path, expected, actual } of schemas.violations(asked, status, text))
      told(`${path} ${expected} ${actual}`);
    return faults;
  }
  if (leaks.test(text)) told('a leak');
  const messages: unknown = json?._status?.messages;
  if (!Array.isArray(messages) || messages.length === 0) told(`no messages, content type ${contentType}`);
  return faults;
};

const queriesFor = ({ name }: OpenApiParameter): string[] => [
  name,
  ...oddValues.map((value) => `${name}=${value}`),
  `${name}=1&${name}=1`,
  `${name}=gt:1&${name}=lt:0&${name.toUpperCase()}=eq:1`,
  `${name}[]=1`,
  `${name}[a]=1`,
  Array(101).fill(`${name}=1`).join('&'),
];

const oddBodies: readonly string[] = ['', '{', '{}', '[]', 'null', '"x"', '\u0000', "'; drop table transaction; --"];

/** One for each content type, with a body that says little; a GET has none. */
const requestsOf = ({ method, operation }: Route): RequestInit[] =>
  method === 'GET'
    ? [{}]
    : [...Object.keys(operation.requestBody?.content ?? {}), 'text/html'].map((type) => ({
        method,
        headers: { 'content-type': type },
        body: '{}',
      }));

describe('odd values', () => {
  let sent = 0;
  it.each(documentedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      const plain = await pathOf(route);
      const urls = route.operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap((parameter) => queriesFor(parameter).map((query) => `${plain}?${query}`));
      for (const [at, segment] of route.path.split('/').entries()) {
        if (!segment.startsWith('{')) continue;
        for (const value of oddValues) urls.push(plain.split('/').with(at, value).join('/'));
      }
      const inits = requestsOf(route);
      const requests = urls.flatMap((url) => inits.map((init) => [url, init] as const));
      if (route.method === 'POST') {
        requests.push(...inits.flatMap((init) => oddBodies.map((body) => [plain, { ...init, body }] as const)));
      }
      const faults: string[] = [];
      const rest = requests.values();
      const client = async (): Promise<void> => {
        for (const [url, init] of rest)
          faults.push(...faultsOf(url, url.startsWith(`${plain}?`) ? route : undefined, await send(url, init)));
      };
      await Promise.all(Array.from({ length: 8 }, client));
      sent += requests.length;
      expect(faults).toEqual([]);
    },
  );

  it('were sent to every parameter', () => {
    expect(sent).toBeGreaterThan(4_000);
  });
});
