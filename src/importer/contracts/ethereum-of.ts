/** The Ethereum transaction that an item carries, and the hash by which the EVM's tables know an item. */
import { type EthereumTransaction, withCallData } from '../../ledger/ethereum-transaction.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';

/** Undefined when the item carries none or one that cannot be decoded. */
export const ethereumTransactionOf = (item: RecordItem): EthereumTransaction | undefined => item.ethereum?.transaction;

/** A hash of 32 bytes, or no bytes and the reason why. */
export interface EthereumHash {
  readonly hash: Uint8Array;
  readonly fault?: string;
}

const noHash = (fault: string): EthereumHash => ({ hash: new Uint8Array(0), fault });

/**
 * Hash of a decoded Ethereum transaction: the one in the record, else that of its bytes; call data that the sender put
 * into a file is in these bytes again, as it was when they were signed.
 */
export const ethereumHashOf = (
  item: RecordItem,
  transaction: EthereumTransaction,
  { files }: Pick<HandlerContext, 'files'>,
): EthereumHash => {
  const { data } = item.body;
  const { ethereumHash } = item.record;
  if (ethereumHash.length > 0 || data?.$case !== 'ethereumTransaction') return { hash: ethereumHash };
  const { ethereumData, callData: file } = data.ethereumTransaction;
  if (transaction.callData.length > 0 || file === undefined) return { hash: keccak256(ethereumData) };
  // The reference doesn't hash these, and its hash is the one that others know.
  if (transaction.accessList !== null && transaction.accessList.length > 0) {
    return noHash('the hash is unknown: there is an access list, and the call data is in a file');
  }
  const callData = files.hexContents(file);
  if (callData === undefined) return noHash('the hash is unknown: the file with the call data is missing or not hex');
  return { hash: keccak256(withCallData(ethereumData, callData)) };
};

const HASH_LENGTH = 32;

/** Shorter hashes are padded behind. */
const first32 = (hash: Uint8Array): Uint8Array => {
  if (hash.length >= HASH_LENGTH) return hash.subarray(0, HASH_LENGTH);
  const padded = new Uint8Array(HASH_LENGTH);
  padded.set(hash);
  return padded;
};

/**
 * `transaction_hash` of the EVM's tables: the Ethereum hash for an item with a decoded Ethereum transaction (empty when
 * it cannot be known), else the first 32 bytes of the transaction's own hash.
 */
export const evmHashOf = (item: RecordItem, context: Pick<HandlerContext, 'files'>): Uint8Array => {
  const transaction = ethereumTransactionOf(item);
  return transaction === undefined
    ? first32(item.record.transactionHash)
    : ethereumHashOf(item, transaction, context).hash;
};
