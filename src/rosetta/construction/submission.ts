/** Handing a transaction to the node that it was made for: one attempt, since a second one could be a duplicate. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { responseCodeName } from '../../ledger/response-code.ts';
import { Transaction } from '../../protobuf/generated/services/transaction.ts';
import { rosettaError } from '../rosetta-error.ts';
import { formatAccount } from './accounts.ts';
import { callNode, NodeCallFailure } from './node-channel.ts';
import type { NetworkNode } from './nodes.ts';
import type { FrozenTransaction } from './transaction-bytes.ts';

const paths = {
  cryptoTransfer: '/proto.CryptoService/cryptoTransfer',
  cryptoCreateAccount: '/proto.CryptoService/createAccount',
} as const;

const RESPONSE_OK = 0;
const CODE_FIELD = 1;

/** `nodeTransactionPrecheckCode` of a TransactionResponse. */
const decodePrecheckCode = (bytes: Uint8Array): number => {
  const reader = new BinaryReader(bytes);
  let code = RESPONSE_OK;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === CODE_FIELD && wireType === 0) code = reader.int32();
    else reader.skip(wireType);
  }
  return code;
};

/** @throws RosettaError 118 with the reason: no such node, no answer, or the node's code */
export const submit = async (
  { body, signedTransactionBytes }: FrozenTransaction,
  nodes: readonly NetworkNode[],
  timeoutMs: number,
): Promise<void> => {
  const failed = (reason: string, cause?: unknown) =>
    rosettaError('transactionSubmissionFailed', { details: { reason }, cause });
  const account = formatAccount(body.nodeAccountID);
  const node = nodes.find((known) => known.account === account);
  const addresses = node?.addresses ?? [];
  const address = addresses[Math.floor(Math.random() * addresses.length)];
  if (address === undefined) throw failed(`no address of node ${account ?? 'without account'} is known`);
  const path = body.data?.$case === 'cryptoCreateAccount' ? paths.cryptoCreateAccount : paths.cryptoTransfer;
  const bytes = Transaction.encode(Transaction.fromPartial({ signedTransactionBytes })).finish();
  const certificateHash = node?.certificateHash;
  let code: number;
  try {
    code = (await callNode({ address, certificateHash, path, bytes, timeoutMs }, decodePrecheckCode)) ?? RESPONSE_OK;
  } catch (fault) {
    if (fault instanceof NodeCallFailure) throw failed(fault.message, fault);
    throw fault;
  }
  if (code !== RESPONSE_OK) throw failed(responseCodeName(code));
};
