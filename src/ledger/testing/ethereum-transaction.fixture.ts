/** Ethereum transactions as bytes, made from what they say, for tests. */
import { encode } from '@ethereumjs/rlp';
import type { EthereumTransaction } from '../ethereum-transaction.ts';

const NONE = new Uint8Array(0);

const UNSIGNED: Omit<EthereumTransaction, 'type' | 'signatureV'> = {
  chainId: Uint8Array.of(1, 0x28),
  nonce: 5n,
  gasPrice: Uint8Array.of(0x2f),
  maxPriorityFeePerGas: Uint8Array.of(1),
  maxFeePerGas: Uint8Array.of(0x2f),
  gasLimit: 98_304n,
  toAddress: new Uint8Array(20).fill(0x7e),
  value: 0xffn,
  callData: Uint8Array.of(0x12, 0x34),
  accessList: [],
  authorizationList: [],
  recoveryId: 1,
  signatureR: new Uint8Array(32).fill(0x11),
  signatureS: new Uint8Array(32).fill(0x22),
};

/** A transaction of that type for chain 296, with the fields of other types null. */
export const transactionOf = (type: 0 | 1 | 2 | 4, fields: Partial<EthereumTransaction> = {}): EthereumTransaction => {
  const hasGasPrice = type < 2;
  return {
    ...UNSIGNED,
    type,
    gasPrice: hasGasPrice ? UNSIGNED.gasPrice : null,
    maxPriorityFeePerGas: hasGasPrice ? null : UNSIGNED.maxPriorityFeePerGas,
    maxFeePerGas: hasGasPrice ? null : UNSIGNED.maxFeePerGas,
    accessList: type === 0 ? null : [],
    authorizationList: type === 4 ? [] : null,
    // 35 + 2 * 296 + 1
    signatureV: type === 0 ? Uint8Array.of(0x02, 0x74) : null,
    ...fields,
  };
};

/** The bytes that say this. */
export const encodeTransaction = (transaction: EthereumTransaction): Uint8Array => {
  const { type, nonce, gasPrice, maxPriorityFeePerGas, maxFeePerGas, gasLimit, toAddress, value, callData } =
    transaction;
  const { signatureR, signatureS, recoveryId } = transaction;
  const destination = [gasLimit, toAddress, value, callData];
  if (type === 0) return encode([nonce, gasPrice, ...destination, transaction.signatureV, signatureR, signatureS]);
  const prices = type === 1 ? [gasPrice] : [maxPriorityFeePerGas, maxFeePerGas];
  const accessList = transaction.accessList?.map((entry) => [entry.address, [...entry.storageKeys]]) ?? NONE;
  const authorizations = transaction.authorizationList?.map((one) => [
    one.chainId,
    one.address,
    one.nonce,
    one.yParity,
    one.signatureR,
    one.signatureS,
  ]);
  const list = encode([
    transaction.chainId,
    nonce,
    ...prices,
    ...destination,
    accessList,
    ...(authorizations === undefined ? [] : [authorizations]),
    recoveryId,
    signatureR,
    signatureS,
  ]);
  return new Uint8Array([type, ...list]);
};
