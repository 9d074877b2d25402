/** Topics of clients with fees of their own (HIP-991), and what their messages cost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { responseCodeName } from '../ledger/response-code.ts';
import { accountKeyFromSeed, protobufKey } from '../simulator/keys/account-key.ts';
import { accountId, tokenId, topicId } from '../simulator/records/proto-ids.ts';
import { bodyOf, devAccount, frame, openTestNetwork, type TestNetwork, transactionOf } from './testing/node.fixture.ts';

type BodyParts = ReturnType<typeof frame>;
type CreateTopic = Extract<NonNullable<BodyParts['data']>, { $case: 'consensusCreateTopic' }>['consensusCreateTopic'];

const [creator, author, collector] = [devAccount(0), devAccount(1), devAccount(2)];
const exemptKey = accountKeyFromSeed('node', 'ed25519', 'exempt');
const HBAR = 100_000_000n;

let network: TestNetwork;
beforeAll(async () => {
  network = await openTestNetwork();
}, 120_000);
afterAll(() => network?.stop());

const creation = (parts: CreateTopic): BodyParts => ({
  data: { $case: 'consensusCreateTopic', consensusCreateTopic: { autoRenewPeriod: { seconds: 7_776_000n }, ...parts } },
  transactionFee: 100n * HBAR,
});

const fee = (amount: bigint, to = collector.num, token?: bigint) => ({
  fixedFee: { amount, ...(token === undefined ? {} : { denominatingTokenId: tokenId(token) }) },
  feeCollectorAccountId: accountId(to),
});

const send = (parts: BodyParts, payer = creator, keys = [payer.key]): { bytes: Uint8Array; code: string } => {
  const own = frame();
  const transactionID = { ...own.transactionID, accountID: accountId(payer.num) };
  const bytes = transactionOf({ ...own, transactionID, ...parts }, keys);
  return { bytes, code: responseCodeName(network.submit(bytes).code) };
};

const outcome = async (parts: BodyParts, payer = creator, keys = [payer.key]) => {
  const { bytes, code } = send(parts, payer, keys);
  expect(code).toBe('OK');
  const status = responseCodeName(await network.statusOf(bytes));
  const { transactionID } = bodyOf(bytes);
  const answer = network.ask({ $case: 'transactionGetReceipt', transactionGetReceipt: { transactionID } });
  if (answer.$case !== 'transactionGetReceipt') throw new Error('That is no receipt');
  return { status, topic: answer.transactionGetReceipt.receipt?.topicID?.topicNum ?? 0n };
};

const message = (topic: bigint, limits: BodyParts['maxCustomFees'] = []): BodyParts => ({
  data: {
    $case: 'consensusSubmitMessage',
    consensusSubmitMessage: { topicID: topicId(topic), message: Buffer.from('hello') },
  },
  transactionFee: 100n * HBAR,
  maxCustomFees: limits,
});

const balance = (num: bigint): bigint => network.entrance.state.accounts.get(num)?.balance ?? 0n;

const limit = (amount: bigint, of = author.num, token?: bigint) => ({
  accountId: accountId(of),
  fees: [{ amount, ...(token === undefined ? {} : { denominatingTokenId: tokenId(token) }) }],
});

describe('a topic with fees', () => {
  it.each<[string, CreateTopic]>([
    ['INVALID_CUSTOM_FEE_COLLECTOR', { customFees: [fee(1n, 777_777n)] }],
    ['CUSTOM_FEE_MUST_BE_POSITIVE', { customFees: [fee(0n)] }],
    ['CUSTOM_FEE_NOT_FULLY_SPECIFIED', { customFees: [{ feeCollectorAccountId: accountId(collector.num) }] }],
    ['INVALID_TOKEN_ID_IN_CUSTOM_FEES', { customFees: [fee(1n, collector.num, 777_777n)] }],
    ['CUSTOM_FEES_LIST_TOO_LONG', { customFees: Array.from({ length: 11 }, () => fee(1n)) }],
    ['INVALID_CUSTOM_FEE_SCHEDULE_KEY', { feeScheduleKey: { key: { $case: 'ed25519', ed25519: new Uint8Array(5) } } }],
    [
      'INVALID_KEY_IN_FEE_EXEMPT_KEY_LIST',
      { feeExemptKeyList: [{ key: { $case: 'ed25519', ed25519: new Uint8Array(5) } }] },
    ],
    [
      'MAX_ENTRIES_FOR_FEE_EXEMPT_KEY_LIST_EXCEEDED',
      {
        feeExemptKeyList: Array.from({ length: 11 }, (_, i) =>
          protobufKey(accountKeyFromSeed('node', 'ed25519', `exempt ${i}`)),
        ),
      },
    ],
  ])('is refused with %s', async (status, parts) => {
    expect((await outcome(creation(parts))).status).toBe(status);
  });

  it('is refused at once where exempt keys repeat', () => {
    const key = protobufKey(exemptKey);
    expect(send(creation({ feeExemptKeyList: [key, key] })).code).toBe('FEE_EXEMPT_KEY_LIST_CONTAINS_DUPLICATED_KEYS');
  });

  it('charges for its messages within the limits of the payer, and tells what it charges', async () => {
    const before = balance(creator.num);
    const { status, topic } = await outcome(
      creation({
        customFees: [fee(3n * HBAR), fee(2n * HBAR, creator.num)],
        feeExemptKeyList: [protobufKey(exemptKey)],
        feeScheduleKey: protobufKey(creator.key),
      }),
    );
    expect(status).toBe('SUCCESS');
    // A topic with fees costs 2 dollars, at 12 cents per hbar.
    expect(before - balance(creator.num)).toBeGreaterThan(16n * HBAR);

    const delta = async (parts: BodyParts, payer = author, keys = [payer.key]) => {
      const [first, second] = [balance(collector.num), balance(creator.num)];
      const result = (await outcome(parts, payer, keys)).status;
      return [result, balance(collector.num) - first, balance(creator.num) - second];
    };
    expect(await delta(message(topic))).toEqual(['SUCCESS', 3n * HBAR, 2n * HBAR]);
    expect(await delta(message(topic, [limit(5n * HBAR)]))).toEqual(['SUCCESS', 3n * HBAR, 2n * HBAR]);
    expect(await delta(message(topic, [limit(5n * HBAR - 1n)]))).toEqual(['MAX_CUSTOM_FEE_LIMIT_EXCEEDED', 0n, 0n]);
    expect(await delta(message(topic, [limit(5n * HBAR, 2n)]))).toEqual(['NO_VALID_MAX_CUSTOM_FEE', 0n, 0n]);
    expect(await delta(message(topic), author, [author.key, exemptKey])).toEqual(['SUCCESS', 0n, 0n]);
    // Who gets a fee does not owe it, but pays the network and the other one.
    const [status4, , toCreator] = await delta(message(topic), collector);
    expect([status4, toCreator]).toEqual(['SUCCESS', 2n * HBAR]);

    const known = network.entrance.state.submitted.topics.get(topic);
    expect(known?.fees.map(({ amount, collector: { num } }) => [amount, num])).toEqual([
      [3n * HBAR, collector.num],
      [2n * HBAR, creator.num],
    ]);
    expect(known?.sequence).toBe(4n);
  });

  it.each<[string, BodyParts]>([
    ['INVALID_MAX_CUSTOM_FEES', message(1_001n, [{ fees: [{ amount: 1n }] }])],
    ['INVALID_MAX_CUSTOM_FEES', message(1_001n, [limit(-1n)])],
    ['DUPLICATE_ACCOUNT_ID_IN_MAX_CUSTOM_FEE_LIST', message(1_001n, [limit(1n), limit(2n)])],
    [
      'DUPLICATE_DENOMINATION_IN_MAX_CUSTOM_FEE_LIST',
      message(1_001n, [{ accountId: accountId(author.num), fees: [{ amount: 1n }, { amount: 2n }] }]),
    ],
    ['MAX_CUSTOM_FEES_IS_NOT_SUPPORTED', { ...creation({}), maxCustomFees: [limit(1n)] }],
  ])('refuses limits with %s', (code, parts) => {
    expect(send(parts).code).toBe(code);
  });
});
