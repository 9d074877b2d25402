/** What transactions of clients do: statuses, fees, children, books, and what the blocks say of all that. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evmAddressOfEcdsaKey } from '../ledger/evm-address.ts';
import { responseCodeName } from '../ledger/response-code.ts';
import { Key } from '../protobuf/generated/services/basic_types.ts';
import { accountKeyFromSeed, protobufKey, publicKeyOf } from '../simulator/keys/account-key.ts';
import { publishedKeys } from '../simulator/keys/published-keys.ts';
import { decodeItems, numOf, readLedgerFiles, replay } from '../simulator/ledger-replay.fixture.ts';
import { accountAlias, accountId, topicId } from '../simulator/records/proto-ids.ts';
import {
  bodyOf,
  devAccount,
  frame,
  openTestNetwork,
  type TestNetwork,
  transactionOf,
  transferData,
} from './testing/node.fixture.ts';

type BodyParts = ReturnType<typeof frame>;
const [payer, other] = [devAccount(0), devAccount(1)];

let network: TestNetwork;
beforeAll(async () => {
  network = await openTestNetwork();
}, 120_000);
afterAll(() => network?.stop());

const outcome = async (parts: BodyParts, keys = [payer.key]) => {
  const bytes = transactionOf({ ...frame(), ...parts }, keys);
  expect(responseCodeName(network.submit(bytes).code)).toBe('OK');
  const status = responseCodeName(await network.statusOf(bytes));
  const { transactionID } = bodyOf(bytes);
  const answer = network.ask({
    $case: 'transactionGetReceipt',
    transactionGetReceipt: { transactionID, includeChildReceipts: true },
  });
  if (answer.$case !== 'transactionGetReceipt') throw new Error('That is no receipt');
  const { receipt, childTransactionReceipts } = answer.transactionGetReceipt;
  return { status, receipt, children: childTransactionReceipts, transactionID };
};

const message = (parts: object): BodyParts => ({
  data: {
    $case: 'consensusSubmitMessage',
    consensusSubmitMessage: { topicID: topicId(1_001n), message: Buffer.from('hello'), ...parts },
  },
});

const creation = (parts: object): BodyParts => ({
  data: {
    $case: 'cryptoCreateAccount',
    cryptoCreateAccount: { key: protobufKey(other.key), autoRenewPeriod: { seconds: 7_776_000n }, ...parts },
  },
});

describe('consensus', () => {
  it.each<[string, BodyParts]>([
    ['INVALID_SIGNATURE', { data: transferData([other.num, -5n], [payer.num, 5n]) }],
    ['INVALID_ACCOUNT_ID', { data: transferData([payer.num, -5n], [777_777n, 5n]) }],
    ['TRANSFER_TO_FEE_COLLECTION_ACCOUNT_NOT_ALLOWED', { data: transferData([payer.num, -5n], [802n, 5n]) }],
    [
      'TRANSFER_LIST_SIZE_LIMIT_EXCEEDED',
      {
        data: transferData(
          [payer.num, -10n],
          ...Array.from({ length: 10 }, (_, i) => [1_003n + BigInt(i), 1n] as const),
        ),
      },
    ],
    ['INSUFFICIENT_TX_FEE', { ...creation({}), transactionFee: 1_000_000n }],
    ['AUTORENEW_DURATION_NOT_IN_RANGE', creation({ autoRenewPeriod: { seconds: 1n } })],
    ['INVALID_STAKING_ID', creation({ stakedId: { $case: 'stakedNodeId', stakedNodeId: 9n } })],
    ['INVALID_SIGNATURE', creation({ receiverSigRequired: true })],
    ['INVALID_SIGNATURE', creation({ alias: new Uint8Array(20).fill(9) })],
    ['ALIAS_ALREADY_ASSIGNED', creation({ alias: evmAddressOfEcdsaKey(publicKeyOf(payer.key)) })],
    ['MEMO_TOO_LONG', creation({ memo: 'x'.repeat(101) })],
    ['INVALID_TOPIC_ID', message({ topicID: topicId(5n) })],
    ['MESSAGE_SIZE_TOO_LARGE', message({ message: new Uint8Array(1_025) })],
    [
      'INVALID_CHUNK_NUMBER',
      message({ chunkInfo: { number: 3, total: 2, initialTransactionID: { accountID: accountId(payer.num) } } }),
    ],
    [
      'INVALID_CHUNK_TRANSACTION_ID',
      message({ chunkInfo: { number: 1, total: 2, initialTransactionID: { accountID: accountId(3n) } } }),
    ],
  ])('ends with %s', async (status, parts) => {
    const before = network.entrance.state.accounts.get(payer.num)?.balance ?? 0n;
    const nextNum = network.entrance.state.nextNum;
    expect((await outcome(parts)).status).toBe(status);
    const after = network.entrance.state.accounts.get(payer.num)?.balance ?? 0n;
    expect(before - after).toBeGreaterThan(80_000n);
    expect(before - after).toBeLessThan(50_000_000n);
    expect(network.entrance.state.nextNum).toBe(nextNum);
  });

  it('takes the signatures of all whose hbars move, from lists and thresholds as well', async () => {
    const keys = ['a', 'b', 'c'].map((name) => accountKeyFromSeed('node', 'ed25519', name));
    const [a, b, c] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
    const threshold = { threshold: 2, keys: { keys: keys.map(protobufKey) } };
    const created = await outcome(
      creation({ key: { key: { $case: 'thresholdKey', thresholdKey: threshold } }, initialBalance: 1_000n }),
    );
    const num = numOf(created.receipt?.accountID);
    const spend: BodyParts = { data: transferData([num, -10n], [payer.num, 10n]) };
    expect((await outcome(spend, [payer.key, a])).status).toBe('INVALID_SIGNATURE');
    expect((await outcome(spend, [payer.key, a, c])).status).toBe('SUCCESS');
    expect((await outcome({ data: transferData([num, -991n], [payer.num, 991n]) }, [payer.key, b, c])).status).toBe(
      'INSUFFICIENT_ACCOUNT_BALANCE',
    );
    expect(network.entrance.state.accounts.get(num)?.balance).toBe(990n);
  });

  it('creates accounts for aliases, and lets a hollow one have its key with its first signature', async () => {
    const key = accountKeyFromSeed('node', 'ecdsa', 'hollow');
    const address = evmAddressOfEcdsaKey(publicKeyOf(key)) as Uint8Array;
    const pay = (alias: Uint8Array): BodyParts => ({
      data: {
        $case: 'cryptoTransfer',
        cryptoTransfer: {
          transfers: {
            accountAmounts: [
              { accountID: accountId(payer.num), amount: -500_000_000n },
              { accountID: accountAlias(alias), amount: 500_000_000n },
            ],
          },
        },
      },
    });
    const first = await outcome(pay(address));
    expect(first.status).toBe('SUCCESS');
    const num = numOf(first.children[0]?.accountID);
    expect(first.children).toHaveLength(1);
    expect((await outcome(pay(address))).children).toHaveLength(0);
    expect(network.entrance.state.accounts.get(num)).toMatchObject({ balance: 1_000_000_000n, autoAssociations: -1 });
    const own = { ...frame().transactionID, accountID: accountId(num) } as BodyParts['transactionID'];
    const spend = await outcome({ transactionID: own, data: transferData([num, -1n], [payer.num, 1n]) }, [key]);
    expect(spend.status).toBe('SUCCESS');
    expect(spend.children).toHaveLength(1);
    expect(Key.decode(network.entrance.state.accounts.get(num)?.keyBytes ?? new Uint8Array()).key).toMatchObject({
      $case: 'ECDSASecp256k1',
    });
    // The serialized key is another name of the same account now.
    const byKey = await outcome(pay(Key.encode(protobufKey(key)).finish()));
    expect([byKey.status, byKey.children.length]).toEqual(['SUCCESS', 0]);
  });

  it('charges the operator nothing', async () => {
    const own = { ...frame().transactionID, accountID: accountId(2n) } as BodyParts['transactionID'];
    const before = network.entrance.state.accounts.get(2n)?.balance ?? 0n;
    const { status } = await outcome({ transactionID: own, data: transferData([2n, -5n], [other.num, 5n]) }, [
      publishedKeys.genesis,
    ]);
    expect(status).toBe('SUCCESS');
    expect(before - (network.entrance.state.accounts.get(2n)?.balance ?? 0n)).toBe(5n);
  });

  it('leaves blocks that tell it all: sums of zero, books, sequence and running hash of the topic', async () => {
    for (let i = 0; i < 3; i++) expect((await outcome(message({}))).status).toBe('SUCCESS');
    const items = readLedgerFiles(`${network.directory}/record0.0.3`).flatMap(decodeItems);
    const submitted = items.filter(({ body }) => numOf(body.nodeAccountID) === 3n && body.memo === '');
    expect(submitted.length).toBeGreaterThan(20);
    for (const { record } of items.slice(1)) {
      const sum = (record.transferList?.accountAmounts ?? []).reduce((total, { amount }) => total + amount, 0n);
      expect(sum).toBe(0n);
    }
    const replayed = replay(items);
    const expected = network.running.expectedLedger();
    for (const [num, balance] of expected.balances) expect([num, replayed.balances.get(num)]).toEqual([num, balance]);
    const topic = replayed.topics.get(1_001n);
    expect(topic?.sequence).toBe(3n);
    expect(expected.topics.get(1_001n)).toMatchObject({ sequence: 3n, runningHash: topic?.runningHash });
  });
});

describe('receipts', () => {
  it('are unknown for ids that nobody submitted, and wait for the mirror', async () => {
    const { transactionID } = bodyOf(
      transactionOf({ ...frame(), data: transferData([payer.num, -5n], [other.num, 5n]) }),
    );
    const ask = () => network.ask({ $case: 'transactionGetReceipt', transactionGetReceipt: { transactionID } });
    const RECEIPT_NOT_FOUND = 18;
    expect(ask()).toMatchObject({
      transactionGetReceipt: { header: { nodeTransactionPrecheckCode: RECEIPT_NOT_FOUND } },
    });
    network.submit(transactionOf({ ...frame(), transactionID, data: transferData([payer.num, -5n], [other.num, 5n]) }));
    const UNKNOWN = 21;
    expect(ask()).toMatchObject({
      transactionGetReceipt: { header: { nodeTransactionPrecheckCode: 0 }, receipt: { status: UNKNOWN } },
    });
  });
});
