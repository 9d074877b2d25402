/**
 * Whether two versions of Kagami answer alike, byte by byte: 20,000 generated requests over a simulated ledger with every
 * kind of data.
 *
 * `npm run compare-answers -- record FILE [--tree DIR] [--built] [--requests N] [--seed TEXT]`
 *   asks the version in DIR (this checkout) and keeps requests and answers.
 * `npm run compare-answers -- compare FILE [--tree DIR] [--built] [--only TEXT] [--show N]`
 *   asks the version in DIR the same requests (those whose URL holds TEXT) and prints the first N differences (20).
 *
 * Both take `--ledger DIR` (.kagami/compared-ledger), where the ledger is built the first time, in a minute; answers can be
 * compared on the ledger that they were recorded on alone. `--url URL` asks a server that runs already instead of DIR, on
 * a database of the same rows. DIR needs its dependencies; `--built` runs its dist instead of its source.
 *
 * The server's clock stands still shortly after the last transaction, its answer cache is off, and nothing writes. Left out
 * by name: the parameter `wait` of transactions, routes of contract verification, and POST.
 *
 * Exit code 0 when all answers are equal, 1 when they differ, 2 when nothing could be compared.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/database/connection.ts';
import {
  type AnsweredRequest,
  type Ask,
  answerDifferences,
  openClient,
  readRecording,
  writeRecording,
} from './comparison/answers.ts';
import { type FrozenLedger, openFrozenLedger } from './comparison/frozen-ledger.ts';
import { readLedgerValues } from './comparison/ledger-values.ts';
import {
  comparedRoutes,
  type GeneratedRequest,
  missingFrom,
  requestGenerator,
} from './comparison/request-generator.ts';
import { serveTree } from './comparison/served-tree.ts';

const CONNECTIONS = 6;
/** Pages that are followed from the first, where there are any. */
const MOST_PAGES = 3;
/** Of lists with a next page, how many in a hundred are followed. */
const SHARE_FOLLOWED = 40;

/** Of requests that are refused, how many in a hundred are kept: they cost little to answer and say little. */
const SHARE_REFUSED = 50;

/** Every request reaches the database, and a busy machine makes no answer another one. */
const unhurried = [
  'hiero.mirror.rest.cache.response.enabled=false',
  'hiero.mirror.rest.db.pool.statementTimeout=60000',
].flatMap((setting) => ['--set', setting]);

const root = resolve(import.meta.dirname, '..');

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tree: { type: 'string', default: root },
    built: { type: 'boolean', default: false },
    url: { type: 'string' },
    ledger: { type: 'string', default: join(root, '.kagami/compared-ledger') },
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: 'kagami' },
    only: { type: 'string', default: '' },
    show: { type: 'string', default: '20' },
  },
});

const withServer = async <T>(ledger: FrozenLedger, work: (ask: Ask) => Promise<T>): Promise<T> => {
  const asking = async (base: URL): Promise<T> => {
    const client = openClient(base, CONNECTIONS);
    return work(client.ask).finally(client.close);
  };
  if (flags.url !== undefined) return asking(new URL(flags.url));
  return ledger.withCopy(async (connectionString) => {
    const tree = resolve(flags.tree);
    const server = await serveTree({ tree, built: flags.built, connectionString, now: ledger.now, flags: unhurried });
    return asking(server.base).finally(server.stop);
  });
};

/** Runs `work` on every number from 0 until it says that there is enough. */
const inParallel = async (work: (number: number) => Promise<boolean>): Promise<void> => {
  let next = 0;
  let enough = false;
  const worker = async (): Promise<void> => {
    while (!enough) enough = !(await work(next++)) || enough;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
};

const nextLink = (body: string): string | undefined => {
  try {
    return JSON.parse(body).links?.next ?? undefined;
  } catch {
    return undefined;
  }
};

const isEmptyList = (body: string): boolean =>
  /^\{"(?!message)\w+":\[\]/.test(body) || body.includes('"transactions":[]');

const printOverview = (requests: readonly AnsweredRequest[]): void => {
  const routes = Map.groupBy(requests, ({ route }) => route);
  console.log('requests    200  of them empty    400    404  other  route');
  for (const [route, asked] of [...routes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const having = (status: number): number => asked.filter(({ answer }) => answer.status === status).length;
    const empty = asked.filter(({ answer }) => answer.status === 200 && isEmptyList(answer.body)).length;
    const other = asked.length - having(200) - having(400) - having(404);
    const columns = [asked.length, having(200), empty, having(400), having(404), other];
    const widths = [8, 7, 15, 7, 7, 7];
    console.log(`${columns.map((value, i) => String(value).padStart(widths[i] ?? 0)).join('')}  ${route}`);
  }
};

const record = async (file: string, ledger: FrozenLedger): Promise<number> => {
  const routes = comparedRoutes(join(root, 'openapi/openapi.yml'));
  const database = openDatabase({ connectionString: ledger.connectionString, max: 1 });
  const values = await readLedgerValues(database).finally(() => database.close());
  const generate = requestGenerator(routes, values, flags.seed);
  const wanted = Number(flags.requests);
  const chains: AnsweredRequest[][] = [];
  let asked = 0;
  await withServer(ledger, (ask) =>
    inParallel(async (number) => {
      const chain: AnsweredRequest[] = [];
      let request: GeneratedRequest | undefined = generate(number);
      while (request !== undefined && chain.length <= MOST_PAGES) {
        const answer = await ask(request.url);
        chain.push({ ...request, answer });
        const next = number % 100 < SHARE_FOLLOWED ? nextLink(answer.body) : undefined;
        request = next === undefined ? undefined : { route: request.route, url: next };
      }
      const isKept = chain[0]?.answer.status !== 400 || (number * 7) % 100 < SHARE_REFUSED;
      chains[number] = isKept ? chain : [];
      asked += isKept ? chain.length : 0;
      return asked < wanted;
    }),
  );
  const requests = chains.flat();
  await writeRecording(file, { ledger: ledger.id, seed: flags.seed, requests });
  printOverview(requests);
  for (const missing of missingFrom(routes, requests)) console.log(`not asked: ${missing}`);
  console.log(`${requests.length} answers in ${file}`);
  return 0;
};

const compare = async (file: string, ledger: FrozenLedger): Promise<number> => {
  const recording = await readRecording(file);
  if (flags.url === undefined && recording.ledger !== ledger.id) {
    console.error(`The answers in ${file} were recorded on another ledger than ${flags.ledger}: record them anew.`);
    return 2;
  }
  const requests = recording.requests.filter(({ url }) => url.includes(flags.only));
  const different: { readonly request: AnsweredRequest; readonly differences: readonly string[] }[] = [];
  let compared = 0;
  await withServer(ledger, (ask) =>
    inParallel(async (number) => {
      const request = requests[number];
      if (request === undefined) return false;
      const differences = answerDifferences(request.answer, await ask(request.url));
      compared++;
      if (differences.length > 0) different.push({ request, differences });
      return true;
    }),
  );
  for (const { request, differences } of different.slice(0, Number(flags.show))) {
    console.log(`\n${request.url}\n  ${differences.slice(0, 5).join('\n  ')}`);
  }
  if (different.length > 0) {
    console.log('\ndifferent answers by route:');
    for (const [route, of] of Map.groupBy(different, ({ request }) => request.route))
      console.log(`${of.length} ${route}`);
  }
  console.log(`\n${compared} requests, ${different.length} answers differ`);
  return compared === 0 ? 2 : Number(different.length > 0);
};

const main = async (): Promise<number> => {
  const [command = '', file] = positionals;
  const run = { record, compare }[command];
  if (run === undefined || file === undefined) {
    console.error('Usage: npm run compare-answers -- record|compare FILE [options]; the options stand at its head');
    return 2;
  }
  const ledger = await openFrozenLedger(resolve(flags.ledger));
  return run(resolve(file), ledger).finally(ledger.close);
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
