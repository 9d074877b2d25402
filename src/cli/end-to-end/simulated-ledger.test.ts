import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import type { ExpectedLedger } from '../../simulator/expected/expected-ledger.ts';
import type { ExpectedToken } from '../../simulator/expected/expected-tokens.ts';
import { countsOf, type ExactJson, getJson, numOf, walk } from './testing/rest-walk.fixture.ts';
import { RICH_LEDGER, type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

const SUPPLY = 5_000_000_000_000_000_000n;
const ZERO_HASH = '00'.repeat(48);

let served: ServedLedger;
let expected: ExpectedLedger;

beforeAll(async () => {
  served = await serveSimulatedLedger(RICH_LEDGER);
  expected = served.ledger.expected;
}, 120_000);
afterAll(() => served?.stop());

const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((total, amount) => total + amount, 0n);
const byKey = <V>(map: ReadonlyMap<bigint, V>): Map<bigint, V> =>
  new Map([...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What is said of each token, by `token/account` or `token/serial number`. */
const flat = (values: (token: ExpectedToken) => ReadonlyMap<bigint, bigint>): Map<string, bigint> =>
  new Map(
    [...expected.tokens]
      .flatMap(([token, about]) => [...values(about)].map(([key, value]) => [`${token}/${key}`, value] as const))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

describe('REST', () => {
  it('walks all blocks, an unbroken chain', async () => {
    const blocks = await walk(served.origin, '/api/v1/blocks?order=asc&limit=10', 'blocks');
    expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_, index) => BigInt(index)));
    expect(blocks).toHaveLength(Number(expected.blocks));
    expect(blocks.map(({ previous_hash }) => previous_hash)).toEqual([
      `0x${ZERO_HASH}`,
      ...blocks.slice(0, -1).map(({ hash }) => hash),
    ]);
    expect(blocks.at(-1).hash).toBe(`0x${toHex(expected.lastBlockHash)}`);
    expect(sum(blocks.map(({ count }) => count))).toBe(BigInt(expected.transactions));
  });

  it.each(['asc', 'desc'])('walks all transactions %s, each once', async (order) => {
    const found = await walk(served.origin, `/api/v1/transactions?limit=100&order=${order}`, 'transactions');
    expect(found).toHaveLength(expected.transactions);
    const timestamps: string[] = found.map(({ consensus_timestamp }) => consensus_timestamp);
    expect(timestamps).toEqual(order === 'asc' ? timestamps.toSorted() : timestamps.toSorted().toReversed());
    expect(new Set(timestamps).size).toBe(expected.transactions);
    expect(countsOf(found.map(({ name }) => name))).toEqual(expected.countsByType);
    expect(countsOf(found.map(({ result }) => result))).toEqual(expected.countsByResult);
    const transfers = found.flatMap((transaction) => transaction.transfers);
    expect(transfers).toHaveLength(expected.hbarTransfers);
    const balances = new Map<bigint, bigint>();
    for (const { account, amount } of transfers) {
      balances.set(numOf(account), (balances.get(numOf(account)) ?? 0n) + amount);
    }
    const moved = [...expected.balances].filter(([num, balance]) => balance !== 0n || balances.has(num));
    expect(byKey(balances)).toEqual(byKey(new Map(moved)));
  });

  it('lists the transactions of one type and of one result', async () => {
    for (const [type, count] of Object.entries(expected.countsByType)) {
      if (type === 'UNKNOWN') continue;
      const path = `/api/v1/transactions?transactiontype=${type}&limit=100`;
      expect([type, (await walk(served.origin, path, 'transactions')).length]).toEqual([type, count]);
    }
    const failed = await walk(served.origin, '/api/v1/transactions?result=fail&limit=100', 'transactions');
    const succeeded = await walk(served.origin, '/api/v1/transactions?result=success&limit=100', 'transactions');
    expect(failed.length + succeeded.length).toBe(expected.transactions);
    const names = new Set(succeeded.map(({ result }) => result));
    expect(failed.filter(({ result }) => names.has(result))).toEqual([]);
  });

  it('finds one transaction of each type and result by its id and by its hash', async () => {
    const all = await walk(served.origin, '/api/v1/transactions?limit=100', 'transactions');
    const kinds = new Map(all.map((transaction) => [`${transaction.name} ${transaction.result}`, transaction]));
    expect(kinds.size).toBeGreaterThan(Object.keys(expected.countsByType).length);
    for (const transaction of kinds.values()) {
      const hash = Buffer.from(transaction.transaction_hash, 'base64').toString('hex');
      // Hashes of messages are not kept unless an operator wants them: they would be most of the table.
      const hashes = transaction.name === 'CONSENSUSSUBMITMESSAGE' ? [] : [hash, `0x${hash}`];
      for (const key of [transaction.transaction_id, ...hashes]) {
        const { transactions } = await getJson(served.origin, `/api/v1/transactions/${key}`);
        // By itself it also says which custom fees were assessed.
        expect(transactions).toContainEqual(expect.objectContaining(transaction));
      }
    }
  });

  it('shows every message of every topic', async () => {
    for (const [num, { sequence, runningHash }] of expected.topics) {
      const path = `/api/v1/topics/0.0.${num}/messages?limit=100&order=asc`;
      const messages = await walk(served.origin, path, 'messages');
      const numbers: bigint[] = messages.map(({ sequence_number }) => sequence_number);
      expect([num, numbers]).toEqual([num, Array.from({ length: Number(sequence) }, (_, index) => BigInt(index + 1))]);
      if (sequence === 0n) continue;
      const last = await getJson(served.origin, `/api/v1/topics/${num}/messages/${sequence}`);
      expect(last.running_hash).toBe(Buffer.from(runningHash).toString('base64'));
      expect(messages.at(-1)).toEqual(last);
    }
  });

  it('lists every account with its balance', async () => {
    const accounts = await walk(served.origin, '/api/v1/accounts?limit=100', 'accounts');
    const found = new Map(accounts.map(({ account, balance }) => [numOf(account), balance.balance as bigint]));
    expect(byKey(found)).toEqual(byKey(expected.balances));
    expect(accounts).toHaveLength(expected.balances.size);
    expect(sum(found.values())).toBe(SUPPLY);
    const deleted = accounts.filter((account) => account.deleted).map(({ account }) => numOf(account));
    const gone = [...expected.entities].filter(([, entity]) => entity.deleted && entity.account !== undefined);
    expect(deleted).toEqual(gone.map(([num]) => num).toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it('shows every account with its tokens, also by alias and EVM address', async () => {
    const found: [string, bigint][] = [];
    for (const num of expected.balances.keys()) {
      const account = await getJson(served.origin, `/api/v1/accounts/0.0.${num}?transactions=false`);
      if (account.deleted) {
        expect(account.balance.tokens.filter(({ balance }: ExactJson) => balance !== 0n)).toEqual([]);
        continue;
      }
      for (const token of account.balance.tokens) found.push([`${numOf(token.token_id)}/${num}`, token.balance]);
      const names = [account.alias, account.evm_address].filter((name) => name !== null);
      for (const name of names) {
        const same = await getJson(served.origin, `/api/v1/accounts/${name}?transactions=false`);
        expect([name, same.account]).toEqual([name, `0.0.${num}`]);
      }
    }
    expect(new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))).toEqual(flat(({ balances }) => balances));
  });

  it('shows the transactions of an account, as many as it took part in', async () => {
    const all = await walk(served.origin, '/api/v1/transactions?limit=100&order=asc', 'transactions');
    const takesPart = ({ transaction_id, transfers, token_transfers, nft_transfers }: ExactJson, id: string) =>
      transaction_id.startsWith(`${id}-`) ||
      [...transfers, ...token_transfers].some(({ account }) => account === id) ||
      nft_transfers.some((nft: ExactJson) => nft.sender_account_id === id || nft.receiver_account_id === id);
    for (const num of [...expected.balances.keys()].slice(-40, -35)) {
      const id = `0.0.${num}`;
      const found = await walk(
        served.origin,
        `/api/v1/transactions?account.id=${id}&limit=100&order=asc`,
        'transactions',
      );
      const own = all.filter((transaction) => takesPart(transaction, id));
      expect([id, found.map(({ consensus_timestamp }) => consensus_timestamp)]).toEqual([
        id,
        own.map(({ consensus_timestamp }) => consensus_timestamp),
      ]);
    }
  });

  it('lists the balances of all accounts', async () => {
    const balances = await walk(served.origin, '/api/v1/balances?limit=100', 'balances');
    const found = new Map(balances.map(({ account, balance }) => [numOf(account), balance as bigint]));
    expect(byKey(found)).toEqual(byKey(expected.balances));
    expect(sum(found.values())).toBe(SUPPLY);
  });

  it('knows the supply, the nodes, their stakes and the exchange rate', async () => {
    const supply = await getJson(served.origin, '/api/v1/network/supply');
    expect(supply.total_supply).toBe(String(SUPPLY));
    const { nodes } = await getJson(served.origin, '/api/v1/network/nodes');
    expect(nodes.map(({ node_id }: ExactJson) => node_id)).toEqual([0n, 1n, 2n]);
    const stake = await getJson(served.origin, '/api/v1/network/stake');
    expect(stake.stake_total).toBe(sum(nodes.map((node: ExactJson) => node.stake)));
    const { current_rate } = await getJson(served.origin, '/api/v1/network/exchangerate');
    expect(current_rate.hbar_equivalent).toBe(30_000n);
    expect(current_rate.cent_equivalent > 0n).toBe(true);
  });
});
