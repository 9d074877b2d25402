import { readdirSync, readFileSync } from 'node:fs';
import { isSuccessful } from '../ledger/response-code.ts';
import { nanosOf } from '../ledger/timestamp.ts';
import type { AccountID } from '../protobuf/generated/services/basic_types.ts';
import { Transaction, TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import { checkChain, readRecordFile } from '../streams/record-file.ts';
import type { RecordFile } from '../streams/record-file-content.ts';

export interface ReplayedItem {
  readonly consensusTimestamp: bigint;
  readonly transactionBytes: Uint8Array;
  readonly signed: SignedTransaction;
  readonly body: TransactionBody;
  readonly record: TransactionRecord;
}

/** The data files of one node, oldest first, each proven by the reader and chained to the one before. */
export const readLedgerFiles = (folder: string, start: Uint8Array = new Uint8Array(48)): RecordFile[] => {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.rcd.gz'))
    .toSorted();
  let previous: Uint8Array = start;
  return names.map((name) => {
    const file = readRecordFile(name, readFileSync(`${folder}/${name}`));
    checkChain(file, previous);
    previous = file.hash;
    return file;
  });
};

export const decodeItems = (file: RecordFile): ReplayedItem[] =>
  file.items.map((item) => {
    const record = TransactionRecord.decode(item.record);
    const signed = SignedTransaction.decode(Transaction.decode(item.transaction).signedTransactionBytes);
    return {
      consensusTimestamp: nanosOf(record.consensusTimestamp ?? { seconds: 0n, nanos: 0 }),
      transactionBytes: item.transaction,
      signed,
      body: TransactionBody.decode(signed.bodyBytes),
      record,
    };
  });

export const numOf = (id: AccountID | undefined): bigint =>
  id?.account?.$case === 'accountNum' ? id.account.accountNum : 0n;

/** What the records alone say of the ledger, worked out without any knowledge of the simulator's state. */
export interface ReplayedLedger {
  readonly balances: Map<bigint, bigint>;
  readonly tokenBalances: Map<bigint, Map<bigint, bigint>>;
  readonly supplies: Map<bigint, bigint>;
  readonly nftOwners: Map<bigint, Map<bigint, bigint>>;
  readonly topics: Map<bigint, { sequence: bigint; runningHash: Uint8Array }>;
  readonly deletedAccounts: bigint[];
  hbarTransfers: number;
}

export const replay = (items: Iterable<ReplayedItem>): ReplayedLedger => {
  const ledger: ReplayedLedger = {
    balances: new Map(),
    tokenBalances: new Map(),
    supplies: new Map(),
    nftOwners: new Map(),
    topics: new Map(),
    deletedAccounts: [],
    hbarTransfers: 0,
  };
  for (const item of items) apply(ledger, item);
  return ledger;
};

const inner = <V>(map: Map<bigint, Map<bigint, V>>, key: bigint): Map<bigint, V> => {
  const known = map.get(key) ?? new Map<bigint, V>();
  map.set(key, known);
  return known;
};

const add = (map: Map<bigint, bigint>, key: bigint, amount: bigint): void => {
  map.set(key, (map.get(key) ?? 0n) + amount);
};

const apply = (ledger: ReplayedLedger, { body, record }: ReplayedItem): void => {
  const { receipt } = record;
  for (const { accountID, amount } of record.transferList?.accountAmounts ?? []) {
    add(ledger.balances, numOf(accountID), amount);
    ledger.hbarTransfers++;
  }
  if (receipt === undefined || !isSuccessful(receipt.status)) return;
  const created = numOf(receipt.accountID);
  if (body.data?.$case === 'cryptoCreateAccount') add(ledger.balances, created, 0n);
  if (body.data?.$case === 'contractCreateInstance' && receipt.contractID?.contract?.$case === 'contractNum')
    add(ledger.balances, receipt.contractID.contract.contractNum, 0n);
  for (const { tokenId, accountId } of record.automaticTokenAssociations) {
    add(inner(ledger.tokenBalances, tokenId?.tokenNum ?? 0n), numOf(accountId), 0n);
  }
  for (const list of record.tokenTransferLists) {
    const token = list.token?.tokenNum ?? 0n;
    const balances = inner(ledger.tokenBalances, token);
    for (const { accountID, amount } of list.transfers) add(balances, numOf(accountID), amount);
    for (const transfer of list.nftTransfers) {
      const sender = numOf(transfer.senderAccountID);
      const receiver = numOf(transfer.receiverAccountID);
      const owners = inner(ledger.nftOwners, token);
      if (transfer.serialNumber === -1n) {
        for (const [serial, owner] of owners) if (owner === sender) owners.set(serial, receiver);
        add(balances, receiver, balances.get(sender) ?? 0n);
        balances.set(sender, 0n);
        continue;
      }
      if (sender !== 0n) add(balances, sender, -1n);
      if (receiver === 0n) owners.delete(transfer.serialNumber);
      else {
        owners.set(transfer.serialNumber, receiver);
        add(balances, receiver, 1n);
      }
    }
  }
  applyData(ledger, body, record);
};

const applyData = (ledger: ReplayedLedger, body: TransactionBody, record: TransactionRecord): void => {
  const receipt = record.receipt;
  const { data } = body;
  switch (data?.$case) {
    case 'tokenCreation':
      ledger.supplies.set(receipt?.tokenID?.tokenNum ?? 0n, data.tokenCreation.initialSupply);
      break;
    case 'tokenMint':
      ledger.supplies.set(data.tokenMint.token?.tokenNum ?? 0n, receipt?.newTotalSupply ?? 0n);
      break;
    case 'tokenBurn':
      ledger.supplies.set(data.tokenBurn.token?.tokenNum ?? 0n, receipt?.newTotalSupply ?? 0n);
      break;
    case 'tokenWipe':
      ledger.supplies.set(data.tokenWipe.token?.tokenNum ?? 0n, receipt?.newTotalSupply ?? 0n);
      break;
    case 'tokenAssociate':
      for (const { tokenNum } of data.tokenAssociate.tokens) {
        add(inner(ledger.tokenBalances, tokenNum), numOf(data.tokenAssociate.account), 0n);
      }
      break;
    case 'tokenDissociate':
      for (const { transfers, token } of record.tokenTransferLists) {
        const num = token?.tokenNum ?? 0n;
        for (const { amount } of transfers) add(ledger.supplies, num, amount);
        const owners = inner(ledger.nftOwners, num);
        const former = numOf(data.tokenDissociate.account);
        for (const [serial, owner] of owners) if (owner === former) owners.delete(serial);
      }
      for (const { tokenNum } of data.tokenDissociate.tokens) {
        inner(ledger.tokenBalances, tokenNum).delete(numOf(data.tokenDissociate.account));
      }
      break;
    case 'cryptoDelete': {
      const account = numOf(data.cryptoDelete.deleteAccountID);
      ledger.deletedAccounts.push(account);
      for (const balances of ledger.tokenBalances.values()) balances.delete(account);
      break;
    }
    case 'consensusCreateTopic':
      ledger.topics.set(receipt?.topicID?.topicNum ?? 0n, { sequence: 0n, runningHash: new Uint8Array(48) });
      break;
    case 'consensusSubmitMessage':
      ledger.topics.set(data.consensusSubmitMessage.topicID?.topicNum ?? 0n, {
        sequence: receipt?.topicSequenceNumber ?? 0n,
        runningHash: receipt?.topicRunningHash ?? new Uint8Array(),
      });
      break;
    default:
  }
};
