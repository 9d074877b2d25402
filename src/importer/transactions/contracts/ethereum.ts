/** Ethereum transactions: what their sender signed, and the sender's nonce. Results and logs are not made here. */
import type { RowOf } from '../../../database/table.ts';
import { leftPad, toHex } from '../../../ledger/bytes.ts';
import { EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { type EthereumTransaction, signedBytes } from '../../../ledger/ethereum-transaction.ts';
import { EVM_ADDRESS_LENGTH } from '../../../ledger/evm-address.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { EthereumTransactionBody } from '../../../protobuf/generated/services/ethereum_transaction.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { orNull } from '../../common/ids.ts';
import { ethereumHashOf } from '../../contracts/ethereum-of.ts';
import { atLeastHapi, contractResultOf } from '../../record-item.ts';
import { int64, jsonText } from '../column-values.ts';
import { type Call, defineHandler, persists, problem, touch } from '../handler.ts';
import { accountNumber, fileNumber, firstContract } from '../ids.ts';

const WORD_LENGTH = 32;

const hex = (bytes: Uint8Array, length: number): string => `0x${toHex(leftPad(bytes, length))}`;

/** `0x0` for no bytes; never a leading zero. */
const hexNumber = (bytes: Uint8Array): string => `0x${toHex(bytes).replace(/^0+/, '') || '0'}`;

const accessListJson = ({ accessList }: EthereumTransaction): string | null =>
  accessList &&
  jsonText(
    accessList.map(({ address, storageKeys }) => ({
      address: hex(address, EVM_ADDRESS_LENGTH),
      storage_keys: storageKeys.map((key) => hex(key, WORD_LENGTH)),
    })),
  );

/**
 * The parity is named `y_parity`, as the REST interface's schema and its clients have it. (The reference's own writer
 * says `yparity`, which its REST interface then doesn't find.)
 */
const authorizationListJson = ({ authorizationList }: EthereumTransaction): string | null =>
  authorizationList &&
  jsonText(
    authorizationList.map(({ chainId, address, nonce, yParity, signatureR, signatureS }) => ({
      address: hex(address, EVM_ADDRESS_LENGTH),
      chain_id: hexNumber(chainId),
      nonce,
      r: hex(signatureR, WORD_LENGTH),
      s: hex(signatureS, WORD_LENGTH),
      y_parity: `0x${yParity}`,
    })),
  );

/** All amounts are weibars. */
const ethereumRow = (
  call: Call<EthereumTransactionBody>,
  transaction: EthereumTransaction,
  hash: Uint8Array,
): RowOf<'ethereum_transaction'> => ({
  access_list: accessListJson(transaction),
  authorization_list: authorizationListJson(transaction),
  call_data: transaction.callData,
  call_data_id: orNull(fileNumber(call, call.body.callData)),
  chain_id: transaction.chainId,
  consensus_timestamp: call.timestamp,
  data: call.body.ethereumData,
  gas_limit: int64(transaction.gasLimit),
  gas_price: transaction.gasPrice,
  hash,
  max_fee_per_gas: transaction.maxFeePerGas,
  max_gas_allowance: int64(call.body.maxGasAllowance),
  max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
  nonce: int64(transaction.nonce),
  payer_account_id: call.item.payer,
  recovery_id: transaction.recoveryId,
  signature_r: transaction.signatureR,
  signature_s: transaction.signatureS,
  signature_v: transaction.signatureV,
  to_address: transaction.toAddress,
  type: transaction.type,
  value: signedBytes(transaction.value),
});

/** Results with which networks before 0.47, which didn't say the nonce, counted it up. */
const COUNTED_FAILURES: ReadonlySet<number> = new Set([
  ResponseCodeEnum.CONTRACT_REVERT_EXECUTED,
  ResponseCodeEnum.MAX_CHILD_RECORDS_EXCEEDED,
]);

/** The sender's nonce after this transaction, as far as its record lets know. */
const nextNonce = ({ item }: Call, transaction: EthereumTransaction): bigint | undefined => {
  const signerNonce = contractResultOf(item)?.signerNonce;
  if (signerNonce !== undefined) return signerNonce;
  if (atLeastHapi(item, 0, 47)) return undefined;
  return item.successful || COUNTED_FAILURES.has(item.status) ? transaction.nonce + 1n : undefined;
};

const stageSenderNonce = (call: Call, transaction: EthereumTransaction): void => {
  const sender = accountNumber(call, contractResultOf(call.item)?.senderId);
  if (sender === EMPTY_ENTITY_ID) return;
  const nonce = nextNonce(call, transaction);
  if (nonce === undefined) return;
  call.context.batch.stage('entity', { id: sender, ethereum_nonce: int64(nonce) });
  touch(call, sender);
};

const storeTransaction = (call: Call<EthereumTransactionBody>): void => {
  const { item, context } = call;
  const { transaction, fault = 'nothing to decode' } = item.ethereum ?? {};
  if (transaction === undefined) {
    problem(call, fault);
    return;
  }
  if (persists(call, 'ethereumTransactions')) {
    const { hash, fault: withoutHash } = ethereumHashOf(item, transaction, context);
    if (withoutHash !== undefined) problem(call, withoutHash);
    context.batch.insert('ethereum_transaction', ethereumRow(call, transaction, hash));
  }
  if (persists(call, 'trackNonce')) stageSenderNonce(call, transaction);
  touch(call, fileNumber(call, call.body.callData));
};

/** An Ethereum transaction is about the contract that its result names: the one created or called. */
export const ethereumTransaction = defineHandler(TransactionType.ETHEREUMTRANSACTION, 'ethereumTransaction', {
  entityId: (source) => firstContract(source, contractResultOf(source.item)?.contractID),
  always: storeTransaction,
});
