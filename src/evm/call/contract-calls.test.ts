import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpProblem, problemBody } from '../../api/problem.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openSimulationThreads } from '../workers/simulation-threads.ts';
import { web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import { createCallMetrics } from './call-metrics.ts';
import { type ContractCalls, createContractCalls } from './contract-calls.ts';
import { bodyOf } from './testing/call-bodies.fixture.ts';

const second = 1_000_000_000n;
const start = BigInt(Date.parse('2024-03-10T00:00:00Z')) * 1_000_000n;
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const longZero = (num: number): string => num.toString(16).padStart(40, '0');

const alias = 'a1'.repeat(20);
/** Gives slot 0. */
const READER = '60005460005260206000f3';
/** Gives block number and time. */
const CLOCK = '436000524260205260406000f3';
/** Never ends. */
const LOOP = '5b600056';
/** Reverts with the bytes aa bb. */
const REVERTER = '61aabb6000526002601efd';
/** Counts slot 1 up. */
const COUNTER = '60015460010160015500';
/** Creates a contract whose code is 60ff. */
const INIT_CODE = '6160ff6000526002601ef3';

let target: TestDatabase;
let threads: ReturnType<typeof openSimulationThreads>;
let calls: ContractCalls;

const insertBlock = (index: number) =>
  target.database.query(`insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start,
      consensus_end, count, digest_algorithm, version, file_hash, index)
    values ('', 0, 0, '${index.toString(16).padStart(2, '0').repeat(48)}', '', ${start + BigInt(index) * 2n * second},
      ${start + BigInt(index) * 2n * second + second}, 1, 0, 6, '', ${index})`);

const rows = () => `
  insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address, memo,
      ethereum_nonce, deleted) values
    (2, 2, 0, 0, 'ACCOUNT', 0, '[0,)', 900, null, '', 0, false),
    (1001, 1001, 0, 0, 'CONTRACT', ${start}, '[${start},)', 5, '\\x${alias}', '', 1, false),
    (1002, 1002, 0, 0, 'CONTRACT', ${start}, '[${start},)', 0, null, '', 1, false),
    (1003, 1003, 0, 0, 'CONTRACT', ${start}, '[${start},)', 0, null, '', 1, false),
    (1004, 1004, 0, 0, 'CONTRACT', ${start}, '[${start},)', 0, null, '', 1, false),
    (1005, 1005, 0, 0, 'CONTRACT', ${start}, '[${start},)', 0, null, '', 1, false);
  insert into contract (id, runtime_bytecode) values (1001, '\\x${READER}'), (1002, '\\x${CLOCK}'),
    (1003, '\\x${LOOP}'), (1004, '\\x${REVERTER}'), (1005, '\\x${COUNTER}');
  insert into contract_state (contract_id, created_timestamp, modified_timestamp, slot, value) values
    (1001, ${start + 2n * second}, ${start + 2n * second}, '\\x${word(0n)}', '\\x${word(7n)}');
  insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read,
      value_written) values (${start + 2n * second}, 1001, 2, '\\x', '\\x', '\\x07')`;

/** Status and body of the answer. */
const post = async (members: object): Promise<readonly [number, string]> => {
  try {
    const answer = await calls.call({
      method: 'POST',
      path: '/api/v1/contracts/call',
      linkPrefix: '',
      pathParameters: {},
      query: [],
      headers: {},
      body: bodyOf(members),
    });
    return [answer.status, String(answer.body)];
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return [error.status, problemBody(error.messages)];
  }
};

const result = (hex: string) => [200, `{"result":"0x${hex}"}`];
const problem = (message: string, detail: string, data: string) => [
  400,
  JSON.stringify({ _status: { messages: [{ message, detail, data }] } }),
];

beforeAll(async () => {
  target = await createTestDatabase();
  await target.database.query(rows());
  await insertBlock(1);
  await insertBlock(2);
  const settings = {
    ...web3SettingsWith({ requestTimeout: 60_000, enableStateOverrides: true }),
    workers: { heapMb: 512, queueSize: 10, threads: 1, longCallGas: 0n },
  };
  threads = openSimulationThreads({
    settings,
    common: { shard: 0n, realm: 0n },
    connectionString: target.connectionString,
    schema: 'public',
  });
  calls = createContractCalls({
    settings,
    threads: threads.calls,
    metrics: createCallMetrics(new Registry(), () => threads.figures),
    log: { info: () => undefined },
  });
});
afterAll(async () => {
  await threads?.stop(0);
  await target?.drop();
});

describe('a contract call in a thread of its own', () => {
  it('reads what is stored, by either form of address', async () => {
    expect(await post({ to: `0x${alias}` })).toEqual(result(word(7n)));
    expect(await post({ to: longZero(1001), gas: 50_000 })).toEqual(result(word(7n)));
  });

  it('sees the newest block, or the one it names', async () => {
    const at = (index: bigint) => word(index) + word(BigInt(start) / second + index * 2n);
    expect(await post({ to: longZero(1002) })).toEqual(result(at(2n)));
    expect(await post({ to: longZero(1002), block: '1' })).toEqual(result(at(1n)));
    expect(await post({ to: longZero(1002), block: `0x${'01'.repeat(32)}` })).toEqual(result(at(1n)));
    const unknown = [400, problemBody([{ message: 'Bad Request', detail: 'Unknown block number' }])];
    expect(await post({ to: longZero(1002), block: '3' })).toEqual(unknown);
  });

  it('succeeds without output where nothing is', async () => {
    expect(await post({ to: longZero(4_000) })).toEqual(result(''));
  });

  it('creates contracts', async () => {
    expect(await post({ data: INIT_CODE })).toEqual(result('60ff'));
    expect(await post({})).toEqual(problem('CONTRACT_BYTECODE_EMPTY', '', ''));
  });

  it('fails as the network would', async () => {
    expect(await post({ to: longZero(1004) })).toEqual(problem('CONTRACT_REVERT_EXECUTED', '', '0xaabb'));
    expect(await post({ to: longZero(1003), gas: 30_000 })).toEqual(problem('INSUFFICIENT_GAS', '', '0x'));
    expect(await post({ to: longZero(1003), gas: 21_000, data: '0x01' })).toEqual(problem('INSUFFICIENT_GAS', '', ''));
    expect(await post({ to: longZero(1001), from: 'cc'.repeat(20) })).toEqual(
      problem('PAYER_ACCOUNT_NOT_FOUND', 'Sender account not found.', ''),
    );
    expect(await post({ to: longZero(1001), data: '00'.repeat(131_073) })).toEqual(
      problem('TRANSACTION_OVERSIZE', '', ''),
    );
  });

  it('takes state that a request brings', async () => {
    const override = { address: alias, state: [{ key: word(0n), value: word(99n) }] };
    expect(await post({ to: alias, state_overrides: [override] })).toEqual(result(word(99n)));
    expect(
      await post({ to: 'dd'.repeat(20), state_overrides: [{ address: 'dd'.repeat(20), code: `0x${CLOCK}` }] }),
    ).toEqual(result(word(2n) + word(BigInt(start) / second + 4n)));
    expect(await post({ to: alias })).toEqual(result(word(7n)));
  });

  it('is estimated a little above what it needs', async () => {
    const [status, body] = await post({ to: longZero(1005), estimate: true });
    expect(status).toBe(200);
    const gas = Number((JSON.parse(body) as { result: string }).result);
    // 21000 for the transaction, 22100 for the slot (2100 of them for reading it first), and the small ones.
    const needed = 21_000 + 2_100 + 20_000 + 6 * 3;
    expect(gas).toBeGreaterThanOrEqual(needed);
    expect(gas).toBeLessThanOrEqual(Math.floor(needed * 1.2));
  });

  it('is never older than the last block that was announced', async () => {
    for (let value = 100n; value < 110n; value++) {
      await target.database.query(
        `update contract_state set value = '\\x${word(value)}' where contract_id = 1001 and slot = '\\x${word(0n)}'`,
      );
      threads.onBlockCommitted();
      expect(await post({ to: alias })).toEqual(result(word(value)));
    }
    await insertBlock(3);
    threads.onBlockCommitted();
    expect(await post({ to: longZero(1002) })).toEqual(result(word(3n) + word(BigInt(start) / second + 6n)));
  });

  it('needs no more than the one thread that there may be', () => {
    expect(threads.figures).toEqual({ threads: 1, running: 0, waiting: 0, lost: 0 });
  });
});
