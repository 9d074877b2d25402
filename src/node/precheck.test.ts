import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { responseCodeName } from '../ledger/response-code.ts';
import { Transaction, TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../protobuf/generated/services/transaction_contents.ts';
import { publicKeyOf } from '../simulator/keys/account-key.ts';
import { accountAlias, accountId, timestampOf, topicId } from '../simulator/records/proto-ids.ts';
import {
  devAccount,
  frame,
  openTestNetwork,
  pairOf,
  systemClock,
  type TestNetwork,
  transactionOf,
  transferData,
  wrap,
} from './testing/node.fixture.ts';

type BodyParts = ReturnType<typeof frame>;

const SECOND = 1_000_000_000n;
const payer = devAccount(0);
const other = devAccount(1);
const right = transferData([payer.num, -5n], [other.num, 5n]);

const id = (changes: object): BodyParts['transactionID'] =>
  ({ ...frame().transactionID, ...changes }) as BodyParts['transactionID'];
const startingAt = (nanos: bigint): BodyParts => ({
  ...frame(),
  transactionID: id({ transactionValidStart: timestampOf(nanos) }),
  data: right,
});
const bytesOf = (parts: BodyParts): Uint8Array => TransactionBody.encode(TransactionBody.fromPartial(parts)).finish();
const unknownField = Uint8Array.of(0xf8, 0x3f, 0x01);

const createData = (parts: object): BodyParts['data'] => ({
  $case: 'cryptoCreateAccount',
  cryptoCreateAccount: {
    key: { key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(1) } },
    autoRenewPeriod: { seconds: 7_776_000n },
    ...parts,
  },
});

let network: TestNetwork;
beforeAll(async () => {
  network = await openTestNetwork();
}, 120_000);
afterAll(() => network?.stop());

const codeOf = (bytes: Uint8Array): string => responseCodeName(network.submit(bytes).code);

describe('a node refuses', () => {
  it.each<[string, () => Uint8Array]>([
    ['TRANSACTION_OVERSIZE', () => new Uint8Array(6_145)],
    ['INVALID_TRANSACTION', () => Uint8Array.of(0x2a, 0x05, 0x01)],
    [
      'INVALID_TRANSACTION',
      () => {
        const bodyBytes = bytesOf({ ...frame(), data: right });
        const signedTransactionBytes = SignedTransaction.encode(SignedTransaction.fromPartial({ bodyBytes })).finish();
        return Transaction.encode(Transaction.fromPartial({ signedTransactionBytes, bodyBytes })).finish();
      },
    ],
    ['TRANSACTION_HAS_UNKNOWN_FIELDS', () => Buffer.concat([transactionOf({ ...frame(), data: right }), unknownField])],
    [
      'TRANSACTION_HAS_UNKNOWN_FIELDS',
      () => wrap(Buffer.concat([bytesOf({ ...frame(), data: right }), unknownField]), []),
    ],
    ['INVALID_TRANSACTION_BODY', () => new Uint8Array()],
    ['INVALID_TRANSACTION_BODY', () => transactionOf(frame())],
    ['INVALID_TRANSACTION_BODY', () => wrap(Uint8Array.of(0x0a, 0x7f), [])],
    ['INVALID_TRANSACTION_ID', () => transactionOf({ ...frame(), transactionID: undefined as never, data: right })],
    [
      'PAYER_ACCOUNT_NOT_FOUND',
      () => transactionOf({ ...frame(), transactionID: id({ accountID: undefined }), data: right }),
    ],
    [
      'PAYER_ACCOUNT_NOT_FOUND',
      () => transactionOf({ ...frame(), transactionID: id({ accountID: accountId(0n) }), data: right }),
    ],
    [
      'PAYER_ACCOUNT_NOT_FOUND',
      () => transactionOf({ ...frame(), transactionID: id({ accountID: accountId(99_999n) }), data: right }),
    ],
    [
      'PAYER_ACCOUNT_NOT_FOUND',
      () =>
        transactionOf({
          ...frame(),
          transactionID: id({ accountID: accountAlias(new Uint8Array(20).fill(1)) }),
          data: right,
        }),
    ],
    [
      'KEY_PREFIX_MISMATCH',
      () => {
        const body = bytesOf({ ...frame(), data: right });
        return wrap(body, [pairOf(payer.key, body), pairOf(payer.key, body, publicKeyOf(payer.key).subarray(0, 3))]);
      },
    ],
    [
      'TRANSACTION_ID_FIELD_NOT_ALLOWED',
      () => transactionOf({ ...frame(), transactionID: id({ nonce: 1 }), data: right }),
    ],
    [
      'TRANSACTION_ID_FIELD_NOT_ALLOWED',
      () => transactionOf({ ...frame(), transactionID: id({ scheduled: true }), data: right }),
    ],
    [
      'INVALID_TRANSACTION_START',
      () => transactionOf({ ...frame(), transactionID: id({ transactionValidStart: undefined }), data: right }),
    ],
    ['INVALID_TRANSACTION_START', () => transactionOf(startingAt(systemClock() + 60n * SECOND))],
    ['TRANSACTION_EXPIRED', () => transactionOf(startingAt(systemClock() - 115n * SECOND))],
    ['MEMO_TOO_LONG', () => transactionOf({ ...frame(), memo: 'é'.repeat(51), data: right })],
    ['INVALID_ZERO_BYTE_IN_STRING', () => transactionOf({ ...frame(), memo: 'a\0', data: right })],
    [
      'INVALID_TRANSACTION_DURATION',
      () => transactionOf({ ...frame(), transactionValidDuration: undefined as never, data: right }),
    ],
    [
      'INVALID_TRANSACTION_DURATION',
      () => transactionOf({ ...frame(), transactionValidDuration: { seconds: 181n }, data: right }),
    ],
    [
      'INVALID_TRANSACTION_DURATION',
      () => transactionOf({ ...frame(), transactionValidDuration: { seconds: 14n }, data: right }),
    ],
    ['INVALID_NODE_ACCOUNT', () => transactionOf({ ...frame(), nodeAccountID: accountId(4n), data: right })],
    [
      'NOT_SUPPORTED',
      () => transactionOf({ ...frame(), data: { $case: 'tokenCreation', tokenCreation: { name: 'a' } } }),
    ],
    [
      'NOT_SUPPORTED',
      () => transactionOf({ ...frame(), data: { $case: 'cryptoTransfer', cryptoTransfer: { tokenTransfers: [{}] } } }),
    ],
    [
      'INVALID_ACCOUNT_AMOUNTS',
      () => transactionOf({ ...frame(), data: transferData([payer.num, -5n], [other.num, 6n]) }),
    ],
    [
      'ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS',
      () => transactionOf({ ...frame(), data: transferData([payer.num, -5n], [payer.num, 5n]) }),
    ],
    ['KEY_REQUIRED', () => transactionOf({ ...frame(), data: createData({ key: undefined }) })],
    [
      'BAD_ENCODING',
      () =>
        transactionOf({
          ...frame(),
          data: createData({ key: { key: { $case: 'ed25519', ed25519: Uint8Array.of(1) } } }),
        }),
    ],
    ['INVALID_RENEWAL_PERIOD', () => transactionOf({ ...frame(), data: createData({ autoRenewPeriod: undefined }) })],
    ['INVALID_ALIAS_KEY', () => transactionOf({ ...frame(), data: createData({ alias: new Uint8Array(21).fill(7) }) })],
    [
      'INVALID_TOPIC_MESSAGE',
      () =>
        transactionOf({
          ...frame(),
          data: { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID: topicId(1_001n) } },
        }),
    ],
    ['INVALID_SIGNATURE', () => transactionOf({ ...frame(), data: right }, [])],
    ['INVALID_SIGNATURE', () => transactionOf({ ...frame(), data: right }, [other.key])],
    [
      'INVALID_SIGNATURE',
      () => {
        const body = bytesOf({ ...frame(), data: right });
        return wrap(body, [pairOf(payer.key, Buffer.from('something else'))]);
      },
    ],
    ['INSUFFICIENT_TX_FEE', () => transactionOf({ ...frame(), transactionFee: 1n, data: right })],
    ['INSUFFICIENT_TX_FEE', () => transactionOf({ ...frame(), transactionFee: 1n << 63n, data: right })],
    [
      'INSUFFICIENT_PAYER_BALANCE',
      () => transactionOf({ ...frame(), data: transferData([payer.num, -1n << 50n], [other.num, 1n << 50n]) }),
    ],
  ])('with %s', (name, make) => {
    expect(codeOf(make())).toBe(name);
  });

  it('in the documented order: an unknown payer is told before a wrong node, a wrong node before an expired time', () => {
    const wrong = { ...startingAt(0n), nodeAccountID: accountId(4n), data: right };
    expect(codeOf(transactionOf({ ...wrong, memo: 'x'.repeat(101) }))).toBe('MEMO_TOO_LONG');
    expect(codeOf(transactionOf(wrong))).toBe('INVALID_NODE_ACCOUNT');
    expect(codeOf(transactionOf({ ...wrong, nodeAccountID: accountId(3n) }))).toBe('TRANSACTION_EXPIRED');
  });

  it('what the payer does not pay for, and says what it would cost', () => {
    const { code, cost } = network.submit(transactionOf({ ...frame(), transactionFee: 10n, data: right }));
    expect(responseCodeName(code)).toBe('INSUFFICIENT_TX_FEE');
    // A tenth of the 1,000,000 tinycents is the node's; each part is rounded down.
    const cents = BigInt(network.entrance.state.centEquiv);
    expect(cost).toBe((100_000n * 30_000n) / cents + (900_000n * 30_000n) / cents);
  });

  it('the same transaction a second time, before and after it is in a block', async () => {
    const bytes = transactionOf({ ...frame(), data: right });
    expect(codeOf(bytes)).toBe('OK');
    expect(codeOf(bytes)).toBe('DUPLICATE_TRANSACTION');
    expect(responseCodeName(await network.statusOf(bytes))).toBe('SUCCESS');
    expect(codeOf(bytes)).toBe('DUPLICATE_TRANSACTION');
  });

  it('more than may wait for a block', async () => {
    const sent: Uint8Array[] = [];
    const codes: string[] = [];
    // No block comes while this loop holds the thread.
    for (let i = 0; i < 1_001; i++) {
      sent.push(transactionOf({ ...frame(), data: right }));
      codes.push(codeOf(sent.at(-1) as Uint8Array));
    }
    expect(codes.slice(0, 1_000).every((code) => code === 'OK')).toBe(true);
    expect(codes.at(-1)).toBe('BUSY');
    expect(responseCodeName(await network.statusOf(sent.at(-2) as Uint8Array))).toBe('SUCCESS');
  }, 120_000);
});
