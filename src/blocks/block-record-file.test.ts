import { describe, expect, it } from 'vitest';
import { sha384 } from '../ledger/hash.ts';
import { Transaction, TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import {
  account,
  at,
  bytes,
  type Executed,
  eventHeader,
  executed,
  itemOf,
  PAYER,
  rebuilt,
  rebuiltBlock,
  roundHeader,
  signedOf,
  stateItem,
  T,
  tokenState,
} from './testing/block.fixture.ts';

const TRANSFER = { $case: 'cryptoTransfer', cryptoTransfer: { transfers: { accountAmounts: [] }, tokenTransfers: [] } };
const mint = (amount: bigint): unknown => ({
  $case: 'tokenMint',
  tokenMint: { token: { tokenNum: 50n }, amount, metadata: [] },
});

describe('the record of a block’s transaction', () => {
  it('holds what result and transaction say, byte for byte', () => {
    const accountAmounts = [
      { accountID: account(3n), amount: 7n },
      { accountID: account(PAYER), amount: -7n },
    ];
    const nftTransfers = [
      { senderAccountID: account(4n), receiverAccountID: account(5n), serialNumber: 9n, isApproval: true },
    ];
    const transfer: Executed = {
      data: TRANSFER,
      id: { start: 3, nonce: 2, scheduled: true },
      at: 10,
      parentAt: 9,
      result: {
        scheduleRef: { scheduleNum: 77n },
        transactionFeeCharged: 123_456_789_012n,
        transferList: { accountAmounts },
        tokenTransferLists: [{ token: { tokenNum: 50n }, nftTransfers }, { token: { tokenNum: 51n } }],
        automaticTokenAssociations: [{ tokenId: { tokenNum: 50n }, accountId: account(5n) }],
        paidStakingRewards: [{ accountID: account(6n), amount: 8n }],
        congestionPricingMultiplier: 5n,
        highVolumePricingMultiplier: 2_000n,
        assessedCustomFees: [{ amount: 4n, feeCollectorAccountId: account(8n) }],
      },
    };
    const { records, recordFile } = rebuilt(transfer);
    const signed = signedOf(TRANSFER, transfer.id);
    expect(records[0]).toEqual(
      TransactionRecord.fromPartial({
        receipt: { status: 22 },
        transactionHash: new Uint8Array(sha384(signed)),
        consensusTimestamp: at(10),
        transactionID: {
          accountID: account(PAYER),
          transactionValidStart: at(3),
          nonce: 2,
          scheduled: true,
        },
        memo: 'memo',
        transactionFee: 123_456_789_012n,
        transferList: { accountAmounts },
        tokenTransferLists: [{ token: { tokenNum: 50n }, nftTransfers }, { token: { tokenNum: 51n } }],
        scheduleRef: { scheduleNum: 77n },
        assessedCustomFees: [{ amount: 4n, feeCollectorAccountId: account(8n) }],
        automaticTokenAssociations: [{ tokenId: { tokenNum: 50n }, accountId: account(5n) }],
        parentConsensusTimestamp: at(9),
        paidStakingRewards: [{ accountID: account(6n), amount: 8n }],
        highVolumePricingMultiplier: 2_000n,
      }),
    );
    const [item] = recordFile.items;
    expect(item?.ofBlock).toEqual({ congestionPricingMultiplier: 5n, ethereumNonce: undefined, unknown: [] });
    expect(Transaction.decode(item?.transaction as Uint8Array).signedTransactionBytes).toEqual(signed);
    // Canonical form: encoding the decoded record again gives its bytes.
    expect(TransactionRecord.encode(records[0] as TransactionRecord).finish()).toEqual(
      new Uint8Array(item?.record as Uint8Array),
    );
  });

  it('keeps amounts that fill 64 bits', () => {
    const fee = (1n << 64n) - 1n;
    const { records, recordFile } = rebuilt({
      data: TRANSFER,
      at: 1,
      result: { transactionFeeCharged: fee, congestionPricingMultiplier: fee },
    });
    expect(records[0]?.transactionFee).toBe(fee);
    expect(recordFile.items[0]?.ofBlock?.congestionPricingMultiplier).toBe(fee);
  });

  it('hashes the Transaction where the network did so', () => {
    const { bodyBytes } = SignedTransaction.decode(signedOf(TRANSFER));
    const sigMap = {
      sigPair: [{ pubKeyPrefix: bytes('aa'), signature: { $case: 'ed25519' as const, ed25519: bytes('bb') } }],
    };
    const signedTransaction = SignedTransaction.encode(
      SignedTransaction.fromPartial({ bodyBytes, sigMap, useSerializedTxMessageHashAlgorithm: true }),
    ).finish();
    const { recordFile, records } = rebuiltBlock([
      itemOf({ $case: 'signedTransaction', signedTransaction }),
      ...executed({ at: 1 }),
    ]);
    const transaction = recordFile.items[0]?.transaction as Uint8Array;
    expect(Transaction.decode(transaction)).toEqual(Transaction.fromPartial({ bodyBytes, sigMap }));
    expect(records[0]?.transactionHash).toEqual(new Uint8Array(sha384(transaction)));
  });
});

describe('the transactions of a block', () => {
  it('are those with a result', () => {
    const internal = itemOf({
      $case: 'signedTransaction',
      signedTransaction: signedOf({ $case: 'stateSignatureTransaction', stateSignatureTransaction: { round: 4n } }),
    });
    const { records, recordFile } = rebuiltBlock([
      roundHeader(41n),
      eventHeader(),
      internal,
      ...executed({ data: TRANSFER, at: 5 }),
      internal,
      roundHeader(42n),
      eventHeader(),
      ...executed({ data: TRANSFER, at: 8, status: 10 }),
    ]);
    expect(records.map(({ receipt }) => receipt?.status)).toEqual([22, 10]);
    const second = T * 1_000_000_000n;
    expect(recordFile).toMatchObject({
      name: '0000000000000000005.blk',
      version: 7,
      blockNumber: 5n,
      hapiVersion: { major: 0, minor: 78, patch: 0 },
      hash: new Uint8Array(48).fill(7),
      previousHash: new Uint8Array(48),
      fileHash: new Uint8Array(),
      consensusStart: second + 5n,
      consensusEnd: second + 8n,
      outOfOrder: false,
      sidecars: [],
      size: 1_000,
      uncompressedSize: 2_000,
      ofBlock: {
        softwareVersion: { major: 0, minor: 78, patch: 1 },
        roundStart: 41n,
        roundEnd: 42n,
        wrappedRecordBlockHash: null,
        previousWrappedRecordBlockHash: null,
      },
    });
  });

  it('may be none', () => {
    const { recordFile } = rebuiltBlock([roundHeader(1n)]);
    expect(recordFile.items).toEqual([]);
    expect(recordFile).toMatchObject({ consensusStart: T * 1_000_000_000n, consensusEnd: T * 1_000_000_000n });
  });

  it('refuses a result of nothing', () => {
    expect(() => rebuilt({ at: 1 })).toThrow(
      expect.objectContaining({ code: 'STREAM_MALFORMED', message: expect.stringContaining('block 5, item 1') }),
    );
  });

  it('leaves out state changes of another time, and what follows them', () => {
    const { records, unknown } = rebuiltBlock([
      ...executed({ data: mint(1n), at: 5 }),
      stateItem([tokenState(50n, 1n)], 6),
      stateItem([tokenState(50n, 2n)], 5),
    ]);
    expect(records[0]?.receipt?.newTotalSupply).toBe(0n);
    expect(unknown).toEqual([['token supply']]);
  });
});

describe('an atomic batch', () => {
  const start = (inner: number): { start: number } => ({ start: 100 + inner });
  const batchOf = (...inner: Uint8Array[]): unknown => ({ $case: 'atomicBatch', atomicBatch: { transactions: inner } });
  const typeOf = (transaction: Uint8Array): string | undefined => {
    const { signedTransactionBytes } = Transaction.decode(transaction);
    return TransactionBody.decode(SignedTransaction.decode(signedTransactionBytes).bodyBytes).data?.$case;
  };

  it('has inner transactions in its body, children of theirs in the stream', () => {
    const inner = [signedOf(mint(10n), start(0)), signedOf(TRANSFER, start(1)), signedOf(mint(5n), start(2))];
    const { records, recordFile, unknown } = rebuilt(
      { data: batchOf(...inner), at: 10 },
      { at: 11, parentAt: 10, state: [tokenState(50n, 110n)] },
      { data: TRANSFER, id: { start: 101, nonce: 1 }, at: 12 },
      { at: 13, parentAt: 10 },
      { data: TRANSFER, id: { start: 101, nonce: 2 }, at: 14, parentAt: 13 },
      { at: 15, parentAt: 10, state: [tokenState(50n, 115n)] },
    );
    expect(recordFile.items.map(({ transaction }) => typeOf(transaction))).toEqual([
      'atomicBatch',
      'tokenMint',
      'cryptoTransfer',
      'cryptoTransfer',
      'cryptoTransfer',
      'tokenMint',
    ]);
    expect(records[1]?.transactionHash).toEqual(new Uint8Array(sha384(inner[0] as Uint8Array)));
    expect(records[3]?.transactionID?.transactionValidStart?.nanos).toBe(101);
    expect(records.map(({ receipt }) => receipt?.newTotalSupply)).toEqual([0n, 110n, 0n, 0n, 0n, 115n]);
    expect(unknown.flat()).toEqual([]);
  });

  it('ends where an inner transaction has no result', () => {
    const inner = [signedOf(TRANSFER, start(0)), signedOf(TRANSFER, start(1))];
    const { records } = rebuilt(
      { data: batchOf(...inner), at: 10, status: 391 },
      { at: 11, parentAt: 10, status: 28 },
      { data: TRANSFER, id: { start: 7 }, at: 20 },
    );
    expect(records.map(({ transactionID }) => transactionID?.transactionValidStart?.nanos)).toEqual([0, 100, 7]);
  });
});

describe('items in another order', () => {
  const [transfer, result] = executed({ data: TRANSFER, at: 10 });
  const [second, secondResult] = executed({ data: TRANSFER, at: 20 });
  const nodes = signedOf({ $case: 'stateSignatureTransaction', stateSignatureTransaction: {} });
  const ofNodes = itemOf({ $case: 'signedTransaction', signedTransaction: nodes });

  it.each<[string, Parameters<typeof rebuiltBlock>[0]]>([
    ['behind the next transaction', [transfer, second, result, secondResult] as never],
    ['behind one of the nodes', [transfer, ofNodes, result] as never],
    ['behind the next event', [transfer, eventHeader(), result] as never],
  ])('are refused when a result stands %s', (_, items) => {
    expect(() => rebuiltBlock(items)).toThrow(/a transaction of type CRYPTOTRANSFER before this item has no result/);
  });

  it('are refused when the last result is missing', () => {
    expect(() => rebuiltBlock([transfer, result, second] as never)).toThrow(
      /CRYPTOTRANSFER before this item has no result/,
    );
  });
});
