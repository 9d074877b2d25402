/** Nothing that a client has a receipt of is lost when the process dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client, Hbar, PrivateKey, type TransactionId, TransferTransaction } from '@hiero-ledger/sdk';
import { afterEach, expect, it } from 'vitest';
import { decodeItems, readLedgerFiles, replay } from '../simulator/ledger-replay.fixture.ts';
import { developmentAccounts } from '../simulator/opening/published-accounts.ts';
import { accountId, timestampOf } from '../simulator/records/proto-ids.ts';
import { openTestNetwork } from './testing/node.fixture.ts';

const KILLS = 3;
const program = fileURLToPath(new URL('testing/submitting-child.fixture.ts', import.meta.url));
const [first, second] = developmentAccounts.accounts;

let directory: string;
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const run = async (): Promise<Client> => {
  child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  const client = Client.forNetwork(
    { [`127.0.0.1:${text.toString().trim()}`]: '0.0.3' },
    { scheduleNetworkUpdate: false },
  );
  return client.setOperator(first?.account ?? '', PrivateKey.fromStringECDSA(first?.privateKey ?? ''));
};

it('keeps what was acknowledged, and the balances that follow from it', { timeout: 180_000 }, async () => {
  directory = mkdtempSync(`${tmpdir()}/kagami-killed-`);
  const acknowledged: TransactionId[] = [];
  for (let round = 0; round < KILLS; round++) {
    const client = await run();
    for (let i = 0; i < 3; i++) {
      const response = await new TransferTransaction()
        .addHbarTransfer(first?.account ?? '', Hbar.fromTinybars(-7))
        .addHbarTransfer(second?.account ?? '', Hbar.fromTinybars(7))
        .execute(client);
      await response.getReceipt(client);
      acknowledged.push(response.transactionId);
    }
    const ended = once(child as ChildProcess, 'exit');
    child?.kill('SIGKILL');
    await ended;
    client.close();
  }

  const network = await openTestNetwork({ directory, tps: 5 });
  const nowAgain = network.entrance.state.submitted.handled.size;
  const { transactionValidStart } = {
    transactionValidStart: timestampOf(
      BigInt(acknowledged.at(-1)?.validStart?.seconds.toString() ?? 0) * 1_000_000_000n +
        BigInt(acknowledged.at(-1)?.validStart?.nanos.toString() ?? 0),
    ),
  };
  const record = network.ask({
    $case: 'transactionGetReceipt',
    transactionGetReceipt: { transactionID: { accountID: accountId(1_002n), transactionValidStart } },
  });
  await network.stop();
  expect(nowAgain).toBe(KILLS * 3);
  expect(record).toMatchObject({ transactionGetReceipt: { header: { nodeTransactionPrecheckCode: 0 } } });

  const items = readLedgerFiles(`${directory}/record0.0.3`).flatMap(decodeItems);
  const inBlocks = items.map(({ body }) => {
    const start = body.transactionID?.transactionValidStart;
    return `${start?.seconds}.${start?.nanos}`;
  });
  for (const { validStart } of acknowledged) expect(inBlocks).toContain(`${validStart?.seconds}.${validStart?.nanos}`);
  const replayed = replay(items);
  const expected = network.running.expectedLedger();
  for (const [num, balance] of expected.balances) expect([num, replayed.balances.get(num)]).toEqual([num, balance]);
  expect(replayed.balances.get(1_003n)).toBe(100_000_000_000_000n + 7n * BigInt(acknowledged.length));
});
