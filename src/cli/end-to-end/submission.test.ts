/** The SDK against `kagami start`: what it sends stands in the next block, and is read back from the mirror at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AccountBalanceQuery,
  AccountCreateTransaction,
  AccountId,
  AccountInfoQuery,
  Client,
  FileContentsQuery,
  Hbar,
  NetworkVersionInfoQuery,
  PrivateKey,
  TokenCreateTransaction,
  TopicCreateTransaction,
  TopicInfoQuery,
  TopicMessageQuery,
  TopicMessageSubmitTransaction,
  TransactionId,
  TransferTransaction,
} from '@hiero-ledger/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccounts } from '../../simulator/opening/published-accounts.ts';
import { type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';

const PATIENCE = 240_000;
/** The only port that SDKs take from address books. */
const USUAL_PORT = 50_211;
const [payer, friend] = developmentAccounts.accounts as unknown as readonly [
  { readonly account: string; readonly privateKey: string },
  { readonly account: string },
];

interface Started {
  readonly url: string;
  readonly grpcPort: number;
  readonly node: { readonly address: string } | undefined;
}

let folder: string;
let process_: KagamiProcess;
let started: Started & { readonly node: NonNullable<Started['node']> };
let client: Client;

const rest = async (path: string): Promise<Record<string, never>> => {
  const answer = await fetch(`${started.url}${path}`);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Record<string, never>;
};

/** As REST writes it. */
const idOf = (id: TransactionId): string =>
  `${id.accountId}-${id.validStart?.seconds}-${id.validStart?.nanos.toString().padStart(9, '0')}`;

const start = async (...settings: readonly string[]): Promise<Started> => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-submit-'));
  process_ = startKagami(folder, [
    'start',
    ...['--port', '0', '--set', 'kagami.server.additionalPorts=', '--data', folder, '--tps', '2'],
    ...['--set', 'hiero.mirror.grpc.port=0', '--set', 'hiero.mirror.rosetta.port=0', ...settings],
  ]);
  await process_.says('Kagami runs', PATIENCE);
  const line = process_
    .output()
    .split('\n')
    .find((text) => text.includes('Kagami runs'));
  return JSON.parse(line ?? '{}') as Started;
};

const stop = async (): Promise<void> => {
  await process_?.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
};

/** The transaction, waited for by the mirror. */
const awaited = async (id: TransactionId): Promise<unknown> => {
  const { transactions } = (await rest(`/transactions/${idOf(id)}?wait=20`)) as unknown as { transactions: unknown[] };
  return transactions[0];
};

beforeAll(async () => {
  let up = await start();
  if (up.node === undefined) {
    // Somebody else has the usual port.
    await stop();
    up = await start('--set', 'kagami.simulator.submit.port=0');
  }
  started = { ...up, node: up.node as NonNullable<Started['node']> };
  client = Client.forNetwork({ [started.node.address]: '0.0.3' }, { scheduleNetworkUpdate: false });
  client.setMirrorNetwork([`127.0.0.1:${started.grpcPort}`]);
  client.setOperator(payer.account, PrivateKey.fromStringECDSA(payer.privateKey));
}, PATIENCE);

afterAll(async () => {
  client?.close();
  await stop();
});

describe('the SDK and the simulated network', { timeout: 120_000 }, () => {
  it('create an account, which the mirror knows when the receipt is there', async () => {
    const { publicKey } = PrivateKey.generateED25519();
    const response = await new AccountCreateTransaction()
      .setKeyWithoutAlias(publicKey)
      .setInitialBalance(new Hbar(10))
      .setAccountMemo('made by the SDK')
      .execute(client);
    const waiting = awaited(response.transactionId);
    const { accountId } = await response.getReceipt(client);
    expect(await waiting).toMatchObject({
      name: 'CRYPTOCREATEACCOUNT',
      result: 'SUCCESS',
      entity_id: String(accountId),
    });
    const account = await rest(`/accounts/${accountId}`);
    expect(account).toMatchObject({
      memo: 'made by the SDK',
      balance: { balance: 1_000_000_000 },
      key: { _type: 'ED25519', key: publicKey.toStringRaw() },
    });
    const info = await new AccountInfoQuery().setAccountId(accountId ?? '').execute(client);
    expect(info.balance.toString()).toBe('10 ℏ');
    expect(info.key.toString()).toBe(publicKey.toString());
  });

  it('create an account with an EVM address that its own key does not sign', async () => {
    const { publicKey } = PrivateKey.generateECDSA();
    const operator = PrivateKey.fromStringECDSA(payer.privateKey);
    const alias = operator.publicKey.toEvmAddress();
    const taken = new AccountCreateTransaction().setKeyWithoutAlias(publicKey).setAlias(alias).execute(client);
    await expect(taken.then((response) => response.getReceipt(client))).rejects.toThrow('ALIAS_ALREADY_ASSIGNED');
    const own = await new AccountCreateTransaction().setECDSAKeyWithAlias(publicKey).execute(client);
    const { accountId } = await own.getReceipt(client);
    expect(await rest(`/accounts/${accountId}`)).toMatchObject({ evm_address: `0x${publicKey.toEvmAddress()}` });
  });

  it('transfer, with a record that is paid for and tells what REST tells', async () => {
    const response = await new TransferTransaction()
      .addHbarTransfer(payer.account, new Hbar(-5))
      .addHbarTransfer(friend.account, new Hbar(5))
      .setTransactionMemo('lunch')
      .execute(client);
    const waiting = rest(`/transactions/${idOf(response.transactionId)}?wait=20`);
    const record = await response.getRecord(client);
    const { transactions } = (await waiting) as unknown as { transactions: Record<string, unknown>[] };
    expect(transactions).toHaveLength(1);
    const [transaction] = transactions;
    const transfers = transaction?.transfers as { account: string; amount: number }[];
    expect(transaction).toMatchObject({ result: 'SUCCESS', node: '0.0.3', memo_base64: btoa('lunch') });
    expect(transaction?.charged_tx_fee).toBe(record.transactionFee.toTinybars().toNumber());
    expect(Buffer.from(transaction?.transaction_hash as string, 'base64')).toEqual(Buffer.from(record.transactionHash));
    expect(
      record.transfers.map(({ accountId, amount }) => [accountId.toString(), amount.toTinybars().toNumber()]),
    ).toEqual(transfers.map(({ account, amount }) => [account, amount]));
    const sum = record.transfers.reduce((total, { amount }) => total + amount.toTinybars().toNumber(), 0);
    expect(sum).toBe(0);
  });

  it.each([
    ['a key', 'ECDSA', false],
    ['a key', 'ED25519', false],
    ['an EVM address', 'ECDSA', true],
  ] as const)('transfer to %s that nobody has: %s', async (_name, kind, hollow) => {
    const key = kind === 'ECDSA' ? PrivateKey.generateECDSA() : PrivateKey.generateED25519();
    const alias = hollow
      ? AccountId.fromEvmAddress(0, 0, key.publicKey.toEvmAddress())
      : key.publicKey.toAccountId(0, 0);
    const response = await new TransferTransaction()
      .addHbarTransfer(payer.account, new Hbar(-3))
      .addHbarTransfer(alias, new Hbar(3))
      .execute(client);
    const { children } = await response.getReceiptQuery().setIncludeChildren(true).execute(client);
    const created = children[0]?.accountId?.toString() ?? '';
    const account = (await rest(`/accounts/${created}`)) as unknown as Record<string, unknown>;
    expect(account.balance).toMatchObject({ balance: 300_000_000 });
    if (kind === 'ECDSA') expect(account.evm_address).toBe(`0x${key.publicKey.toEvmAddress()}`);
    const { transactions } = (await rest(`/transactions/${idOf(response.transactionId)}`)) as unknown as {
      transactions: { name: string; nonce: number; entity_id: string | null }[];
    };
    expect(transactions.map(({ name, nonce }) => [name, nonce]).toSorted()).toEqual([
      ['CRYPTOCREATEACCOUNT', 1],
      ['CRYPTOTRANSFER', 0],
    ]);
    if (!hollow) return;
    // Its first transaction gives it the key.
    const spending = Client.forNetwork({ [started.node.address]: '0.0.3' }, { scheduleNetworkUpdate: false });
    spending.setOperator(created, key);
    const spent = await new TransferTransaction()
      .addHbarTransfer(created, new Hbar(-1))
      .addHbarTransfer(friend.account, new Hbar(1))
      .execute(spending);
    await spent.getReceipt(spending);
    spending.close();
    expect(await rest(`/accounts/${created}`)).toMatchObject({
      key: { _type: 'ECDSA_SECP256K1', key: key.publicKey.toStringRaw() },
    });
  });

  it('create a topic, submit messages in chunks, and receive them by subscription', async () => {
    const submitKey = PrivateKey.generateED25519();
    const created = await new TopicCreateTransaction()
      .setAdminKey(client.operatorPublicKey ?? submitKey)
      .setSubmitKey(submitKey.publicKey)
      .setTopicMemo('news')
      .execute(client);
    const waiting = awaited(created.transactionId);
    const { topicId } = await created.getReceipt(client);
    const topic = topicId ?? '';
    expect(await waiting).toMatchObject({
      name: 'CONSENSUSCREATETOPIC',
      result: 'SUCCESS',
      entity_id: String(topic),
    });
    const received: string[] = [];
    const arrived = new Promise<void>((resolve, reject) => {
      const subscription = new TopicMessageQuery()
        .setTopicId(topic)
        .setStartTime(0)
        .setErrorHandler((_message, error) => reject(error))
        .subscribe(client, null, ({ contents }) => {
          received.push(Buffer.from(contents).toString());
          if (received.length < 2) return;
          subscription.unsubscribe();
          resolve();
        });
    });
    const long = 'x'.repeat(2_500);
    for (const message of ['first', long]) {
      const frozen = new TopicMessageSubmitTransaction().setTopicId(topic).setMessage(message).freezeWith(client);
      const submitted = await (await frozen.sign(submitKey)).execute(client);
      expect(await awaited(submitted.transactionId)).toMatchObject({
        name: 'CONSENSUSSUBMITMESSAGE',
        result: 'SUCCESS',
        entity_id: String(topic),
      });
      await submitted.getReceipt(client);
    }
    await arrived;
    expect(received).toEqual(['first', long]);
    const info = await new TopicInfoQuery().setTopicId(topic).execute(client);
    expect([info.topicMemo, info.sequenceNumber.toNumber()]).toEqual(['news', 4]);
    const { messages } = (await rest(`/topics/${topic}/messages`)) as unknown as {
      messages: { sequence_number: number; running_hash: string; chunk_info: { total: number } | null }[];
    };
    expect(messages.map(({ sequence_number, chunk_info }) => [sequence_number, chunk_info?.total])).toEqual([
      [1, 1],
      [2, 3],
      [3, 3],
      [4, 3],
    ]);
    expect(Buffer.from(messages[3]?.running_hash ?? '', 'base64')).toEqual(Buffer.from(info.runningHash));
    const unsigned = await new TopicMessageSubmitTransaction().setTopicId(topic).setMessage('no').execute(client);
    await expect(unsigned.getReceipt(client)).rejects.toThrow('INVALID_SIGNATURE');
  });

  it('ask for balances, files, versions, and what is not there', async () => {
    const balance = await new AccountBalanceQuery().setAccountId(friend.account).execute(client);
    expect(await rest(`/accounts/${friend.account}`)).toMatchObject({
      balance: { balance: balance.hbars.toTinybars().toNumber() },
    });
    for (const num of [101, 102, 111, 112, 113, 121, 122, 123]) {
      const query = new FileContentsQuery().setFileId(`0.0.${num}`).setMaxQueryPayment(new Hbar(20));
      expect((await query.execute(client)).length).toBeGreaterThan(10);
    }
    const { protobufVersion } = await new NetworkVersionInfoQuery().execute(client);
    expect(protobufVersion.minor).toBe(71);
    await expect(new AccountInfoQuery().setAccountId('0.0.99999').execute(client)).rejects.toThrow(
      'INVALID_ACCOUNT_ID',
    );
    await expect(new TopicInfoQuery().setTopicId('0.0.99999').execute(client)).rejects.toThrow('INVALID_TOPIC_ID');
    expect((await new TopicInfoQuery().setTopicId('0.0.1001').execute(client)).sequenceNumber.toNumber()).toBe(0);
  });

  it('are told what is wrong', async () => {
    const transfer = () =>
      new TransferTransaction()
        .addHbarTransfer(payer.account, new Hbar(-1))
        .addHbarTransfer(friend.account, new Hbar(1));
    const stranger = Client.forNetwork({ [started.node.address]: '0.0.3' }, { scheduleNetworkUpdate: false });
    stranger.setOperator(payer.account, PrivateKey.generateECDSA());
    await expect(transfer().execute(stranger)).rejects.toThrow('INVALID_SIGNATURE');
    stranger.close();
    const elsewhere = Client.forNetwork({ [started.node.address]: '0.0.4' }, { scheduleNetworkUpdate: false });
    elsewhere.setOperator(payer.account, PrivateKey.fromStringECDSA(payer.privateKey)).setMaxAttempts(1);
    await expect(transfer().execute(elsewhere)).rejects.toThrow();
    elsewhere.close();
    const fromFriend = new TransferTransaction()
      .addHbarTransfer(friend.account, new Hbar(-1))
      .addHbarTransfer(payer.account, new Hbar(1));
    const unsigned = await fromFriend.execute(client);
    await expect(unsigned.getReceipt(client)).rejects.toThrow('INVALID_SIGNATURE');
    const repeated = TransactionId.generate(payer.account);
    await (await transfer().setTransactionId(repeated).execute(client)).getReceipt(client);
    await expect(transfer().setTransactionId(repeated).execute(client)).rejects.toThrow('DUPLICATE_TRANSACTION');
    const token = new TokenCreateTransaction()
      .setTokenName('t')
      .setTokenSymbol('T')
      .setTreasuryAccountId(payer.account);
    await expect(token.execute(client)).rejects.toThrow('NOT_SUPPORTED');
  });

  it('find each other by the address book of the mirror, which names the usual port', async (context) => {
    context.skip(started.node.address !== `127.0.0.1:${USUAL_PORT}`, 'another program has port 50211');
    const found = await Client.forMirrorNetwork([`127.0.0.1:${started.grpcPort}`]);
    found.setOperator(payer.account, PrivateKey.fromStringECDSA(payer.privateKey));
    expect(Object.fromEntries(Object.entries(found.network).map(([address, id]) => [address, id.toString()]))).toEqual({
      [`127.0.0.1:${USUAL_PORT}`]: '0.0.3',
    });
    const response = await new TransferTransaction()
      .addHbarTransfer(payer.account, new Hbar(-1))
      .addHbarTransfer(friend.account, new Hbar(1))
      .execute(found);
    expect((await response.getReceipt(found)).status.toString()).toBe('SUCCESS');
    found.close();
  });
});
