/**
 * The transactions that the record streams of mainnet lack: 31 of September 2019 whose payers could not pay the fee, and
 * 82 of 2022 and 2023 that failed while they moved NFTs. The file holds what they say, not their bytes: signatures are
 * left out.
 */
import { readFileSync } from 'node:fs';
import { fromHex } from '../../ledger/bytes.ts';
import { NANOS_PER_SECOND, type Nanos } from '../../ledger/timestamp.ts';
import type { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import type { RecordFileItem } from '../../streams/record-file-content.ts';

/** Account and amount: tinybars, or units of a token. */
type Amount = readonly [account: number, amount: number];

interface TokenTransfers {
  readonly token: number;
  readonly transfers?: readonly Amount[];
  readonly nfts?: readonly (readonly [sender: number, receiver: number, serialNumber: number, approved?: 'approved'])[];
}

/** Times are nanoseconds as text; ids are numbers of shard 0 and realm 0. */
interface MissingTransaction {
  readonly consensusTimestamp: string;
  readonly payer: number;
  readonly validStart: string;
  readonly scheduled?: boolean;
  readonly node?: number;
  readonly validSeconds?: number;
  readonly maxFee: number;
  readonly memo?: string;
  /** Either a contract call or a transfer. */
  readonly call?: { readonly contract: number; readonly gas: number; readonly parameters: string };
  readonly transfers?: readonly Amount[];
  readonly tokenTransfers?: readonly TokenTransfers[];
  readonly record: MissingRecord;
}

interface MissingRecord {
  readonly status: ResponseCodeEnum;
  readonly hash: string;
  /** The record names the transaction's id; those of 2019 don't. */
  readonly withId?: boolean;
  /** Where it isn't the memo of the transaction. */
  readonly memo?: string;
  readonly fee?: number;
  readonly schedule?: number;
  /** The current exchange rate and the next one. */
  readonly rates: readonly (readonly [hbars: number, cents: number, expirySeconds: number])[];
  readonly transfers: readonly Amount[];
  readonly tokenTransfers?: readonly TokenTransfers[];
  readonly customFees?: readonly (readonly [amount: number, collector: number, ...payers: number[]])[];
  readonly stakingRewards?: readonly Amount[];
}

export interface MissingItem extends RecordFileItem {
  readonly consensusTimestamp: Nanos;
}

/** All of them as a record file would hold them, in the order of consensus. */
export const readMissingTransactions = (): MissingItem[] => {
  const text = readFileSync(new URL('../networks/mainnet-missing-transactions.json', import.meta.url), 'utf8');
  const { transactions } = JSON.parse(text) as { readonly transactions: readonly MissingTransaction[] };
  return transactions.map((missing) => ({
    consensusTimestamp: BigInt(missing.consensusTimestamp),
    transaction: serializedTransaction(missing),
    record: serializedRecord(missing),
  }));
};

type BodyFields = Parameters<typeof TransactionBody.fromPartial>[0];
type RecordFields = Parameters<typeof TransactionRecord.fromPartial>[0];

const serializedTransaction = (missing: MissingTransaction): Uint8Array => {
  const { node, validSeconds, maxFee, memo } = missing;
  const body: BodyFields = {
    transactionID: idOf(missing),
    transactionFee: BigInt(maxFee),
    memo: memo ?? '',
    data: dataOf(missing),
    ...(node === undefined ? {} : { nodeAccountID: accountOf(node) }),
    ...(validSeconds === undefined ? {} : { transactionValidDuration: { seconds: BigInt(validSeconds) } }),
  };
  const bodyBytes = TransactionBody.encode(TransactionBody.fromPartial(body)).finish();
  return Transaction.encode(Transaction.fromPartial({ bodyBytes })).finish();
};

const serializedRecord = (missing: MissingTransaction): Uint8Array => {
  const { record, memo = '' } = missing;
  const [currentRate, nextRate] = record.rates.map(([hbarEquiv, centEquiv, expiry]) => ({
    hbarEquiv,
    centEquiv,
    expirationTime: { seconds: BigInt(expiry) },
  }));
  const fields: RecordFields = {
    receipt: { status: record.status, exchangeRate: { currentRate, nextRate } },
    transactionHash: bytesOf(record.hash),
    consensusTimestamp: timestampOf(missing.consensusTimestamp),
    memo: record.memo ?? memo,
    transactionFee: BigInt(record.fee ?? 0),
    transferList: { accountAmounts: amountsOf(record.transfers) },
    tokenTransferLists: (record.tokenTransfers ?? []).map(tokenTransfersOf),
    assessedCustomFees: (record.customFees ?? []).map(([amount, collector, ...payers]) => ({
      amount: BigInt(amount),
      feeCollectorAccountId: accountOf(collector),
      effectivePayerAccountId: payers.map(accountOf),
    })),
    paidStakingRewards: amountsOf(record.stakingRewards ?? []),
    ...(record.withId !== true ? {} : { transactionID: idOf(missing) }),
    ...(record.schedule === undefined ? {} : { scheduleRef: { scheduleNum: BigInt(record.schedule) } }),
  };
  return TransactionRecord.encode(TransactionRecord.fromPartial(fields)).finish();
};

const dataOf = ({ call, transfers = [], tokenTransfers = [] }: MissingTransaction): BodyFields['data'] => {
  if (call !== undefined) {
    const contractCall = {
      contractID: { contract: { $case: 'contractNum' as const, contractNum: BigInt(call.contract) } },
      gas: BigInt(call.gas),
      functionParameters: bytesOf(call.parameters),
    };
    return { $case: 'contractCall', contractCall };
  }
  return {
    $case: 'cryptoTransfer',
    cryptoTransfer: {
      transfers: { accountAmounts: amountsOf(transfers) },
      tokenTransfers: tokenTransfers.map(tokenTransfersOf),
    },
  };
};

const accountOf = (accountNum: number) => ({
  account: { $case: 'accountNum' as const, accountNum: BigInt(accountNum) },
});

const amountsOf = (amounts: readonly Amount[]) =>
  amounts.map(([account, amount]) => ({ accountID: accountOf(account), amount: BigInt(amount) }));

const tokenTransfersOf = ({ token, transfers = [], nfts = [] }: TokenTransfers) => ({
  token: { tokenNum: BigInt(token) },
  transfers: amountsOf(transfers),
  nftTransfers: nfts.map(([sender, receiver, serialNumber, approved]) => ({
    senderAccountID: accountOf(sender),
    receiverAccountID: accountOf(receiver),
    serialNumber: BigInt(serialNumber),
    isApproval: approved !== undefined,
  })),
});

const idOf = ({ payer, validStart, scheduled = false }: MissingTransaction) => ({
  accountID: accountOf(payer),
  transactionValidStart: timestampOf(validStart),
  scheduled,
});

const timestampOf = (nanos: string) => ({
  seconds: BigInt(nanos) / NANOS_PER_SECOND,
  nanos: Number(BigInt(nanos) % NANOS_PER_SECOND),
});

const bytesOf = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array(0);
