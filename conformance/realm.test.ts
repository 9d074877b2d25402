import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableNamed, tableNames } from '../src/database/table.ts';
import { createTestDatabase, type TestDatabase } from '../src/database/testing/test-database.fixture.ts';
import { runCases } from './case-runner.ts';
import { type ConformanceCase, loadCases } from './cases.ts';
import { loadFeeCases } from './fee-cases.ts';
import { holdsEntityIds, inRealm } from './realm.ts';
import { failureText, hasFailed } from './report.ts';

const by = { shard: 1n, realm: 2n };
/** 1.2.0, encoded. */
const distance = (1n << 54n) + (2n << 38n);

const moved = (part: Partial<ConformanceCase>): ConformanceCase =>
  inRealm({ name: 'x', group: 'x', rows: {}, requests: [], ...part }, by);

const movedUrl = (url: string): string | undefined =>
  moved({ requests: [{ url, expect: { status: 200 } }] }).requests[0]?.url;

const movedBody = (body: unknown, rows: ConformanceCase['rows'] = {}): unknown =>
  moved({ rows, requests: [{ url: '/', expect: { status: 200, body } }] }).requests[0]?.expect.body;

describe('a case in another realm', () => {
  it('has other ids in its rows', () => {
    const { rows } = moved({
      rows: {
        entity: [
          { id: 5, num: 5, shard: 0, realm: 0, staked_account_id: 0, staked_node_id: 3, memo: '0.0.5' },
          { id: '274877906949', num: 5, shard: 0, realm: 1, obtainer_id: null },
        ],
        contract_result: [{ contract_id: 7, created_contract_ids: '{8,9}', sender_id: 6, gas_used: 5 }],
        crypto_allowance: [{ owner: 5, spender: 6, amount: 7 }],
        custom_fee: [{ entity_id: 5, fixed_fees: '[{"amount": 1, "collector_account_id": 3}]' }],
        transaction: [
          {
            inner_transactions: '{10,1234567800000000002,12,1234567800000000003}',
            nft_transfer: '[{"token_id": 5, "sender_account_id": null, "serial_number": 1}]',
            max_custom_fees: '{"\\\\x0a02"}',
          },
        ],
      },
    });
    expect(rows).toEqual({
      entity: [
        {
          id: `${distance + 5n}`,
          num: 5,
          shard: '1',
          realm: '2',
          staked_account_id: '0',
          staked_node_id: 3,
          memo: '0.0.5',
        },
        { id: `${distance + (1n << 38n) + 5n}`, num: 5, shard: '1', realm: '3', obtainer_id: null },
      ],
      contract_result: [
        {
          contract_id: `${distance + 7n}`,
          created_contract_ids: `{${distance + 8n},${distance + 9n}}`,
          sender_id: `${distance + 6n}`,
          gas_used: 5,
        },
      ],
      crypto_allowance: [{ owner: `${distance + 5n}`, spender: `${distance + 6n}`, amount: 7 }],
      custom_fee: [
        { entity_id: `${distance + 5n}`, fixed_fees: `[{"amount":1,"collector_account_id":${distance + 3n}}]` },
      ],
      transaction: [
        {
          inner_transactions: `{${distance + 10n},1234567800000000002,${distance + 12n},1234567800000000003}`,
          nft_transfer: `[{"token_id":${distance + 5n},"sender_account_id":null,"serial_number":1}]`,
          max_custom_fees: '{"\\\\x0a02"}',
        },
      ],
    });
  });

  it.each([
    ['/api/v1/accounts/0.0.8/nfts', '/api/v1/accounts/1.2.8/nfts'],
    ['/api/v1/accounts/8', '/api/v1/accounts/8'],
    ['/api/v1/accounts/0.8', '/api/v1/accounts/2.8'],
    ['/api/v1/accounts/0.0.KGNABD5L', '/api/v1/accounts/1.2.KGNABD5L'],
    ['/api/v1/contracts/24.42.924569', '/api/v1/contracts/25.44.924569'],
    ['/api/v1/contracts/0.0.5/results/167654.000123456', '/api/v1/contracts/1.2.5/results/167654.000123456'],
    ['/api/v1/contracts/results/0.0.5-1-2/actions', '/api/v1/contracts/results/1.2.5-1-2/actions'],
    ['/api/v1/topics/messages/1234567890.000000001', '/api/v1/topics/messages/1234567890.000000001'],
    ['/api/v1/transactions/0.0.10-1234567890-000000000', '/api/v1/transactions/1.2.10-1234567890-000000000'],
    [
      '/api/v1/accounts?account.id=gte:0.0.7&account.id=lt:0.1.9&timestamp=lt:1.5&account.id=9&order=desc',
      '/api/v1/accounts?account.id=gte:1.2.7&account.id=lt:1.3.9&timestamp=lt:1.5&account.id=9&order=desc',
    ],
    ['/api/v1/accounts?account.id=lte:0.1.2.3', '/api/v1/accounts?account.id=lte:0.1.2.3'],
  ])('%s -> %s', (from, to) => expect(movedUrl(from)).toBe(to));

  it('is expected to answer with other ids', () => {
    expect(
      movedBody({
        account: '0.0.5',
        transaction_id: '0.0.5-1234567890-000000001',
        consensus_timestamp: '1234567890.000000001',
        hapi_version: '0.22.3',
        memo: '0.0.3',
        detail: 'File 0.0.112 not found',
        links: { next: '/api/v1/accounts/0.0.5/tokens?token.id=gt:0.0.8' },
        chunk_info: { initial_transaction_id: { account_id: '0.0.3' } },
        max_custom_fees: [{ account_id: '0.0.8' }],
      }),
    ).toEqual({
      account: '1.2.5',
      transaction_id: '1.2.5-1234567890-000000001',
      consensus_timestamp: '1234567890.000000001',
      hapi_version: '0.22.3',
      memo: '0.0.3',
      detail: 'File 1.2.112 not found',
      links: { next: '/api/v1/accounts/1.2.5/tokens?token.id=gt:1.2.8' },
      chunk_info: { initial_transaction_id: { account_id: '1.2.3' } },
      max_custom_fees: [{ account_id: '0.0.8' }],
    });
    const chunk = { chunk_info: { initial_transaction_id: { account_id: '0.0.3' } } };
    expect(movedBody(chunk, { topic_message: [{ initial_transaction_id: '\\x0a06' }] })).toEqual(chunk);
  });

  /** `id` of sidecars, which count within a block, is among the others. */
  it('knows every id column of the catalogue', () => {
    const names = (wanted: boolean): string[] =>
      [
        ...new Set(
          tableNames.flatMap((table) =>
            Object.entries(tableNamed(table).columns)
              .filter(([name, column]) => /_ids?$|^id$/.test(name) && holdsEntityIds(name, column) === wanted)
              .map(([name]) => name),
          ),
        ),
      ].sort();
    expect(names(false)).toEqual([
      'chain_id',
      'hook_id',
      'id',
      'initial_transaction_id',
      'ledger_id',
      'node_id',
      'recovery_id',
      'registered_node_id',
      'staked_node_id',
    ]);
    expect(names(true)).toHaveLength(26);
  });
});

const folder = join(import.meta.dirname, '../../shared/conformance/rest');

describe.skipIf(!existsSync(folder))('the recorded cases', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('hold in shard 1, realm 2', async () => {
    const cases = [...loadCases(folder, []), ...loadFeeCases(folder)];
    const outcomes = await runCases({ database: test.database, cases, home: by });
    expect(outcomes.filter(hasFailed).map(failureText).join('\n')).toBe('');
    expect(outcomes.length).toBeGreaterThan(400);
  }, 300_000);
});
